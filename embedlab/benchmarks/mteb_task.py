"""One mteb task on one encoder: found by its name, read from a folder, scored without mteb's shared cache."""

import math
import time
import warnings
from pathlib import Path

from embedlab.benchmarks.adapter import Adapter
from embedlab.benchmarks.base import BenchmarkTask
from embedlab.errors import CorpusError


def find_task(task: BenchmarkTask):
    """mteb's own task object, with the splits and languages that the papers take.

    Not from ``get_benchmark``, which makes every task of every benchmark first.
    """
    import mteb

    return mteb.get_task(task.key, eval_splits=list(task.splits), hf_subsets=list(task.subsets))


def read_from(task, folder: Path) -> None:
    """Let the task load its files from a folder in place of the hub; the texts are those of the pinned commit."""
    described = {**task.metadata.dataset, "path": str(folder)}
    task.metadata = task.metadata.model_copy(update={"dataset": described})
    try:
        task.load_data()
    except (FileNotFoundError, ValueError, KeyError) as error:
        raise CorpusError(
            "E-DATASET-PART",
            f"{task.metadata.name} needs all files of its data set, but some are not on this computer "
            f"({type(error).__name__}). Connect once to download the rest.",
        ) from None


def score_task(adapter: Adapter, task) -> dict:
    """The main score of a task, and all others by split.

    ``cache=None``: mteb's default cache goes by name and revision only, and gave a second local encoder the scores of
    the first one.
    """
    import mteb

    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The task .* is superseded")  # the papers used the older one
        found = mteb.evaluate(adapter, task, cache=None, co2_tracker=False, show_progress_bar=False)
    (result,) = found.task_results
    return {
        "task": task.metadata.name,
        "metric": task.metadata.main_score,
        "score": float(result.get_score()),
        "scores": _plain(result.scores),
        "dataset": "",
        "revision": "",
        "mteb": result.mteb_version,
        "seconds": round(time.perf_counter() - began, 2),
    }


def mean_of_parts(task: BenchmarkTask, parts: list[dict]) -> dict:
    """An aggregate's score: the mean of its parts', as mteb combines them."""
    return {
        "task": task.key,
        "metric": task.metric,
        "score": sum(part["score"] for part in parts) / len(parts),
        "scores": {part["task"]: part["score"] for part in parts},
        "dataset": "",
        "revision": "",
        "mteb": parts[0]["mteb"],
        "seconds": round(sum(part["seconds"] for part in parts), 2),
    }


def _plain(value):
    """Scores as JSON takes them: what is no number becomes null."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, bool | str | int) or value is None:
        return value
    number = float(value)
    return number if math.isfinite(number) else None
