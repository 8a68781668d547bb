"""What people said of two texts: a score and its scale, yes or no, or an NLI label; by a column's name and values."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from embedlab.corpora.names import ANCHOR_NAMES, DEGREE_NAMES, NLI_NAMES, POSITIVE_NAMES, unique_names
from embedlab.corpora.notes import MISSING
from embedlab.corpora.tables import Table, number_of
from embedlab.errors import CorpusError

NLI = ("entailment", "neutral", "contradiction")  # what 0, 1 and 2 are in SNLI, MultiNLI, XNLI and ANLI
STS_SCALE = (0.0, 5.0)
_NLI_LETTERS = {word[0]: word for word in NLI}
_NLI_WORDS = {
    **{word: word for word in NLI},
    **{"not_entailment": "neutral", "entails": "entailment", "entailed": "entailment"},
    **dict.fromkeys(("contradicts", "contradicted", "contradictory"), "contradiction"),
}
_TRUTHS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
_WORDS_OF_A_TEXT = 3
_FEWEST_RATED = 20  # scores that tell the ends of their scale
_UNREADABLE = 0.01  # of the cells; with more, the column is not what it was taken for


@dataclass(frozen=True)
class JudgedPairs:
    """A column of judgements. values: (rows,) numbers on the scale, 1 or 0 of yes and no, words of NLI, or None"""

    kind: str  # score, same, nli
    values: list[Any]
    scale: tuple[float, float] | None
    remark: str

    def shares(self, rows: Iterable[int]) -> list[float]:
        """The scores of these rows, which have one, from 0 to 1."""
        assert self.scale is not None, "scores have a scale"
        low, high = self.scale
        return [(self.values[row] - low) / (high - low) for row in rows]


def judgement_in(
    table: Table,
    column: str,
    *,
    texts: Collection[str],
    scale: tuple[float, float] | None = None,
    nli: Sequence[str] | None = None,
) -> JudgedPairs:
    """The judgements in a column on the columns ``texts``; refused where their meaning is not clear.

    ``scale`` makes it a score; ``nli`` says what 0, 1, 2 … are.
    """
    cells = [_cell(value) for value in table.column(column)]
    read_as = {cell: number_of(cell) for cell in cells if cell is not None}
    words = {cell for cell, number in read_as.items() if number is None}
    numbers = {cell: number for cell, number in read_as.items() if number is not None}
    values = set(numbers.values())
    nli_words = _NLI_WORDS | (_NLI_LETTERS if words and words <= set(_NLI_LETTERS) else {})
    is_worded = words & (set(nli_words) - {"neutral"})  # which is a sentiment, too
    is_binary = values <= {0, 1} and words <= set(_TRUTHS) and (words or column.casefold() not in DEGREE_NAMES)
    meant: dict[str, Any] = {}  # what each different cell says
    if scale is None and (nli is not None or is_worded or _is_nli(column, texts, values, table.name)):
        order = [word.casefold() for word in nli or NLI]
        if unknown := [word for word in order if word not in _NLI_WORDS]:
            raise CorpusError("E-NLI", f"NLI classes are {', '.join(NLI)}, but found {unknown[0]!r}. Correct it.")
        kind, expected, cells = "nli", f"one of {', '.join(NLI)}", [cell and cell.removesuffix(".0") for cell in cells]
        first = int(bool(values) and 1 <= min(values) and max(values) == len(order))  # 1 where they count from 1
        codes = range(first, first + len(order))
        meant |= {f"{code}": _NLI_WORDS[word] for code, word in zip(codes, order, strict=True)}
        meant |= nli_words | {"-1": None}
        remark = f"{column!r} holds NLI labels, not scores"
        if values:
            remark = f"{', '.join(map(str, codes))} of {column!r} are {', '.join(order)} (--nli changes it)"
    elif scale is None and (is_binary or column.casefold() == "is_paraphrase"):
        kind, expected, scale = "same", "true, false or empty", (0.0, 1.0)
        meant |= {cell: number for cell, number in numbers.items() if number in (0, 1)} | _TRUTHS
        remark = f"1 of {column!r} marks paraphrases: only those pairs are positives for ranking and triplet"
    else:
        kind, expected, meant = "score", "numbers", {**numbers}
        remark = "" if scale else "the scale is the smallest common one that covers all scores (--scale changes it)"
        scale = scale or proposed_scale(values, column, len(cells))
    unreadable = [row for row, cell in enumerate(cells) if cell is not None and cell not in meant]
    if len(unreadable) > _UNREADABLE * sum(cell is not None for cell in cells):
        row = unreadable[0]
        raise CorpusError(
            "E-SCORE",
            f"{'Scores' if kind == 'score' else column} of {table.name!r} must be {expected}, but row "
            f"{table.place(row):,} of the column {column!r} has {table.column(column)[row]!r} (so have "
            f"{len(unreadable):,} of {len(cells):,} rows). Correct it, or choose another column (--score).",
        )
    judged = [None if cell is None else meant.get(cell) for cell in cells]
    low, high = scale or (0, 0)
    off = [row for row, value in enumerate(judged) if scale and value is not None and not low <= value <= high]
    if off:
        raise CorpusError(
            "E-SCORE",
            f"Scores of {table.name!r} must be numbers from {low:g} to {high:g}, but row {table.place(off[0]):,} "
            f"has {judged[off[0]]:g}. Correct it, or specify the scale (--scale LOW,HIGH).",
        )
    return JudgedPairs(kind, judged, scale, remark)


def is_judged(table: Table, column: str) -> bool:
    """Whether most of a column are numbers, yes and no, or NLI labels, or its name says that they should be."""
    if column.casefold() in DEGREE_NAMES:
        return True
    cells = [cell for cell in map(_cell, table.column(column)) if cell is not None][:1000]
    readable = sum(cell in _NLI_WORDS or cell in _TRUTHS or number_of(cell) is not None for cell in cells)
    return readable > len(cells) / 2 or (bool(cells) and set(cells) <= set(_NLI_LETTERS))


def is_nli_texts(columns: Collection[str]) -> bool:
    """Whether one of two columns is called as NLI's second text is."""
    return "hypothesis" in map(str.casefold, columns)


def text_columns(
    table: Table, anchor: str | None, positive: str | None, taken: Collection[str | None]
) -> tuple[str | None, str | None, str | None, str | None]:
    """The user's two columns of texts, else those that names suggest; else those by content, and a score near them or
    a third of texts, which are negatives.
    """
    first = anchor or table.column_called(ANCHOR_NAMES, [positive, *taken])
    second = positive or table.column_called(POSITIVE_NAMES, [first, *taken])
    return (None if first or second else _nameless(table)) or (first, second, None, None)


def _nameless(table: Table) -> tuple[str, str, str | None, str | None] | None:
    """Of a table without names two columns of texts, and of numbers the one near them, or three of texts; or None."""
    names = table.columns.column_names
    cells = {name: [cell for cell in table.some(name) if cell.strip()] for name in names}
    filled = [name for name in names if 2 * len(cells[name]) > len(table.some(name))]
    words = {name: sum(cell.count(" ") + 1 for cell in cells[name]) / max(1, len(cells[name])) for name in names}
    texts = [name for name in filled if words[name] >= _WORDS_OF_A_TEXT]
    is_nameless = table.report.header_row == 0 or names == unique_names([], len(names))
    places = {name: place for place, name in enumerate(names)}
    repeated = (name for name in filled if len(set(cells[name])) < len(cells[name]))
    numbers = [name for name in repeated if all(number_of(cell) is not None for cell in cells[name])]
    if not is_nameless or len(texts) not in (2, 2 if numbers else 3):
        return None
    near = sorted(numbers, key=lambda name: min(abs(places[name] - places[text]) for text in texts))
    return texts[0], texts[1], near[0] if near else None, texts[2] if len(texts) == 3 else None


def proposed_scale(values: Collection[float], column: str, rows: int) -> tuple[float, float]:
    """The smallest usual scale that holds all values and is used to its end; STS's, where none is."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    is_rated = "relatedness" in column.casefold() or (rows >= _FEWEST_RATED and high > 4)
    if -1 <= low and high <= 1:
        return (0.0, 1.0) if low >= 0 else (-1.0, 1.0)
    if is_rated and low >= 1 and high <= 5:
        return 1.0, 5.0
    wide = next((end for end in (10.0, 100.0) if 0.9 * end <= high <= end), None)
    if wide is not None and low >= 0 and rows >= _FEWEST_RATED:
        return 0.0, wide
    return (0.0, 4.0) if 3.8 <= high <= 4 else STS_SCALE


def _is_nli(column: str, texts: Collection[str], values: set[float], name: str) -> bool:
    """Whether numbers are NLI's classes; refused where they may as well be something else."""
    few = values <= {-1, 0, 1, 2, 3} and column.casefold() not in DEGREE_NAMES
    by_name = column.casefold() in NLI_NAMES or is_nli_texts(texts)
    if few and by_name and 2 in values and 3 not in values:
        return True
    if few and values and (by_name or 2 in values):
        listed = ", ".join(f"{value:g}" for value in sorted(values))
        raise CorpusError(
            "E-NLI-OR-SCORE",
            f"The column {column!r} of {name!r} holds only {listed}: are these NLI classes or scores? Specify what 0, "
            f"1 … mean (--nli entailment,neutral,contradiction), or the lowest and highest score (--scale 0,2).",
        )
    return False


def _cell(value: object) -> str | None:
    text = "" if value is None else " ".join(str(value).split()).casefold()
    return None if not text or text in MISSING else text
