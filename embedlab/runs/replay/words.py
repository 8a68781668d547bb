"""What a replay says in words: the verdict, the numbers, and how the run was trained."""

from embedlab.errors import EmbedlabError
from embedlab.figures.text import percent
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import is_supervised, saw_labels, words_without_knn
from embedlab.runs.state import read_state
from embedlab.runs.store import read_settings


def replay_words(run: RunFolder, result: dict) -> dict:
    """``title``, ``verdict`` (the sentence), ``further`` (what belongs to it), ``settings`` (one line), ``numbers``."""
    corpus = result.get("corpus") or {}
    name = result.get("name") or f"{result.get('encoder', '?')} · {result.get('recipe', '?')}"
    verdict, further = _verdict(run, result)
    return {
        "title": name,
        "corpus": f"{corpus.get('name', '?')}, {corpus.get('texts', 0):,} texts"
        + (f" in {corpus['classes']:,} classes" if corpus.get("classes") else ""),
        "verdict": verdict,
        "further": further,
        "settings": _settings(run, result),
        "numbers": _numbers(result),
    }


def _verdict(run: RunFolder, result: dict) -> tuple[str, list[str]]:
    if result.get("verdict"):
        first, *rest = result["verdict"].rstrip(".").split("; ")
        rest.sort(key=lambda part: not part.startswith("against "))  # what it is measured against, then what n can show
        rest += [(result.get("folds") or {}).get("sentence", "").partition("; ")[0].rstrip(".")]
        return f"{first}.", [f"{each[0].upper()}{each[1:]}." for each in rest if each]
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


def _numbers(result: dict) -> list[list[str]]:
    """``[name, value, change]`` in a row: kNN accuracy before and after, and the reference lines."""
    knn = result.get("knn")
    if knn is None:
        return []
    opened = knn["best"] if result.get("stopped") else knn["after"]
    change = round(100 * (opened - knn["before"]), 1) + 0.0
    told = f"{change:+.1f} points".replace("-", "−") if result.get("steps") else ""
    numbers = [["kNN accuracy before", percent(knn["before"]), ""]]
    numbers.append(["after", f"{percent(opened)} ± {100 * knn['standard_error']:.1f}", told])
    for key, name in (("tfidf", "TF-IDF"), ("svd", "TF-IDF → SVD-100")):
        if line := (result.get("references") or {}).get(key):
            numbers.append([name, percent(line["value"]), ""])
    return numbers
