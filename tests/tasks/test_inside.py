"""After a run its layers and its length attack are measured by one task, which gives way to all other work."""

import pytest
from doing import do
from filelock import FileLock

from embedlab.corpora.base import Draft, store_corpus
from embedlab.damage import read_model
from embedlab.diagnostics.length import LengthConfig
from embedlab.errors import GiveWayRequested
from embedlab.jobs.progress import FolderProgress
from embedlab.jobs.requests.measuring import AttackLength, MeasuredInside, MeasureInside
from embedlab.progress import silent
from embedlab.runs.evaluations import read_layers, read_length
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State, read_state, write_state
from embedlab.runs.store import create_run, list_runs, stored_request
from embedlab.tasks.device_queue import ask_to_give_way, queued_before
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.fine_tune import train
from embedlab.tasks.measure import inside
from embedlab.tasks.measure.time_fit import Pace, work_of_attack
from embedlab.worker.work import main

TINY = {"recipe": "crops", "vocabulary_size": 300, "batch_size": 16, "max_steps": 2, "max_length": 32, "maps": False}
TINY |= {"live_texts": 0, "live_map": False, "device": "cpu"}


@pytest.fixture
def trained(toy_corpus, monkeypatch):
    """``trained("scratch:bert-tiny")``: a run in this process, and what it asked for afterwards."""
    asked = []
    monkeypatch.setattr(train, "enqueue_followup", asked.append)

    def run(encoder: str, **settings) -> tuple[RunFolder, list]:
        asked.clear()
        folder = do("train", {"corpus": toy_corpus.fingerprint, "encoder": encoder, **TINY, **settings})
        return folder, list(asked)

    return run


def measured(run: RunFolder) -> MeasuredInside:
    """What the task found, which is done in this process."""
    return read_model(do("inside", {"run": run.id}).result, MeasuredInside)


def test_a_run_asks_for_it_unless_told_otherwise_and_both_are_then_in_its_folder(trained):
    run, asked = trained("scratch:bert-tiny", inside=False)
    assert asked == []
    run, asked = trained("scratch:bert-tiny")
    assert asked == [MeasureInside(run=run.id)]
    assert read_layers(run) is None and read_length(run) is None
    assert measured(run) == MeasuredInside()
    layers, length = read_layers(run), read_length(run)
    assert [row.layer for row in layers.layers if row.pooling == "mean"] == [0, 1, 2]
    assert length.pairs > 0 and length.untouched is not None and length.tuned is not None
    written = [run.layers.stat().st_mtime_ns, run.length.stat().st_mtime_ns]
    assert measured(run) == MeasuredInside()
    assert [run.layers.stat().st_mtime_ns, run.length.stat().st_mtime_ns] == written, "what is there stays"


def test_a_token_layer_has_no_curve_and_texts_without_labels_no_accuracy_but_both_a_length_attack(trained):
    run, _ = trained("token")
    told = measured(run)
    assert "one layer" in told.no_layers and told.no_length is None
    assert read_layers(run) is None and read_length(run) is not None
    texts = [f"The {number}th sentence of this text is short. Another one follows it here." for number in range(40)]
    unlabelled = store_corpus(Draft(name="unlabelled", source="x", texts=texts))
    run, asked = trained("scratch:bert-tiny", corpus=unlabelled.fingerprint, recipe="sentences")
    assert asked == [MeasureInside(run=run.id)]
    told = measured(run)
    assert "label" in told.no_layers and told.no_length is None and read_length(run) is not None


def test_nothing_is_measured_beyond_a_minute_and_the_reason_has_the_time(trained, monkeypatch):
    run, _ = trained("scratch:bert-tiny")
    monkeypatch.setattr(inside, "pace_of", lambda encoder, device: Pace(1.0))
    told = measured(run)
    assert read_layers(run) is None and read_length(run) is None
    assert "about" in told.no_layers and "about" in told.no_length


def test_a_length_attack_that_takes_longer_has_fewer_pairs_and_copies(trained, toy_corpus, monkeypatch):
    run, _ = trained("scratch:bert-tiny", max_length=256)
    encoder = encoder_of_run(run, "after")
    work = work_of_attack(encoder, inside.length.pairs_of(encoder, toy_corpus, LengthConfig()))
    fewest = LengthConfig(pairs=200, copies=20)
    pace = Pace(59 / (2 * work.tokens(fewest).sum()))  # the fewest take 59 s with both encoders, all of them more
    for name in ("inside", "time_fit"):
        monkeypatch.setattr(f"embedlab.tasks.measure.{name}.pace_of", lambda encoder, device: pace)
    monkeypatch.setattr("embedlab.tasks.measure.inside._Budget.seconds_of_layers", lambda self: 0.0)
    assert measured(run).no_length is None
    length = read_length(run)
    assert (length.pairs, length.copies) == (200, 20) and "1,000 pairs" in length.fitted


def test_the_two_share_the_minute(trained, monkeypatch):
    run, _ = trained("scratch:bert-tiny")
    monkeypatch.setattr("embedlab.tasks.measure.inside._Budget.seconds_of_layers", lambda self: 40.0)
    monkeypatch.setattr("embedlab.tasks.measure.inside._Budget.seconds_of_length", lambda self: 30.0)
    told = measured(run)
    assert told.no_layers is None and "30 s" in told.no_length and read_length(run) is None


def job_of(task: str, settings: dict, state: State, **facts) -> RunFolder:
    """A job in this state."""
    job = create_run(task, settings)
    write_state(job, state, **facts)
    return job


def test_it_is_asked_to_leave_the_device_not_to_stop_and_waits_behind_newer_work(toy_corpus):
    inside_job = job_of("inside", {"run": "0abc"}, State.RUNNING, device="cpu")
    timing = job_of("estimate", {"corpus": toy_corpus.fingerprint, "device": "cpu"}, State.RUNNING)
    with FileLock(inside_job.lock), FileLock(timing.lock):
        ask_to_give_way("cpu")
    assert inside_job.give_way.exists() and not inside_job.stop.exists()
    assert timing.stop.exists() and not timing.give_way.exists()
    with pytest.raises(GiveWayRequested):
        FolderProgress(inside_job)("Embedding")
    write_state(inside_job, State.QUEUED)
    later = job_of("length", {"run": "0abc"}, State.QUEUED)
    with FileLock(inside_job.lock), FileLock(later.lock):
        assert queued_before(inside_job, "cpu", gives_way=True) == 1
        assert queued_before(later, "cpu") == 0, "what gives way is not waited for"


def test_a_worker_that_gave_way_waits_and_begins_again(trained, monkeypatch):
    run, _ = trained("scratch:bert-tiny")
    job = create_run(MeasureInside.task, MeasureInside(run=run.id).stored)
    states, attack = [], inside.length.run

    def give_way_once(folder: RunFolder, request: AttackLength, progress: FolderProgress) -> None:
        states.append(read_state(job).state)
        if len(states) == 1:
            job.give_way.parent.mkdir(exist_ok=True)
            job.give_way.touch()
            progress("Comparing pairs")
        attack(folder, request, progress)

    monkeypatch.setattr(inside.length, "run", give_way_once)
    for unrelated in ("prune_jobs", "go_offline"):
        monkeypatch.setattr(f"embedlab.worker.work.{unrelated}", lambda: None)
    assert main(str(job.path)) == 0
    assert states == [State.RUNNING, State.RUNNING] and not job.give_way.exists()
    assert read_state(job).state is State.FINISHED and read_length(run) is not None
    assert [stored_request(each).task for each in list_runs("jobs")] == ["inside"]


def test_what_is_imported_at_the_first_accuracy_is_not_counted_for_every_layer(trained, monkeypatch):
    run, _ = trained("scratch:bert-tiny", inside=False)
    now = [0.0]

    def accuracy(**_) -> None:
        now[0] += 0.1 if now[0] else 5.0

    monkeypatch.setattr(inside.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(inside, "knn_by_both", accuracy)
    monkeypatch.setattr(inside, "pace_of", lambda *_: Pace(0.0))
    budget = inside._Budget(run, silent)
    of_one = (budget.encoder.layers + 1) * len(inside.POOLINGS)
    assert budget.seconds_of_layers() == pytest.approx(inside.ENCODERS * of_one * 0.1)
