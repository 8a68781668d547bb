"""A corpus made of some texts of another: it keeps labels, titles, summaries and columns, and says where it is from."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.corpora.base import Corpus, Draft, store_corpus
from embedlab.corpora.notes import notes_of
from embedlab.corpora.stored.draft import ROLE_COLUMNS
from embedlab.errors import CorpusError


def subset(corpus: Corpus, rows: np.ndarray, *, name: str, chosen_by: str = "") -> Corpus:
    """Store these rows as a corpus of their own, in file order; all texts of a corpus are that corpus again.

    rows: (chosen,) corpus rows; those without a text are left out. ``chosen_by``: how they were chosen, for the note.
    """
    chosen = np.unique(np.asarray(rows, np.int64))
    chosen = chosen[(chosen >= 0) & (chosen < corpus.info.rows)]
    chosen = chosen[~corpus.excluded[chosen]]
    if not len(chosen):
        raise CorpusError("E-NO-TEXTS", f"None of the chosen rows of {corpus.name!r} has a text. Choose others.")
    with pq.ParquetFile(corpus.folder / "corpus.parquet", memory_map=True) as file:
        table = file.read().take(pa.array(chosen))
    roles = {role: table.column(role).to_pylist() for role in ROLE_COLUMNS if role in table.column_names}
    by = f", {chosen_by}" if chosen_by else ""
    said = {"I-SUBSET": f"{len(chosen):,} of {corpus.info.texts:,} texts of {corpus.name}{by}."}
    if corpus.made_summaries is not None:
        anew = "summarise these texts again"
        said["I-SUMMARIES"] = f"The summaries made in the app stay with that corpus; {anew}."
    draft = Draft(
        name=name,
        source=f"{len(chosen):,} of {corpus.info.texts:,} texts of {corpus.fingerprint}",
        texts=roles["text"],
        labels=roles.get("label"),
        titles=roles.get("title"),
        summaries=roles.get("summaries"),
        columns={each: table.column(each) for each in table.column_names if each not in ROLE_COLUMNS},
        roles=corpus.info.roles,
        unlabeled=corpus.info.unlabeled,
        notes=notes_of(said),
        licence=corpus.info.licence,
        versions=corpus.info.versions,
    )
    return store_corpus(draft)
