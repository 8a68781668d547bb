"""Where texts come from: one reference, one corpus."""

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from embedlab.errors import CorpusError
from embedlab.progress import Progress, silent
from embedlab.registry import similar

if TYPE_CHECKING:
    from embedlab.corpora.base import Corpus, CorpusSource
    from embedlab.corpora.proposal import Proposal, Reading
    from embedlab.corpora.tables import Table


@cache
def sources() -> "tuple[CorpusSource, ...]":
    """Where corpora come from: the first one that matches a reference has it."""
    from embedlab.corpora.catalog import CatalogSource
    from embedlab.corpora.docs import BUILT_IN
    from embedlab.corpora.files import FileSource
    from embedlab.corpora.hub import HubSource

    return *(source() for source in BUILT_IN), CatalogSource(), HubSource(), FileSource()


_LIKE_A_PATH = re.compile(r"[/\\]|^[.~]|\.\w{1,8}$")


def load_corpus(reference: str, reading: "Reading | None" = None, progress: Progress = silent) -> "Corpus":
    """The corpus of a reference: docs, a catalog name, hf:owner/name, a path, or the fingerprint of a stored one."""
    from embedlab.corpora.base import CORPORA, open_corpus
    from embedlab.corpora.proposal import Reading

    reading = Reading() if reading is None else reading
    if CORPORA.holds(reference):
        return open_corpus(reference)
    return source_of(reference).load(reference, reading, progress)


def propose(source: "str | Path | Table", reading: "Reading | None" = None) -> "Proposal":
    """The proposed columns of a file's corpus, with five cards to confirm."""
    from embedlab.corpora.files import read_table
    from embedlab.corpora.proposal import Reading, doubted_proposal

    reading = Reading() if reading is None else reading
    table = read_table(Path(source).expanduser(), reading) if isinstance(source, str | Path) else source
    return doubted_proposal(table, reading)


def source_of(reference: str) -> "CorpusSource":
    """The source of what is not named by the fingerprint of a stored corpus; an error lists the forms of references."""
    from embedlab.corpora.catalog import CATALOG
    from embedlab.corpora.docs import BUILT_IN
    from embedlab.corpora.stored.shelf import FINGERPRINT

    for source in sources():
        if source.matches(reference):
            return source
    built_in = [source.key for source in BUILT_IN]
    forms = f"{', '.join(built_in)}, a catalog name, a file or folder path, hf:owner/name, or a fingerprint"
    names = [*built_in, *CATALOG.keys()]
    if _LIKE_A_PATH.search(reference):
        raise CorpusError("E-PATH", f"There is no file or folder {reference!r}. A corpus is {forms}.")
    if FINGERPRINT.fullmatch(reference):
        message = f"The corpus with the fingerprint {reference} is not stored here: it was deleted, or is in another"
        message += " store. Read its file again; the same content has the same fingerprint."
    else:
        hint = similar(reference.casefold(), names)
        message = f"No corpus is called {reference!r}.{hint} A corpus is {forms}; names: {', '.join(names)}."
    raise CorpusError("E-UNKNOWN-CORPUS", message)
