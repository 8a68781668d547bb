"""Defects of vectors: zero, NaN, infinite, repeated, constant; how many, and which rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from embedlab.config import Config
from embedlab.measurement import Note
from embedlab.vectors.files import drop_pages, taken

W_VECTORS = "W-VECTORS"  # the code of what keeps vectors from being compared
I_VECTORS = "I-VECTORS"  # of what is worth knowing and changes nothing
ROWS_AT_ONCE = 8_192
NAMED_ROWS = 5
CONSEQUENCE = "such a text counts as wrong when tested and is never a neighbor"


class FaultyRows(Config):
    """A number of vectors, and the first of their rows, counted from 1."""

    total: int = 0
    first: tuple[int, ...] = ()

    @classmethod
    def of(cls, rows: np.ndarray) -> "FaultyRows":
        """From rows counted from 0."""
        return cls(total=len(rows), first=tuple((rows[:NAMED_ROWS] + 1).tolist()))

    def __str__(self) -> str:
        more = " …" if self.total > len(self.first) else ""
        return f"{'row' if self.total == 1 else 'rows'} {', '.join(f'{row:,}' for row in self.first)}{more}"


class VectorFaults(Config):
    """Computed once per embedding, and reported wherever it is measured."""

    vectors: int
    dim: int
    zero: FaultyRows = FaultyRows()
    nan: FaultyRows = FaultyRows()
    infinite: FaultyRows = FaultyRows()
    repeated: FaultyRows = FaultyRows()  # the vector of an earlier text that is another one
    distinct: int = 0  # different vectors among those that are finite and not zero
    constant_dimensions: int = 0  # the same number in all vectors that are finite and not zero

    @property
    def sentences(self) -> list[str]:
        """One sentence for each kind of defect found, and for what is merely worth knowing."""
        return [*self.defects, *self.remarks]

    @property
    def defects(self) -> list[str]:
        """What keeps vectors from being compared: zero, NaN, infinite, or all the same."""
        kinds = (("zero", "is zero", "are zero"), ("nan", "holds NaN", "hold NaN"),
                 ("infinite", "is infinite", "are infinite"))  # fmt: skip
        lines = []
        for name, one, several in kinds:
            rows: FaultyRows = getattr(self, name)
            if rows.total:
                verb = one if rows.total == 1 else several
                lines.append(f"{rows.total:,} of {self.vectors:,} vectors {verb} ({rows}): {CONSEQUENCE}.")
        if self.repeated.total and self.distinct == 1:
            same = f"{self.repeated.total + 1:,}{' other' if lines else ''} vectors"
            lines.append(f"All {same} are the same, so nothing can be distinguished.")
        return lines

    @property
    def remarks(self) -> list[str]:
        """What changes nothing: some texts with one vector, dimensions that never vary."""
        lines = []
        if self.repeated.total and self.distinct > 1:
            what = "texts has" if self.repeated.total == 1 else "texts have"
            lines.append(
                f"{self.repeated.total:,} of {self.vectors:,} {what} the vector of another text ({self.repeated})."
            )
        if self.constant_dimensions and self.distinct > 1:
            many = "dimensions is" if self.constant_dimensions == 1 else "dimensions are"
            lines.append(f"{self.constant_dimensions:,} of {self.dim:,} {many} the same number in every vector.")
        return lines


def fault_notes(faults: dict[str, VectorFaults]) -> list[Note]:
    """A note for each defect, naming the vectors concerned unless all share it."""
    lines_of = {
        W_VECTORS: {name: each.defects for name, each in faults.items()},
        I_VECTORS: {name: each.remarks for name, each in faults.items()},
    }
    return [Note(code=code, message=line) for code, lines in lines_of.items() for line in _named(lines)]


def _named(lines: dict[str, list[str]]) -> list[str]:
    """Each line with the name of its vectors, unless all have the same lines."""
    different = {tuple(each) for each in lines.values()}
    if len(different) == 1:
        return list(different.pop())
    return [f"{name}: {line}" for name, each in lines.items() for line in each]


def faults_in(embeddings: Any, rows: np.ndarray | None = None, copies: np.ndarray | None = None) -> VectorFaults:
    """The defects of these vectors, found in one pass.

    embeddings: (rows, dim), an array, mapped or not, or scipy's sparse matrix; rows: (n,) those that belong to texts,
    else all; copies: (rows,) one number for each different text: copies of a text may have one vector.
    """
    count, dim = embeddings.shape
    rows = np.arange(count) if rows is None else np.asarray(rows)
    kinds = {name: np.zeros(len(rows), bool) for name in ("zero", "nan", "infinite")}
    keys = np.empty(len(rows), np.uint64)
    low, high = np.full(dim, np.inf), np.full(dim, -np.inf)
    for part, values in _parts(embeddings, rows):
        kinds["nan"][part] = np.isnan(values).any(axis=1)
        kinds["infinite"][part] = np.isinf(values).any(axis=1) & ~kinds["nan"][part]
        kinds["zero"][part] = ~values.any(axis=1)
        keys[part] = _keys(values)
        good = values[~(kinds["nan"][part] | kinds["infinite"][part] | kinds["zero"][part])]
        if len(good):
            low, high = np.minimum(low, good.min(axis=0)), np.maximum(high, good.max(axis=0))
    usable = np.flatnonzero(~(kinds["zero"] | kinds["nan"] | kinds["infinite"]))
    _, first, group = np.unique(keys[usable], return_index=True, return_inverse=True)
    earlier = usable[first[group]]  # the first text with the same vector
    another = earlier != usable if copies is None else copies[rows[earlier]] != copies[rows[usable]]
    counted = {name: FaultyRows.of(rows[marked]) for name, marked in kinds.items()}
    constant = int((low == high).sum()) if len(usable) > 1 else 0
    return VectorFaults(
        vectors=len(rows),
        dim=dim,
        **counted,
        repeated=FaultyRows.of(rows[usable[another]]),
        distinct=len(first),
        constant_dimensions=constant,
    )


def _parts(embeddings: Any, rows: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """The rows in parts as float32, whatever their stored type. -> (positions among ``rows``), (part, dim)"""
    is_sparse = hasattr(embeddings, "tocsr")
    stored = embeddings.tocsr() if is_sparse else embeddings
    step = max(1, min(ROWS_AT_ONCE, 2**24 // max(1, embeddings.shape[1])))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        chosen = stored[rows[part]].toarray() if is_sparse else taken(stored, rows[part])
        with np.errstate(over="ignore"):  # infinite, and counted as such
            yield part, np.asarray(chosen, np.float32) + np.float32(0)  # -0 is 0
    if not is_sparse:
        drop_pages(embeddings)


def _keys(values: np.ndarray) -> np.ndarray:
    """A hash of each vector: among a million, two collide with a chance of 1 in 30 million.

    (rows, dim) float32 -> (rows,) uint64
    """
    weights = np.random.default_rng(0).integers(1, 2**63, values.shape[1], np.uint64) | np.uint64(1)
    bits = np.ascontiguousarray(values).view(np.uint32)
    mixed = np.zeros(len(values), np.uint64)
    for start in range(0, values.shape[1], 64):
        part = slice(start, start + 64)
        each = bits[:, part] * np.uint64(0x9E3779B97F4A7C15)
        mixed += ((each ^ (each >> np.uint64(32))) * weights[part]).sum(axis=1, dtype=np.uint64)  # modulo 2^64
    return mixed
