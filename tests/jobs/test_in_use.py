"""What is at work, or read by a command, is not deleted: the refusal names the work."""

import json
import os
import signal
import subprocess
import sys

import pytest

from embedlab.cli import main
from embedlab.errors import CorpusError, RunError
from embedlab.finds.model import FindSettings
from embedlab.finds.store import Find, delete_find
from embedlab.import_path import PACKAGE_PARENT
from embedlab.jobs.in_use import WORK_NAMES, delete_unused_run, require_unused, works_on
from embedlab.jobs.storage import prune
from embedlab.runs.readers import note_reading, readers, register_reader, run_ids_in
from embedlab.runs.selections import keep
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, stored_request
from embedlab.store_root import read_json, write_json
from embedlab.studies.plan import StudySettings
from embedlab.studies.store import Study, delete_study
from embedlab.tasks import TASKS


@pytest.fixture
def run(toy_corpus):
    """A run that has ended."""
    made = create_run("train", {"corpus": toy_corpus.fingerprint, "encoder": "token", "recipe": "crops"})
    write_state(made, State.FINISHED)
    return made


def refusal(capsys, *command: str) -> dict:
    assert main([*command, "--json"]) == 2
    return json.loads(capsys.readouterr().out)["error"]


JOBS = {
    "evaluate": lambda run: {"run": run},
    "map": lambda run: {"run": run},
    "map_before": lambda run: {"of": run},
    "diagnose": lambda run: {"run": run, "keys": ["norms"]},
    "export_encoder": lambda run: {"run": run},
    "moves": lambda run: {"run": "0other0000000", "against": run},
    "gallery": lambda run: {"runs": ["0other0000000", run]},
    "benchmark": lambda run: {"set": "useb", "encoder": f"run:{run}"},
    "train": lambda run: {"corpus": "docs", "encoder": f"run:{run}"},
}


@pytest.mark.parametrize("task", JOBS)
def test_a_run_is_not_deleted_while_a_job_uses_it(run, capsys, task):
    job = create_run(task, JOBS[task](run.id))
    error = refusal(capsys, "runs", "delete", run.id)
    assert error["code"] == "E-RUN-BUSY"
    assert job.id in error["message"] and WORK_NAMES[task] in error["message"]
    assert stored_request(run)
    write_state(job, State.FINISHED)
    assert main(["runs", "delete", run.id]) == 0
    assert not run.path.exists()


def test_a_study_uses_its_runs_and_a_find_its_corpus(run, toy_corpus):
    asked = StudySettings(kind="temperature", corpus=toy_corpus.fingerprint, setting="x", values=(1,))
    study = Study.create(asked)
    write_json(study.file, read_json(study.file) | {"runs": [{"run": run.id}]})
    job = create_run("study", {"study": study.id})
    with pytest.raises(RunError, match=job.id):
        delete_unused_run(run)
    write_state(job, State.FINISHED)
    job = create_run("find", {"find": Find.create(FindSettings(corpus=toy_corpus.fingerprint)).id})
    with pytest.raises(CorpusError, match=job.id) as refused:
        require_unused("corpus", toy_corpus.fingerprint, code="E-BUSY", error=CorpusError)
    assert refused.value.code == "E-BUSY"
    delete_unused_run(run)


def test_runs_of_a_study_and_the_winner_of_a_find_stay_as_well(run, toy_corpus):
    asked = StudySettings(kind="temperature", corpus=toy_corpus.fingerprint, setting="x", values=(1,))
    study = Study.create(asked)
    cell = {"part": "value", "value": 1, "seed": 0, "run": run.id}
    write_json(study.file, read_json(study.file) | {"runs": [cell]})
    create_run("evaluate", {"run": run.id})
    with pytest.raises(RunError) as refused:
        delete_study(study, with_runs=True)
    assert refused.value.code == "E-RUN-BUSY" and study.file.exists() and run.path.exists()
    delete_study(study)
    assert run.path.exists()


def test_a_find_at_work_is_refused(toy_corpus):
    find = Find.create(FindSettings(corpus=toy_corpus.fingerprint))
    create_run("find", {"find": find.id})
    with pytest.raises(RunError) as refused:
        delete_find(find)
    assert refused.value.code == "E-FIND-BUSY"


def test_a_selection_is_not_deleted_while_its_corpus_is_made(toy_corpus, capsys):
    selection = keep(toy_corpus, "some", [1, 2])
    job = create_run("subset", {"selection": selection.id})
    error = refusal(capsys, "selections", "delete", selection.id)
    assert error["code"] == "E-SELECTION-BUSY" and job.id in error["message"]


def test_what_passes_by_itself_refuses_nothing(run):
    create_run("estimate", {"corpus": "docs", "encoder": f"run:{run.id}"})
    create_run("ask", {"run": run.id})
    assert works_on(run.id) == []


def test_every_task_has_a_name():
    assert set(WORK_NAMES) == {task.key for task in TASKS}


def test_ids_are_taken_from_what_was_typed(run):
    values = ["docs", f"token:run:{run.id}", 3, None, ["0other0000000", (run.id,)], run]
    assert run_ids_in(values) == {run.id}
    assert run_ids_in([f"x{run.id}", "docs"]) == set()


def test_a_reader_is_known_while_it_reads(run):
    with register_reader("The command “evaluate”", [run.id]):
        (work,) = works_on(run.id)
        assert str(os.getpid()) in work.name
        note_reading("f" * 32)
        assert works_on("f" * 32)
        with pytest.raises(RunError, match="evaluate"):
            delete_unused_run(run)
    assert works_on(run.id) == [] and readers() == []
    assert not list((run.path.parents[1] / "locks" / "readers").iterdir())


def test_a_reader_uses_the_corpus_of_its_run_and_pruning_leaves_the_run_alone(run, toy_corpus):
    (run.path / "checkpoints" / "step-000001").mkdir(parents=True)
    (run.path / "checkpoints" / "step-000001" / "COMPLETE").write_text("x")
    with register_reader("The command “evaluate”", [run.id]):
        assert works_on(toy_corpus.fingerprint)
        assert prune(["checkpoints"]) == {"checkpoints": 0}
    assert prune(["checkpoints"]) == {"checkpoints": 1}


READER = """
import sys, time
from embedlab.runs.readers import register_reader
with register_reader("The command “embed”", [sys.argv[1]]):
    print("reads", flush=True)
    sys.stdin.read()
"""


def test_a_killed_reader_is_forgotten(run):
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE_PARENT)}
    command = [sys.executable, "-c", READER, run.id]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout.readline() == b"reads\n"
        assert [work.name for work in works_on(run.id)] == [f"The command “embed” (process {process.pid})"]
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert works_on(run.id) == []
    delete_unused_run(run)


def test_a_command_is_a_reader_of_the_runs_that_it_names(run, monkeypatch, capsys):
    seen = []
    monkeypatch.setattr("embedlab.cli.running.open_run", lambda its_id: seen.append(works_on(its_id)) or run)
    main(["methods", run.id, "--json"])
    assert [len(works) for works in seen] == [1]


def test_a_deleted_run_is_said_to_be_deleted_not_damaged(run):
    delete_unused_run(run)
    with pytest.raises(RunError) as refused:
        stored_request(run)
    assert refused.value.code == "E-DELETED"
