"""The documentation strings of installed libraries, by the topics of their subpackages; nothing of theirs is run.

``docstrings.csv`` holds the topics, each with the subpackages whose texts it labels.
"""

import csv
import dis
import json
import marshal
import os
import sys
import warnings
from collections.abc import Container, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from importlib.abc import InspectLoader
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import MAGIC_NUMBER, cache_from_source
from inspect import CO_NEWLOCALS
from itertools import chain, islice, pairwise
from pathlib import Path
from queue import SimpleQueue
from struct import pack
from subprocess import PIPE, Popen
from types import CodeType

from embedlab.documentation.prose import prose
from embedlab.import_path import import_path
from embedlab.progress import Progress, silent
from embedlab.sentences import sentences

LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "torch", "transformers", "plotly", "streamlit")
RULE = 2  # of gathering; a new number gathers anew
MIN_CHARACTERS = 150  # with two sentences this leaves about 11,000 texts; shorter ones are one-line summaries
MIN_SENTENCES = 2
CHUNK = 32  # files that a process reads at a time
SHARED_FROM = 300  # files; fewer are read before a second process has started
_MODULE_HEAD, _CLASS_HEAD = 4, 20  # instructions within which a documentation string is stored
SKIPPED = frozenset({"tests", "test", "testing", "testing_utils.py", "conftest.py", "_vendor"})
with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as _rows:
    TOPICS = {row["topic"]: tuple(row["subpackages"].split()) for row in csv.DictReader(_rows)}
TOPIC_OF = {subpackage: topic for topic, subpackages in TOPICS.items() for subpackage in subpackages}


def gather(
    installed: dict[str, Distribution], progress: Progress = silent, *, topics: Container[str] | None = None
) -> list[dict[str, str]]:
    """Return text, label, title, package and subpackage of every documentation string on some topics, or on all.

    In order of file and line; of copies the first.
    """
    subpackages = {each for each, topic in TOPIC_OF.items() if topics is None or topic in topics}
    files: list[tuple[str, str, Path]] = []
    rows: dict[str, dict[str, str]] = {}
    for done, documentation in enumerate(_read(_listed(installed, subpackages, files))):
        progress(f"Collecting documentation of {files[done][0]}", done, len(files))
        for row in documentation:
            rows.setdefault(row["text"], {**row, "label": TOPIC_OF[row["subpackage"]]})
    progress("Collecting documentation", len(files), len(files))
    return list(rows.values())


def _listed(
    installed: dict[str, Distribution], subpackages: Container[str], files: list
) -> Iterator[tuple[str, str, Path]]:
    """The files of some subpackages, each also added to ``files``: package, dotted module name, path."""
    for name, library in installed.items():
        for module, path in _sources(library, subpackages):
            files.append((name, module, path))
            yield files[-1]


def _read(files: Iterable[tuple[str, str, Path]]) -> Iterator[list[dict[str, str]]]:
    """The documentation strings of each file, in order; two processes share many files, from the first listed on."""
    files = iter(files)
    first = list(islice(files, SHARED_FROM))
    if len(first) < SHARED_FROM or (os.cpu_count() or 1) < 2:
        yield from map(documented, chain(first, files))
        return
    files = chain(first, files)
    chunks = iter(lambda: list(islice(files, CHUNK)), [])
    with ExitStack() as ends, ThreadPoolExecutor(2) as pool:
        idle: SimpleQueue[Popen] = SimpleQueue()
        for _ in range(2):
            idle.put(ends.enter_context(_reader()))
        for rows in pool.map(partial(_by_reader, idle), chunks):
            yield from rows


def _reader() -> Popen:
    """A process that documents lists of files, a line each, until its input ends, as it does with this process.

    Not of ``multiprocessing``: that would run the script again that asks for the texts.
    """
    command = [sys.executable, "-c", f"from {__name__} import answer_lines; answer_lines()"]
    environment = {**os.environ, "PYTHONPATH": import_path()}
    return Popen(command, env=environment, stdin=PIPE, stdout=PIPE, start_new_session=True)


def _by_reader(idle: "SimpleQueue[Popen]", files: Sequence[tuple[str, str, Path]]) -> list[list[dict[str, str]]]:
    reader = idle.get()
    assert reader.stdin is not None and reader.stdout is not None, "both are pipes"
    try:
        reader.stdin.write(json.dumps(files, default=str).encode() + b"\n")
        reader.stdin.flush()
        return json.loads(reader.stdout.readline())
    except (OSError, ValueError):  # it was killed
        return list(map(documented, files))
    finally:
        idle.put(reader)


def answer_lines() -> None:
    """For a reader's process: what is documented in each list of files, in JSON as they come."""
    for line in sys.stdin:
        rows = [documented((name, module, Path(path))) for name, module, path in json.loads(line)]
        print(json.dumps(rows), flush=True)


def documented(file: tuple[str, str, Path]) -> list[dict[str, str]]:
    """Text, title, package and subpackage of every documentation string in a file that is long enough.

    file: the package's name, the module's dotted name, its path
    """
    name, module, path = file
    origin, rows = {"package": name, "subpackage": _subpackage(module)}, []
    for title, docstring in docstrings(path, module):
        text = prose(docstring) if len(docstring) >= MIN_CHARACTERS else ""
        if len(text) >= MIN_CHARACTERS and len(sentences(text)) >= MIN_SENTENCES:
            rows.append({"text": text, "title": title, **origin})
    return rows


def _subpackage(module: str) -> str:
    return ".".join(module.split(".")[:2])


def docstrings(path: Path, module: str) -> Iterator[tuple[str, str]]:
    """(qualified name, documentation string) of a module, its classes and functions, by line; no code is run.

    Of what stands in a body itself, not below an ``if`` or ``try`` in it.
    """
    source = path.read_bytes()
    if b'"""' not in source and b"'''" not in source:
        return
    if b"automatically generated from src/" in source[:1000]:
        return  # transformers writes such files from a modular file beside them, which says the same
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # "\d" in other people's strings
            waiting = [(module, _compiled(path, source))]
    except (SyntaxError, ValueError):
        return  # a file for another version of Python
    lines = source.splitlines()
    while waiting:
        name, code = waiting.pop()
        if docstring := _docstring(code):
            yield name, docstring
        if inner := sorted(_defined(code), key=lambda each: each.co_firstlineno):
            body = _indent_of_body(code, lines)
            inner = [each for each in inner if _indent(lines, each.co_firstlineno) == body]
            waiting += [(f"{name}.{each.co_name}", each) for each in reversed(inner)]


def _compiled(path: Path, source: bytes) -> CodeType:
    """From Python's bytecode cache, in a tenth of the time, if it belongs to exactly this file."""
    with suppress(OSError, ValueError, TypeError, EOFError, RuntimeError):
        cached, changed = Path(cache_from_source(path, optimization="")).read_bytes(), int(path.stat().st_mtime)
        if cached[:16] == MAGIC_NUMBER + pack("<3I", 0, changed & 0xFFFFFFFF, len(source) & 0xFFFFFFFF):
            return marshal.loads(cached[16:])
    return InspectLoader.source_to_code(source, str(path))


def _docstring(code: CodeType) -> str | None:
    """A function's is its first constant; a class and a module begin by storing it as ``__doc__``."""
    constant = None
    if code.co_flags & CO_NEWLOCALS:
        constant = code.co_consts[0] if code.co_consts else None
    elif "__doc__" in code.co_names:
        head = _MODULE_HEAD if code.co_name == "<module>" else _CLASS_HEAD
        store = ("STORE_NAME", code.co_names.index("__doc__"))
        begun = pairwise(islice(_instructions(code.co_code), head))
        loaded = (argument for (name, argument), then in begun if then == store and name == "LOAD_CONST")
        constant = next((code.co_consts[argument] for argument in loaded), None)
    return constant if isinstance(constant, str) else None


def _instructions(bytecode: bytes) -> Iterator[tuple[str, int]]:
    """Names and arguments, one by one: ``dis`` looks for the jumps of all of them before the first."""
    argument = 0
    for opcode, low in zip(bytecode[::2], bytecode[1::2], strict=True):
        name, argument = dis.opname[opcode], argument << 8 | low
        if name != "EXTENDED_ARG":
            if name != "CACHE":
                yield name, argument
            argument = 0


def _defined(code: CodeType) -> Iterator[CodeType]:
    """Classes and functions within; those with type parameters stand one step deeper."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if not inner.co_name.startswith("<"):
                yield inner
            elif inner.co_name.startswith("<generic parameters"):
                yield from _defined(inner)


def _indent_of_body(code: CodeType, lines: list[bytes]) -> int:
    """The smallest indentation of the statements after the header; continuation lines are indented deeper.

    But for the lines of a string, which may stand farther left than the head.
    """
    if code.co_name == "<module>":
        return 0
    head, working = code.co_firstlineno, {line for *_, line in code.co_lines() if line}
    outside = _indent(lines, head)
    return min((indent for line in working if (indent := _indent(lines, line)) > outside), default=0)


def _indent(lines: list[bytes], number: int) -> int:
    line = lines[number - 1]
    return len(line) - len(line.lstrip())


def installed_of(libraries: tuple[str, ...]) -> dict[str, Distribution]:
    """Those of these libraries that are installed."""
    installed = {}
    for name in libraries:
        with suppress(PackageNotFoundError):
            installed[name] = distribution(name)
    return installed


def first_texts(topics: Sequence[str], most: int) -> dict[str, list[str]]:
    """Some texts of a few topics, read at once before all are gathered: at most ``most`` of each."""
    texts: dict[str, list[str]] = {topic: [] for topic in topics}
    subpackages = {subpackage for topic in topics for subpackage in TOPICS[topic]}
    for name, library in installed_of(LIBRARIES).items():
        for module, path in _sources(library, subpackages):
            topic = texts[TOPIC_OF[_subpackage(module)]]
            if len(topic) < most:
                rows = documented((name, module, path))
                topic.extend(text for text in dict.fromkeys(row["text"] for row in rows) if text not in topic)
    return {topic: rows[:most] for topic, rows in texts.items()}


def _sources(library: Distribution, subpackages: Container[str]) -> list[tuple[str, Path]]:
    """(dotted module name, path) of the library's own modules in these subpackages; sorted, without tests."""
    files = [file for file in library.files or [] if ".".join(file.parts[:2]).removesuffix(".py") in subpackages]
    modules = []
    for file in sorted(files, key=str):
        path = Path(file.locate())
        if file.suffix == ".py" and len(file.parts) > 1 and not SKIPPED & set(file.parts) and path.is_file():
            parts = [*file.parts[:-1], file.stem] if file.stem != "__init__" else list(file.parts[:-1])
            modules.append((".".join(parts), path))
    return modules
