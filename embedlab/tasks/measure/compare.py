"""Which of several runs, untouched encoders and baselines are best, and which cannot be told apart from the best."""

from embedlab.comparison.best import compare_rows, known_metrics
from embedlab.comparison.rows import rows_of
from embedlab.jobs.requests.measuring import CompareRuns
from embedlab.progress import Progress
from embedlab.runs.folder import RunFolder
from embedlab.store_root import write_json


def run(folder: RunFolder, request: CompareRuns, progress: Progress) -> None:
    """The result is that of ``compare_rows``."""
    source, metrics = request.source, known_metrics(request.metrics)
    comparison = compare_rows(rows_of(list(request.rows), source), source=source, metrics=metrics, progress=progress)
    write_json(folder.result, {"source": source, "metrics": comparison})
