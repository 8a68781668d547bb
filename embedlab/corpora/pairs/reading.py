"""From a file to given pairs: which column holds what, and what is wrong with a row, in a sentence."""

import re
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
from pydantic import Field

from embedlab.config import Config
from embedlab.copies import normalised
from embedlab.corpora.files import read_table
from embedlab.corpora.names import ANCHOR_NAMES, NEGATIVE_NAMES, POSITIVE_NAMES, SCORE_NAMES
from embedlab.corpora.notes import Note
from embedlab.corpora.pairs.stored import GivenPairs, PairsDraft, store_pairs
from embedlab.corpora.set_cells import ROW, listed_texts, number_of, place_of, texts_of
from embedlab.errors import CorpusError
from embedlab.progress import Progress, silent

_NUMBERED_NEGATIVE = re.compile(r"(hard_)?neg(ative)?_?\d+", re.IGNORECASE)
SCALES = ((0.0, 1.0), (0.0, 5.0))  # of scores: the first that holds them all, unless the user names one
FEWEST_PAIRS = 2
CARDS = 5


class PairReading(Config):
    """Which columns hold what; what is left out is proposed from names and content."""

    anchor: str | None = Field(None, description="The column of the first texts.")
    positive: str | None = Field(None, description="The column of the texts that belong to them.")
    negative: tuple[str, ...] | None = Field(None, description="Columns of texts that do not; an empty list for none.")
    score: str | None = Field(None, description="The column of scores of how alike both are; an empty name for none.")
    scale: tuple[float, float] | None = Field(None, description="Lowest and highest score; found if not given.")
    split: str | None = Field(None, description="Rows whose column split has this value; train, where there is one.")
    name: str | None = Field(None, description="What the pairs are called.")


class PairCard(Config):
    """One pair as it would be trained on."""

    anchor: str
    positive: str
    negatives: tuple[str, ...] = ()
    score: str | None = None


class PairProposal(Config):
    """The columns that the pairs would be made of, to be confirmed."""

    anchor: str
    positive: str
    negative: tuple[str, ...]
    score: str | None
    columns: tuple[str, ...]
    cards: tuple[PairCard, ...]


def propose_pairs(path: str | Path, reading: PairReading = PairReading(), *, file_name: str = "") -> PairProposal:  # noqa: B008 (frozen)
    """The user's columns, else those that names suggest, with five rows as they would be read."""
    table, name, _ = _table(path, reading, file_name, silent)
    return _proposal(table, reading, name)


def read_pairs(
    path: str | Path,
    reading: PairReading = PairReading(),  # noqa: B008 (frozen)
    progress: Progress = silent,
    *,
    file_name: str = "",
) -> GivenPairs:
    """Read, check and store the pairs of a file. Rows without both texts are left out and counted.

    ``file_name`` is what the user calls the file of an upload.
    """
    table, name, notes = _table(path, reading, file_name, progress)
    proposal = _proposal(table, reading, name)
    anchors, positives = (texts_of(table, column) for column in (proposal.anchor, proposal.positive))
    negatives = _negatives(table, proposal.negative, name)
    scores = _scores(table, proposal.score, reading.scale, name) if proposal.score is not None else None
    whole = [bool(anchors[row] and positives[row]) for row in range(len(table))]
    _count(notes, "W-EMPTY", whole.count(False), "rows lack one of the two texts and are left out")
    if scores is not None:
        unscored = [row for row in range(len(table)) if whole[row] and scores[row] is None]
        _count(notes, "W-NO-SCORE", len(unscored), "pairs have no score and are left out")
        whole = [is_whole and scores[row] is not None for row, is_whole in enumerate(whole)]
    if proposal.negative:
        lacking = [row for row in range(len(table)) if whole[row] and not all(negatives[row])]
        _count(notes, "W-NO-NEGATIVE", len(lacking), "pairs lack a negative text and are left out")
        whole = [is_whole and bool(negatives[row]) and all(negatives[row]) for row, is_whole in enumerate(whole)]
        fewest = min((len(negatives[row]) for row in range(len(table)) if whole[row]), default=0)
        negatives = [found[:fewest] for found in negatives]  # each pair has as many
    kept = [row for row in range(len(table)) if whole[row]]
    _say_repeated(notes, [(anchors[row], positives[row]) for row in kept], scores and [scores[row] for row in kept])
    if len(kept) < FEWEST_PAIRS:
        raise CorpusError(
            "E-PAIRS",
            f"Training needs at least {FEWEST_PAIRS} pairs, but {name!r} has {len(kept):,} in {len(table):,} rows. "
            "Choose another file, other columns or another split.",
        )
    roles = {"anchor": proposal.anchor, "positive": proposal.positive}
    roles |= {"negative": ", ".join(proposal.negative)} if proposal.negative else {}
    roles |= {"score": proposal.score} if proposal.score is not None else {}
    return store_pairs(
        PairsDraft(
            name=reading.name or Path(name).stem,
            source=name,
            rows=len(table),
            anchors=[anchors[row] for row in kept],
            positives=[positives[row] for row in kept],
            negatives=[negatives[row] for row in kept],
            scores=None if scores is None else [scores[row] for row in kept],
            roles=roles,
            notes=notes,
        )
    )


def _table(path: str | Path, reading: PairReading, file_name: str, progress: Progress) -> tuple:
    """The rows of the split, each with its place in the file; the file's name; what was decided."""
    path = Path(path).expanduser()
    name, notes = file_name or path.name, []
    table = read_table(path, progress=progress, name=name).columns
    table = table.append_column(ROW, pa.array(range(len(table)), pa.int64()))
    if "split" not in table.column_names:
        if reading.split is not None:
            raise CorpusError("E-COLUMN", f"{name!r} has no column 'split'. Leave the choice of a split out.")
        return table, name, notes
    values = [str(value) for value in table.column("split").to_pylist()]
    wanted = reading.split or ("train" if "train" in values else None)
    if wanted is None:
        return table, name, notes
    kept = [row for row, value in enumerate(values) if value == wanted]
    if not kept:
        there = ", ".join(sorted(set(values))[:8])
        raise CorpusError("E-SPLIT", f"No row of {name!r} is of the split {wanted!r}. Choose from: {there}.")
    if len(kept) < len(values):
        message = f"Only the split {wanted!r} is used: {len(kept):,} of {len(values):,} rows."
        notes.append(Note(code="I-SPLIT", message=message))
    return table.take(pa.array(kept, pa.int64())), name, notes


def _proposal(table: pa.Table, reading: PairReading, name: str) -> PairProposal:
    columns = tuple(column for column in table.column_names if column != ROW)
    for wanted in (reading.anchor, reading.positive, reading.score or None, *(reading.negative or ())):
        if wanted is not None and wanted not in columns:
            shown = ", ".join(columns[:30])
            raise CorpusError("E-COLUMN", f"{name!r} has no column {wanted!r}. Its columns are: {shown}.")
    taken = {reading.anchor, reading.positive, reading.score, *(reading.negative or ())} - {None}
    anchor = reading.anchor or _named(columns, ANCHOR_NAMES, taken)
    taken |= {anchor}
    positive = reading.positive or _named(columns, POSITIVE_NAMES, taken)
    taken |= {positive}
    if anchor is None or positive is None:
        raise CorpusError(
            "E-COLUMN",
            f"Two columns of texts that belong together are needed, but {name!r} has: {', '.join(columns[:30])}. "
            "Name them (--anchor, --positive).",
        )
    negative = reading.negative
    if negative is None:
        known = {column for column in columns if column.casefold() in NEGATIVE_NAMES}
        numbered = {column for column in columns if _NUMBERED_NEGATIVE.fullmatch(column)}
        negative = tuple(column for column in columns if column in (known | numbered) - taken)
    score = (reading.score or None) if reading.score is not None else _named_score(table, taken | set(negative))
    rows = _spread(table, anchor, positive)
    cards = tuple(
        PairCard(
            anchor=_shown(table, anchor, row),
            positive=_shown(table, positive, row),
            negatives=tuple(_shown(table, column, row) for column in negative),
            score=None if score is None else _shown(table, score, row),
        )
        for row in rows
    )
    return PairProposal(
        anchor=anchor, positive=positive, negative=negative, score=score, columns=columns, cards=cards
    )  # fmt: skip


def _named(columns: Sequence[str], names: Sequence[str], taken: set) -> str | None:
    """The first column with one of these names, the best name first."""
    free = [column for column in columns if column not in taken]
    return next((column for name in names for column in free if column.casefold() == name), None)


def _named_score(table: pa.Table, taken: set) -> str | None:
    """A column with a score's name whose filled cells are numbers."""
    column = _named([each for each in table.column_names if each != ROW], SCORE_NAMES, taken)
    if column is None:
        return None
    filled = [value for value in table.column(column).to_pylist() if value not in (None, "")]
    return column if filled and all(number_of(value) is not None for value in filled[:1000]) else None


def _spread(table: pa.Table, anchor: str, positive: str) -> list[int]:
    one, other = (table.column(column).to_pylist() for column in (anchor, positive))
    filled = [row for row in range(len(table)) if one[row] and other[row]]
    return filled[:: max(1, len(filled) // CARDS)][:CARDS]


def _shown(table: pa.Table, column: str, row: int) -> str:
    value = table.column(column)[row].as_py()
    return "" if value is None else str(value)[:2_000]


def _negatives(table: pa.Table, columns: Sequence[str], name: str) -> list[list[str]]:
    """The texts of one or more columns; a single column may hold lists."""
    if len(columns) == 1:
        return [listed_texts(table, columns[0], row, name) or [""] for row in range(len(table))]
    found = [texts_of(table, column) for column in columns]
    return [list(row) for row in zip(*found, strict=True)] if found else [[] for _ in range(len(table))]


def _scores(
    table: pa.Table, column: str, scale: tuple[float, float] | None, name: str
) -> list[float | None]:  # fmt: skip
    """From 0 to 1 by the scale, None in an empty cell; a value off the scale is refused."""
    numbers: list[float | None] = []
    for row, value in enumerate(table.column(column).to_pylist()):
        number = None if value is None or value == "" else number_of(value)
        if number is None and value not in (None, ""):
            raise CorpusError(
                "E-SCORE",
                f"Scores of {name!r} must be numbers, but row {place_of(table, row):,} of the column {column!r} has "
                f"{value!r}. Correct it, or choose another column.",
            )
        numbers.append(number)
    there = [number for number in numbers if number is not None]
    if scale is None:
        fitting = [each for each in SCALES if all(each[0] <= number <= each[1] for number in there)]
        scale = fitting[0] if fitting else SCALES[-1]
    low, high = scale
    for row, number in enumerate(numbers):
        if number is not None and not low <= number <= high:
            raise CorpusError(
                "E-SCORE",
                f"Scores of {name!r} must be numbers from {low:g} to {high:g}, but row {place_of(table, row):,} has "
                f"{number:g}. Correct it, or name the scale (--scale LOW,HIGH).",
            )
    return [None if number is None else (number - low) / (high - low) for number in numbers]


def _count(notes: list[Note], code: str, count: int, words: str) -> None:
    if count:
        notes.append(Note(code=code, message=f"{count:,} {words}."))


def _say_repeated(notes: list[Note], pairs: list[tuple[str, str]], scores: list[float] | None) -> None:
    """Pairs that stand there more than once, and those among them that people scored differently."""
    seen: dict[frozenset[str], set] = {}
    repeated = 0
    for row, (one, other) in enumerate(pairs):
        key = frozenset((normalised(one), normalised(other)))
        repeated += key in seen
        seen.setdefault(key, set()).add(None if scores is None else scores[row])
    _count(notes, "I-REPEATED", repeated, "pairs stand in the file before and are trained on again")
    differing = sum(len(found) > 1 for found in seen.values())
    _count(notes, "W-SCORES-DIFFER", differing, "pairs stand there several times with different scores; all are used")
