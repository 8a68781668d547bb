"""The built-in corpora: documentation of the installed libraries, real labelled texts without a download."""

import json
from importlib.metadata import Distribution

from embedlab.corpora.base import Corpus, Draft, FetchedSource, remembered
from embedlab.corpora.notes import notes_of
from embedlab.corpora.proposal import Reading
from embedlab.documentation import topics
from embedlab.documentation.docstrings import LIBRARIES, RULE, gather, installed_of
from embedlab.errors import CorpusError
from embedlab.progress import Progress, silent
from embedlab.store_root import alone


class DocsSource(FetchedSource):
    """The built-in corpus, gathered once for the versions of the libraries that are installed.

    Prose from documentation strings, labelled by topic (``TOPICS``). Copies that were stored when the label was
    package.subpackage keep their fingerprint and open by it.
    """

    key = "docs"
    title = "Documentation of the installed libraries"
    connects = False

    def __init__(self, libraries: tuple[str, ...] = LIBRARIES):
        self.libraries = libraries

    def matches(self, reference: str) -> bool:
        return reference == self.key

    def describe(self, reference: str, reading: Reading) -> str:
        return f"docs rule {RULE} {json.dumps(_versions(installed_of(self.libraries)), sort_keys=True)}"

    def load(self, reference: str, reading: Reading, progress: Progress = silent) -> Corpus:
        """Gathered by one process at a time; another one waits for it."""
        if corpus := remembered(self.describe(reference, reading)):
            return corpus
        with alone(self.key, lambda: progress("Waiting for another process to collect the documentation")):
            return super().load(reference, reading, progress)

    def fetch(self, reference: str, reading: Reading, progress: Progress) -> Draft:
        installed = installed_of(self.libraries)
        rows = self.rows_of(installed, progress)
        if not rows:
            names = ", ".join(self.libraries)
            raise CorpusError("E-NO-TEXTS", f"None of {names} is installed with its sources. Install requirements.txt.")
        missing = ", ".join(name for name in self.libraries if name not in installed)
        return Draft(
            name=self.key,
            source=self.key,
            texts=[row["text"] for row in rows],
            labels=[row["label"] for row in rows],
            titles=[row["title"] for row in rows],
            columns={name: [row[name] for row in rows] for name in ("package", "subpackage")},
            roles={"text": "documentation string", "label": "topic of the subpackage", "title": "qualified name"},
            unlabeled=None,
            notes=notes_of({"W-LIBRARY-MISSING": f"Not installed, so left out: {missing}."} if missing else {}),
            licence="the license of each library (BSD-3-Clause, Apache-2.0, MIT)",
            versions=_versions(installed),
        )

    def rows_of(self, installed: dict[str, Distribution], progress: Progress) -> list[dict[str, str]]:
        """Return text, label, title, package and subpackage of each of its texts."""
        return gather(installed, progress)


class TopicsSource(DocsSource):
    """The demo's corpus: of ``docs`` 125 texts on each of twelve topics that a newcomer knows."""

    key = "docs-topics"
    title = "Twelve topics of the documentation, 125 texts each"

    def describe(self, reference: str, reading: Reading) -> str:
        return f"topics rule {topics.RULE}, {super().describe(reference, reading)}"

    def rows_of(self, installed: dict[str, Distribution], progress: Progress) -> list[dict[str, str]]:
        rows = gather(installed, progress, topics=topics.TOPICS)
        drawn = topics.drawn_rows([row["label"] for row in rows], [row["title"] for row in rows])
        return [rows[each] for each in drawn]


BUILT_IN = (DocsSource, TopicsSource)


def _versions(installed: dict[str, Distribution]) -> dict[str, str]:
    return {name: library.version for name, library in installed.items()}
