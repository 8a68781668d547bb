"""What a run found in words: its verdict in one short line, and what the length attack did to scored pairs."""

from collections.abc import Mapping

from embedlab.distance import DISTANCES, SHOWN_FIRST, Distance, other_distance
from embedlab.runs.result import Accuracy, Change, RunResult, accuracy_of, counted_in, references_of

_OPENING = "kNN accuracy "  # every sentence goes on so after its outcome


def plainly(result: RunResult, distance: Distance = SHOWN_FIRST) -> str:
    """``Of 100 texts, 74 now get their label from their neighbors; before, 45; counting words, 74.``

    Of 1,000 texts where a hundred would hide the change; empty without a verdict.
    """
    judged = _judged(result, distance)
    if judged is None:
        return ""
    words = references_of(result, judged.distance).get("tfidf")
    of = 100 if round(100 * judged.after) != round(100 * judged.before) else 1000
    said = [f"Of {of:,} texts, {round(of * judged.after):,} now get their label from their neighbors"]
    said.append(f"before, {round(of * judged.before):,}")
    said += [f"counting {counted_in(result)}, {round(of * words.value):,}"] if words is not None else []
    return f"{'; '.join(said)}."


def beaten_by_words(result: RunResult, distance: Distance = SHOWN_FIRST) -> bool:
    """Whether TF-IDF is clearly better than the trained encoder: the whole interval lies below nought."""
    judged = _judged(result, distance)
    change = None if judged is None else judged.against.get("tfidf")
    return change is not None and change.high < 0


def headline(result: RunResult, distance: Distance = SHOWN_FIRST) -> str:
    """``Helped: kNN accuracy +16.9 points by cosine, +13.4 points by Euclidean distance; clearly above TF-IDF (+5.2
    points).``; empty without a verdict.

    The first distance decides; the outcome by the other one is said where it is another.
    """
    judged = _judged(result, distance)
    if judged is None:
        return ""
    other = accuracy_of(result, other_distance(judged.distance))
    differs = _outcome(other) != _outcome(judged)
    beside = f"{_by(other)} ({_outcome(other).lower()})" if differs else _by(other)
    return f"{_outcome(judged)}: {_OPENING}{_by(judged)}, {beside}{_to_words(judged)}."


def _to_words(judged: Accuracy) -> str:
    """Which side of TF-IDF the encoder stands on, by the first distance; empty where nothing was compared."""
    change = judged.against.get("tfidf")
    if change is None:
        return ""
    side = "clearly above" if change.low > 0 else "clearly below" if change.high < 0 else "not clearly above or below"
    return f"; {side} TF-IDF ({_points(change)})"


def judge_line(result: RunResult) -> str:
    """``Helped: STS Spearman on stsb 0.581 → 0.628, +0.047 (95 %: 0.019 … 0.074), 1,500 pairs.``; empty without one."""
    judge = result.judge
    if judge is None:
        return ""
    named = f"{judge.title} on {judge.set}"
    if judge.difference is None:
        return f"{named} {judge.after:.3f}."
    helped = "Helped" if judge.low > 0 else "Hurt" if judge.high < 0 else "No clear change"
    change = f"{judge.difference:+.3f} (95 %: {judge.low:.3f} … {judge.high:.3f})"
    values = f"{judge.before:.3f} → {judge.after:.3f}, {change}".replace("-", "−")
    return f"{helped}: {named} {values}, n = {judge.n:,}."


def verdict_details(result: RunResult, distance: Distance = SHOWN_FIRST) -> list[str]:
    """What the headline leaves out, a line each: intervals and texts, references, limits, all labelled texts."""
    judged = _judged(result, distance)
    if judged is None:
        return []
    first, *further = _parts(judged.verdict)
    against = ", ".join(part for part in further if part.startswith("against "))
    limits = [part for part in further if part.startswith("with ")]
    beside = [part for part in further if part.startswith("by ")]
    found = ["; ".join([first.partition(": ")[2].removeprefix(_OPENING), *beside]), against, *limits]
    if result.folds is not None:
        folds = _parts(result.folds.judged.by(distance).sentence)
        found.append("; ".join(part for part in folds if not part.startswith("against ")))
    return [f"{_capital(line)}." for line in found if line]


def _judged(result: RunResult, distance: Distance) -> Accuracy | None:
    """kNN accuracy by this distance, None where it was not judged."""
    return None if result.judged is None else accuracy_of(result, distance)


def _parts(sentence: str) -> list[str]:
    return sentence.strip().rstrip(".").split("; ")


def _by(judged: Accuracy) -> str:
    return f"{_points(judged.change)} by {DISTANCES[judged.distance]}"


def _points(change: Change) -> str:
    points = round(100 * change.difference, 1) + 0.0
    return f"{points:+.1f} points".replace("-", "−") if points else "0.0 points"


def _outcome(judged: Accuracy) -> str:
    """``Helped``, ``Hurt`` or ``No clear change``: the sentence begins with it."""
    return judged.verdict.partition(":")[0]


def _capital(line: str) -> str:
    return line[:1].upper() + line[1:]


ENCODERS = {"tuned": "fine-tuned", "untouched": "untouched"}
REPEATED = {"none": "as they are", "first": "first text repeated", "both": "both repeated"}


def scored_told(found: Mapping, names: Mapping[str, str] = ENCODERS) -> str:
    """``The order of the scored pairs falls when …: Spearman fine-tuned 0.712 → 0.651, −0.061 (95 %: −0.080 … −0.042)``

    Told by the first encoder there is, with the first text of each pair repeated, because
    two texts repeated alike may stay alike.
    """
    measured = {key: found[key] for key in names if found.get(key)}
    first = next(iter(measured.values()))["first"]["change"]
    outcome = "falls" if first["high"] < 0 else "rises" if first["low"] > 0 else "survives within the error"
    said = "; ".join(f"{names[key]} {_change(values)}" for key, values in measured.items())
    return f"The order of the scored pairs {outcome} when one text of each is repeated: Spearman {said}."


def change_told(change: Mapping) -> str:
    """``−0.02 (95 %: −0.05 … 0.01)``"""
    low, high = _number(change["low"]), _number(change["high"])
    return f"{_number(change['value'], '+')} (95 %: {low} … {high})"


def _change(values: Mapping) -> str:
    plain, repeated = (_number(values[name]["value"]) for name in ("none", "first"))
    return f"{plain} → {repeated}, {change_told(values['first']['change'])}"


def _number(value: float, sign: str = "") -> str:
    rounded = round(value, 3) + 0.0
    return f"{rounded:{sign if rounded else ''}.3f}".replace("-", "−")
