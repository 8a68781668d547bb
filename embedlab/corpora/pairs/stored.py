"""Given pairs: texts that people say belong together, perhaps with texts that do not or a score; kept to train on."""

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa

from embedlab.copies import normalised
from embedlab.corpora.evaluation_sets import strings
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

    @property
    def offers(self) -> frozenset[str]:
        """What a recipe may need of pairs: ``pairs``, and ``negatives scores nli`` as far as these have them."""
        info = self.info
        has = {"pairs": True, "negatives": info.negatives > 0, "scores": info.has_scores, "nli": info.is_nli}
        return frozenset(need for need, is_there in has.items() if is_there)

    def rows_without(self, texts: set[str]) -> np.ndarray:
        """The rows none of whose texts is among these, which are as ``copies.normalised`` gives them."""
        found = [row for row, pair in enumerate(self.pairs) if not any(normalised(text) in texts for text in pair)]
        return np.array(found, np.int64)


def store_pairs(pairs: pa.Table, **described) -> GivenPairs:
    """Store them; the same content again is the stored one, called and described as it was read this time.

    pairs: as ``pairs_table`` makes them. ``described``: the other fields of ``PairsInfo``
    """
    first = pairs["negatives"].slice(0, 1).to_pylist()
    info = PairsInfo(
        fingerprint=_fingerprint(pairs),
        pairs=len(pairs),
        negatives=sum(map(len, first)),
        has_scores=pairs["score"].null_count == 0,
        **described,
    )
    return GivenPairs(PAIRS.keep_tables(info, {"pairs": pairs}))


def pairs_table(
    anchors: Sequence[str], positives: Sequence[str], negatives: list[list[str]], scores: list[float] | None
) -> pa.Table:
    """Pairs by row: the same number of negatives for each, none where none are given; scores lie between 0 and 1."""
    columns = {
        "anchor": strings(anchors),
        "positive": strings(positives),
        "negatives": pa.array(negatives, pa.list_(pa.large_string())),
        "score": pa.array([None] * len(anchors) if scores is None else scores, pa.float64()),
    }
    return pa.table(columns)


open_pairs, list_pairs = GivenPairs.opened, PAIRS.infos


def _fingerprint(table: pa.Table) -> str:
    digest = hashlib.sha256()
    for batch in table.to_batches(max_chunksize=4096):
        digest.update(json.dumps(batch.to_pydict(), ensure_ascii=False).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
