"""From a file to given pairs: which column holds what, and what is wrong with a row, in a sentence."""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

import pyarrow as pa
from pydantic import Field

from embedlab.config import Config
from embedlab.copies import normalised
from embedlab.corpora.files import read_table
from embedlab.corpora.names import ANCHOR_NAMES, NEGATIVE_NAMES, POSITIVE_NAMES, SCORE_NAMES
from embedlab.corpora.notes import Note, notes_of
from embedlab.corpora.pairs.judgements import NLI, is_judged, judgement_in
from embedlab.corpora.pairs.stored import GivenPairs, PairsDraft, store_pairs
from embedlab.corpora.reading_report import LeftOut, ReadingReport, ReadOptions
from embedlab.corpora.set_cells import ROW, column_called, listed_texts, rows_left_out, rows_of_split, texts_of
from embedlab.corpora.tables import require_columns
from embedlab.errors import CorpusError
from embedlab.progress import Progress, silent

_NUMBERED_NEGATIVE = re.compile(r"(hard_)?neg(ative)?_?\d+", re.IGNORECASE)
FEWEST_PAIRS = 2
CARDS = 5
_CLASSES = 10  # as few different short values in many rows, and a column holds labels, not texts
_FEWEST_ROWS = 40  # that tell texts from labels
_SHORT = 20.0  # characters of a label, on average


class PairReading(ReadOptions):
    """Which columns hold what; what is left out is proposed from names and content."""

    anchor: str | None = Field(None, description="The column of the first texts.")
    positive: str | None = Field(None, description="The column of the texts that belong to them.")
    negative: tuple[str, ...] | None = Field(None, description="Columns of texts that do not; an empty list for none.")
    score: str | None = Field(None, description="The column of scores of how alike both are; an empty name for none.")
    scale: tuple[float, float] | None = Field(None, description="Lowest and highest score; found if not given.")
    nli: tuple[str, ...] | None = Field(None, description="What 0, 1, 2 of an NLI label are, in this order.")
    split: str | None = Field(None, description="Rows whose column split has this value; train, where there is one.")
    name: str | None = Field(None, description="What the pairs are called.")


class PairCard(Config):
    """One pair as it would be trained on."""

    anchor: str
    positive: str
    negatives: tuple[str, ...] = ()
    score: str | None = None


class PairProposal(Config):
    """The columns that the pairs would be made of, how they were read, and five pairs; to be confirmed."""

    anchor: str
    positive: str
    negative: tuple[str, ...]
    score: str | None
    columns: tuple[str, ...]
    reading: ReadingReport
    cards: tuple[PairCard, ...]


def propose_pairs(path: str | Path, reading: PairReading = PairReading(), *, file_name: str = "") -> PairProposal:  # noqa: B008 (frozen)
    """The user's columns, else those that names suggest, with five rows as they would be read."""
    found, draft = _read(path, reading, file_name, silent)
    step = max(1, len(draft.anchors) // CARDS)
    rows = range(0, len(draft.anchors), step)[:CARDS]
    cards = tuple(
        PairCard(
            anchor=draft.anchors[row][:2_000],
            positive=draft.positives[row][:2_000],
            negatives=tuple(text[:2_000] for text in draft.negatives[row]),
            score=None if draft.scores is None else f"{draft.scores[row]:.2f} of 1",
        )
        for row in rows
    )
    return PairProposal(**found, columns=draft.columns, reading=draft.reading, cards=cards)


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
    return store_pairs(_read(path, reading, file_name, progress)[1])


def columns_of(path: str | Path, options: ReadOptions, *, file_name: str = "") -> tuple[str, ...]:
    """The columns of a file, to choose from where their names suggest no pairs."""
    return tuple(read_table(Path(path).expanduser(), options, name=file_name).columns.column_names)


def _read(path: str | Path, reading: PairReading, file_name: str, progress: Progress) -> tuple[dict, PairsDraft]:
    """Which columns the pairs are made of, and the pairs."""
    path = Path(path).expanduser()
    name = file_name or path.name
    file = read_table(path, reading, progress, name=name).sound(reading)
    table, _ = rows_of_split(file, reading.split, ("train",), name)
    found = _columns(table, reading, name)
    anchor, positive, negative, score = found.values()
    anchors, positives = texts_of(table, anchor), texts_of(table, positive)
    negatives, remarks, judgement = _negatives(table, negative, name), list(file.report.remarks), None
    if score is not None:
        asked = {"scale": reading.scale, "nli": reading.nli}
        judgement = judgement_in(table, score, texts=(anchor, positive), name=name, **asked)
        remarks += [judgement.remark] if judgement.remark else []
    is_nli = judgement is not None and judgement.kind == "nli"
    used = {anchor, positive, score, *negative}
    others = [each for each in table.column_names if each.casefold() in SCORE_NAMES and each not in used]
    remarks += [f"not used: {', '.join(map(repr, others))} (--score names another column)"] if others else []
    kept = [row for row in range(len(table)) if anchors[row] and positives[row]]
    lefts = rows_left_out(table, range(len(table)), "one of the two texts is empty", but=kept)
    if judgement is not None:
        judged = [row for row in kept if judgement.values[row] is not None]
        lefts += rows_left_out(table, kept, "no gold label" if is_nli else "no score", but=judged)
        kept = judged
    if is_nli:
        has_negatives = reading.negative != ()
        kept, negatives, how = _nli_pairs(table, kept, anchors, positives, judgement.values, has_negatives)
        lefts += how
        contradicted = "contradictions of the same premise are its negatives"
        alone = "contradictions are not used, because most entailments have none of their premise"
        remarks.append(f"entailments are the pairs, {contradicted if kept and negatives[kept[0]] else alone}")
    if negative:
        whole = [row for row in kept if negatives[row] and all(negatives[row])]
        lefts += rows_left_out(table, kept, "no negative text", but=whole)
        kept = whole
        fewest = min((len(negatives[row]) for row in kept), default=0)
        negatives = [texts[:fewest] for texts in negatives]  # each pair has as many
    if len(kept) < FEWEST_PAIRS:
        raise CorpusError(
            "E-PAIRS",
            f"Training needs at least {FEWEST_PAIRS} pairs, but {name!r} has {len(kept):,} in {len(table):,} rows. "
            "Choose another file, other columns or another split.",
        )
    shares = judgement.shares() if judgement is not None and not is_nli else None
    scores = None if shares is None else [shares[row] for row in kept]
    split = "split" if "split" in table.column_names else None
    roles = {"anchor": anchor, "positive": positive, "negative": negative}
    roles |= {"label" if is_nli else "score": score, "split": split}
    roles = {role: column for role, column in roles.items() if column}
    report = file.report.having(
        columns=roles,
        scale=judgement.scale if judgement is not None else None,
        left_out=(*file.report.left_out, *lefts),
        remarks=tuple(remarks),
    )
    pairs = [(anchors[row], positives[row]) for row in kept]
    draft = PairsDraft(
        name=reading.name or Path(name).stem,
        source=name,
        rows=len(table),
        anchors=[one for one, _ in pairs],
        positives=[other for _, other in pairs],
        negatives=[negatives[row] for row in kept],
        scores=scores,
        is_nli=is_nli,
        roles={role: column if isinstance(column, str) else ", ".join(column) for role, column in roles.items()},
        columns=tuple(file.columns.column_names),
        reading=report,
        notes=[*file.notes, *_repeated(pairs, scores)],
    )
    return found, draft


def _nli_pairs(
    table: pa.Table,
    rows: list[int],
    premises: list[str],
    hypotheses: list[str],
    labels: list[str | None],
    has_negatives: bool,
) -> tuple[list[int], list[list[str]], tuple[LeftOut, ...]]:
    """Entailments, each with a contradiction of its premise, as Sentence-BERT trains on NLI; neutral is left out.

    Where fewer than half have one, all entailments without.
    """
    entailed, neutral, contradicting = ([row for row in rows if labels[row] == word] for word in NLI)
    same = {row: normalised(premises[row]) for row in (*entailed, *contradicting)}
    against: dict[str, list[str]] = defaultdict(list)
    for row in contradicting:
        against[same[row]].append(hypotheses[row])
    contradicted = [row for row in entailed if same[row] in against]
    negatives: list[list[str]] = [[] for _ in range(len(table))]
    lefts = rows_left_out(table, neutral, "neutral")
    if not has_negatives or 2 * len(contradicted) < max(1, len(entailed)):
        return entailed, negatives, lefts + rows_left_out(table, contradicting, "contradictions")
    turns = {premise: cycle(texts) for premise, texts in against.items()}
    for row in contradicted:
        negatives[row] = [next(turns[same[row]])]
    lefts += rows_left_out(table, entailed, "entailments without a contradiction of their premise", but=contradicted)
    premises_used = {same[row] for row in contradicted}
    unused = [row for row in contradicting if same[row] not in premises_used]
    return contradicted, negatives, lefts + rows_left_out(table, unused, "contradictions without an entailment")


def _columns(table: pa.Table, reading: PairReading, name: str) -> dict:
    """Who plays which role: ``anchor``, ``positive``, ``negative`` (several) and ``score`` (or None)."""
    columns = [column for column in table.column_names if column != ROW]
    named = (reading.anchor, reading.positive, reading.score or None, *(reading.negative or ()))
    require_columns(named, columns, name)
    labels = [] if len(table) < _FEWEST_ROWS else [each for each in columns if _holds_labels(table, each)]
    anchor = reading.anchor or column_called(table, ANCHOR_NAMES, [*named, *labels])
    positive = reading.positive or column_called(table, POSITIVE_NAMES, [*named, anchor, *labels])
    if anchor is None or positive is None:
        few = f" (few different short values stand in {', '.join(map(repr, labels))})" if labels else ""
        message = f"Two columns of texts that belong together are needed, but {name!r} has:"
        raise CorpusError("E-COLUMN", f"{message} {', '.join(columns[:30])}{few}. Name them (--anchor, --positive).")
    taken = {*named, anchor, positive}
    negative, score = reading.negative, reading.score or None
    if negative is None:
        free = [column for column in columns if column not in taken | set(labels)]
        negative = tuple(c for c in free if c.casefold() in NEGATIVE_NAMES or _NUMBERED_NEGATIVE.fullmatch(c))
    if reading.score is None:
        unfit = [column for column in columns if column.casefold() in SCORE_NAMES and not is_judged(table, column)]
        score = column_called(table, SCORE_NAMES, [*taken, *negative, *unfit])
    return {"anchor": anchor, "positive": positive, "negative": negative, "score": score}


def _holds_labels(table: pa.Table, column: str) -> bool:
    """Whether few short values repeat in a column, as no texts do."""
    filled = [value for value in table.column(column).to_pylist() if value not in (None, "")]
    if not filled or not all(isinstance(value, str) for value in filled):
        return False
    return len(set(filled)) <= _CLASSES and sum(map(len, filled)) / len(filled) <= _SHORT


def _negatives(table: pa.Table, columns: Sequence[str], name: str) -> list[list[str]]:
    """The texts of one or more columns; a single column may hold lists."""
    if len(columns) == 1:
        return [listed_texts(table, columns[0], row, name) or [""] for row in range(len(table))]
    found = [texts_of(table, column) for column in columns]
    return [list(row) for row in zip(*found, strict=True)] if found else [[] for _ in range(len(table))]


def _repeated(pairs: list[tuple[str, str]], scores: list[float] | None) -> list[Note]:
    """Pairs that stand there more than once, and those among them that people scored differently."""
    seen: dict[frozenset[str], set] = defaultdict(set)
    for row, pair in enumerate(pairs):
        seen[frozenset(map(normalised, pair))].add(None if scores is None else scores[row])
    said = {}
    if repeated := len(pairs) - len(seen):
        said["I-REPEATED"] = f"{repeated:,} pairs stand in the file before and are trained on again."
    if differing := sum(len(found) > 1 for found in seen.values()):
        said["W-SCORES-DIFFER"] = f"{differing:,} pairs stand there several times with different scores; all are used."
    return notes_of(said)
