"""From a file to given pairs: which column holds what, and what is wrong with a row, in a sentence."""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import cycle, repeat
from pathlib import Path

import pyarrow as pa
from pydantic import Field

from embedlab.config import Config
from embedlab.copies import normalised
from embedlab.corpora.base import Corpus, Draft, store_corpus
from embedlab.corpora.files import read_table
from embedlab.corpora.names import NEGATIVE_NAMES, SCORE_NAMES
from embedlab.corpora.notes import Note, ReadingReport, ReadOptions, notes_of
from embedlab.corpora.sets.judgements import NLI, is_judged, is_nli_texts, judgement_in, text_columns
from embedlab.corpora.sets.stored import GivenPairs, PairsInfo, pairs_table, store_pairs
from embedlab.corpora.tables import Table
from embedlab.errors import CorpusError
from embedlab.numbers import counted
from embedlab.progress import Progress, silent
from embedlab.table_files import is_list

_NUMBERED_NEGATIVE = re.compile(r"(hard_)?neg(ative)?_?\d+", re.IGNORECASE)
FEWEST_PAIRS = 2
CARDS = 5
_CLASSES = 10  # as few different short values in many rows, and a column holds labels, not texts
_FEWEST_ROWS = 40  # that tell texts from labels
_SHORT = 20.0  # characters of a label, on average


class PairReading(ReadOptions):
    """Which columns hold what; what is left out is proposed from names and content."""

    anchor: str | None = Field(None, description="The column of the first texts.")
    positive: str | None = Field(None, description="The column of the texts that match them.")
    negative: tuple[str, ...] | None = Field(
        None, description="Columns of texts that do not match them; an empty list for none."
    )
    score: str | None = Field(None, description="The column of similarity scores; an empty name for none.")
    scale: tuple[float, float] | None = Field(None, description="Lowest and highest score; detected if not given.")
    nli: tuple[str, ...] | None = Field(None, description="What the NLI labels 0, 1, 2 mean, in this order.")
    split: str | None = Field(None, description="Rows whose column split has this value; train, where there is one.")
    name: str | None = Field(None, description="The name of the pairs.")


class PairColumns(Config):
    """The columns that pairs are made of."""

    anchor: str
    positive: str
    negative: tuple[str, ...]
    score: str | None


class PairCard(Config):
    """One pair as it would be trained on."""

    anchor: str
    positive: str
    negatives: tuple[str, ...] = ()
    score: str | None = None


class PairProposal(PairColumns):
    """The columns that the pairs would be made of, how they were read, and five pairs; to be confirmed."""

    columns: tuple[str, ...]
    reading: ReadingReport
    cards: tuple[PairCard, ...]


def propose_pairs(path: str | Path, reading: PairReading = PairReading(), *, file_name: str = "") -> PairProposal:  # noqa: B008 (frozen)
    """The user's columns, else those that names suggest, with five rows as they would be read."""
    chosen, columns, pairs, info = _read(path, reading, file_name, silent)
    rows = range(0, len(pairs), max(1, len(pairs) // CARDS))[:CARDS]
    cards = tuple(
        PairCard(
            anchor=pair["anchor"][:2_000],
            positive=pair["positive"][:2_000],
            negatives=tuple(text[:2_000] for text in pair["negatives"]),
            score=None if pair["score"] is None else f"{pair['score']:.2f} of 1",
        )
        for pair in pairs.take(pa.array(rows)).to_pylist()
    )
    assert info.reading is not None, "it has just been read"
    return PairProposal(**chosen.model_dump(), columns=tuple(columns), reading=info.reading, cards=cards)


def corpus_of_pairs(pairs: GivenPairs) -> Corpus:
    """Their texts as a stored corpus."""
    name = f"{pairs.info.name}, texts of the pairs"
    return store_corpus(Draft(name=name, source=pairs.info.source, texts=pairs.texts))


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
    *_, pairs, info = _read(path, reading, file_name, progress)
    return store_pairs(pairs, info)


def _read(
    path: str | Path, reading: PairReading, file_name: str, progress: Progress
) -> tuple[PairColumns, list[str], pa.Table, PairsInfo]:
    """The columns that the pairs are made of, all columns, the pairs, and what they are, but for the fingerprint."""
    path = Path(path).expanduser()
    name = file_name or path.name
    table, _ = read_table(path, reading, progress, name=name).sound(reading).of_split(reading.split, ("train",))
    table.name = name  # of a zip with its ending
    chosen = _columns(table, reading)
    anchor, positive, negative, score = chosen.anchor, chosen.positive, chosen.negative, chosen.score
    anchors, positives = table.texts(anchor), _first_texts(table, positive)
    negatives, judgement, is_nli, verdicts = _negatives(table, negative), None, False, []
    if score is not None:
        judgement = judgement_in(table, score, texts=(anchor, positive), scale=reading.scale, nli=reading.nli)
        table.remark(judgement.remark)
        is_nli, verdicts = judgement.kind == "nli", judgement.values
    used = {anchor, positive, score, *negative}
    others = [each for each in table.columns.column_names if each not in used and each != "split"]
    table.remark(f"not used: {', '.join(map(repr, others[:8]))} (--score names another column)" if others else "")
    rows = range(len(table.columns))
    usable = table.kept_rows(rows, lambda row: anchors[row] and positives[row], "one of the two texts is empty")
    if judgement is not None:
        reason = "no gold label" if is_nli else "no score"
        usable = table.kept_rows(usable, lambda row: verdicts[row] is not None, reason)
    if is_nli:
        usable, negatives = _nli_pairs(table, usable, anchors, positives, verdicts, reading.negative != ())
        contradicted = "contradictions of the same premise are the negatives"
        alone = "contradictions are not used, because most entailments have no contradiction of their premise"
        table.remark(f"entailments are the pairs, {contradicted if usable and negatives[usable[0]] else alone}")
    if negative:
        usable = table.kept_rows(usable, lambda row: negatives[row] and all(negatives[row]), "no negative text")
        fewest = min((len(negatives[row]) for row in usable), default=0)
        negatives = [texts[:fewest] for texts in negatives]  # each pair has as many
    if len(usable) < FEWEST_PAIRS:
        raise CorpusError(
            "E-PAIRS",
            f"Training needs at least {FEWEST_PAIRS} pairs, but {name!r} has {len(usable):,} in {len(rows):,} rows. "
            "Choose another file, other columns or another split.",
        )
    one, other = ([texts[row] for row in usable] for texts in (anchors, positives))
    scores = None if judgement is None or is_nli else judgement.shares(usable)
    every: dict[str, str | tuple[str, ...] | None]
    every = {"anchor": anchor, "positive": positive, "negative": negative, "label" if is_nli else "score": score}
    every["split"] = "split" if "split" in table.columns.column_names else None
    roles = {role: column for role, column in every.items() if column}
    info = PairsInfo(
        fingerprint="",
        name=reading.name or Path(name).stem,
        source=name,
        rows=len(rows),
        pairs=len(usable),
        negatives=len(negatives[usable[0]]),
        has_scores=scores is not None,
        is_nli=is_nli,
        roles={role: column if isinstance(column, str) else ", ".join(column) for role, column in roles.items()},
        reading=table.report.having(columns=roles, scale=None if judgement is None else judgement.scale),
        notes=(*table.notes, *_repeated(one, other, scores)),
    )
    pairs = pairs_table(one, other, [negatives[row] for row in usable], scores)
    return chosen, table.columns.column_names, pairs, info


def _nli_pairs(
    table: Table,
    rows: list[int],
    premises: list[str],
    hypotheses: list[str],
    labels: list[str | None],
    has_negatives: bool,
) -> tuple[list[int], list[list[str]]]:
    """Entailments, each with a contradiction of its premise, as Sentence-BERT trains on NLI; neutral is left out.

    Where fewer than half have one, all entailments without.
    """
    entailed, neutral, contradicting = ([row for row in rows if labels[row] == word] for word in NLI)
    same = {row: normalised(premises[row]) for row in (*entailed, *contradicting)}
    against: dict[str, list[str]] = defaultdict(list)
    for row in contradicting:
        against[same[row]].append(hypotheses[row])
    contradicted = [row for row in entailed if same[row] in against]
    negatives: list[list[str]] = [[] for _ in labels]
    table.leave_out(neutral, "neutral")
    if not has_negatives or 2 * len(contradicted) < max(1, len(entailed)):
        table.leave_out(contradicting, "contradictions")
        return entailed, negatives
    turns = {premise: cycle(texts) for premise, texts in against.items()}
    for row in contradicted:
        negatives[row] = [next(turns[same[row]])]
    alone = (row for row in entailed if same[row] not in against)
    table.leave_out(alone, "entailments without a contradiction of their premise")
    premises_used = {same[row] for row in contradicted}
    unused = (row for row in contradicting if same[row] not in premises_used)
    table.leave_out(unused, "contradictions without an entailment")
    return contradicted, negatives


def _columns(table: Table, reading: PairReading) -> PairColumns:
    """The user's columns, else those that names and content suggest."""
    columns = table.columns.column_names
    named = (reading.anchor, reading.positive, reading.score or None, *(reading.negative or ()))
    table.require_columns(named)
    labels = [] if len(table.columns) < _FEWEST_ROWS else [each for each in columns if _holds_labels(table, each)]
    anchor, positive, near, third = text_columns(table, reading.anchor, reading.positive, [*named, *labels])
    if anchor is None or positive is None:
        few = f" ({', '.join(map(repr, labels))} has only a few different short values)" if labels else ""
        message = f"Two columns of matching texts are needed, but {table.name!r} has:"
        raise CorpusError("E-COLUMN", f"{message} {', '.join(columns[:30])}{few}. Specify them (--anchor, --positive).")
    taken = {*named, anchor, positive}
    negative, score = reading.negative, reading.score or None
    if negative is None:
        free = [column for column in columns if column not in taken | set(labels)]
        negative = tuple(c for c in free if c.casefold() in NEGATIVE_NAMES or _NUMBERED_NEGATIVE.fullmatch(c))
        negative = (third,) if third is not None else negative
    if reading.score is None:
        called = table.columns_called(SCORE_NAMES, [*taken, *negative])
        unfit = [column for column in called if not is_judged(table, column)]
        score = next((column for column in called if column not in unfit), near)
        words = [sorted(sorted(filter(None, set(table.some(column)))), key=len) for column in unfit]
        is_verdict = any(len(two) == 2 and (two[0] in two[1] or "different" in two) for two in words)  # dis-, un-, not
        if score is None and unfit and (is_verdict or is_nli_texts((anchor, positive))):
            raise CorpusError(
                "E-NLI",
                f"The column {unfit[0]!r} of {table.name!r} should say how the two texts relate, but holds "
                f"{', '.join(map(repr, words[0][:4]))}. Write 1 and 0 (yes and no), {', '.join(NLI)} or 0, 1, 2, "
                "choose another column (--score), or take every row for a pair (--score '').",
            )
    return PairColumns(anchor=anchor, positive=positive, negative=negative, score=score)


def _holds_labels(table: Table, column: str) -> bool:
    """Whether few short values repeat in a column, as no texts do."""
    filled = [value for value in table.column(column) if value not in (None, "")]
    if not filled or not all(isinstance(value, str) for value in filled):
        return False
    return len(set(filled)) <= _CLASSES and sum(map(len, filled)) / len(filled) <= _SHORT


def _negatives(table: Table, columns: Sequence[str]) -> list[list[str]]:
    """The texts of one or more columns; a single column may hold lists."""
    if len(columns) == 1:
        return [texts or [""] for texts in table.listed_texts(columns[0])]
    columns_of_texts = [table.texts(column) for column in columns]
    return [list(row) for row in zip(*columns_of_texts, strict=True)] if columns_of_texts else [[]] * len(table.columns)


def _first_texts(table: Table, column: str) -> list[str]:
    """A column of texts; of lists the first one of each."""
    if not is_list(table.columns.schema.field(column).type):
        return table.texts(column)
    lists = table.listed_texts(column)
    more = sum(len(texts) > 1 for texts in lists)
    table.remark(f"the first text of each list in {column!r}" + (f", of which {more:,} hold several" if more else ""))
    return [texts[0] if texts else "" for texts in lists]


def _repeated(anchors: list[str], positives: list[str], scores: list[float] | None) -> list[Note]:
    """Pairs that stand there more than once, and those among them that people scored differently."""
    seen: dict[frozenset[str], set[float | None]] = defaultdict(set)
    for *pair, score in zip(anchors, positives, scores or repeat(None), strict=False):
        seen[frozenset(map(normalised, pair))].add(score)
    messages = {}
    if repeated := len(anchors) - len(seen):
        messages["I-REPEATED"] = f"{counted(repeated, 'pair is a duplicate', 'pairs are duplicates')}; all are kept."
    if differing := sum(len(scores_of_pair) > 1 for scores_of_pair in seen.values()):
        messages["W-SCORES-DIFFER"] = (
            f"{counted(differing, 'pair appears', 'pairs appear')} more than once with different scores; all are used."
        )
    return notes_of(messages)
