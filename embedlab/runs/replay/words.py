"""What a replay says in words: the verdict, the numbers, and how the run was trained."""

from embedlab.errors import EmbedlabError
from embedlab.figures.text import accuracy, percent
from embedlab.metrics.distance import DISTANCES, SHOWN_FIRST, Distance
from embedlab.runs.accuracy import accuracy_of, references_of
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import is_supervised, saw_labels, words_without_knn
from embedlab.runs.state import read_state
from embedlab.runs.store import read_settings
from embedlab.runs.verdict_words import headline, verdict_details


def replay_words(run: RunFolder, result: dict) -> dict:
    """``title``, ``corpus`` and ``settings``, a line each: what is the same by every distance."""
    corpus = result.get("corpus") or {}
    return {
        "title": result.get("name") or f"{result.get('encoder', '?')} · {result.get('recipe', '?')}",
        "corpus": f"{corpus.get('name', '?')}, {corpus.get('texts', 0):,} texts"
        + (f" in {corpus['classes']:,} classes" if corpus.get("classes") else ""),
        "settings": _settings(run, result),
    }


def words_by(run: RunFolder, result: dict, distance: Distance) -> dict:
    """``verdict`` (one short line), ``further`` (what belongs to it), ``numbers``, and the ``name`` of the distance."""
    verdict, further = _verdict(run, result, distance)
    return {"name": DISTANCES[distance], "verdict": verdict, "further": further, "numbers": _numbers(result, distance)}


def distances_of(result: dict) -> list[Distance]:
    """Those by which the run has kNN accuracy, the one that pages open on first; without labels just that."""
    known = [accuracy_of(result, distance) for distance in DISTANCES]
    return list(dict.fromkeys(found.distance for found in known if found is not None)) or [SHOWN_FIRST]


def _verdict(run: RunFolder, result: dict, distance: Distance) -> tuple[str, list[str]]:
    if said := headline(result, distance):
        return said, verdict_details(result, distance)
    if not result.get("steps"):
        return "Measured as it is: nothing was trained.", []
    return words_without_knn(run), []


def _settings(run: RunFolder, result: dict) -> str:
    try:
        asked = {**read_settings(run)["settings"], **(read_state(run).get("settings") or {})}
    except EmbedlabError:
        asked = {}
    parts = [f"Encoder {result.get('encoder', asked.get('encoder', '?'))}"]
    parts.append(f"recipe {result.get('recipe', asked.get('recipe', '?'))}")
    if saw_labels(run):
        parts.append("trained by labels" if is_supervised(run) else "trained by labels in an earlier phase")
    if result.get("steps"):
        parts.append(f"{result['steps']:,} steps")
    if asked.get("batch_size"):
        parts.append(f"batches of {asked['batch_size']:,}")
    rate = result.get("learning_rate") or asked.get("learning_rate")
    if rate and result.get("steps"):
        parts.append(f"learning rate {rate:g}")
    if asked.get("seed") is not None:
        parts.append(f"seed {asked['seed']}")
    return ", ".join(parts)


def _numbers(result: dict, distance: Distance) -> list[list[str]]:
    """``[name, value, change]`` in a row: kNN accuracy before and after, and the reference lines."""
    knn = accuracy_of(result, distance)
    if knn is None:
        return []
    change = round(100 * (knn.after - knn.before), 1) + 0.0
    told = f"{change:+.1f} points".replace("-", "−") if result.get("steps") else ""
    before = accuracy(knn.before, knn.standard_error_before)
    numbers = [[f"kNN accuracy by {DISTANCES[knn.distance]}, before", before, ""]]
    numbers.append(["after", accuracy(knn.after, knn.standard_error), told])
    names = {"tfidf": "TF-IDF", "svd": "TF-IDF → SVD-100"}
    lines = references_of(result, knn.distance)
    return numbers + [[name, percent(lines[key][0]), ""] for key, name in names.items() if key in lines]
