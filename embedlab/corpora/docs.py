"""The built-in corpus: the documentation of the installed libraries, real labelled texts without a download."""

import json
from importlib.metadata import Distribution

from embedlab.corpora.base import Corpus, CorpusSource, Draft, remember, remembered, store_corpus
from embedlab.corpora.notes import Note
from embedlab.corpora.proposal import Reading
from embedlab.documentation.docstrings import LIBRARIES, RULE, gather, installed_of
from embedlab.errors import CorpusError
from embedlab.progress import Progress, silent
from embedlab.store_root import alone


class DocsSource(CorpusSource):
    """The built-in corpus."""

    key = "docs"
    title = "Documentation of the installed libraries"
    sentence = "The documentation of numpy, scipy, scikit-learn, pandas, torch, transformers, plotly and streamlit."
    connects = False

    def matches(self, reference: str) -> bool:
        return reference == self.key

    def is_stored(self, reference: str, reading: Reading) -> bool:
        return remembered(_key(installed_of(LIBRARIES))) is not None

    def load(self, reference: str, reading: Reading, progress: Progress = silent) -> Corpus:
        """Gathered once for these versions of the libraries, then opened from the store."""
        return load_docs(progress=progress)


def load_docs(*, libraries: tuple[str, ...] = LIBRARIES, progress: Progress = silent) -> Corpus:
    """The corpus ``docs``: prose from documentation strings, labelled by topic (``TOPICS``).

    Copies that were stored when the label was package.subpackage keep their fingerprint and open by it.
    """
    installed = installed_of(libraries)
    if corpus := remembered(_key(installed)):
        return corpus
    with alone("docs", lambda: progress("Waiting for another process to collect the documentation")):
        return remembered(_key(installed)) or _gathered(installed, libraries, progress)


def _gathered(installed: dict[str, Distribution], libraries: tuple[str, ...], progress: Progress) -> Corpus:
    rows = gather(installed, progress)
    if not rows:
        names = ", ".join(libraries)
        raise CorpusError("E-NO-TEXTS", f"None of {names} is installed with its sources. Install requirements.txt.")
    missing = ", ".join(name for name in libraries if name not in installed)
    notes = [Note(code="W-LIBRARY-MISSING", message=f"Not installed, so left out: {missing}.")] if missing else []
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
        licence="the license of each library (BSD-3-Clause, Apache-2.0, MIT)",
        versions=_versions(installed),
    )
    return remember(_key(installed), store_corpus(draft))


def _key(installed: dict[str, Distribution]) -> str:
    return f"docs rule {RULE} {json.dumps(_versions(installed), sort_keys=True)}"


def _versions(installed: dict[str, Distribution]) -> dict[str, str]:
    return {name: library.version for name, library in installed.items()}
