"""A study on disk: a folder whose study.json holds the request and the runs started; runs are only added."""

from contextlib import ExitStack

from embedlab.errors import EmbedlabError
from embedlab.jobs.campaigns import Campaign, content_of, require_over
from embedlab.jobs.in_use import require_unused
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import held_for_deletion, run_if_readable
from embedlab.studies.plan import Cell, StudySettings
from embedlab.trash import move_to_trash
from embedlab.update import update


class Study(Campaign[StudySettings]):
    """The folder of one study; ``study.json`` names its runs."""

    task, called, settings_class = "study", "study", StudySettings
    begins_with = {"runs": []}

    @classmethod
    def is_whole(cls, content: dict) -> bool:
        """Whether every run names its cell."""
        return all({"part", "value", "seed", "run"} <= row.keys() for row in content["runs"])


def runs_of(study: Study) -> dict[str, str]:
    """The newest run of each cell: the cell's key -> the run's id."""
    return {
        Cell(row["part"], row["value"], row["seed"], row["series"]).key: row["run"] for row in content_of(study)["runs"]
    }


def run_of(study: Study, cell: Cell) -> RunFolder | None:
    """The run of a cell, or None if there is none (any more)."""
    return run_if_readable(runs_of(study).get(cell.key))


def add_run(study: Study, cell: Cell, run: RunFolder) -> None:
    """Record the run of a cell; only for the holder of the study's lock."""
    row = {**vars(cell), "run": run.id}
    update(study.file, lambda content: content | {"runs": [*content["runs"], row]}, read=lambda file: content_of(study))


def own_runs(study: Study) -> list[RunFolder]:
    """Its existing runs that belong to no other study."""
    others = {run for each in Study.all() if each != study for run in _run_ids(each)}
    runs = [run_if_readable(run) for run in sorted(_run_ids(study) - others)]
    return [run for run in runs if run is not None]


def delete_study(study: Study, *, with_runs: bool = False) -> list[str]:
    """Move it to the trash; its runs stay as ordinary runs, or go with it where no other study has them.

    Return the ids of those runs. Refused while it works.
    """
    require_over(study)
    gone = own_runs(study) if with_runs else []
    for run in gone:
        require_unused("run", run.id, code="E-RUN-BUSY")
    with ExitStack() as held:
        for run in gone:
            held.enter_context(held_for_deletion(run))
        move_to_trash("study", study.id, [study.path, *(run.path for run in gone)])
    return [run.id for run in gone]


def _run_ids(study: Study) -> set[str]:
    try:
        return {row["run"] for row in content_of(study)["runs"]}
    except EmbedlabError:
        return set()
