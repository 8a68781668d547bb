"""A run embeds no text twice by the same weights, and what it reuses is what embedding again would give."""

from collections import Counter

import numpy as np
import pytest
from doing import do, result_of
from tiny_models import hub_folder

from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.distance import COSINE, EUCLIDEAN
from embedlab.encoders import embed
from embedlab.encoders.load import load_encoder
from embedlab.jobs.progress import FolderProgress
from embedlab.measurement import from_row
from embedlab.metrics.knn import knn_accuracy
from embedlab.metrics.split import paper_split
from embedlab.progress import silent
from embedlab.runs.curve import live_facts
from embedlab.runs.film_files import read_film
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, fingerprint_of, read_rows
from embedlab.tasks import TASKS
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.fine_tune.listeners import live_accuracy
from embedlab.tasks.measure.embedded import embed_aside, load_embeddings
from embedlab.training.live import LiveCurve
from embedlab.training.preparation import HeldOutLoss
from embedlab.training.step_vectors import StepVectors, TextVectors


@pytest.fixture
def layered(tiny) -> dict:
    """One epoch of eight steps with live points after 0, 4 and 8, of an encoder with layers, and no map."""
    return {**tiny, "encoder": "scratch:bert-tiny", "epochs": 1, "max_length": 32, "live_map": False}


@pytest.fixture
def read(monkeypatch) -> Counter:
    """How often each text was embedded: its token ids, and the number of times; crops of live points excepted."""
    seen: Counter = Counter()
    real = embed._batches

    def counted(token_lists, *others):
        for rows in real(token_lists, *others):
            seen.update(tuple(token_lists[row]) for row in rows)
            yield rows

    monkeypatch.setattr(embed, "_batches", counted)
    monkeypatch.setattr(LiveCurve, "_alignment", lambda *given: None)
    return seen


def embedded_again(folder, name: str) -> np.ndarray:
    """The vectors that the saved encoder gives now."""
    corpus = open_corpus(fingerprint_of(folder))
    return embed_aside(encoder_of_run(folder, name), corpus, device="cpu", progress=silent, name=name)


def live_rows(folder) -> list[dict]:
    return [row for row in read_rows(folder.metrics) if not row["full"]]


@pytest.mark.parametrize(
    ("asked", "times"),
    [
        ({}, {3}),  # the live points after 0, 4 and 8 steps; the untouched vectors and the last are among them
        ({"live_texts": 0}, {2}),  # no live points
        ({"live_map": True}, {3}),
        ({"evaluate_every": 100}, {2}),
    ],
)
def test_every_text_is_embedded_once_by_the_weights_of_a_step(layered, read, asked, times):
    do("train", {**layered, **asked, "embedding_precision": "fp32"})
    assert len(read) == 120 and set(read.values()) == times


def test_a_sample_is_read_between_the_first_point_and_the_last_which_read_all(layered, read, monkeypatch):
    monkeypatch.setattr(live_accuracy, "fits_in_its_share", lambda of_point, of_training: False)
    folder = do("train", {**layered, "live_texts": 60, "live_map": True, "embedding_precision": "fp32"})
    facts = live_facts(folder)  # 12 test texts, and 48 neighbors: first of all the 11 development texts
    assert (facts.test_texts, facts.neighbors, facts.development_texts) == (12, 48, 11)
    assert Counter(read.values()) == {2: 60, 3: 60} and len(read_film(folder).rows) == 60


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"live_map": True},
        {"recipe": "dropout"},
        {"recipe": "supervised"},
        {"recipe": "mlm"},
        {"adapter": {"rank": 2}, "embedding_precision": "fp32"},  # merged weights round otherwise in bf16
        {"embedding_precision": "bf16"},
        {"precision": "bf16"},
        {"train_on": "train_split"},
        {"prompts": {"document": "passage: "}},
        {"judged_by": "loss"},
        {"dimensions": 24},
        {"encoder": "token"},
        {"encoder": "words", "recipe": "sentences"},
    ],
    ids=str,
)
def test_what_is_reused_is_what_embedding_again_gives(layered, asked):
    folder = do("train", {**layered, **asked})
    for name in ("before", "after"):
        np.testing.assert_allclose(np.array(load_embeddings(folder, name)), embedded_again(folder, name), atol=2e-6)
    result, line = result_of(folder), live_rows(folder)
    knn = [from_row(row["knn"]).by(EUCLIDEAN).value for row in (line[0], line[-1])]
    assert knn == [result["knn"][side] for side in ("before", "after")]


def test_the_accuracy_of_the_best_step_is_that_of_its_saved_encoder(layered):
    folder = do("train", {**layered, "learning_rate": 0.3, "evaluate_every": 1, "max_steps": 3})  # spoils the encoder
    result, corpus = result_of(folder), open_corpus(layered["corpus"])
    assert result["kept"]["best_step"] < 3 and folder.best_encoder.is_dir()
    split = paper_split(corpus.texts, corpus.labels, corpus.kept)
    encoder = load_encoder(str(folder.best_encoder))
    vectors = embed_aside(encoder, corpus, device="cpu", progress=silent, name="best step")
    for distance, knn in ((EUCLIDEAN, result["knn"]), (COSINE, result["knn"][COSINE])):
        found = knn_accuracy(embeddings=vectors, labels=corpus.labels, split=split, distance=distance)
        assert knn["best"] == pytest.approx(found.value)
    assert result["knn"]["best"] != result["knn"]["after"]


def stopped_after(settings: dict, steps: int):
    """A run that is stopped after these steps."""
    request = TASKS["train"].read(settings)
    folder = create_run("train", request.stored)

    class Stops(FolderProgress):
        def __call__(self, stage, done=0, total=0):
            if stage == "Fine-tuning" and done == steps:
                folder.stop.touch()
            super().__call__(stage, done, total)

    state = TASKS["train"].run(folder, request, Stops(folder))
    write_state(folder, state)
    return folder, state


@pytest.fixture
def second_is_best(monkeypatch):
    """The held-out loss is least after two steps."""
    scores = iter([-9.0, -8.0, -1.0, -2.0, -3.0, -4.0])
    monkeypatch.setattr(HeldOutLoss, "score", lambda *given: next(scores))


def test_a_stopped_run_has_the_vectors_of_the_step_that_it_keeps(layered, read, second_is_best):
    asked = {**layered, "embedding_precision": "fp32", "judged_by": "loss", "evaluate_every": 1}
    folder, state = stopped_after(asked, 5)
    assert state is State.STOPPED and result_of(folder)["kept"]["step"] == 2
    assert set(read.values()) == {6}  # points after 0 to 5 steps: those of step 2 are the result's
    np.testing.assert_allclose(np.array(load_embeddings(folder, "after")), embedded_again(folder, "after"), atol=2e-6)


def test_the_best_step_is_tested_on_the_vectors_of_its_live_point(layered, read, second_is_best):
    asked = {**layered, "embedding_precision": "fp32", "judged_by": "loss", "evaluate_every": 1, "max_steps": 5}
    folder = do("train", asked)
    assert result_of(folder)["kept"]["best_step"] == 2 and set(read.values()) == {6}
    knn = [from_row(row["knn"]).euclidean.value for row in live_rows(folder)]
    assert [result_of(folder)["knn"][name] for name in ("best", "after")] == [knn[2], knn[5]]


def test_a_resumed_run_ends_with_the_vectors_of_one_that_was_not_stopped(layered):
    asked = {**layered, "checkpoint_every": 2}
    folder, _ = stopped_after(asked, 5)
    folder.stop.unlink()
    TASKS["train"].run(folder, TASKS["train"].read(asked), FolderProgress(folder))
    whole = do("train", asked)
    for name in ("before", "after"):
        assert np.array_equal(load_embeddings(folder, name), load_embeddings(whole, name))
    assert result_of(folder)["knn"] == result_of(whole)["knn"]


def test_a_decoder_that_sees_both_ways_from_its_first_step_on_is_embedded_again(toy_corpus, tmp_path, layered):
    folder = hub_folder(tmp_path / "decoder", "qwen3", list(toy_corpus.texts))
    asked = {**layered, "encoder": str(folder), "bidirectional": True, "learning_rate": 1e-9, "max_length": 24}
    run = do("train", asked)
    before, after = (np.array(load_embeddings(run, name)) for name in ("before", "after"))
    first, last = (from_row(row["knn"]) for row in (live_rows(run)[0], live_rows(run)[-1]))
    assert np.abs(before - after).max() > 1e-3  # though nothing was learned
    assert first == last and last.euclidean.value == pytest.approx(result_of(run)["knn"]["after"])


@pytest.mark.parametrize("labels", [None, "some", "one class", "copies"])
def test_odd_corpora_have_the_vectors_of_every_text(layered, toy_corpus, labels):
    texts, names = list(toy_corpus.texts), list(toy_corpus.labels)
    if labels == "copies":
        texts[40:60] = texts[:20]
    given = {
        None: None,
        "some": [name if row % 2 else None for row, name in enumerate(names)],
        "one class": ["law"] * len(names),
        "copies": names,
    }[labels]
    corpus = store_corpus(Draft(name="odd", source="x", texts=texts, labels=given))
    folder = do("train", {**layered, "corpus": corpus.fingerprint, "live_map": True})
    for name in ("before", "after"):
        np.testing.assert_allclose(np.array(load_embeddings(folder, name)), embedded_again(folder, name), atol=2e-6)
    film = read_film(folder)
    assert [facts.step for facts in film.facts] == [0, 4, 8] and len(film.rows) == 120


def test_vectors_are_those_of_their_rows_and_steps():
    some = TextVectors(np.array([[1.0], [5.0], [7.0]], np.float32), np.array([1, 5, 7]))
    assert some.has(np.array([7, 1])) and not some.has(np.array([1, 2]))
    assert some.at(np.array([5, 7]))[:, 0].tolist() == [5.0, 7.0]
    assert some.everywhere(9)[:, 0].tolist() == [0, 1, 0, 0, 0, 5, 0, 7, 0]
    every = TextVectors(np.arange(4.0)[:, None])
    assert every.has(np.arange(4)) and every.at(np.array([3]))[0, 0] == 3.0
    steps = StepVectors()
    steps.keep(0, every)
    steps.keep(3, some)
    assert (
        steps.of(0, np.arange(4)) is every and steps.of(3, np.array([0])) is None and steps.of(1, np.arange(1)) is None
    )
    steps.forget_others({3, None})
    assert steps.of(0, np.arange(4)) is None and steps.of(3, np.array([5])) is some
