"""The kinds of questions: any two sides, without an encoder where none is needed, and arrays as files."""

import numpy as np
import pytest
from doing import do

from embedlab.corpora.base import open_corpus
from embedlab.damage import as_model
from embedlab.jobs.questions import answered_array
from embedlab.plane import radius
from embedlab.runs.vectors import TwoTexts, between, stored_vectors
from embedlab.tasks.questions import _answer, _place


def sides(left, right, **more) -> dict:
    return {"before": {"run": left[0], "name": left[1]}, "after": {"run": right[0], "name": right[1], **more}}


def test_any_two_sides_can_be_asked_about(tiny, token_run):
    second = do("train", {**tiny, "epochs": 1})
    text = open_corpus(tiny["corpus"]).texts[7]
    question = {"kind": "neighbors", "run": token_run.id, "text": text, "k": 5, "method": "tsne"}
    own = _answer(question)
    other = _answer({**question, "run": second.id})
    asked = _answer({**question, "sides": sides((second.id, "after"), (token_run.id, "after"))})
    assert asked["before"] == other["after"] and asked["after"] == own["after"]
    assert own["before"]["rows"] == other["before"]["rows"]  # the same untouched encoder
    assert asked["before"] != asked["after"]


def test_rows_of_the_corpus_need_no_encoder(token_run):
    found = _answer({"kind": "row_neighbors", "run": token_run.id, "row": 11, "k": 9})
    for name in ("before", "after"):
        vectors = np.asarray(stored_vectors(token_run, name).embeddings, np.float64)
        apart = np.linalg.norm(vectors - vectors[11], axis=1)
        apart[11] = np.inf
        assert found[name]["distances"] == pytest.approx(np.sort(apart)[:9], rel=1e-5)
        assert 11 not in found[name]["rows"] and len(set(found[name]["rows"])) == 9
    # two texts, as a page computes them by itself
    found = _answer({"kind": "two_texts", "run": token_run.id, "first": 3, "second": 40})
    assert as_model(found["after"], TwoTexts) == between(stored_vectors(token_run, "after"), 3, 40)
    assert as_model(found["before"], TwoTexts) == between(stored_vectors(token_run, "before"), 3, 40)


def test_a_question_by_cosine_is_answered_by_cosine(token_run, tiny):
    found = _answer({"kind": "row_neighbors", "run": token_run.id, "row": 11, "k": 9, "distance": "cosine"})
    vectors = np.asarray(stored_vectors(token_run, "after").embeddings, np.float64)
    apart = 1 - vectors @ vectors[11] / np.linalg.norm(vectors, axis=1) / np.linalg.norm(vectors[11])
    apart[11] = np.inf
    assert found["after"]["distances"] == pytest.approx(np.sort(apart)[:9], abs=1e-7)  # of unit vectors in float32
    euclidean = _answer({"kind": "row_neighbors", "run": token_run.id, "row": 11, "k": 9})
    assert found["after"]["rows"] != euclidean["after"]["rows"]
    text = open_corpus(tiny["corpus"]).texts[11]
    asked = {"kind": "neighbors", "run": token_run.id, "text": text, "k": 10, "method": "tsne", "distance": "cosine"}
    typed = _answer(asked)["after"]
    assert typed["rows"][0] == 11 and typed["rows"][1:] == found["after"]["rows"]
    pair = {"kind": "two_texts", "run": token_run.id, "first": 3, "second": 40, "distance": "cosine"}
    two = as_model(_answer(pair)["after"], TwoTexts)
    assert two == between(stored_vectors(token_run, "after"), 3, 40, "cosine")
    refused = _answer({**pair, "distance": "manhattan"})["error"]["message"]
    assert "must be one of cosine, euclidean, but found 'manhattan'" in refused


def test_a_text_flies_from_its_place_as_it_is_and_its_neighbors_are_counted(layered_run):
    do("map", {"run": layered_run.id, "method": "tsne"})
    asked = {"run": layered_run.id, "text": "star galaxy orbit", "k": 5, "method": "tsne", "distance": "cosine"}
    found = _answer({"kind": "flight", "copies": [1, 4, 400], **asked})["after"]
    (once, repeated) = (
        _answer({"kind": "neighbors", **asked | {"text": text}})["after"]
        for text in ("star galaxy orbit", " ".join(["star galaxy orbit"] * 4))
    )
    assert found["near"][0]["rows"] == once["rows"] and found["near"][1]["rows"] == repeated["rows"]
    assert found["places"][:2] == [once["position"], repeated["position"]]
    assert found["stays"] == [5, *(len(set(once["rows"]) & set(each["rows"])) for each in found["near"][1:])]
    assert found["truncated_from"] == 400 and found["effective_copies"][:2] == [1, 4]
    unknown = _answer({"kind": "flight", "copies": [1], **asked | {"text": "☃"}})["after"]
    assert not unknown["is_known"]


def test_axes_are_the_cosines_to_both_phrases(token_run, tiny):
    texts = open_corpus(tiny["corpus"]).texts
    found = _answer({"kind": "axes", "run": token_run.id, "phrases": [texts[0], texts[5]]})
    cosines = answered_array(found["array"])
    assert cosines.shape == (2, 2, 120) and cosines.dtype == np.float32
    assert cosines[:, 0, 0] == pytest.approx(1, abs=1e-5) and cosines[:, 1, 5] == pytest.approx(1, abs=1e-5)
    after = np.asarray(stored_vectors(token_run, "after").embeddings, np.float64)
    after /= np.linalg.norm(after, axis=1, keepdims=True)
    assert cosines[1, 0] == pytest.approx(after @ after[0], abs=1e-5)
    assert cosines[0, 0] != pytest.approx(cosines[1, 0], abs=1e-3)
    assert found["has_tokens"] == {"before": [True, True], "after": [True, True]}


def test_an_unknown_phrase_is_said_and_has_no_cosines(token_run):
    found = _answer({"kind": "axes", "run": token_run.id, "phrases": ["a star", "\N{UNICORN FACE}"]})
    assert found["has_tokens"]["after"] == [True, False]
    assert np.isnan(answered_array(found["array"])[:, 1]).all() or not found["has_tokens"]["after"][1]


def test_of_a_preview_the_ten_nearest_shown_texts_place_a_text():
    distances = np.arange(100.0)
    coordinates = np.full((100, 2), np.nan)
    coordinates[5::5] = np.column_stack([np.arange(5, 100, 5), np.ones(19)])  # every fifth text is shown
    # the ten nearest that are shown: 5, 10 … 50, whose median is 27.5
    assert _place(distances, coordinates) == [27.5, 1.0]
    assert _place(distances, np.full((100, 2), np.nan)) is None


def test_a_map_drawn_anew_is_read_anew(token_run, tiny):
    do("map", {"run": token_run.id, "method": "pca"})
    text = open_corpus(tiny["corpus"]).texts[7]
    question = {"kind": "neighbors", "run": token_run.id, "text": text, "k": 5, "method": "pca"}
    first = np.array(_answer(question)["after"]["position"])
    import pyarrow.parquet as pq

    from embedlab.runs.drawn_map import write_map

    table = pq.read_table(token_run.map("after", "pca"))
    places = np.column_stack([table["x"].to_numpy(), table["y"].to_numpy()])
    write_map(token_run.map("after", "pca"), table["id"].to_numpy(), places + 10 * radius(places))
    assert np.array(_answer(question)["after"]["position"]) - first == pytest.approx(10 * radius(places), rel=1e-3)


def test_cut_vectors_have_their_own_neighbors(token_run, tiny):
    question = {"run": token_run.id, "k": 9, "dimensions": 5}
    row = _answer({"kind": "row_neighbors", "row": 11, **question})["after"]
    vectors = np.load(token_run.embeddings("after"))[:, :5].astype(np.float64)
    apart = np.linalg.norm(vectors - vectors[11], axis=1)
    apart[11] = np.inf
    assert row["distances"] == pytest.approx(np.sort(apart)[:9], rel=1e-5)
    text = open_corpus(tiny["corpus"]).texts[11]
    typed = _answer({"kind": "neighbors", "text": text, "method": "tsne", **question})["after"]
    assert typed["rows"] == [11, *row["rows"][:8]]
