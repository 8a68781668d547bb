"""A study on disk: found again, runs only added, one at work, a damaged one said."""

import pytest

from embedlab.errors import RunError
from embedlab.jobs.campaigns import asked_of, job_of, state_of
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, open_run
from embedlab.store_root import read_json, store_root, write_json
from embedlab.studies.plan import Cell
from embedlab.studies.store import Study, add_run, delete_study, own_runs, run_of, runs_of


def test_a_study_is_read_as_it_was_asked_newest_first(study_of):
    (first, asked), (second, _) = study_of("temperature"), study_of("sentences")
    assert [study.id for study in Study.all()] == [second.id, first.id]
    assert asked_of(Study.open(first.id)) == asked
    with pytest.raises(RunError, match="no study with the id 'nothere1'. The newest are"):
        Study.open("nothere1")
    with pytest.raises(RunError):
        Study.open("../runs")


def test_runs_are_added_and_the_newest_of_a_cell_counts(study_of):
    study, asked = study_of("temperature", values=(0.5, 5.0), seeds=(0,))
    before = read_json(study.file)
    first, second = (create_run("train", {"corpus": asked.corpus}) for _ in range(2))
    cell = Cell("value", 5.0, 0)
    add_run(study, cell, first)
    add_run(study, cell, second)
    assert runs_of(study) == {cell.key: second.id} and run_of(study, cell).id == second.id
    assert len(read_json(study.file)["runs"]) == 2 and read_json(study.file)["asked"] == before["asked"]
    assert open_run(first.id)


def test_the_same_study_at_work_is_not_made_twice(study_of):
    study, asked = study_of("temperature")
    assert Study.create_once(asked).id == study.id
    job = create_run("study", {"study": study.id})
    write_state(job, State.FINISHED)
    assert job_of(study).id == job.id and state_of(study).state is State.FINISHED
    assert Study.create_once(asked).id != study.id


def test_a_study_at_work_is_found_behind_any_number_of_newer_jobs(study_of):
    study, _ = study_of("temperature")
    job = create_run("study", {"study": study.id})
    for number in range(401):
        newer = store_root() / "jobs" / f"{job.id[:9]}z{number:03d}"
        newer.mkdir()
        for file in (job.settings, job.state):
            (newer / file.name).write_text(file.read_text("utf-8").replace('"study"', '"ask"'), "utf-8")
    job.state.touch()  # just queued, however long the others took
    assert job_of(study) == job and state_of(study).state is State.QUEUED


def test_a_damaged_study_and_one_of_another_schema_say_so(study_of):
    study, _ = study_of("temperature")
    write_json(study.file, {**read_json(study.file), "schema": 99})
    with pytest.raises(RunError, match="another version of embedlab made it"):
        asked_of(study)
    study.file.write_text("{", encoding="utf-8")
    with pytest.raises(RunError, match="cannot be read"):
        asked_of(study)


def test_a_deleted_study_leaves_its_runs_or_takes_those_that_no_other_has(study_of):
    study, asked = study_of("temperature", values=(0.5, 5.0), seeds=(0,))
    other = Study.create(asked)
    shared, own = (create_run("train", {"corpus": asked.corpus}) for _ in range(2))
    for each, run, value in ((study, shared, 0.5), (study, own, 5.0), (other, shared, 0.5)):
        add_run(each, Cell("value", value, 0), run)
    assert [run.id for run in own_runs(study)] == [own.id]
    third = Study.create(asked)
    add_run(third, Cell("value", 5.0, 0), own)
    assert own_runs(study) == [] and delete_study(third) == []  # its runs stay
    assert delete_study(study, with_runs=True) == [own.id]
    assert Study.all() == [other] and open_run(shared.id) == shared
    with pytest.raises(RunError, match="no run"):
        open_run(own.id)
    job = create_run("study", {"study": other.id})
    with pytest.raises(RunError, match="still running"):
        delete_study(other)
    write_state(job, State.STOPPED)
    assert delete_study(other) == [] and Study.all() == []
