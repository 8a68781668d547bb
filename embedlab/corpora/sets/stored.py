"""What people judged, stored under its fingerprint: evaluation sets, and given pairs to train on.

A set has judged pairs, queries with their relevant texts, or candidates; given pairs may have negatives or a score.
"""

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from embedlab.copies import normalised
from embedlab.corpora.stored.columns import column_names
from embedlab.corpora.stored.shelf import ContentStore, StoredContent, StoredInfo

KINDS = {"pairs": "pairs of texts", "queries": "queries and documents", "candidates": "queries with candidates"}


class SetInfo(StoredInfo):
    """The contents of set.json, which describes a stored evaluation set."""

    kind: str  # a key of KINDS
    serves: tuple[str, ...]  # keys of the metrics that can be measured on it
    counts: dict[str, int]

    @property
    def sizes(self) -> str:
        """``50 queries, 1,000 documents``"""
        return ", ".join(f"{number:,} {name}" for name, number in self.counts.items())


SETS = ContentStore("sets", "set.json", SetInfo, "E-SET", "evaluation set has")


class EvaluationSet(StoredContent):
    """A stored set. ``pairs``: sentence1 sentence2 score same (either may be null) · ``queries``: query rows gains,
    perhaps own (rows of the query's own document), with ``documents``: id text · ``candidates``: query positive
    negative (lists).
    """

    shelf = SETS

    def column(self, name: str) -> list:
        """One column of the set's main table."""
        return self.values(self.info.kind, name)

    @property
    def first_texts(self) -> list[str]:
        """The first text of each pair, or the queries."""
        return self.column("sentence1" if self.info.kind == "pairs" else "query")

    @cached_property
    def own_documents(self) -> list[list[int]] | None:
        """The documents that a query is itself, by row; None where no query is one."""
        return self.column("own") if "own" in column_names(self.folder / "queries.parquet") else None

    @cached_property
    def documents(self) -> list[str]:
        """The texts that queries search."""
        return self.values("documents", "text")


def store_set(tables: dict[str, pa.Table], **described: Any) -> EvaluationSet:
    """Store it; the same content again is the stored set, called and described as it was read this time.

    tables: of the columns that ``EvaluationSet`` names. ``described``: the other fields of ``SetInfo``
    """
    digest = hashlib.sha256()
    for name, table in sorted(tables.items()):
        digest.update(json.dumps([name, table.column_names, len(table)]).encode())
        digest.update(json.dumps(table.to_pydict(), default=str, ensure_ascii=False).encode())
    counts = {name: len(table) for name, table in tables.items()}
    info = SetInfo(fingerprint=digest.hexdigest()[:16], counts=counts, **described)
    return EvaluationSet(SETS.keep_tables(info, tables))


open_set, list_sets = EvaluationSet.opened, SETS.infos


class PairsInfo(StoredInfo):
    """The contents of pairs.json, which describes stored pairs."""

    rows: int  # of the file that were read
    pairs: int  # that can be trained on
    negatives: int  # texts of each pair that do not belong to its anchor
    has_scores: bool
    is_nli: bool = False  # whether labels of NLI told pairs from negatives
    roles: dict[str, str]  # anchor, positive, score -> column; negative -> columns, joined by a comma


PAIRS = ContentStore("pairs", "pairs.json", PairsInfo, "E-PAIRS", "pairs have")


class GivenPairs(StoredContent):
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
        """The similarity score of each pair, from 0 to 1; None where the pairs have none."""
        return self.values("pairs", "score") if self.info.has_scores else None

    @cached_property
    def pairs(self) -> list[list[str]]:
        """Anchor, positive and negatives of each row."""
        columns = zip(self.anchors, self.positives, self.negatives, strict=True)
        return [[anchor, positive, *negatives] for anchor, positive, negatives in columns]

    @cached_property
    def kept(self) -> np.ndarray:
        """The rows with texts: all."""
        return np.arange(self.info.pairs)

    @cached_property
    def texts(self) -> list[str]:
        """Every text there is, each once, in order."""
        return list(dict.fromkeys(text for pair in self.pairs for text in pair))

    @property
    def offers(self) -> frozenset[str]:
        """The needs of recipes that pairs may meet: ``pairs``, and ``negatives scores nli`` as these have them."""
        info = self.info
        has = {"pairs": True, "negatives": info.negatives > 0, "scores": info.has_scores, "nli": info.is_nli}
        return frozenset(need for need, is_there in has.items() if is_there)

    def rows_without(self, texts: set[str]) -> np.ndarray:
        """The rows none of whose texts is among these, which are as ``copies.normalised`` gives them."""
        rows = [row for row, pair in enumerate(self.pairs) if not any(normalised(text) in texts for text in pair)]
        return np.array(rows, np.int64)


def store_pairs(pairs: pa.Table, info: PairsInfo) -> GivenPairs:
    """Store them; the same content again is the stored one, called and described as it was read this time.

    pairs: as ``pairs_table`` makes them; only by storing them ``info`` gets its fingerprint.
    """
    digest = hashlib.sha256()
    for batch in pairs.to_batches(max_chunksize=4096):
        digest.update(json.dumps(batch.to_pydict(), ensure_ascii=False).encode("utf-8", "surrogatepass"))
    info = info.model_copy(update={"fingerprint": digest.hexdigest()[:16]})
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


def strings(values: Sequence[str]) -> pa.Array:
    """An Arrow column of texts."""
    return pa.array(values, pa.large_string())
