"""A run's result in words: its verdict in one short line, and what the length attack did to scored pairs."""

from collections.abc import Mapping

from embedlab.distance import DISTANCES, SHOWN_FIRST, Distance, other_distance
from embedlab.measurement import Change, Difference
from embedlab.metrics.length_results import ScoredLength
from embedlab.numbers import counted, digits_of_claim, distinct, fixed, from_to, points, with_interval
from embedlab.runs.result import Accuracy, Folds, RunResult, WithVerdict, accuracy_of, counted_in, references_of
from embedlab.statistics.verdict import (
    FEWEST_TEXTS,
    OPENINGS,
    DistanceComparison,
    Verdict,
    against_words,
    outcome_of,
    verdict,
)

_OPENING = "kNN accuracy "  # every sentence goes on so after its outcome


def verdict_of(result: RunResult, distance: Distance = SHOWN_FIRST) -> Verdict | None:
    """The verdict by this distance; None if nothing was trained."""
    judged, knn = result.judged, result.knn
    if judged is None or knn is None:
        return None
    by = {each: _compared(judged.by(each), knn.test_texts, result) for each in DISTANCES}
    return verdict(by, distance, baseline_name=result.judged_against)


def verdict_sentence(result: RunResult, distance: Distance = SHOWN_FIRST) -> str:
    """The whole verdict; empty if there is none."""
    outcome = verdict_of(result, distance)
    return "" if outcome is None else outcome.sentence


def folds_sentence(result: RunResult, distance: Distance = SHOWN_FIRST) -> str:
    """The verdict's second line, this distance first: all labelled texts over ten folds; empty if there is none."""
    shares, against = _folds_changes(result, distance)
    return "; ".join([*shares, *against]) + "." if shares else ""


def plain_sentence(result: RunResult, distance: Distance = SHOWN_FIRST) -> str:
    """``Neighbors now predict the right label for 74 of 100 texts, up from 45. Word counts alone (TF-IDF): 74.``

    Of the test texts themselves where they are few, of 1,000 where a hundred would hide the change; empty without a
    verdict.
    """
    judged = _judged(result, distance)
    if judged is None:
        return ""
    n, is_hidden = judged.test_texts, round(100 * judged.after) == round(100 * judged.before)
    of = n if n < 100 or (is_hidden and n < 1000) else 1000 if is_hidden else 100
    before, after = round(of * judged.before), round(of * judged.after)
    change = f"up from {before:,}" if after > before else f"down from {before:,}" if after < before else "as before"
    whose = f"the {of:,} test texts" if of == n else counted(of, "text")
    words = references_of(result, judged.distance).get("tfidf")
    counts = counted_in(result).removesuffix("s").capitalize()
    alone = f" {counts} counts alone (TF-IDF): {round(of * words.value):,}." if words is not None else ""
    return f"Neighbors now predict the right label for {after:,} of {whose}, {change}.{alone}"


def beaten_by_words(result: RunResult, distance: Distance = SHOWN_FIRST) -> bool:
    """Whether TF-IDF is clearly better than the trained encoder: the whole interval lies below zero."""
    judged = _judged(result, distance)
    change = None if judged is None else judged.against.get("tfidf")
    return change is not None and change.high < 0


def headline(result: RunResult, distance: Distance = SHOWN_FIRST) -> str:
    """``Helped: kNN accuracy +16.9 points (cosine), +13.4 points (Euclidean distance); clearly above TF-IDF (+5.2
    points).``; empty without a verdict.

    The first distance decides; where the other one comes to something else, each outcome stands with its distance.
    """
    judged = _judged(result, distance)
    if judged is None:
        return ""
    other = accuracy_of(result, other_distance(judged.distance))
    assert other is not None, "kNN accuracy is measured by both distances"
    if _outcome(other) == _outcome(judged):
        return f"{_outcome(judged)}: {_OPENING}{_by(judged)}, {_by(other)}{_to_words(judged)}."
    first, second = (f"{_outcome(each)} ({DISTANCES[each.distance]})" for each in (judged, other))
    points_first, points_second = (_points(_change_of(each)) for each in (judged, other))
    changes = f"{_OPENING}{points_first}; {second[0].lower()}{second[1:]}: {points_second}"
    return f"{first}: {changes}{_to_words(judged)}."


def folds_outcome(result: RunResult, distance: Distance = SHOWN_FIRST) -> str:
    """``All 400 labeled texts over ten folds: helped, +3.1 points (cosine).``

    Empty where they agree with the headline: ten times as many texts are tested, so they alone can show a clear change.
    """
    judged, folds = _judged(result, distance), result.folds
    change = None if folds is None else folds.judged.by(distance).change
    n = None if folds is None else folds.after.by(distance).n
    if judged is None or change is None or n is None:
        return ""
    outcome = OPENINGS[outcome_of(Difference.of(change, n))]
    if outcome == _outcome(judged):
        return ""
    return f"All {n:,} labeled texts over ten folds: {outcome.lower()}, {_points(change)} ({DISTANCES[distance]})."


def outcome_words(result: RunResult, distance: Distance = SHOWN_FIRST) -> str:
    """``Helped``, ``Hurt``, ``No clear change`` or ``Too few test texts`` by this distance; empty without a verdict."""
    judged = _judged(result, distance)
    return "" if judged is None else _outcome(judged)


def _to_words(judged: Accuracy) -> str:
    """On which side of TF-IDF the encoder lies, by the first distance; empty if not compared."""
    change = judged.against.get("tfidf")
    if change is None:
        return ""
    if judged.test_texts < FEWEST_TEXTS:
        return f"; against TF-IDF {_points(change)}"
    side = "clearly above" if change.low > 0 else "clearly below" if change.high < 0 else "not clearly above or below"
    return f"; {side} TF-IDF ({_points(change)})"


def judge_line(result: RunResult) -> str:
    """``Helped: STS Spearman on stsb 0.581 → 0.628, +0.047 (95 %: 0.019 … 0.074), 1,500 pairs.``; empty without one."""
    judge = result.judge
    if judge is None:
        return ""
    named = f"{judge.title} on {judge.set}"
    if judge.difference is None or judge.low is None or judge.high is None:
        return f"{named} {judge.after:.3f}."
    helped = "Helped" if judge.low > 0 else "Hurt" if judge.high < 0 else "No clear change"
    digits = digits_of_claim(judge.low, judge.high, 3)
    change = with_interval(judge.difference, judge.low, judge.high)
    values = f"{fixed(judge.before, digits)} → {fixed(judge.after, digits)}, {change}"
    return f"{helped}: {named} {values}, n = {judge.n:,}."


def verdict_details(result: RunResult, distance: Distance = SHOWN_FIRST) -> list[str]:
    """Lines that the headline omits: intervals and texts, references, limits, all labelled texts."""
    outcome = verdict_of(result, distance)
    if outcome is None:
        return []
    lines = [
        "; ".join([outcome.change.removeprefix(_OPENING), *outcome.other_distance]),
        ", ".join(outcome.against),
        *outcome.limits,
        "; ".join(_folds_changes(result, distance)[0]),
    ]
    return [f"{line[:1].upper()}{line[1:]}." for line in lines if line]


def _judged(result: RunResult, distance: Distance) -> Accuracy | None:
    """kNN accuracy by this distance, None if not measured."""
    return None if result.judged is None else accuracy_of(result, distance)


def _compared(judged: WithVerdict, n: int | None, result: RunResult) -> DistanceComparison:
    assert judged.change is not None and n is not None, "what was trained was measured before and after"
    against = {name: Difference.of(change, n) for name, change in judged.against.items()}
    return DistanceComparison(Difference.of(judged.change, n), against, counted_in(result))


def _folds_changes(result: RunResult, distance: Distance) -> tuple[list[str], list[str]]:
    """Shares before and after with their change, by each distance, and the change against each reference."""
    folds = result.folds
    if folds is None or folds.judged.by(distance).change is None:
        return [], []
    n, order = folds.after.by(distance).n, (distance, other_distance(distance))
    by = {each: _compared(folds.judged.by(each), n, result) for each in order}
    first, *others = [f"{_shares(folds, each)}, {by[each].change.points}" for each in order]
    against = against_words({each: by[each].against for each in order}, counted_in(result))
    return [f"Over all {n:,} labeled texts over ten folds: {first}", *others], against


def _shares(folds: Folds, distance: Distance) -> str:
    values = [100 * each.by(distance).value for each in (folds.before, folds.after)]
    change = folds.judged.by(distance).change
    is_clear = change is not None and (change.low > 0 or change.high < 0)
    before, after = distinct(*values, digits=1, most=3 if is_clear else 1)
    return f"{_OPENING}({DISTANCES[distance]}) {before} % → {after} %"


def _change_of(judged: Accuracy) -> Change:
    assert judged.change is not None, "it was judged"
    return judged.change


def _by(judged: Accuracy) -> str:
    return f"{_points(_change_of(judged))} ({DISTANCES[judged.distance]})"


def _points(change: Change) -> str:
    return points(change.difference, change.low, change.high)


def _outcome(judged: Accuracy) -> str:
    """``Helped``, ``Hurt``, ``No clear change`` or ``Too few test texts``: the sentence begins with it."""
    return OPENINGS[outcome_of(Difference.of(_change_of(judged), judged.test_texts))]


ENCODERS = {"tuned": "fine-tuned", "untouched": "untouched"}
REPEATED = {"none": "as they are", "first": "first text repeated", "both": "both repeated"}


def scored_pairs_sentence(results: ScoredLength, names: Mapping[str, str] = ENCODERS) -> str:
    """``The order of the scored pairs falls when …: Spearman fine-tuned 0.712 → 0.651, −0.061 (95 %: −0.080 … −0.042)``

    Told by the first encoder there is, with the first text of each pair repeated, because
    two texts repeated alike may stay alike.
    """
    measured = {names[key]: results.encoders[key] for key in names if key in results.encoders}
    change = next(iter(measured.values())).first.change
    outcome = "falls" if change.high < 0 else "rises" if change.low > 0 else "survives within the error"
    changes = "; ".join(
        f"{name} {from_to(each.none.value, each.first.value, digits=3)}, {change_in_words(each.first.change)}"
        for name, each in measured.items()
    )
    return f"The order of the scored pairs {outcome} when one text of each is repeated: Spearman {changes}."


def change_in_words(change: Difference) -> str:
    """``−0.020 (95 %: −0.050 … 0.010)``"""
    return with_interval(change.value, change.low, change.high)
