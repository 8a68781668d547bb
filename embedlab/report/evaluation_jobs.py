"""What measures a run by further metrics, and the newest job that does."""

from collections.abc import Sequence
from typing import Any

from embedlab.jobs.requests.measuring import EmbedAndEvaluate, Evaluate
from embedlab.metrics import METRICS
from embedlab.runs.evaluations import CORPUS
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import newest_job
from embedlab.runs.state import read_state


def evaluation(run: str, source: str, metrics: Sequence[str], **more: Any) -> Evaluate:
    """The request that measures these metrics; it waits for the device where texts have to be embedded."""
    waits = source != CORPUS or any(METRICS[key].reads.embeds_parts for key in metrics)
    return (EmbedAndEvaluate if waits else Evaluate)(run=run, source=source, metrics=tuple(metrics), **more)


def newest_evaluation(run: str) -> RunFolder | None:
    """The newest job that measures this run; one at work comes first."""
    jobs = (newest_job(kind.task, run=run) for kind in (Evaluate, EmbedAndEvaluate))
    return max(filter(None, jobs), key=lambda job: (not read_state(job).is_over, job.id), default=None)
