"""A Find on disk: ``find.json`` holds the request, ``results.json`` the results; a folder for each candidate.

A candidate's folder is a run's folder, so whatever reads curves of runs reads it; it stands in no list of runs.
"""

from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from embedlab.corpora.sets.stored import SETS
from embedlab.errors import EmbedlabError, RunError
from embedlab.finds.judging import is_by_labels
from embedlab.finds.model import FindResults, FindSettings
from embedlab.jobs.campaigns import Campaign, asked_of, damaged, job_of, require_over
from embedlab.jobs.in_use import require_unused
from embedlab.jobs.requests.base import read_request
from embedlab.jobs.requests.working import RunFind
from embedlab.numbers import by_number
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import read_state
from embedlab.runs.store import held_for_deletion, run_if_readable
from embedlab.store_root import read_json, write_json
from embedlab.trash import move_to_trash
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
    """Move it to the trash, with its candidates and the winner's run; return the ids of those runs. Refused while
    at work.

    The run stays where another Find took it over, and the set that it made of labels where another one is judged by it.
    """
    require_over(find)
    if any(not read_state(job).is_over for job in find.trainings):
        message = f"Candidates of Find {find.id} are still running elsewhere. Stop it first, then delete it."
        raise RunError("E-FIND-BUSY", message)
    require_unused("Find", find.id, code="E-FIND-BUSY")
    others = [other for other in Find.all() if other.id != find.id]
    run, judge = run_if_readable(_own_winner(find)), _judge_of(find)
    gone, paths = [], [find.path]
    with ExitStack() as held:
        if run is not None:
            require_unused("run", run.id, code="E-RUN-BUSY")
            held.enter_context(held_for_deletion(run))
            paths.append(run.path)
            gone.append(run.id)
        if judge is not None and is_by_labels(judge) and judge not in map(_judge_of, others) and SETS.holds(judge):
            paths.append(SETS.place(judge))
        move_to_trash("Find", find.id, paths)
    return gone


def _own_winner(find: Find) -> str | None:
    """Return its winner's run; None of a damaged Find, and where another Find took the run over."""
    winner = None
    with suppress(EmbedlabError):
        winner = results_of(find).winner_run
    shared = any(_winner_of(other) == winner for other in Find.all() if other.id != find.id)
    return None if shared else winner


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
