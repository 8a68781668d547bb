"""Evaluation sets: pairs people judged, queries with their relevant texts, candidates; stored under a fingerprint."""

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property

import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.corpora.stored.shelf import Shelf, Stored, StoredInfo

KINDS = {"pairs": "pairs of texts", "queries": "queries and documents", "candidates": "queries with candidates"}


class SetInfo(StoredInfo):
    """What set.json says about a stored evaluation set."""

    kind: str  # a key of KINDS
    serves: tuple[str, ...]  # keys of the metrics that can be measured on it
    counts: dict[str, int]


SETS = Shelf("sets", "set.json", SetInfo, "E-SET", "evaluation set has")


class EvaluationSet(Stored):
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
        return self.column("own") if "own" in pq.read_schema(self.folder / "queries.parquet").names else None

    @cached_property
    def documents(self) -> list[str]:
        """The texts that queries search."""
        return self.values("documents", "text")


def store_set(tables: dict[str, pa.Table], **described) -> EvaluationSet:
    """Store it; the same content again is the stored set, called and described as it was read this time.

    tables: of the columns that ``EvaluationSet`` names. ``described``: the other fields of ``SetInfo``
    """
    counts = {name: len(table) for name, table in tables.items()}
    info = SetInfo(fingerprint=_fingerprint(tables), counts=counts, **described)
    return EvaluationSet(SETS.keep_tables(info, tables))


open_set, list_sets = EvaluationSet.opened, SETS.infos


def strings(values: Sequence[str]) -> pa.Array:
    """An Arrow column of texts."""
    return pa.array(values, pa.large_string())


def _fingerprint(tables: dict[str, pa.Table]) -> str:
    digest = hashlib.sha256()
    for name, table in sorted(tables.items()):
        digest.update(json.dumps([name, table.column_names, len(table)]).encode())
        digest.update(json.dumps(table.to_pydict(), default=str, ensure_ascii=False).encode())
    return digest.hexdigest()[:16]
