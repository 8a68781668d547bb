"""Who looks on at a training: what each keeps in a checkpoint is all that it needs, and what it does by hand."""

import json
from types import SimpleNamespace

import pytest
import torch

from embedlab.config import validated
from embedlab.corpora.base import open_corpus
from embedlab.jobs.progress import FolderProgress
from embedlab.measurement import Note
from embedlab.progress import silent
from embedlab.runs.store import append_row, create_run, read_rows
from embedlab.tasks.fine_tune.listeners import LISTENERS
from embedlab.tasks.fine_tune.listeners.base import LiveMoment
from embedlab.tasks.fine_tune.listeners.best_step import BestStep
from embedlab.tasks.fine_tune.listeners.early_stopping import EarlyStopping
from embedlab.tasks.fine_tune.listeners.live_rows import LiveRows
from embedlab.tasks.fine_tune.listeners.terms import Terms
from embedlab.tasks.fine_tune.listeners.watching import Watching
from embedlab.tasks.fine_tune.opening import open_run
from embedlab.tasks.fine_tune.preparing import prepared
from embedlab.training.live import LivePoint
from embedlab.training.loop import TrainingStep
from embedlab.training.settings import RunSettings
from embedlab.training.watchdog import Spread


def step(number: int, **terms: float) -> TrainingStep:
    return TrainingStep(
        number, texts=16 * number, seconds=float(number), learning_rate=0.1, terms={"loss": 1.0, **terms}
    )


def point(score: float | None = None) -> LivePoint:
    return LivePoint(Spread(50.0, 0.9, 512), score, 10, 10)


def training_of(tiny: dict, **more):
    """A training of the toy corpus that nothing was done of yet, in a run of its own."""
    settings = {**tiny, "encoder": "token", **more}
    folder = create_run("train", settings)
    return prepared(open_run(folder, validated(RunSettings, settings), open_corpus(tiny["corpus"]), silent))


def training_at(folder, **facts) -> SimpleNamespace:
    """What a listener sees of a training, without one."""
    return SimpleNamespace(folder=folder, planned=4000, done=step(3), **facts)


def test_every_key_is_its_own_and_no_file_of_a_checkpoint():
    keys = [each.key for each in LISTENERS]
    assert len(set(keys)) == len(keys) and not {"encoder", "objective", "optimiser", "random"} & set(keys)


def test_the_state_of_each_is_json_and_tensors_and_survives_being_handed_to_another(tiny):
    """After eight steps with two live points; what another one makes of the state is the same state."""
    first, second = (training_of(tiny, evaluate_every=4, max_steps=8) for _ in range(2))
    assert {type(each) for each in first.listeners} <= set(LISTENERS) and len(first.listeners) >= 6
    first.resume()
    first.run(FolderProgress(first.folder))
    for each, other in zip(first.listeners, second.listeners, strict=True):
        facts, tensors = each.state()
        other.begin()
        other.restore(8, json.loads(json.dumps(facts)), tensors)
        facts_again, tensors_again = other.state()
        assert json.dumps(facts_again) == json.dumps(facts) and tensors_again.keys() == tensors.keys(), each.key
        assert all(torch.equal(tensors_again[name], tensors[name]) for name in tensors), each.key


def test_only_the_first_of_several_processes_is_looked_at(tiny):
    settings = {**tiny, "encoder": "token", "early_stopping": 1}
    folder, corpus = create_run("train", settings), open_corpus(tiny["corpus"])
    opened = open_run(folder, validated(RunSettings, settings), corpus, silent)
    assert prepared(opened, is_watched=False).listeners == []


def test_all_processes_of_a_run_set_the_same_texts_aside(tiny):
    """Without labels a fitted length is judged by a tenth of the texts: the others must not train on it either."""
    from embedlab.corpora.base import Draft, store_corpus

    bare = store_corpus(Draft(name="bare", source="x", texts=open_corpus(tiny["corpus"]).texts))
    asked = {"corpus": bare.info.fingerprint, "encoder": "words", "recipe": "sentences", "vocabulary_size": 300}
    opened = open_run(create_run("train", asked), validated(RunSettings, asked), bare, silent)
    first, other = prepared(opened), prepared(opened, is_watched=False)
    assert first.judged_by == other.judged_by == "loss"
    assert first.batches.rows.tolist() == other.batches.rows.tolist() and len(other.batches.rows) == 108


def test_the_best_step_is_the_first_of_the_highest_score():
    encoder = torch.nn.Linear(2, 2)
    best = BestStep(SimpleNamespace(encoder=SimpleNamespace(copied_state=encoder.state_dict)))
    rows = []
    for number, score in enumerate((0.3, 0.5, 0.5, 0.4, None)):
        moment = LiveMoment(step(number), point=point(score))
        best.at_live_point(moment)
        rows.append(moment.row["best"])
    assert rows == [True, True, False, False, False]
    assert (best.steps, best.score, best.points_since) == (1, 0.5, 3)


@pytest.mark.parametrize("more", [{}, {"adapter": {"kind": "lora"}}], ids=["whole", "adapter"])
def test_the_best_step_and_the_last_change_places_and_back(tiny, more):
    """Whichever of both is not in the encoder waits beside it."""
    training = training_of(tiny, encoder="scratch:bert-tiny", **more)
    with torch.no_grad():
        for number, weights in enumerate(training.encoder.trained_state().values()):
            weights.fill_(number)
    last = training.encoder.copied_state()
    best = {name: weights + 0.5 for name, weights in last.items()}
    training.best.weights = dict(best)
    for in_encoder, aside in ((best, last), (last, best)):
        training.exchange_best()
        states = training.encoder.trained_state(), training.best.weights
        for state, expected in zip(states, (in_encoder, aside), strict=True):
            assert state.keys() == expected.keys()
            assert all(torch.equal(state[name], expected[name]) for name in expected)


@pytest.mark.parametrize(("since", "ends"), [(2, False), (3, True), (4, True)])
def test_patience_ends_a_training_at_the_point_that_exhausts_it(since, ends):
    moment = LiveMoment(step(9), point=point(0.1))
    EarlyStopping(SimpleNamespace(points_since_best=since), patience=3).at_live_point(moment)
    assert moment.ends is ends


def test_nothing_ends_early_where_nothing_can_judge():
    opened = SimpleNamespace(settings=SimpleNamespace(early_stopping=None, schedule="fitted"))
    assert EarlyStopping.of(SimpleNamespace(is_judged=False), opened) is None
    assert EarlyStopping.of(SimpleNamespace(is_judged=True), opened).patience == 3


def test_terms_are_written_evenly_and_at_the_last_step(store):
    folder = create_run("train", {"corpus": "x"})
    terms = Terms(training_at(folder))
    for number in (1, 2, 3, 4, 3999, 4000):
        terms.after_step(step(number, alignment=float("nan")))
    rows = read_rows(folder.terms)
    assert [row["step"] for row in rows] == [2, 4, 4000]  # 4,000 steps: every second one
    assert rows[0]["alignment"] is None and rows[0]["texts_per_second"] == 16
    terms.restore(2, {}, {})
    assert [row["step"] for row in read_rows(folder.terms)] == [2]
    terms.begin()
    assert read_rows(folder.terms) == []


def test_what_is_noticed_between_two_points_has_a_row_of_its_own(store):
    folder = create_run("train", {"corpus": "x"})
    rows = LiveRows(training_at(folder))
    rows.at_live_point(LiveMoment(step(0)))  # nothing was measured
    rows.at_live_point(
        LiveMoment(step(2), point=point(0.4), row={"best": True}, notices=[Note(code="W-X", message="Odd.")])
    )
    rows.on_notice(Note(code="E-MEMORY", message="Too large."))
    told = read_rows(folder.metrics)
    assert [(row["step"], row["full"], row["notices"][0]["code"]) for row in told] == [
        (2, False, "W-X"),
        (3, False, "E-MEMORY"),
    ]
    assert told[0]["best"] is True and told[0]["development"] == 0.4 and told[1]["knn"] is None
    append_row(folder.metrics, {"step": 4})
    rows.restore(2, {}, {})
    assert [row["step"] for row in read_rows(folder.metrics)] == [2]


def test_the_watchdog_goes_on_with_every_loss():
    watching = Watching(SimpleNamespace())
    for number in range(120):
        watching.after_step(step(number))
    watching.at_live_point(LiveMoment(step(119), point=point()))
    again = Watching(SimpleNamespace())
    again.restore(119, *watching.state())
    assert again.watchdog == watching.watchdog and len(again.watchdog.losses) == 120
    moment = LiveMoment(step(120), point=point())
    again.at_live_point(moment)
    assert [notice.code for notice in moment.notices] == ["W-NOT-LEARNING"]
