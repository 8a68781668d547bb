"""What a training leaves whose process ended early: its encoder, its result, its sentences; recorded once."""

import json
import os
from dataclasses import replace

import pytest
from filelock import FileLock
from unmeasured import killed_run

from embedlab.cli import main
from embedlab.encoders.load import load_encoder
from embedlab.jobs.runner import request_stop
from embedlab.report.exports import encoder_zip, without_encoder
from embedlab.report.methods import methods_of
from embedlab.report.model_card import model_card
from embedlab.runs.kept import FACTS, keep_encoder, newest_kept, record_ending
from embedlab.runs.lease import Job, write_job
from embedlab.runs.result import NO_KNN, read_result
from embedlab.runs.state import State, read_state, write_state, written_state
from embedlab.runs.store import create_run, read_rows
from embedlab.tasks.fine_tune import keeping
from embedlab.tasks.fine_tune.trainer import Trainer


@pytest.fixture
def stopped(toy_corpus):
    return killed_run(toy_corpus.info.fingerprint)


def test_the_result_is_the_best_step_so_far_with_the_live_curve_s_number(stopped):
    result = read_result(stopped)
    live = [row for row in read_rows(stopped.metrics) if not row["full"] and row["step"] <= 2]
    best = max(live, key=lambda row: (row["development"], -row["step"]))
    assert (result.kept.step, result.steps, result.stopped, result.knn) == (best["step"], 2, True, None)
    assert (result.kept.best_step, result.kept.best_development) == (best["step"], best["development"])
    assert load_encoder(str(stopped.encoder)).weights_hash() == result.weights_hash
    percent = f"{100 * best['knn']['cosine']['value']:.1f} %"
    assert (
        f"On the {best['test_texts']} test texts of the live curve its kNN accuracy is {percent}" in result.why_no_knn
    )
    assert result.without_knn == NO_KNN["W-NOT-MEASURED"] and written_state(stopped) is State.STOPPED


def test_all_that_is_written_about_a_run_can_be_written_of_it(stopped, capsys):
    assert without_encoder(stopped) is None and encoder_zip(stopped)[:2] == b"PK"
    assert "step" in methods_of(stopped).text and stopped.id in model_card(stopped)
    assert main(["runs", "show", stopped.id]) == 0
    assert "Stopped at step 2 of 8; step 3 was not kept." in capsys.readouterr().out
    assert main(["runs", "list", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)["runs"][0]
    assert row["state"] == "stopped"


def test_the_links_to_the_kept_encoder_survive_what_is_written_beside_them(stopped):
    folder, _ = newest_kept(stopped)
    (weights,) = stopped.encoder.glob("*.safetensors")
    assert os.path.samefile(weights, folder / "encoder" / weights.name)
    card = (folder / "encoder" / "README.md").read_bytes()
    (stopped.encoder / "README.md").write_text("another", encoding="utf-8")
    assert (folder / "encoder" / "README.md").read_bytes() == card


@pytest.fixture
def best_at_step_1(monkeypatch):
    """Development texts find step 1 the best."""
    measured, scores = Trainer.measured, {0: 0.1, 1: 0.9}

    def scored(training, **how):
        moment = measured(training, **how)
        moment.point = replace(moment.point, score=scores.get(training.done.steps, 0.5))
        return moment

    monkeypatch.setattr(Trainer, "measured", scored)


def test_a_best_step_that_was_put_off_is_saved_later_and_training_does_not_notice(
    toy_corpus, best_at_step_1, monkeypatch
):
    monkeypatch.setattr(keeping.KeepingBest, "_has_time", lambda _: True)
    at_once = killed_run(toy_corpus.info.fingerprint, done=4)
    monkeypatch.setattr(keeping.KeepingBest, "_has_time", lambda each: each.training.done.steps in (0, 3))
    put_off = killed_run(toy_corpus.info.fingerprint, done=4)
    first, second = read_result(at_once), read_result(put_off)
    assert first.kept.step == second.kept.step == 1 and first.kept.best_development == 0.9
    assert first.weights_hash == second.weights_hash == load_encoder(str(put_off.encoder)).weights_hash()
    assert [[row["loss"] for row in read_rows(run.terms)] for run in (at_once, put_off)] == [
        [row["loss"] for row in read_rows(at_once.terms)]
    ] * 2


def test_a_better_encoder_replaces_the_one_before_and_half_of_one_is_passed_over(stopped):
    folder, facts = newest_kept(stopped)
    half = folder.with_name("step-000015")
    (half / "encoder").mkdir(parents=True)
    assert newest_kept(stopped) == (folder, facts)
    (half / FACTS).write_text("{", encoding="utf-8")
    assert newest_kept(stopped) == (folder, facts)


def test_a_result_that_was_measured_is_not_replaced(token_run):
    before = token_run.result.read_bytes()
    write_state(token_run, State.RUNNING)  # killed during its folds
    token_run.lock.touch()
    request_stop(token_run)
    record_ending(token_run)
    assert written_state(token_run) is State.STOPPED and token_run.result.read_bytes() == before


def test_nothing_is_written_while_another_process_holds_the_run(toy_corpus):
    run = killed_run(toy_corpus.info.fingerprint, is_stopped=False)
    run.result.unlink()
    with FileLock(run.lock):
        record_ending(run)
        assert not run.result.exists()
    record_ending(run)
    assert run.result.exists() and read_state(run).state is State.INTERRUPTED


def test_a_silent_worker_elsewhere_is_only_taken_for_gone_after_stop(toy_corpus):
    run = killed_run(toy_corpus.info.fingerprint, is_stopped=False)
    run.result.unlink()
    write_job(run, Job(executor="ray", token="a1b2"))
    record_ending(run)
    assert not run.result.exists()
    request_stop(run)
    record_ending(run)
    assert read_result(run).is_unmeasured and written_state(run) is State.STOPPED


def test_a_job_or_a_run_without_a_kept_encoder_is_stopped_all_the_same(store):
    for task in ("train", "map"):
        folder = create_run(task, {})
        write_state(folder, State.RUNNING)
        folder.lock.touch()
        request_stop(folder)
        assert record_ending(folder).state is State.STOPPED and written_state(folder) is State.STOPPED
        assert keep_encoder(folder, "Stopped") is None and not folder.result.exists()


def test_a_deleted_run_is_not_made_again(store):
    folder = create_run("train", {})
    write_state(folder, State.RUNNING)
    request_stop(folder)
    record_ending(folder)
    assert not folder.lock.exists() and written_state(folder) is State.RUNNING


@pytest.mark.parametrize("settings", [{"recipe": "supervised"}, {"encoder": "scratch:bert-tiny"}, {"live_texts": 0}])
def test_each_kind_of_training_keeps_its_encoder(toy_corpus, settings):
    run = killed_run(toy_corpus.info.fingerprint, done=3, checkpoint_every=1, **settings)
    result = read_result(run)
    assert result.is_unmeasured and load_encoder(str(run.encoder)).weights_hash() == result.weights_hash
    assert result.saw_labels == ("recipe" in settings) and methods_of(run).text
