"""The live map of a run: its frames, Stop, resume, collapse, corpora without labels, and that it changes no number."""

from types import SimpleNamespace

import numpy as np
import pytest
from doing import do

from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.jobs.progress import FolderProgress
from embedlab.measurement import from_row
from embedlab.plane import radius
from embedlab.runs.film_files import frame_rows, read_film
from embedlab.runs.store import create_run, read_rows
from embedlab.store_root import read_json
from embedlab.tasks import TASKS
from embedlab.tasks.fine_tune.listeners.film import Film


def steps(folder) -> list[int]:
    return [row.step for row in frame_rows(folder)]


def test_every_evaluation_leaves_a_frame_of_the_same_texts(token_run):
    film = read_film(token_run)
    live = [row for row in read_rows(token_run.metrics) if not row["full"]]
    assert [facts.step for facts in film.facts] == [row["step"] for row in live] == [0, 4, 8, 12, 16]
    assert [facts.knn for facts in film.facts] == [from_row(row["knn"]) for row in live]
    assert len(film.rows) == 120 and all(frame.shape == (120, 2) for frame in film.frames)
    assert not any(facts.note for facts in film.facts)


@pytest.mark.parametrize("encoder", ["token", "scratch:bert-tiny"])
def test_an_encoder_that_hardly_changes_leaves_the_map_where_it_is(tiny, encoder):
    film = read_film(do("train", {**tiny, "encoder": encoder, "learning_rate": 1e-9}))
    for last, frame in zip(film.frames, film.frames[1:], strict=False):
        assert np.linalg.norm(frame - last, axis=1).mean() < 0.02 * radius(last)
    trained = read_film(do("train", {**tiny, "epochs": 6, "evaluate_every": 16})) if encoder == "token" else None
    if trained is not None:  # and one that learns moves it
        ends = trained.frames[0], trained.frames[-1]
        assert np.linalg.norm(ends[1] - ends[0], axis=1).mean() > 0.2 * radius(ends[0])


def test_the_map_changes_no_number(tiny, token_run):
    without = do("train", {**tiny, "live_map": False})
    assert read_json(token_run.result)["weights_hash"] == read_json(without.result)["weights_hash"]
    told = [[(r["step"], r["knn"], r["development"]) for r in read_rows(f.metrics) if not r["full"]]
            for f in (token_run, without)]  # fmt: skip
    assert told[0] == told[1] and read_film(without) is None and not without.film.exists()


def test_texts_without_labels_have_a_film_too(tiny):
    bare = store_corpus(Draft(name="bare", source="x", texts=open_corpus(tiny["corpus"]).texts))
    film = read_film(do("train", {**tiny, "corpus": bare.info.fingerprint}))
    assert len(film.rows) == 120 and len(film.frames) == 5 and film.facts[0].knn is None


def test_a_resumed_run_drops_later_frames_and_ends_with_the_film_of_an_unbroken_one(tiny):
    settings = {**tiny, "epochs": 3, "checkpoint_every": 6}
    folder = create_run("train", settings)

    class StopsAtEleven:
        raises, stop_file = True, folder.stop

        def __call__(self, stage, done=0, total=0):
            if stage == "Fine-tuning" and done == 11:
                folder.stop.touch()

    TASKS["train"].run(folder, TASKS["train"].read(settings), StopsAtEleven())
    assert steps(folder) == [0, 4, 8, 11]  # the last one is always drawn
    folder.stop.unlink()
    TASKS["train"].run(folder, TASKS["train"].read(settings), FolderProgress(folder))
    whole = do("train", settings)
    assert steps(folder) == steps(whole) == [0, 4, 8, 12, 16, 20, 24]
    for ours, theirs in zip(read_film(folder).frames, read_film(whole).frames, strict=True):
        assert np.array_equal(ours, theirs)


def test_a_collapse_repeats_the_last_frame_with_a_note_and_training_goes_on(tiny, monkeypatch):
    from embedlab.training.live import LiveCurve

    real, calls = LiveCurve.measure, {"n": 0}

    def collapses(self, *given):
        point = real(self, *given)
        calls["n"] += 1
        if calls["n"] in (3, 4):
            self.probe_embeddings = np.ones_like(self.probe_embeddings)
        return point

    monkeypatch.setattr(LiveCurve, "measure", collapses)
    folder = do("train", tiny)
    film = read_film(folder)
    notes = [facts.note for facts in film.facts]
    assert notes[:2] == ["", ""] and "same vector" in notes[2] and "same vector" in notes[3] and notes[4] == ""
    assert np.array_equal(film.frames[2], film.frames[1]) and read_json(folder.result)["steps"] == 16


def test_frames_are_spaced_but_the_first_and_the_last_are_always_due():
    film = Film(SimpleNamespace(planned=1200), curve=None)
    assert film.is_due(0)
    film.last_step = 0
    assert not film.is_due(9) and film.is_due(10) and film.is_due(3, ends=True) and not film.is_due(0, ends=True)
