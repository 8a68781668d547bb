"""What the words mean: folded until somebody opens it, drawn of the corpus's own texts, also of the example's."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from seen import words

from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.figures.words_drawn import alike
from embedlab.report.nearest_texts import chosen_text, winner
from embedlab.runs.example import MINI, example_corpus, example_run
from embedlab.runs.store import fingerprint_of
from embedlab.store_root import write_json
from embedlab.ui.components.loaded_maps import load_map
from embedlab.ui.components.words_explained import ASKS


def open_words(at, run_id: str):
    at.session_state[f"words.open-{run_id}"] = True
    return at.run()


def drawn_map(run, places: np.ndarray) -> None:
    columns = {"id": pa.array(range(len(places)), pa.int32()), "x": places[:, 0], "y": places[:, 1]}
    run.map("after", "tsne").parent.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), run.map("after", "tsne"))
    write_json(run.map_facts("after", "tsne"), {"method": "tsne", "seed": 0})


def alts(at) -> list[str]:
    return [image.alt for images in at.get("image") for image in images.proto.imgs]


def test_of_equal_votes_the_first_in_sorted_order_wins_as_in_knn_accuracy():
    assert winner(["boat", "judge", "judge"]) == "judge" and winner(["judge", "boat"]) == "boat"


def test_the_two_texts_share_a_rare_word_and_are_no_copies():
    texts = [
        "the verdict of a judge",
        "a verdict was found today",
        "the verdict of a judge again",
        "the old star",
        "the butter and flour",
        "a comet",
    ]
    texts += [f"the word{n}" for n in range(30)]
    assert alike(texts) == ("the verdict of a judge", "a verdict was found today", {"verdict"})
    few = [f"star {'comet' if n % 2 else 'rudder'} orbit{n} moon{n}" for n in range(40)]  # no shared word is rare
    assert alike(few)[2] == {"star", "rudder"}
    assert alike(["same words here", "same words here too", "other"])[2] == set()


def test_the_example_explains_its_words_when_asked(open_page):
    at = open_page("home")
    assert ASKS in [each.label for each in at.expander] and "TF-IDF**: two texts" not in words(at)
    at = open_words(at, MINI)
    assert not at.exception and "**kNN accuracy**: of 100 texts" in words(at)
    assert "nearest texts on the map" in words(at) and len(alts(at)) == 3
    assert "becomes a point among texts on" in alts(at)[0] and "vote for" in alts(at)[1]


def test_a_text_is_chosen_whose_neighbors_are_right_but_not_all_agree(made_run, toy_corpus):
    run = example_run(MINI)
    corpus = example_corpus(MINI)
    chosen = chosen_text(run, corpus, load_map(run, "after"), "cosine")
    labels = [corpus.labels[row] for row in chosen.near]
    assert labels.count(corpus.labels[chosen.row]) == 2 and chosen.row not in chosen.near
    places = load_map(run, "after")
    apart = np.linalg.norm(places.coordinates - places.coordinates[np.searchsorted(places.rows, chosen.row)], axis=1)
    near = apart[np.searchsorted(places.rows, chosen.near)]  # some lie on one spot
    np.testing.assert_array_equal(np.sort(near), np.sort(apart)[1:4])


@pytest.mark.parametrize("page", ["result"])
def test_a_run_explains_them_by_its_own_map(open_page, made_run, page):
    run = made_run("token")
    corpus = open_corpus(fingerprint_of(run))
    drawn_map(run, np.random.default_rng(0).normal(size=(corpus.info.rows, 2)))
    at = open_words(open_page(page, run=run.id), run.id)
    assert not at.exception and len(alts(at)) == 3


@pytest.mark.parametrize(
    ("labels", "pictures"),
    [(None, 2), (["one"] * 8, 3), ([None] * 7 + ["a"], 2), ([f"class {n}" for n in range(8)], 3)],
)
def test_odd_corpora_are_explained_as_far_as_they_go(open_page, made_run, store, monkeypatch, labels, pictures):
    texts = ['a "quoted" star\nand more', "<b>butter</b> $x$ & flour", "star"] + [f"keel rudder {n}" for n in range(5)]
    corpus = store_corpus(Draft(name="odd", source="toy", texts=texts, labels=labels))
    run = made_run("token")
    drawn_map(run, np.arange(16.0).reshape(8, 2))
    monkeypatch.setattr("embedlab.ui.components.words_explained.corpus_of", lambda _: corpus)
    at = open_words(open_page("result", run=run.id), run.id)
    assert not at.exception and len(alts(at)) == pictures
    assert ("have no labels" in words(at)) == (labels is None)


def test_before_there_is_a_map_the_words_are_said_and_counting_is_drawn(open_page, made_run):
    run = made_run("token", state="stopped")
    at = open_words(open_page("result", run=run.id), run.id)
    assert not at.exception and "**Embedding**: the position" in words(at)
    assert [alt.startswith("Two texts") for alt in alts(at)] == [True]


def test_a_run_at_work_explains_them_below_its_live_picture(open_page, made_run):
    run = made_run("token", state="queued")
    at = open_words(open_page("result", run=run.id), run.id)
    assert not at.exception and "**TF-IDF**: two texts" in words(at)
