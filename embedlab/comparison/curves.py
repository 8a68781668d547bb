"""Curves of several runs in one chart: over steps or texts; over seconds as a race, where that is fair.

A race is cut at its shortest run and judged in pairs.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from embedlab.corpora.base import info_if_stored
from embedlab.counting import WORDS
from embedlab.distance import DISTANCES, Distance
from embedlab.measurement import CurvePoint, protocol_in_words, texts_tested
from embedlab.numbers import percent
from embedlab.runs.curve import RunCurve, curve_of, live_facts
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import saw_labels
from embedlab.runs.predictions import folds_of, judged_texts
from embedlab.runs.result import accuracy_of, read_result, split_accuracy_of
from embedlab.runs.state import State, read_state
from embedlab.runs.store import corpus_key, fingerprint_of, seed_of, settings_of
from embedlab.statistics.intervals import LEVEL

_DIFFERENT = (
    "These lines are not measured on the same texts, so do not compare them. Diamonds are for all test texts, and so "
    "is a line without diamonds."
)


@dataclass(frozen=True)
class Overlay:
    """``curves``: name, line and marks of each run; marks where the line is measured on a sample of the test texts.

    ``references`` are TF-IDF and SVD on the texts of the lines, where these are the same for all; ``reference_marks``
    on all test texts. ``captions``: on which texts each line is measured.
    """

    curves: list[tuple[str, list[CurvePoint], list[CurvePoint]]]
    references: dict[str, float]
    reference_marks: dict[str, float]
    captions: list[str]
    counted: str = WORDS  # by the references


def overlay(runs: list[RunFolder], names: dict[str, str], distance: Distance) -> Overlay:
    """The curves by this distance, or by Euclidean where a run has only that one; the caption says so."""
    run_curves = {run.id: curve_of(run, distance) for run in runs}
    drawn = [run for run in runs if run_curves[run.id].line or run_curves[run.id].marks]
    curves = [(names[run_id], curve.line, curve.marks) for run_id, curve in run_curves.items()]
    drawn_curves = [run_curves[run.id] for run in drawn]
    are_alike = len(set(map(_texts, drawn, drawn_curves))) <= 1
    first = drawn_curves[:1]
    counted = first[0].counted if first else WORDS
    if are_alike:
        marked = max((curve.reference_marks for curve in run_curves.values()), key=len, default={})
        caption = max((curve.where for curve in drawn_curves), key=len, default="")
        return Overlay(curves, first[0].references if first else {}, marked, [caption] if caption else [], counted)
    # the references on all test texts, if these are the same for all
    whole = [curve.reference_marks if curve.marks else curve.references for curve in drawn_curves]
    is_one_corpus = len({corpus_key(run) for run in drawn}) == 1
    marked = whole[0] if is_one_corpus and all(each == whole[0] for each in whole) else {}
    by_texts: dict[str, list[str]] = {}
    for run in drawn:
        by_texts.setdefault(run_curves[run.id].where, []).append(names[run.id])
    captions = [f"{', '.join(of)}: {where}" for where, of in by_texts.items()]
    return Overlay(curves, {}, marked, [_DIFFERENT, *captions], counted)


def _texts(run: RunFolder, curve: RunCurve) -> tuple:
    """A key shared by lines measured on the same texts with the same distance."""
    facts, corpus = live_facts(run), corpus_key(run)
    tested = curve.line[-1].test_texts if curve.line else None
    if facts is None or facts.is_whole:
        return corpus, curve.distance, tested
    sample = facts.test_texts, facts.neighbors, settings_of(run).get("seed"), str(facts.references)
    return corpus, curve.distance, *sample


@dataclass(frozen=True)
class RaceLine:
    """One run of a race: its accuracy over seconds of training, evaluations excluded."""

    run: RunFolder
    name: str
    seconds: np.ndarray  # (points,), growing; the last one is the end of the race
    knn: np.ndarray  # (points,) shares
    is_measured: np.ndarray  # (points,) bool; the point at the end may lie between two measurements
    trained: float  # seconds in all


@dataclass(frozen=True)
class RaceField:
    """The runs that may race: the largest group trained and measured alike; of equal groups, the one chosen first."""

    fair: list[RunFolder]
    grey: list[RunFolder]  # have a line over seconds too, but not one to be read against the others
    reasons: list[str]  # a sentence each: what differs, and why a run takes part in no race

    @property
    def is_race(self) -> bool:
        """Whether there are at least two runs."""
        return len(self.fair) > 1


@dataclass(frozen=True)
class Race:
    """Lines that may be compared, and the verdicts at the end."""

    lines: tuple[RaceLine, ...]
    grey: tuple[RaceLine, ...]  # shown beside them, in no standing and no verdict
    end: float  # seconds of the shortest run
    distance: Distance
    at_the_end: str  # where each run stood when the shortest one ended
    verdicts: tuple[str, ...]  # of the encoders that the runs kept, the best against each other one
    remarks: list[str]  # what has to be known of the runs


def field_of(runs: list[RunFolder], names: Mapping[str, str], distance: Distance) -> RaceField:
    """Which of these runs may race, and why the others may not."""
    if len(runs) < 2:
        return RaceField(runs, [], ["A race needs at least two runs."])
    unfit = {run.id: _unfit(run, names[run.id], distance) for run in runs}
    reasons, fit = [sentence for sentence in unfit.values() if sentence], [run for run in runs if not unfit[run.id]]
    conditions = {run.id: _conditions(run) for run in fit}
    groups: dict[tuple, list[RunFolder]] = {}
    for run in fit:
        groups.setdefault(tuple(conditions[run.id].values()), []).append(run)
    for title in conditions[fit[0].id] if fit else ():
        values = {names[run.id]: conditions[run.id][title] for group in groups.values() for run in group}
        if len(set(values.values())) > 1:
            reasons.append(f"{title} differs: {'; '.join(f'{name}: {value}' for name, value in values.items())}.")
            if title == "The corpus":
                break  # with the corpus goes what was measured
    fair = max(groups.values(), key=len, default=[])
    grey = [run for run in fit if run not in fair]
    if grey:
        reasons.append(f"Gray over seconds, not comparable with the others: {', '.join(names[r.id] for r in grey)}.")
    return RaceField(fair, grey, reasons)


def race_of(field: RaceField, names: Mapping[str, str], distance: Distance) -> Race:
    """The race of a field; runs outside it are drawn grey."""
    curves = {run.id: _line(run, distance) for run in (*field.fair, *field.grey)}
    ends = {run.id: curves[run.id][-1].seconds for run in field.fair}
    end = min(ends.values())
    lines, grey = (
        tuple(_cut(run, names[run.id], curves[run.id], end) for run in runs) for runs in (field.fair, field.grey)
    )
    ahead = sorted(lines, key=lambda line: -line.knn[-1])
    standing = ", ".join(f"{line.name} {percent(line.knn[-1])}" for line in ahead)
    shortest = next(names[run] for run, seconds in ends.items() if seconds == end)
    at_the_end = f"After {_seconds(end)} of training, when {shortest} ended: {standing}."
    verdicts = _verdicts(field.fair, names, distance)
    return Race(lines, grey, end, distance, at_the_end, verdicts, [*field.reasons, *_remarks(lines, end)])


def _unfit(run: RunFolder, name: str, distance: Distance) -> str | None:
    """Why a run cannot race."""
    state, result = read_state(run).state, read_result(run)
    if not state.is_over:
        return f"{name} is still {state}: a race needs finished runs."
    if state not in (State.FINISHED, State.STOPPED) or result is None:
        return f"{name} {'was ' if state in (State.STOPPED, State.INTERRUPTED) else ''}{state} and has no result."
    if not result.is_trained or result.knn is None:
        return f"{name} {'was not trained' if not result.is_trained else 'has no kNN accuracy'}."
    if len(_line(run, distance)) < 2:
        return f"{name} was not measured with {DISTANCES[distance]} during training."
    return None


def _line(run: RunFolder, distance: Distance) -> list[CurvePoint]:
    """The measurements of a run's line, ordered by its clock."""
    return sorted(curve_of(run, distance).line, key=lambda point: point.seconds)


def _conditions(run: RunFolder) -> dict[str, str]:
    """What must be alike in all runs of a race, in words."""
    fingerprint, facts, result = fingerprint_of(run), read_state(run), read_result(run)
    assert result is not None and result.knn is not None, "others have no race line"
    info, tested, live = info_if_stored(fingerprint), folds_of(run, only_test_texts=True), live_facts(run)
    rows = "" if tested is None else f", the first of them {', '.join(f'{row:,}' for row in tested.rows[:3])}"
    measured_on = "all test texts, at its start and its end" if live is None else live.where
    if live is not None and not live.is_whole:
        measured_on += f", seed {seed_of(run)}"  # a sample is drawn with it
    processes = facts.processes or 1
    return {
        "The corpus": fingerprint if info is None else f"{info.name} ({fingerprint[:6]})",
        "The split": f"{protocol_in_words(result.knn.protocol)}: {result.knn.test_texts:,} test texts{rows}",
        "k": str(result.knn.k),
        "What the line is measured on": measured_on,
        "The device": facts.device_line or "unknown",
        "The number of threads": f"{facts.threads or 'unknown'}"
        + (f" in each of {processes} processes" if processes > 1 else ""),
    }


def _cut(run: RunFolder, name: str, points: list[CurvePoint], end: float) -> RaceLine:
    """A run's line up to the end of the race; a longer line ends there by interpolation."""
    seconds, knn = np.array([(point.seconds, point.knn) for point in points]).T
    inside = seconds <= end
    cut_seconds, reached = seconds[inside], knn[inside]
    is_measured = np.ones(len(cut_seconds), bool)
    if cut_seconds[-1] < end < seconds[-1]:
        cut_seconds, reached = np.append(cut_seconds, end), np.append(reached, np.interp(end, seconds, knn))
        is_measured = np.append(is_measured, False)
    return RaceLine(run, name, cut_seconds, reached, is_measured, float(seconds[-1]))


def _verdicts(runs: list[RunFolder], names: Mapping[str, str], distance: Distance) -> tuple[str, ...]:
    """The best run minus each other run over the same texts; the intervals hold jointly at 95 %.

    By the runs' own accuracy, or on the test texts where one of them has no other.
    """
    texts = {run.id: judged_texts(run, distance) for run in runs}
    on_test_texts = any(each is None or each.of_test_texts for each in texts.values())
    if on_test_texts:
        texts = {run.id: folds_of(run, distance, only_test_texts=True) for run in runs}
    accuracy_in = split_accuracy_of if on_test_texts else accuracy_of
    accuracies = {run.id: accuracy_in(read_result(run), distance) for run in runs}
    final = {key: accuracy.after for key, accuracy in accuracies.items() if accuracy is not None}
    best, *others = sorted(runs, key=lambda run: -final[run.id])
    level = 1 - (1 - LEVEL) / len(others)
    sentences = []
    for other in others:
        ours, theirs = texts[best.id], texts[other.id]
        pair = f"{names[best.id]} {percent(final[best.id])}, {names[other.id]} {percent(final[other.id])}"
        if ours is None or theirs is None or not np.array_equal(ours.rows, theirs.rows):
            sentences.append(f"{pair}: the predictions were not stored, so there is no interval.")
            continue
        difference = ours.minus(theirs, level=level)
        outcome = "a clear difference" if difference.is_clear else "no clear difference"
        points = difference.points.replace("95 %", f"{100 * level:.3g} %")
        sentences.append(f"{pair}: {points} {texts_tested(ours.protocol, difference.n)}, {outcome}.")
    return tuple(sentences)


def _remarks(lines: tuple[RaceLine, ...], end: float) -> list[str]:
    longer = [line for line in lines if line.trained > 1.005 * end]
    remarks = []
    if longer:
        went_on = ", ".join(f"{line.name} for {_seconds(line.trained)}" for line in longer)
        remarks.append(f"Trained for longer than shown: {went_on}. The verdict is about the kept encoders.")
    by_labels = [line.name for line in lines if saw_labels(line.run)]
    if by_labels and len(by_labels) < len(lines):
        remarks.append(f"Trained with labels, unlike the others: {', '.join(by_labels)}.")
    seeds = {line.name: seed_of(line.run) for line in lines}
    if len(set(seeds.values())) > 1:
        seed_list = ", ".join(f"{name} {seed}" for name, seed in seeds.items())
        remarks.append(f"Seeds differ: {seed_list}. One seed each says little about the recipes.")
    return remarks


def _seconds(value: float) -> str:
    return f"{value:.1f} s" if value < 100 else f"{value:,.0f} s"
