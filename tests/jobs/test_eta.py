"""Time left for the whole: by the plan, by this machine's history, by the stage's own pace; never a second opinion."""

import json

import pytest

from embedlab.jobs import eta
from embedlab.jobs.eta import eta_of
from embedlab.jobs.progress import FOLDS, TUNING, FolderProgress, note_stage, stages_of
from embedlab.runs.state import RunState, State
from embedlab.runs.store import create_run
from embedlab.store_root import write_json

STARTED, BEGAN = "2026-01-01T00:00:00.000+00:00", 1767225600.0


@pytest.fixture(autouse=True)
def fresh(store):
    eta._expected.cache_clear()
    eta._farthest.clear()


def run_with(stages, *, state=State.RUNNING, ended=None, encoder="words", maps=True, **settings):
    """A run whose stages began so many seconds after it did."""
    run = create_run("train", {"corpus": "?", "encoder": encoder, "recipe": "sentences", "maps": maps, **settings})
    write_json(run.state, {"state": str(state), "started": STARTED, "ended": ended, "since": STARTED})
    for kind, after in stages:
        note_stage(run, kind, BEGAN + after)
    return run


def working(monkeypatch):
    """State as written: these runs have no worker."""
    from embedlab.jobs import progress

    monkeypatch.setattr(progress, "read_state", lambda folder: RunState.model_validate_json(folder.state.read_text()))


def says(run, stage, done=0, total=0, left=None, at=0.0):
    row = {"stage": stage, "done": done, "total": total, "seconds_left": left, "at": BEGAN + at}
    run.progress.write_text(json.dumps(row))


def finished(monkeypatch):
    """A run that took 10 s until step 0, 100 s to tune, 5 s to embed, 20 s for the folds."""
    ended = "2026-01-01T00:02:15.000+00:00"
    return run_with(
        [("Opening the corpus", 0), ("Embedding 50 texts, untouched", 2), (TUNING, 10),
         ("Embedding 50 texts, fine-tuned", 110), (FOLDS, 115)],
        state=State.FINISHED, ended=ended,
    )  # fmt: skip


def test_by_history_and_the_stages_own_pace(monkeypatch):
    working(monkeypatch)
    finished(monkeypatch)
    run = run_with([("Opening the corpus", 0), ("Embedding 60 texts, untouched", 2), (TUNING, 10)])
    says(run, TUNING, 50, 100, left=40.0, at=50)
    found = eta_of(run, now=BEGAN + 50)
    # embedding afterwards is the same work as before: 8 s, not the 5 s of the other run
    assert found.verdict == found.left == pytest.approx(48 + 20)
    assert found.gone == pytest.approx(50) and found.share == pytest.approx(50 / (50 + 68))
    assert found.maps == pytest.approx(48 + eta._MAPS_SECONDS)  # drawn beside the folds
    assert eta_of(run, now=BEGAN + 60).verdict == pytest.approx(30 + 8 + 20)  # also between two rows


def test_the_verdict_is_there_when_the_folds_are(monkeypatch):
    working(monkeypatch)
    finished(monkeypatch)
    run = run_with([("Opening the corpus", 0), (TUNING, 10), (FOLDS, 30), ("Finding the neighbors of 60 texts", 33)])
    says(run, "Finding the neighbors of 60 texts", at=40)
    found = eta_of(run, now=BEGAN + 40)
    assert found.verdict == found.left == pytest.approx(20 - 10)
    assert eta_of(run, now=BEGAN + 400).left == pytest.approx(2)  # late: a tenth may still be left


def test_without_history_what_is_proposed_has_the_measured_plan_and_others_only_their_own_pace(monkeypatch):
    working(monkeypatch)
    words = run_with([("Opening the corpus", 0)], schedule="fitted")
    says(words, "Opening the corpus", at=0)
    plan = sum(stage.seconds for stage in eta._TRAIN)
    assert eta_of(words, now=BEGAN).verdict == pytest.approx(plan)
    other = run_with([("Opening the corpus", 0)], encoder="minilm")
    says(other, "Opening the corpus")
    unknown = eta_of(other, now=BEGAN + 1)
    assert unknown.verdict is None and unknown.left is None and unknown.maps is None and unknown.share == 0
    note_stage(other, TUNING, BEGAN + 5)
    says(other, TUNING, 1, 10, left=90.0, at=15)
    assert eta_of(other, now=BEGAN + 15).verdict == pytest.approx(90 + 3 + 15)


def test_a_run_of_other_length_foretells_nothing(monkeypatch):
    working(monkeypatch)
    finished(monkeypatch)
    run = run_with([("Opening the corpus", 0)], max_steps=100_000)
    says(run, "Opening the corpus")
    assert eta_of(run, now=BEGAN).verdict is None


def test_nothing_is_foretold_while_it_waits_for_another_process(monkeypatch):
    working(monkeypatch)
    run = run_with([("Opening the corpus", 0)])
    says(run, "Waiting for another process to collect the documentation")
    assert eta_of(run, now=BEGAN).verdict is None


def test_without_maps_none_are_promised(monkeypatch):
    working(monkeypatch)
    run = run_with([("Opening the corpus", 0)], maps=False)
    says(run, "Opening the corpus")
    assert eta_of(run, now=BEGAN).maps is None


def test_the_share_never_falls_while_a_run_keeps_to_its_plan(monkeypatch):
    working(monkeypatch)
    finished(monkeypatch)
    run, shares = run_with([("Opening the corpus", 0)]), []
    for now, kind in [(1, None), (2, "Embedding 60 texts, untouched"), (6, None), (10, TUNING), (60, None),
                      (110, "Embedding 60 texts, fine-tuned"), (113, None), (118, FOLDS), (130, None)]:  # fmt: skip
        if kind:
            note_stage(run, kind, BEGAN + now)
        says(run, kind or "Opening the corpus", at=now)
        shares.append(eta_of(run, now=BEGAN + now).share)
    assert shares == sorted(shares) and shares[-1] > 0.9


def test_the_bar_takes_nothing_back_when_the_work_turns_out_longer_and_begins_again_when_it_is_resumed(monkeypatch):
    working(monkeypatch)
    finished(monkeypatch)
    run = run_with([("Opening the corpus", 0), (TUNING, 10)])
    says(run, TUNING, 50, 100, left=10.0, at=60)
    before = eta_of(run, now=BEGAN + 60).share
    says(run, TUNING, 51, 100, left=400.0, at=61)
    assert eta_of(run, now=BEGAN + 61).share == before > 0.5
    write_json(run.state, {"state": "running", "started": "2026-01-01T00:10:00.000+00:00", "since": STARTED})
    note_stage(run, "Opening the corpus", BEGAN + 600)
    says(run, "Opening the corpus", at=600)
    assert eta_of(run, now=BEGAN + 600).share < 0.05


def test_without_history_the_bar_of_several_stages_only_grows(monkeypatch):
    working(monkeypatch)
    job, shares = create_run("diagnose", {}), []
    write_json(job.state, {"state": "running", "started": STARTED, "since": STARTED})
    note_stage(job, "Queued: waiting for “demo”", BEGAN)
    says(job, "Queued: waiting for “demo”")
    assert eta_of(job, now=BEGAN + 90).share == 0
    for stage, done in [("Embedding 60 texts, before", 0), ("Embedding 60 texts, before", 60),
                        ("Embedding 60 texts, after", 0), ("Embedding 60 texts, after", 30)]:  # fmt: skip
        if not done:
            note_stage(job, stage, BEGAN + 90 + len(shares))
        says(job, stage, done, 60)
        shares.append(eta_of(job, now=BEGAN + 100).share)
    assert shares == sorted(shares) == [0, 0.5, 0.5, pytest.approx(1 - 0.5**1.5)]


def test_what_a_run_waited_for_its_device_is_no_part_of_its_work(monkeypatch):
    working(monkeypatch)
    finished(monkeypatch)
    run = run_with([("Queued: waiting for “demo”", 0), ("Opening the corpus", 1000)])
    says(run, "Opening the corpus", at=1001)
    found = eta_of(run, now=BEGAN + 1001)
    assert found.gone == pytest.approx(1) and found.share < 0.05


def test_before_its_first_word_there_is_none():
    assert eta_of(create_run("train", {"corpus": "?", "encoder": "token", "recipe": "crops"})) is None


def test_stages_are_noted_by_kind_as_the_work_says_them(monkeypatch):
    working(monkeypatch)
    run = run_with([])
    progress = FolderProgress(run)
    for stage in ("Embedding 10 texts", "Embedding 20 texts", "Fine-tuning", "Fine-tuning"):
        progress(stage)
    rows = [json.loads(line) for line in run.stages.read_text().splitlines()]
    assert [row["kind"] for row in rows] == ["Embedding N texts", "Fine-tuning"]
    assert [stage.kind for stage in stages_of(run, now=rows[1]["at"] + 3)] == ["Embedding N texts", "Fine-tuning"]


def test_a_run_seen_before_its_corpus_is_collected_is_estimated_by_its_texts_once_they_are_there(monkeypatch):
    working(monkeypatch)
    finished(monkeypatch)
    run = run_with([("Opening the corpus", 0)])
    says(run, "Opening the corpus")
    monkeypatch.setattr(eta, "_texts_of", lambda folder: 10_000)  # what an unknown corpus counts as
    assert eta_of(run, now=BEGAN).left == pytest.approx(135)
    monkeypatch.setattr(eta, "_texts_of", lambda folder: 1_000 if folder == run else 10_000)
    assert eta_of(run, now=BEGAN).left == pytest.approx(13.5)


def test_maps_of_few_texts_still_wait_for_their_process(monkeypatch):
    working(monkeypatch)
    finished(monkeypatch)
    run = run_with([("Opening the corpus", 0), (TUNING, 10), ("Embedding 50 texts, fine-tuned", 110), (FOLDS, 115)])
    says(run, FOLDS, at=115)
    monkeypatch.setattr(eta, "_texts_of", lambda folder: 0 if folder == run else 10_000)
    assert eta_of(run, now=BEGAN + 115).maps == pytest.approx(eta._MAPS_START)


@pytest.mark.parametrize(
    ("stage", "done", "total", "line"),
    [
        (TUNING, 43, 94, "Fine-tuning, step 43 of 94"),
        ("Embedding 8,022 texts", 2048, 8022, "Embedding 8,022 texts, 2,048 of 8,022"),
        ("Laying out 1,000 texts by t-SNE", 250, 750, "Laying out 1,000 texts by t-SNE"),
        ("Opening the corpus", 0, 0, "Opening the corpus"),
    ],
)
def test_beside_the_bar_of_the_whole_work_there_is_no_share_of_a_stage(monkeypatch, stage, done, total, line):
    working(monkeypatch)
    run = run_with([(stage, 0)])
    says(run, stage, done, total)
    assert eta_of(run, now=BEGAN).line == line
