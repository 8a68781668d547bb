"""A run's result in words: its verdict in one short line, and what the length attack did to scored pairs."""

from collections.abc import Mapping

from embedlab.comparison.siblings import TextsLeftOut
from embedlab.distance import DISTANCES, SHOWN_FIRST, Distance, other_distance
from embedlab.measurement import Change, Difference
from embedlab.metrics.length_results import ScoredLength
from embedlab.numbers import counted, digits_of_claim, distinct, fixed, from_to, points, with_interval
from embedlab.runs.result import Accuracy, RunResult, accuracy_of, counted_in, references_of, split_accuracy_of
from embedlab.statistics.verdict import FEWEST_TEXTS, OPENINGS, DistanceComparison, Verdict, against_words, verdict


def verdict_of(result: RunResult, distance: Distance = SHOWN_FIRST) -> Verdict | None:
    """The run's one verdict by this distance, from its accuracy; None if nothing was trained."""
    judged = _judged(result, distance)
    if judged is None:
        return None
    return verdict(
        _compared(judged, result),
        distance,
        baseline_name=result.judged_against,
        protocol=judged.protocol,
        validity=validity_of(result, distance),
    )


def verdict_sentence(result: RunResult, distance: Distance = SHOWN_FIRST) -> str:
    """The whole verdict; empty if there is none."""
    outcome = verdict_of(result, distance)
    return "" if outcome is None else outcome.sentence


def validity_of(result: RunResult, distance: Distance = SHOWN_FIRST) -> str:
    """Of which texts the value speaks: those trained on without labels, or also the test texts that were left out.

    Empty where other texts were trained on, or nothing was.
    """
    if not result.is_trained or result.folds is None:
        return ""
    if result.trained_on == "train_split":
        unread = split_accuracy_of(result, distance)
        assert unread is not None, "ten folds come after the split"
        change = _difference(unread).points
        return f"training left out the {unread.test_texts:,} test texts of the paper's split: {change} on these alone"
    if result.trained_on != "all":
        return ""
    trained = "which the encoder was trained on without labels"
    return f"measured among these texts, {trained}: new texts may score lower"


def split_sentence(result: RunResult, distance: Distance = SHOWN_FIRST) -> str:
    """The accuracy on the paper's split, this distance first; empty where the verdict itself is by it."""
    if result.folds is None:
        return ""
    first = split_accuracy_of(result, distance)
    if first is None or first.change is None:
        return ""
    lines = "; ".join(_shares(split_accuracy_of(result, each)) for each in (distance, other_distance(distance)))
    return f"On the paper's split, {first.test_texts:,} test texts: {lines}."


def left_out_sentence(runs: TextsLeftOut, distance: Distance = SHOWN_FIRST) -> str:
    """What two runs gain on the same test texts, which one of them left out; empty if one was not judged on them."""
    read, unread = (split_accuracy_of(each, distance) for each in (runs.read, runs.unread))
    if read is None or unread is None or read.change is None or unread.change is None:
        return ""
    left_out = f"the {unread.test_texts:,} test texts out: {_shares(unread)} on these texts"
    gained = f"which read them without labels: {_difference(read).points}"
    if runs.is_example:
        sentence = (
            f"Of two example runs of the demo, which came with embedlab, one left {left_out}; the other, {gained}."
        )
    else:
        sentence = f"A run with the same settings that left {left_out}; this run, {gained}."
    return f"{sentence} With one run of each kind, part of the difference is chance."


def folds_sentence(result: RunResult, distance: Distance = SHOWN_FIRST) -> str:
    """Accuracies and changes over ten folds, this distance first; empty if there is none."""
    first = accuracy_of(result, distance)
    if result.folds is None or first is None or first.change is None:
        return ""
    lines = [_shares(accuracy_of(result, each)) for each in (distance, other_distance(distance))]
    against = against_words(_compared(first, result).against, counted_in(result))
    return f"{_capital(first.tested)}: {'; '.join([*lines, *against])}."


def plain_sentence(result: RunResult, distance: Distance = SHOWN_FIRST) -> str:
    """``Neighbors now predict the right label for 74 of 100 texts, up from 45. Counting words alone (TF-IDF): 74.``

    Of the tested texts themselves where they are few, of 1,000 where a hundred would hide the change; empty without a
    verdict.
    """
    judged = _judged(result, distance)
    if judged is None:
        return ""
    n, is_hidden = judged.test_texts, round(100 * judged.after) == round(100 * judged.before)
    of = n if n < 100 or (is_hidden and n < 1000) else 1000 if is_hidden else 100
    before, after = round(of * judged.before), round(of * judged.after)
    change = f"up from {before:,}" if after > before else f"down from {before:,}" if after < before else "as before"
    whose = f"the {of:,} tested texts" if of == n else counted(of, "text")
    words = references_of(result, judged.distance).get("tfidf")
    alone = f" Counting {counted_in(result)} alone (TF-IDF): {round(of * words.value):,}." if words is not None else ""
    return f"Neighbors now predict the right label for {after:,} of {whose}, {change}.{alone}"


def beaten_by_words(result: RunResult, distance: Distance = SHOWN_FIRST) -> bool:
    """Whether TF-IDF is clearly better than the trained encoder: the whole interval lies below zero."""
    judged = _judged(result, distance)
    change = None if judged is None else judged.against.get("tfidf")
    return change is not None and change.high < 0


def headline(result: RunResult, distance: Distance = SHOWN_FIRST) -> str:
    """``Helped: kNN accuracy +16.9 points (cosine, 95 %: 15.2 … 18.6) over ten folds of 9,724 labeled texts; …``

    Then on which side of TF-IDF it is, and of which texts the value speaks; empty without a verdict.
    """
    judged, outcome = _judged(result, distance), verdict_of(result, distance)
    if judged is None or outcome is None:
        return ""
    value, _, interval = _difference(judged).points.partition(" (")
    change = (
        f"{outcome.word}: kNN accuracy {value} ({DISTANCES[distance]}, {interval} {judged.tested}{_to_words(judged)}"
    )
    return " ".join(f"{_capital(each)}." for each in (change, outcome.validity) if each)


def outcome_words(result: RunResult, distance: Distance = SHOWN_FIRST) -> str:
    """``Helped``, ``Hurt``, ``No clear change`` or ``Too few test texts`` by this distance; empty without a verdict."""
    outcome = verdict_of(result, distance)
    return "" if outcome is None else outcome.word


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
    """``Helped: STS Spearman on stsb 0.581 → 0.628, +0.047 (95 %: 0.019 … 0.074), n = 1,500.``; empty without one.

    Without its word where kNN accuracy gives the run's.
    """
    judge = result.judge
    if judge is None:
        return ""
    named = f"{judge.title} on {judge.set}"
    if judge.difference is None or judge.low is None or judge.high is None:
        return f"{named} {judge.after:.3f}."
    outcome = OPENINGS["helped" if judge.low > 0 else "hurt" if judge.high < 0 else "unclear"]
    word = "" if outcome_words(result) else f"{outcome}: "
    digits = digits_of_claim(judge.low, judge.high, 3)
    change = with_interval(judge.difference, judge.low, judge.high)
    values = f"{fixed(judge.before, digits)} → {fixed(judge.after, digits)}, {change}"
    return f"{word}{named} {values}, n = {judge.n:,}."


def verdict_details(result: RunResult, distance: Distance = SHOWN_FIRST) -> list[str]:
    """Lines that the headline omits: interval and texts, references, limits, the other distance, the paper's split."""
    outcome = verdict_of(result, distance)
    if outcome is None:
        return []
    other = _shares(accuracy_of(result, other_distance(distance)))
    lines = [outcome.change, ", ".join(outcome.against), *outcome.limits, other]
    sentences = [f"{_capital(line)}." for line in lines if line]
    return [*sentences, *filter(None, [split_sentence(result, distance), _untested_sentence(result)])]


def _capital(words: str) -> str:
    """The beginning of a sentence; kNN stays as it is."""
    return words if words.startswith("kNN") else words[:1].upper() + words[1:]


def _untested_sentence(result: RunResult) -> str:
    untested = None if result.folds is None else result.folds.untested
    if not untested:
        return ""
    texts = counted(untested, "development text is", "development texts and their copies are")
    return f"{texts} neighbors and never tested, because labels of theirs can choose which step is kept."


def _judged(result: RunResult, distance: Distance) -> Accuracy | None:
    """The run's accuracy by this distance, None if nothing was trained or measured."""
    accuracy = accuracy_of(result, distance)
    return None if accuracy is None or accuracy.change is None else accuracy


def _compared(judged: Accuracy, result: RunResult) -> DistanceComparison:
    against = {name: Difference.of(change, judged.test_texts) for name, change in judged.against.items()}
    return DistanceComparison(_difference(judged), against, counted_in(result))


def _difference(judged: Accuracy) -> Difference:
    assert judged.change is not None, "it was judged"
    return Difference.of(judged.change, judged.test_texts)


def _shares(judged: Accuracy | None) -> str:
    """``kNN accuracy (cosine) 42.0 % → 69.7 %, +27.7 points (95 %: 26.1 … 29.3)``; empty without a change."""
    if judged is None or judged.change is None:
        return ""
    change = _difference(judged)
    shares = 100 * judged.before, 100 * judged.after
    before, after = distinct(*shares, digits=1, most=3 if change.is_clear else 1)
    return f"kNN accuracy ({DISTANCES[judged.distance]}) {before} % → {after} %, {change.points}"


def _points(change: Change) -> str:
    return points(change.difference, change.low, change.high)


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
