"""Given pairs: texts that people say belong together, perhaps with texts that do not or a score; kept to train on."""

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa

from embedlab.copies import normalised
from embedlab.corpora.evaluation_sets import strings
from embedlab.corpora.notes import Note
from embedlab.corpora.reading_report import ReadingReport
from embedlab.corpora.stored.shelf import Shelf, Stored, StoredInfo


class PairsInfo(StoredInfo):
    """What pairs.json says of stored pairs."""

    rows: int  # of the file that were read
    pairs: int  # that can be trained on
    negatives: int  # texts of each pair that do not belong to its anchor
    has_scores: bool
    is_nli: bool = False  # whether labels of NLI told pairs from negatives
    roles: dict[str, str]  # anchor, positive, score -> column; negative -> columns, joined by a comma


PAIRS = Shelf("pairs", "pairs.json", PairsInfo, "E-PAIRS", "pairs have")


@dataclass
class PairsDraft:
    """Pairs as a file has them, checked. Lists are as long as ``anchors``; ``scores`` lie between 0 and 1."""

    name: str
    source: str
    rows: int
    anchors: list[str]
    positives: list[str]
    negatives: list[list[str]]  # the same number for each pair, none where none are given
    scores: list[float] | None
    roles: dict[str, str]
    is_nli: bool = False
    columns: tuple[str, ...] = ()  # of the file
    reading: ReadingReport | None = None
    notes: list[Note] = field(default_factory=list)


class GivenPairs(Stored):
    """Stored pairs, by row: ``anchors positives negatives scores``; an augmentation reads ``pairs`` and ``scores``."""

    shelf = PAIRS
    labels = None  # no pair has a class

    @cached_property
    def anchors(self) -> list[str]:
        """The first text of each pair."""
        return self.values("pairs", "anchor")

    @cached_property
    def positives(self) -> list[str]:
        """The text that belongs to it; of scored pairs the text it is compared with."""
        return self.values("pairs", "positive")

    @cached_property
    def negatives(self) -> list[list[str]]:
        """Texts that do not belong to it, ``info.negatives`` of each pair."""
        return self.values("pairs", "negatives")

    @cached_property
    def scores(self) -> list[float] | None:
        """How alike the two are, from 0 to 1; None where nobody says."""
        return self.values("pairs", "score") if self.info.has_scores else None

    @cached_property
    def pairs(self) -> list[list[str]]:
        """Anchor, positive and negatives of each row."""
        columns = zip(self.anchors, self.positives, self.negatives, strict=True)
        return [[anchor, positive, *negatives] for anchor, positive, negatives in columns]

    @cached_property
    def kept(self) -> np.ndarray:
        """All rows: none is without texts."""
        return np.arange(self.info.pairs)

    @cached_property
    def texts(self) -> list[str]:
        """Every text there is, each once, in order."""
        return list(dict.fromkeys(text for pair in self.pairs for text in pair))

    def rows_without(self, texts: set[str]) -> np.ndarray:
        """The rows none of whose texts is among these, which are as ``copies.normalised`` gives them."""
        found = [row for row, pair in enumerate(self.pairs) if not any(normalised(text) in texts for text in pair)]
        return np.array(found, np.int64)


def store_pairs(draft: PairsDraft) -> GivenPairs:
    """Store them; the same content again is the stored one, called and described as it was read this time."""
    scores = draft.scores if draft.scores is not None else [None] * len(draft.anchors)
    table = pa.table(
        {
            "anchor": strings(draft.anchors),
            "positive": strings(draft.positives),
            "negatives": pa.array(draft.negatives, pa.list_(pa.large_string())),
            "score": pa.array(scores, pa.float64()),
        }
    )
    info = PairsInfo(
        name=draft.name,
        fingerprint=_fingerprint(table),
        source=draft.source,
        rows=draft.rows,
        pairs=len(draft.anchors),
        negatives=len(draft.negatives[0]) if draft.negatives else 0,
        has_scores=draft.scores is not None,
        is_nli=draft.is_nli,
        roles=draft.roles,
        reading=draft.reading,
        notes=tuple(draft.notes),
    )
    return GivenPairs(PAIRS.keep_tables(info, {"pairs": table}))


open_pairs, list_pairs = GivenPairs.opened, PAIRS.infos


def _fingerprint(table: pa.Table) -> str:
    digest = hashlib.sha256()
    for batch in table.to_batches(max_chunksize=4096):
        digest.update(json.dumps(batch.to_pydict(), ensure_ascii=False).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
