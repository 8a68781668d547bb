"""Which of several runs, untouched encoders and baselines are best, and which cannot be told apart from the best."""

from embedlab.compare.best import compare_rows, known_metrics
from embedlab.compare.rows import rows_of
from embedlab.runs.evaluations import CORPUS
from embedlab.runs.folder import RunFolder
from embedlab.store_root import write_json


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``rows`` (keys), ``source`` and ``metrics`` -> what ``compare_rows`` finds, as this job's result."""
    source, metrics = asked.get("source", CORPUS), known_metrics(asked.get("metrics", ()))
    found = compare_rows(rows_of(asked["rows"], source), source=source, metrics=metrics, progress=progress)
    write_json(folder.result, {"source": source, "metrics": found})
