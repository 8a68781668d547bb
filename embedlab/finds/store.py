"""A Find on disk: ``find.json`` holds the request, ``results.json`` the results; a folder for each candidate.

A candidate's folder is a run's folder, so whatever reads curves of runs reads it; it stands in no list of runs.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from embedlab.corpora.sets.stored import SETS
from embedlab.errors import EmbedlabError, RunError
from embedlab.finds.judging import is_by_labels
from embedlab.finds.model import FindResults, FindSettings
from embedlab.jobs.campaigns import Campaign, asked_of, damaged, job_of, require_over
from embedlab.jobs.requests.base import read_request
from embedlab.jobs.requests.working import RunFind
from embedlab.numbers import by_number
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import read_state
from embedlab.runs.store import delete_run, open_run
from embedlab.scratch import discard
from embedlab.store_root import read_json, write_json
from embedlab.update import update

TRAININGS = "trainings"  # the room of a Find's jobs


class Find(Campaign[FindSettings]):
    """The folder of one Find."""

    task, called, settings_class = "find", "Find", FindSettings

    @property
    def results(self) -> Path:
        """``FindResults``, written by the holder of the lock."""
        return self.path / "results.json"

    @property
    def journal(self) -> Path:
        """Optuna's journal: the drawn settings and their results."""
        return self.path / "journal.log"

    def run_of(self, key: str) -> RunFolder:
        """The folder of a candidate: its settings, its curve, and its checkpoints while it may go on."""
        return RunFolder(self.path / "candidates" / key)

    def units(self, key: str, rung: int) -> Path:
        """The per-text results of a candidate's measurement, by distance: ``euclidean.correct``, …"""
        return self.run_of(key).path / f"units-{rung}.npz"

    def training(self, key: str, rung: int) -> RunFolder:
        """The folder of the job that trains a candidate through a rung on an executor."""
        return RunFolder(self.path / TRAININGS / f"{key}-{rung}")

    @property
    def trainings(self) -> list[RunFolder]:
        """All such jobs."""
        return [RunFolder(path) for path in sorted((self.path / TRAININGS).glob("*"), key=by_number) if path.is_dir()]


def results_of(find: Find) -> FindResults:
    """Its results so far; empty if no worker has written any."""
    try:
        return FindResults.model_validate(read_json(find.results))
    except FileNotFoundError:
        return FindResults()
    except (OSError, ValidationError):
        raise damaged(find) from None


def write_results(find: Find, results: FindResults) -> None:
    """Write all of them; only for the holder of the lock."""
    _write(find.results, results)


def add_result(find: Find, **facts: Any) -> None:
    """Store these fields beside the results that there are; only for the holder of the lock."""
    update(
        find.results, lambda results: results.model_copy(update=facts), read=lambda file: results_of(find), write=_write
    )


def _write(file: Path, results: FindResults) -> None:
    write_json(file, results.model_dump(mode="json"))


def going_on(find: Find, on: str | None = None) -> RunFind:
    """The request to work on it, with this executor or the one that it was started with."""
    job = job_of(find)
    if on is None and job is not None:
        on = read_request(job, RunFind).on
    return RunFind(find=find.id, on=on)


def delete_find(find: Find) -> list[str]:
    """Delete it permanently, with its candidates and the winner's run; returns the ids of deleted runs. Refused while
    at work.

    The run stays where another Find took it over, and the set that it made of labels where another one is judged by it.
    """
    require_over(find)
    if any(not read_state(job).is_over for job in find.trainings):
        message = f"Candidates of Find {find.id} are still running elsewhere. Stop it first, then delete it."
        raise RunError("E-FIND-BUSY", message)
    gone = []
    with suppress(EmbedlabError):  # a damaged one has no readable winner, a deleted winner no folder
        if (winner := results_of(find).winner_run) is not None:
            if not any(_winner_of(other) == winner for other in Find.all() if other.id != find.id):
                delete_run(open_run(winner))
                gone.append(winner)
    judge = _judge_of(find)
    discard(find.path)
    if judge is not None and is_by_labels(judge) and judge not in map(_judge_of, Find.all()):
        SETS.delete(judge)
    return gone


def _judge_of(find: Find) -> str | None:
    try:
        return asked_of(find).judge
    except EmbedlabError:  # a damaged one
        return None


def _winner_of(find: Find) -> str | None:
    try:
        return results_of(find).winner_run
    except EmbedlabError:  # a damaged one
        return None
