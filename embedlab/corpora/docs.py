"""The documentation of the installed libraries: real, labelled texts without a download."""

import ast
import gc
import json
import os
import warnings
from collections.abc import Container, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from multiprocessing import get_context
from pathlib import Path

from embedlab.corpora.base import Corpus, Draft, remember, remembered, store_corpus
from embedlab.corpora.notes import Note
from embedlab.corpora.prose import prose
from embedlab.corpora.tables import Reading
from embedlab.errors import CorpusError
from embedlab.progress import Progress, silent
from embedlab.sentences import sentences
from embedlab.store_root import alone

LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "torch", "transformers", "plotly", "streamlit")
RULE = 2  # of gathering; a new number gathers anew
MIN_CHARACTERS = 150  # with two sentences this leaves about 11,000 texts; shorter ones are one-line summaries
MIN_SENTENCES = 2
SHARED_FROM = 300  # files; fewer are read before a second process has started
SKIPPED = frozenset({"tests", "test", "testing", "testing_utils.py", "conftest.py", "_vendor"})
_NAMED = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class DocsSource:
    """The built-in corpus."""

    key = "docs"
    title = "Documentation of the installed libraries"
    sentence = "What numpy, scipy, scikit-learn, pandas, torch, transformers, plotly and streamlit write of themselves."
    connects = False

    def matches(self, reference: str) -> bool:
        return reference == self.key

    def is_stored(self, reference: str, reading: Reading) -> bool:
        return remembered(_key(_installed(LIBRARIES))) is not None

    def load(self, reference: str, reading: Reading, progress: Progress = silent) -> Corpus:
        """Gathered once for these versions of the libraries, then opened from the store."""
        return load_docs(progress=progress)


def load_docs(*, libraries: tuple[str, ...] = LIBRARIES, progress: Progress = silent) -> Corpus:
    """The corpus ``docs``: prose of documentation strings, labelled by topic (``TOPICS``).

    Copies that were stored when the label was package.subpackage keep their fingerprint and open by it.
    """
    installed = _installed(libraries)
    if corpus := remembered(_key(installed)):
        return corpus
    with alone("docs", lambda: progress("Waiting for the documentation, which another process gathers")):
        return remembered(_key(installed)) or _gathered(installed, libraries, progress)


def _gathered(installed: dict[str, Distribution], libraries: tuple[str, ...], progress: Progress) -> Corpus:
    rows = gather(installed, progress)
    if not rows:
        names = ", ".join(libraries)
        raise CorpusError("E-NO-TEXTS", f"None of {names} is installed with its sources. Install requirements.txt.")
    missing = ", ".join(name for name in libraries if name not in installed)
    notes = [Note(code="W-LIBRARY-MISSING", message=f"Not installed and left out: {missing}.")] if missing else []
    draft = Draft(
        name="docs",
        source="docs",
        texts=[row["text"] for row in rows],
        labels=[row["label"] for row in rows],
        titles=[row["title"] for row in rows],
        columns={name: [row[name] for row in rows] for name in ("package", "subpackage")},
        roles={"text": "documentation string", "label": "topic of the subpackage", "title": "qualified name"},
        unlabeled=None,
        notes=notes,
        licence="the licence of each library (BSD-3-Clause, Apache-2.0, MIT)",
        versions=_versions(installed),
    )
    return remember(_key(installed), store_corpus(draft))


def _key(installed: dict[str, Distribution]) -> str:
    return f"docs rule {RULE} {json.dumps(_versions(installed), sort_keys=True)}"


def _versions(installed: dict[str, Distribution]) -> dict[str, str]:
    return {name: found.version for name, found in installed.items()}


def gather(installed: dict[str, Distribution], progress: Progress = silent) -> list[dict[str, str]]:
    """Text, label, title, package and subpackage of every documentation string of a subpackage with a topic.

    In order of file and line; of copies the first.
    """
    files = [(name, *file) for name, found in installed.items() for file in _sources(found)]
    files = [file for file in files if _subpackage(file[1]) in TOPIC_OF]
    rows: dict[str, dict[str, str]] = {}
    for done, (found, (name, *_)) in enumerate(zip(_read(files), files, strict=True)):
        progress(f"Gathering documentation of {name}", done, len(files))
        for row in found:
            rows.setdefault(row["text"], {**row, "label": TOPIC_OF[row["subpackage"]]})
    progress("Gathering documentation", len(files), len(files))
    return list(rows.values())


def _read(files: list[tuple[str, str, Path]]) -> Iterator[list[dict[str, str]]]:
    """What is documented in each file, in order; two processes share many files, where the system has room for them."""
    if len(files) < SHARED_FROM or (os.cpu_count() or 1) < 2:
        yield from map(documented, files)
        return
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield from pool.map(documented, files, chunksize=32)


def documented(file: tuple[str, str, Path]) -> list[dict[str, str]]:
    """Text, title, package and subpackage of every documentation string of a file that is long enough.

    file: the package's name, the module's dotted name, its path
    """
    name, module, path = file
    own, rows, was_enabled = {"package": name, "subpackage": _subpackage(module)}, [], gc.isenabled()
    gc.disable()  # syntax trees hold no cycles; without passes over them parsing takes a third less
    try:
        for title, docstring in docstrings(path.read_bytes(), module):
            text = prose(docstring) if len(docstring) >= MIN_CHARACTERS else ""
            if len(text) >= MIN_CHARACTERS and len(sentences(text)) >= MIN_SENTENCES:
                rows.append({"text": text, "title": title, **own})
    finally:
        if was_enabled:
            gc.enable()
    return rows


def _subpackage(module: str) -> str:
    return ".".join(module.split(".")[:2])


def docstrings(source: bytes, module: str) -> Iterator[tuple[str, str]]:
    """(qualified name, documentation string) of a module, its classes and functions, by line; nothing is run."""
    if b'"""' not in source and b"'''" not in source:
        return
    if b"automatically generated from src/" in source[:1000]:
        return  # transformers writes such files from a modular file beside them, which says the same
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # "\d" in other people's strings
            tree = ast.parse(source)
    except SyntaxError:
        return  # a file for another version of Python
    waiting = [(module, tree)]
    while waiting:
        name, node = waiting.pop()
        if docstring := ast.get_docstring(node, clean=False):
            yield name, docstring
        inner = (child for child in node.body if isinstance(child, _NAMED))
        waiting += [(f"{name}.{child.name}", child) for child in inner][::-1]


def _installed(libraries: tuple[str, ...]) -> dict[str, Distribution]:
    installed = {}
    for name in libraries:
        with suppress(PackageNotFoundError):
            installed[name] = distribution(name)
    return installed


def first_texts(topics: Sequence[str], most: int) -> dict[str, list[str]]:
    """Some texts of a few topics, read at once, before all are gathered: at most ``most`` of each."""
    texts: dict[str, list[str]] = {topic: [] for topic in topics}
    wanted = {subpackage for topic in topics for subpackage in TOPICS[topic]}
    for name, found in _installed(LIBRARIES).items():
        for module, path in _sources(found, wanted):
            topic = texts[TOPIC_OF[_subpackage(module)]]
            if len(topic) < most:
                rows = documented((name, module, path))
                topic.extend(text for text in dict.fromkeys(row["text"] for row in rows) if text not in topic)
    return {topic: rows[:most] for topic, rows in texts.items()}


def _sources(found: Distribution, wanted: Container[str] | None = None) -> list[tuple[str, Path]]:
    """(dotted module name, path) of a library's own modules, or of the wanted subpackages; sorted, without tests."""
    modules = []
    files = found.files or []
    if wanted is not None:
        files = [file for file in files if ".".join(file.parts[:2]).removesuffix(".py") in wanted]
    for file in sorted(files, key=str):
        path = Path(file.locate())
        if file.suffix == ".py" and len(file.parts) > 1 and not SKIPPED & set(file.parts) and path.is_file():
            parts = [*file.parts[:-1], file.stem] if file.stem != "__init__" else list(file.parts[:-1])
            modules.append((".".join(parts), path))
    return modules


TOPICS: dict[str, tuple[str, ...]] = {
    "Arrays": ("numpy.lib", "numpy._core", "numpy.ma", "scipy._lib"),
    "Tables": ("pandas.core",),
    "Files and formats": ("pandas.io", "scipy.io"),
    "Charts": ("plotly.graph_objs", "pandas.plotting"),
    "Web page elements": ("streamlit.elements", "streamlit.components"),
    "Web app server": ("streamlit.runtime", "streamlit.web"),
    "Statistics": ("scipy.stats", "torch.distributions"),
    "Signal processing": ("scipy.signal", "scipy.ndimage"),
    "Linear algebra": ("scipy.linalg", "scipy.sparse"),
    "Optimization": ("scipy.optimize", "torch.optim"),
    "Functions, integrals and interpolation": tuple(
        "numpy.polynomial scipy.interpolate scipy.special scipy.integrate".split()
    ),
    "Distances and clustering": ("scipy.spatial", "scipy.cluster"),
    "Classification and regression": ("sklearn.linear_model", "sklearn.ensemble"),
    "Model evaluation": ("sklearn.metrics", "sklearn.model_selection"),
    "Preparing data": ("sklearn.utils", "sklearn.preprocessing"),
    "Neural network layers": ("torch.nn",),
    "Automatic differentiation": ("torch.autograd", "torch._functorch"),
    "Training on several computers": ("torch.distributed",),
    "Graphics processors": ("torch.cuda", "torch.xpu"),
    "Tracing programs": ("torch._dynamo", "torch.fx", "torch._higher_order_ops"),
    "Compiling to fast code": ("torch._inductor", "torch._native"),
    "Quantization": ("torch.ao",),
    "Exporting models": ("transformers.exporters", "torch.onnx", "torch.export"),
    "Pretrained models": ("transformers.models",),
    "Text generation": ("transformers.generation",),
    "Tools around training": ("torch.utils", "transformers.integrations", "transformers.utils"),
    "Building extensions": ("numpy.distutils",),
}
TOPIC_OF = {subpackage: topic for topic, subpackages in TOPICS.items() for subpackage in subpackages}
