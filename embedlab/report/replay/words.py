"""What a replay says in words: the verdict, the numbers, and how the run was trained."""

from embedlab.baseline_methods import REFERENCE_LINES, baseline_title
from embedlab.distance import DISTANCES, SHOWN_FIRST, Distance
from embedlab.figures.text import accuracy, percent
from embedlab.report.verdict_words import headline, verdict_details
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import is_supervised, saw_labels, words_without_knn
from embedlab.runs.result import RunResult, accuracy_of, counted_in, references_of
from embedlab.runs.store import settings_of


def replay_words(run: RunFolder, result: RunResult) -> dict:
    """``title``, ``corpus`` and ``settings``, a line each: what is the same by every distance."""
    corpus = result.corpus
    classes = f" in {corpus.classes:,} classes" if corpus.classes else ""
    return {
        "title": result.name or f"{result.encoder} · {result.recipe}",
        "corpus": f"{corpus.name}, {corpus.texts:,} texts{classes}",
        "settings": _settings(run, result),
    }


def words_by(run: RunFolder, result: RunResult, distance: Distance) -> dict:
    """``verdict`` (one short line), ``further`` (what belongs to it), ``numbers``, and the ``name`` of the distance."""
    verdict, further = _verdict(run, result, distance)
    return {"name": DISTANCES[distance], "verdict": verdict, "further": further, "numbers": _numbers(result, distance)}


def distances_of(result: RunResult) -> list[Distance]:
    """Those by which the run has kNN accuracy, the one that pages open on first; without labels just that."""
    return [SHOWN_FIRST] if result.knn is None else list(DISTANCES)


def _verdict(run: RunFolder, result: RunResult, distance: Distance) -> tuple[str, list[str]]:
    if said := headline(result, distance):
        return said, verdict_details(result, distance)
    if not result.steps:
        return "Measured as it is: nothing was trained.", []
    return words_without_knn(run), []


def _settings(run: RunFolder, result: RunResult) -> str:
    asked = settings_of(run)
    parts = [f"Encoder {result.encoder}"]
    parts.append(f"recipe {result.recipe}")
    if saw_labels(run):
        parts.append("trained by labels" if is_supervised(run) else "trained by labels in an earlier phase")
    if result.steps:
        parts.append(f"{result.steps:,} steps")
    if asked.get("batch_size"):
        parts.append(f"batches of {asked['batch_size']:,}")
    rate = result.learning_rate or asked.get("learning_rate")
    if rate and result.steps:
        parts.append(f"learning rate {rate:g}")
    if asked.get("seed") is not None:
        parts.append(f"seed {asked['seed']}")
    return ", ".join(parts)


def _numbers(result: RunResult, distance: Distance) -> list[list[str]]:
    """``[name, value, change]`` in a row: kNN accuracy before and after, and the reference lines."""
    knn = accuracy_of(result, distance)
    if knn is None:
        return []
    change = round(100 * (knn.after - knn.before), 1) + 0.0
    told = f"{change:+.1f} points".replace("-", "−") if result.steps else ""
    before = accuracy(knn.before, knn.standard_error_before)
    numbers = [[f"kNN accuracy by {DISTANCES[knn.distance]}, before", before, ""]]
    numbers.append(["after", accuracy(knn.after, knn.standard_error), told])
    lines = references_of(result, knn.distance)
    counted = counted_in(result)
    return numbers + [
        [baseline_title(key, counted), percent(lines[key].value), ""] for key in REFERENCE_LINES if key in lines
    ]
