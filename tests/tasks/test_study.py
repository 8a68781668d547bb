"""A study's worker: every value and seed as an ordinary run, gaps left and gone round, started again it goes on."""

from types import SimpleNamespace

import pytest
from doing import do

from embedlab.corpora.base import Draft, store_corpus
from embedlab.distance import DISTANCES, EUCLIDEAN
from embedlab.errors import CorpusError, EmbedlabError, RunError, SettingsError, StopRequested
from embedlab.jobs.campaigns import asked_of
from embedlab.jobs.progress import FolderProgress
from embedlab.measurement import from_row
from embedlab.progress import silent
from embedlab.runs.curve import watched_phases
from embedlab.runs.label_lineage import NO_LABELS
from embedlab.runs.state import State, read_state, write_state
from embedlab.runs.store import create_run, list_runs, read_rows, stored_request
from embedlab.store_root import read_json
from embedlab.studies.plan import Cell, cells
from embedlab.studies.points import MeasuredPoint
from embedlab.studies.printed import printed_study
from embedlab.studies.request import asked_study
from embedlab.studies.store import Study, run_of
from embedlab.studies.summary import summary
from embedlab.tasks import TASKS
from embedlab.tasks import study as task
from embedlab.tasks.fine_tune.listeners.target_accuracy import TargetAccuracy
from embedlab.training.settings import RunSettings


def target_of(settings: RunSettings) -> TargetAccuracy | None:
    """What watches a run of these settings on its target."""
    opened = SimpleNamespace(settings=settings, read=NO_LABELS, progress=silent)
    return TargetAccuracy.of(SimpleNamespace(device="cpu"), opened)


SETTINGS = {"batch_size": 16, "vocabulary_size": 300, "evaluate_every": 8}


@pytest.fixture
def here(monkeypatch):
    """Runs are done in this process at once; their names in the order they were started."""
    started = []

    def submit(request, *, name="", on=None):
        folder = create_run(request.task, request.stored, name=name)
        started.append(name)
        return carry_out(folder)

    def carry_out(folder):
        asked = stored_request(folder)
        try:
            state = TASKS["train"].run(folder, TASKS["train"].read(asked.settings), FolderProgress(folder))
            write_state(folder, state or State.FINISHED)
        except EmbedlabError as error:
            write_state(folder, State.FAILED, error={"code": error.code, "message": error.message})
        return folder

    monkeypatch.setattr(task, "submit", submit)
    monkeypatch.setattr(task, "resume", lambda folder, on: (started.append(f"again {folder.id}"), carry_out(folder)))
    return started


@pytest.fixture
def made(toy_corpus):
    def study(key, **asked):
        settings = {**SETTINGS, **asked.pop("settings", {})}
        return Study.create(asked_study(key, toy_corpus.info, layers=0, settings=settings, **asked))

    return study


def test_each_value_and_seed_is_an_ordinary_run_and_a_second_start_does_nothing_again(made, here):
    study = made("temperature", values=(0.05, 0.5), seeds=(0, 1))
    do("study", {"study": study.id})
    assert here == [f"temperature {value}, seed {seed}" for value in ("0.05", "0.5") for seed in (0, 1)]
    told = stored_request(run_of(study, Cell("value", 0.5, 1)))
    assert told.task == "train" and told.settings["objective"]["temperature"] == 0.5
    assert (told.settings["seed"], told.settings["maps"]) == (1, False)
    found = printed_study(summary(study))
    assert found["state"] == "finished" and found["runs"] == {"planned": 4, "finished": 4}
    assert all(0 <= point["accuracy"] <= 1 and point["development"] is not None for point in found["points"])
    assert found["points"][0]["steps"] == 8 and found["points"][0]["usable_texts"] == 120
    job = do("study", {"study": study.id})
    assert len(here) == 4 and read_json(job.result) == {"study": study.id, "runs": 4, "finished": 4}


def test_a_run_that_fails_is_a_gap_and_the_study_goes_on_and_tries_it_again(made, here):
    study = made("own", setting="frozen_layers", values=(3, None), seeds=(0,))
    do("study", {"study": study.id})
    gap, point = summary(study).measured.euclidean.points
    assert not isinstance(gap, MeasuredPoint) and "no layers above the token vectors" in gap.seeds[0].reason
    assert isinstance(point, MeasuredPoint) and summary(study).finished == 1
    do("study", {"study": study.id})
    assert here[2:] == [f"again {run_of(study, Cell('value', 3, 0)).id}"]


def test_a_study_of_which_every_run_fails_says_the_first_reason(made, here):
    study = made("own", setting="frozen_layers", values=(3,), seeds=(0,))
    with pytest.raises(EmbedlabError, match="No run of the study finished. .*no layers above the token vectors"):
        do("study", {"study": study.id})


def test_a_wrong_setting_is_said_before_the_first_run(made, here):
    study = made("own", setting="objective.temprature", values=(3,), seeds=(0,))
    with pytest.raises(SettingsError, match="temprature"):
        do("study", {"study": study.id})
    assert here == []


def test_a_finished_run_of_the_same_settings_is_taken_over(made, here):
    first, second = made("temperature", values=(0.05,), seeds=(0,)), made("temperature", values=(0.05, 0.5), seeds=(0,))
    do("study", {"study": first.id})
    do("study", {"study": second.id})
    assert here == ["temperature 0.05, seed 0", "temperature 0.5, seed 0"]
    cell = Cell("value", 0.05, 0)
    assert run_of(first, cell).id == run_of(second, cell).id


def test_the_second_phase_goes_on_from_the_encoder_of_the_first(made, here, summarised_corpus):
    other = summarised_corpus.info.fingerprint
    study = made("domain-transfer", values=(other,), seeds=(0,))
    do("study", {"study": study.id})
    first, second = run_of(study, Cell("first", other, 0)), run_of(study, Cell("value", other, 0))
    assert stored_request(second).settings["encoder"] == f"run:{first.id}"
    assert (
        read_json(first.result)["corpus"]["name"] == "summarised"
        and read_json(second.result)["corpus"]["name"] == "toy"
    )
    names = [point.name for point in summary(study).measured.euclidean.points]
    assert names == ["none", "summarised"] and len(here) == 3
    for distance in DISTANCES:
        alone, goes_on = watched_phases(second, distance)
        assert [alone] == watched_phases(first, distance)
        assert alone.points[-1].step == goes_on.points[0].step > 0 == alone.points[0].step
        assert alone.points[-1].knn == pytest.approx(goes_on.points[0].knn)  # the same encoder on the same texts
        live = [row for row in read_rows(second.metrics) if not row["full"]]
        own = [from_row(row["knn"]).by(distance).value for row in live]
        assert [point.knn for point in goes_on.points] == own  # of a small corpus both are all test texts
    (directly,) = watched_phases(run_of(study, Cell("value", "none", 0)), EUCLIDEAN)
    assert len(directly.points) >= 2


def test_a_target_without_classes_is_refused_in_a_sentence(toy_corpus, store):
    texts = [f"An entry number {number} of a list." for number in range(40)]
    target = store_corpus(Draft(name="plain", source="plain.csv", texts=texts))
    asked = {"corpus": toy_corpus.fingerprint, "encoder": "token", "recipe": "crops", "target": target.fingerprint}
    with pytest.raises(CorpusError, match="The target plain cannot be measured"):
        target_of(RunSettings(**asked))
    assert target_of(RunSettings(**asked, live_texts=0)) is None
    assert watched_phases(create_run("train", {**asked, "target": None}), EUCLIDEAN) == []
    assert watched_phases(create_run("train", {**asked, "encoder": "run:gone123"}), EUCLIDEAN)[0].points == []


def test_labels_needed_trains_on_so_many_labels_and_answers(made, here):
    study = made("labels-needed", values=(16, 64), seeds=(0,))
    do("study", {"study": study.id})
    found = printed_study(summary(study))
    assert [point["usable_texts"] for point in found["points"]] == [16, 64]
    assert found["line"]["accuracy"] is not None and "labeled texts" in found["answer"]
    assert read_json(run_of(study, Cell("value", 16, 0)).result)["supervised"]
    assert not read_json(run_of(study, Cell("line", None, 0)).result)["supervised"]


def test_stop_ends_the_present_run_and_the_study(made, monkeypatch):
    study = made("temperature", values=(0.05, 0.5), seeds=(0,))

    def submit(request, *, name="", on=None):
        return create_run(request.task, request.stored, name=name)  # queued, as one that waits for the device

    stops = []

    def request_stop(folder):
        stops.append(folder.id)
        write_state(folder, State.STOPPED)

    monkeypatch.setattr(task, "submit", submit)
    monkeypatch.setattr("embedlab.jobs.runner.request_stop", request_stop)
    monkeypatch.setattr(task, "POLL_SECONDS", 0)
    job = create_run("study", {"study": study.id})
    calls = []

    def progress(stage, done=0, total=0):
        calls.append(stage)
        if len(calls) > 2:
            raise StopRequested

    with pytest.raises(StopRequested):
        TASKS["study"].run(job, TASKS["study"].read({"study": study.id}), progress)
    (run,) = list_runs()
    assert set(stops) == {run.id} and read_state(run).state is State.STOPPED
    assert summary(study).measured.euclidean.points[0].seeds[0].reason.startswith("Stopped on request")


def test_as_many_runs_at_once_as_asked_and_a_second_phase_waits_for_its_first(made, monkeypatch):
    study = made("domain-transfer", values=("none", "238eace00806a190"), seeds=(0, 1))
    planned, at_work, most = [], [], []

    def submit(request, *, name="", on=None):
        first = request.stored["encoder"].removeprefix("run:")
        assert on == "local" and first not in [run.id for run in at_work]  # what it goes on from has ended
        at_work.append(create_run(request.task, request.stored, name=name))
        planned.append(name)
        return at_work[-1]

    def progress(stage, done=0, total=0):
        most.append(len(at_work))
        if at_work and stage:
            write_state(at_work.pop(0), State.FINISHED)

    monkeypatch.setattr(task, "submit", submit)
    monkeypatch.setattr(task, "POLL_SECONDS", 0)
    job = create_run("study", {"study": study.id})
    TASKS["study"].run(job, TASKS["study"].read({"study": study.id, "on": "local", "at_once": 6}), progress)
    assert max(most) == 4 and len(planned) == len(set(planned)) == len(cells(asked_of(study)))


def test_a_study_on_a_cluster_that_does_not_answer_begins_no_run(made, monkeypatch):
    study = made("temperature", values=(0.05,), seeds=(0,))
    monkeypatch.setattr("embedlab.jobs.executors.slurm.Slurm.unreachable", lambda _: "Nobody answers.")
    with pytest.raises(RunError, match=f"Nobody answers. Continue with: .*study resume {study.id} --on local"):
        do("study", {"study": study.id, "on": "slurm"})
    assert list_runs() == []


def test_two_workers_never_share_a_study(made, here):
    from filelock import FileLock

    study = made("temperature", values=(0.05,), seeds=(0,))
    with FileLock(study.lock), pytest.raises(RunError, match="is already running"):
        do("study", {"study": study.id})
    assert here == [] and asked_of(study).values == (0.05,)


def test_a_study_s_worker_keeps_its_priority_for_the_runs_it_starts():
    assert TASKS["study"].only_waits and not TASKS["study"].needs_device
    assert [each.key for each in TASKS if each.only_waits] == ["study", "find"]
