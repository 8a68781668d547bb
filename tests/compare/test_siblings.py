"""Runs that differ in their seed only: which they are, and what they say together."""

import numpy as np
import pytest
from builders import both, change_result, judged, knn, leave_predictions, leave_result, shares

from embedlab.comparison.siblings import is_demo, pooled, siblings, texts_left_out, twin_without_test_texts
from embedlab.corpora.base import Draft, store_corpus
from embedlab.runs.example import DROPOUT, LEFT_OUT, MINI, example_run
from embedlab.runs.predictions import write_predictions
from embedlab.runs.result import Folds, read_result
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
from embedlab.statistics.intervals import counted_shares, paired_shares
from embedlab.statistics.seeds import pooled_seeds
from embedlab.training.demo import CORPUS, DEMO
from embedlab.training.settings import RunSettings

TEXTS = 80


@pytest.fixture
def seeded(store):
    """``seeded(3, gained=12)``: a finished run of this seed in which the first texts turned right."""

    def made(seed: int, *, gained: int = 10, state: State = State.FINISHED, first_row: int = 0, **settings):
        asked = {"corpus": "a" * 16, "recipe": "crops", "batch_size": 64, "maps": True, **settings, "seed": seed}
        run = create_run("train", asked, name=f"run {seed}")
        after, more = (np.where(np.arange(TEXTS) < right, "x", "y") for right in (gained, gained + 5))
        sides = ((["y"] * TEXTS, side.tolist()) for side in (after, more))  # cosine finds five more
        leave_predictions(run, ["x"] * TEXTS, *sides, rows=np.arange(TEXTS) + first_row)
        accuracy = knn((0.0, gained / TEXTS), (0.0, (gained + 5) / TEXTS), n=TEXTS)
        leave_result(run, steps=3, knn=accuracy, judged=both(judged()))
        write_state(run, state, settings=asked)
        return run

    return made


def test_siblings_agree_in_everything_but_seed_name_and_what_changes_no_number(seeded):
    run, other = seeded(0), seeded(1, maps=False)
    seeded(2, batch_size=32), seeded(3, corpus="b" * 16), seeded(4, state=State.STOPPED), seeded(5, state=State.FAILED)
    assert [each.id for each in siblings(run)] == [other.id]
    assert [each.id for each in siblings(other)] == [run.id]


def test_the_same_seed_again_counts_once_the_newest(seeded):
    first, again = seeded(0), seeded(0)
    older, newer = seeded(1), seeded(1)
    assert [each.id for each in siblings(first)] == [newer.id]
    assert pooled(first, "euclidean").seeds == (0, 1) and again.id != older.id


def test_three_seeds_are_pooled_each_against_its_own_step_0(seeded):
    runs = [seeded(seed, gained=gained) for seed, gained in ((0, 10), (1, 14), (2, 12))]
    found = pooled(runs[1], "euclidean")
    changes = np.array([[1] * gained + [0] * (TEXTS - gained) for gained in (14, 12, 10)])
    assert found.seeds == (0, 1, 2) and found.difference == pooled_seeds(changes)
    assert found.difference.value == pytest.approx(36 / 240)


def test_one_run_is_alone(seeded):
    run = seeded(7)
    found = pooled(run, "euclidean")
    assert found.seeds == (7,)
    assert found.difference == paired_shares(before=np.zeros(TEXTS, bool), after=np.arange(TEXTS) < 10)


def test_seeds_are_pooled_by_the_distance_asked_for(seeded):
    run, _ = seeded(0), seeded(1)
    found = pooled(run, "cosine")
    assert (found.distance, found.seeds) == ("cosine", (0, 1)) and found.difference.value == pytest.approx(15 / TEXTS)
    assert pooled(run, "euclidean").difference.value == pytest.approx(10 / TEXTS)


def test_runs_on_other_test_texts_are_not_pooled(seeded):
    run = seeded(0)
    seeded(1, first_row=1)
    assert pooled(run, "euclidean").seeds == (0,)


def test_a_run_without_predictions_has_nothing_to_pool(store, seeded):
    run = create_run("train", {"corpus": "a" * 16, "seed": 0})
    assert pooled(run, "euclidean") is None and siblings(run) == []
    damaged = seeded(0)
    damaged.predictions.write_text("no Parquet", encoding="utf-8")
    assert pooled(damaged, "euclidean") is None


def test_the_twin_has_the_same_settings_and_seed_and_left_the_test_texts_out(seeded):
    run = seeded(0, train_on="all")
    seeded(1, train_on="train_split"), seeded(0, train_on="train_split", batch_size=32)
    assert twin_without_test_texts(run) is None
    twin = seeded(0, train_on="train_split")
    assert twin_without_test_texts(run).id == twin.id and twin_without_test_texts(twin) is None


def test_a_run_is_shown_with_its_twin(seeded):
    run = seeded(0, train_on="all")
    assert texts_left_out(run) is None
    twin = seeded(0, gained=5, train_on="train_split")
    both_runs = texts_left_out(run)
    assert (both_runs.read.run, both_runs.unread.run, both_runs.is_example) == (run.id, twin.id, False)
    twin.result.unlink()
    assert texts_left_out(run) is None


@pytest.fixture
def topics(store) -> str:
    """The fingerprint of a corpus that stands in for the demo's."""
    texts = ["An array of numbers.", "A chart of lines."]
    return store_corpus(Draft(name=CORPUS, source=CORPUS, texts=texts, labels=["Arrays", "Charts"])).fingerprint


def demo_settings(corpus: str) -> dict:
    """The demo's settings on this corpus, without a seed."""
    stored = RunSettings.model_validate(DEMO | {"corpus": corpus}).stored
    return {name: value for name, value in stored.items() if name != "seed"}


def test_the_demo_is_shown_with_the_packaged_runs_until_it_has_a_twin(seeded, topics):
    demo = demo_settings(topics)
    run = seeded(3, **demo | {"device": "cpu", "maps": False})
    assert is_demo(run)
    packaged = texts_left_out(run)
    assert packaged.is_example
    assert (packaged.read, packaged.unread) == tuple(read_result(example_run(kind)) for kind in (MINI, LEFT_OUT))
    twin = seeded(3, **demo | {"train_on": "train_split"})
    assert texts_left_out(run).unread.run == twin.id and not texts_left_out(run).is_example


@pytest.mark.parametrize(
    "change", [{"epochs": 2}, {"encoder": "token"}, {"train_on": "train_split"}, {"corpus": "a" * 16}]
)
def test_a_run_with_other_settings_or_texts_than_the_demo_is_not_shown_with_the_packaged_runs(seeded, topics, change):
    run = seeded(0, **demo_settings(topics) | change)
    assert not is_demo(run) and texts_left_out(run) is None


def test_the_packaged_demo_is_shown_with_the_packaged_run_that_left_the_test_texts_out(store):
    packaged = texts_left_out(example_run(MINI))
    assert (packaged.read.run, packaged.unread.run, packaged.is_example) == (MINI, LEFT_OUT, False)
    assert texts_left_out(example_run(DROPOUT)) is None and texts_left_out(example_run(LEFT_OUT)) is None


def test_ten_folds_are_pooled_with_the_wider_interval(seeded):
    run = seeded(0)
    by_folds = Folds(before=shares(0.0, n=40), after=shares(0.25, n=40), judged=both(judged()))
    change_result(run, folds=by_folds)
    sides = {"before": ["y"] * 40, "after": ["x"] * 10 + ["y"] * 30}
    texts = {"row": list(range(40)), "label": ["x"] * 40}
    write_predictions(run.predictions_by_folds, texts, both(sides, sides))
    found = pooled(run, "cosine")
    assert found.protocol == "folds" and found.difference.n == 40 and found.difference.value == 0.25
    assert found.difference == counted_shares(n=40, gained=10, lost=0, widened=1.45)
