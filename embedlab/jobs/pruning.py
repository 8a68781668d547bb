"""Old jobs are deleted automatically: their findings are stored in runs, and the rest can be recomputed."""

import time
from contextlib import suppress

from embedlab.errors import RunError
from embedlab.jobs.campaigns import ROOMS
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import jobs_over, newest_job
from embedlab.runs.store import delete_run, made_at, settings_of, task_of
from embedlab.scratch import sweep_daily
from embedlab.store_root import store_root

KEPT = 500  # the newest jobs that are over
KEPT_SECONDS = 30 * 24 * 3600


def prune_jobs() -> None:
    """Delete jobs that are over and older than 30 days, or beyond the newest 500; runs are never touched. Once a day
    also what killed processes left.
    """
    oldest = time.time() - KEPT_SECONDS
    for number, job in enumerate(jobs_over()):
        if (number >= KEPT or made_at(job) < oldest) and not is_last_of_a_campaign(job):
            with suppress(RunError, OSError):  # another process deletes it, or goes on with it
                delete_run(job)
    sweep_daily()


def is_last_of_a_campaign(job: RunFolder) -> bool:
    """Whether it is the newest job of a study or of a Find that is there."""
    task = task_of(job)
    if task not in ROOMS:
        return False
    campaign = settings_of(job).get(task)
    is_there = (store_root() / ROOMS[task] / str(campaign)).is_dir()
    return is_there and newest_job(task, **{task: campaign}) == job
