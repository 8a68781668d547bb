"""Where texts come from: one reference, one corpus."""

import re
from difflib import get_close_matches
from pathlib import Path

from embedlab.corpora.base import CORPORA, Corpus, CorpusSource, open_corpus
from embedlab.corpora.catalog import CATALOG, CatalogSource
from embedlab.corpora.docs import DocsSource
from embedlab.corpora.files import FileSource, read_table
from embedlab.corpora.hub import HubSource
from embedlab.corpora.proposal import Proposal, Reading, doubted_proposal
from embedlab.corpora.tables import Table
from embedlab.errors import CorpusError, NetworkError
from embedlab.progress import Progress, silent
from embedlab.registry import Registry

SOURCES: Registry[CorpusSource] = Registry("corpus source", [DocsSource(), CatalogSource(), HubSource(), FileSource()])

_LIKE_A_PATH = re.compile(r"[/\\]|^[.~]|\.\w{1,8}$")


def load_corpus(
    reference: str,
    reading: Reading = Reading(),  # noqa: B008 (frozen)
    progress: Progress = silent,
    *,
    may_connect: bool = True,
) -> Corpus:
    """The corpus of a reference: docs, a catalog name, hf:owner/name, a path, or the fingerprint of a stored one."""
    if CORPORA.holds(reference):
        return open_corpus(reference)
    for source in SOURCES:
        if source.matches(reference):
            if source.connects and not may_connect and not source.is_stored(reference, reading):
                message = f"{reference!r} is not in the store yet and must be downloaded first."
                raise NetworkError("E-NO-NETWORK", f"{message} Download it on the page Data.")
            return source.load(reference, reading, progress)
    raise _unknown(reference)


def propose(source: str | Path | Table, reading: Reading = Reading()) -> Proposal:  # noqa: B008 (frozen)
    """The proposed columns of a file's corpus, with five cards to confirm."""
    table = source if isinstance(source, Table) else read_table(Path(source).expanduser(), reading)
    return doubted_proposal(table, reading)


def _unknown(reference: str) -> CorpusError:
    forms = "docs, a catalog name, a file or folder path, hf:owner/name, or a fingerprint"
    names = ["docs", *CATALOG.keys()]
    if _LIKE_A_PATH.search(reference):
        return CorpusError("E-PATH", f"There is no file or folder {reference!r}. A corpus is {forms}.")
    near = get_close_matches(reference.casefold(), names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return CorpusError(
        "E-UNKNOWN-CORPUS", f"No corpus is called {reference!r}.{hint} A corpus is {forms}; names: {', '.join(names)}."
    )
