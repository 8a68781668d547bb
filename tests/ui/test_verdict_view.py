"""The verdict on a page: the first sentence large, below it references, folds, training texts and seeds."""

from dataclasses import replace

import numpy as np
import pytest
from builders import change, change_result, folds, knn, leave_predictions
from seen import words

from embedlab.encoder_catalog.catalog import CatalogEncoder
from embedlab.runs.result import read_result
from embedlab.runs.state import State, write_state
from embedlab.statistics.verdict import PairedCorrectness
from embedlab.tasks.fine_tune.results import judged_by
from embedlab.ui.run.result_view import _first_distinct, better, verdict_lines

TRAINED_ON = {"code": "I-TRAINED-ON", "message": "Trained on all texts, including the test texts, without labels."}


@pytest.fixture
def judged_run(made_run):
    """``judged_run(seed=1)``: a run with a whole verdict and predictions on 80 test texts."""

    def made(*, seed: int = 0, gained: int = 30, **settings):
        run = made_run(seed=seed, **settings)
        right = np.arange(80) < gained
        more = np.arange(80) < gained + 8  # cosine finds eight more
        lines = {"tfidf": right, "svd": ~right}
        both = {
            "euclidean": PairedCorrectness(np.zeros(80, bool), right, lines),
            "cosine": PairedCorrectness(np.zeros(80, bool), more, lines),
        }  # fmt: skip
        found = {"judged": judged_by(both), "warnings": [TRAINED_ON]}
        change_result(run, knn=knn((0.4, 0.6, 0.55), (0.41, 0.61, 0.56), n=80), **found)
        said = ((["y"] * 80, np.where(each, "x", "y").tolist()) for each in (right, more))
        leave_predictions(run, ["x"] * 80, *said)
        asked = {"corpus": read_result(run).corpus.fingerprint, "recipe": "crops", "seed": seed, **settings}
        write_state(run, State.FINISHED, settings=asked)
        return run

    return made


def test_the_first_sentence_is_large_and_the_rest_small(open_page, judged_run):
    run = judged_run()
    change_result(run, folds=folds(0.4, 0.65, change_=(0.25, 0.2, 0.3), against={"tfidf": (0.05, -0.1, 0.1)}))
    at = open_page("result", run=run.id)
    assert not at.exception
    large = [element.value.replace("\\", "") for element in at.subheader]
    assert (
        "Neighbors now predict the right label for 65 of 100 texts, up from 40. Counting words alone (TF-IDF): 60."
        in large
    )
    small = [element.value.replace("\\", "") for element in at.caption]
    assert any("Helped: kNN accuracy +25.0 points (cosine, 95 %: 20.0 … 30.0)" in e and "new texts" in e for e in small)
    shown = {metric.label: metric.value for metric in at.metric}
    assert shown["kNN accuracy (cosine), before"].startswith("40.0 %") and shown["after"].startswith("65.0 %")
    assert shown["TF-IDF"] == "60.0 %"
    (folded,) = (each for each in at.expander if each.label == "How sure is this?")
    small = folded.caption[0].value.replace("\\", "")
    assert small.startswith(
        "kNN accuracy (cosine) +25.0 points (95 %: 20.0 … 30.0) against the untouched encoder, over "
    )
    assert "Against TF-IDF +5.0 points (95 %: " in small
    assert "With 120 texts, differences under about 5." in small
    assert "kNN accuracy (Euclidean distance) 40.0 % → 65.0 %, +25.0 points (95 %: 20.0 … 30.0)." in small
    assert "On the paper's split, 80 test texts: kNN accuracy (cosine) 41.0 % → 61.0 %, +47.5 points (95 %: " in small
    assert words(at).count("Trained on all texts, including the test texts") == 1


@pytest.mark.parametrize(("seeds", "said"), [(2, "These runs, 2 seeds together: +"), (3, "This recipe, 3 seeds")])
def test_runs_that_differ_in_their_seed_speak_together(judged_run, seeds, said):
    runs = [judged_run(seed=seed, gained=30 + seed) for seed in range(seeds)]
    judged_run(seed=9, batch_size=2)
    lines = verdict_lines(runs[0], read_result(runs[0]))
    assert said in lines[-2] and "on 80 test texts." in lines[-2] and lines[-1] == TRAINED_ON["message"]


def test_helped_follows_the_switch_and_so_do_the_seeds(open_page, judged_run):
    judged_run(seed=1), judged_run(seed=2)
    run = judged_run()
    at = open_page("result", run=run.id, distance="euclidean")
    large = [element.value.replace("\\", "") for element in (*at.subheader, *at.caption)]
    assert any("Helped: kNN accuracy +37.5 points (Euclidean distance, 95 %: " in e for e in large)
    assert any("for 48 of the 80 tested texts, up from 32. Counting words alone (TF-IDF): 56." in e for e in large)
    assert "3 seeds together: +37.5 points (95 %: " in words(at) and "with Euclidean distance on 80" in words(at)
    at.segmented_control(key="distance").set_value("cosine").run()
    assert "3 seeds together: +47.5 points (95 %: " in words(at) and "with cosine on 80" in words(at)


def test_what_is_offered_is_what_was_measured_to_help_and_is_here_and_is_something_else(monkeypatch):
    monkeypatch.setattr(CatalogEncoder, "is_here", property(lambda encoder: encoder.key != "minilm"))
    assert better("token", "crops")[:2] == [("words", "sentences"), ("token", "sentences")]
    assert better("words", "sentences") == [("token", "sentences"), ("scratch:bert-mini", "coco-dr")]


@pytest.mark.parametrize("gained", [30, 75])
def test_where_counting_words_is_clearly_better_two_things_to_try_are_offered(
    open_page, judged_run, monkeypatch, gained
):
    run = judged_run(gained=10)
    found = read_result(run).judged
    tfidf = change(-0.2, -0.3, -0.1 if gained == 30 else 0.1)
    against = found.cosine.against | {"tfidf": tfidf}
    change_result(run, judged=replace(found, cosine=found.cosine.model_copy(update={"against": against})))
    at = open_page("result", run=run.id)
    assert not at.exception
    tried = [button for button in at.button if str(button.key).startswith("try-")]
    assert [button.label.replace("\\", "") for button in tried] == (
        ["Try Sentences with Words of the corpus", "Try Sentences with Token embeddings, from scratch"]
        if gained == 30
        else []
    )
    assert ("counts words and learns nothing" in words(at)) == (gained == 30)
    if tried:
        tried[0].click().run()
        assert at.session_state["train.recipe"] == "sentences" and at.session_state["train.encoder"] == "words"


def test_of_copies_that_moved_one_is_listed():
    copies = np.array([7, 7, 3, 7, 5, 1, 2, 8])  # a number for each distinct text
    assert _first_distinct(np.array([3, 1, 0, 2]), copies) == [3, 2]
    assert _first_distinct(np.arange(8), copies) == [0, 2, 4, 5, 6], "five are listed"
    assert _first_distinct(np.empty(0, int), copies) == []
