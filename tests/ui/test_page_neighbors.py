"""Neighbors: opens in every state, a picked text from the graph on disk, a typed one from the resident process."""

from dataclasses import replace

import numpy as np
import pytest
from builders import leave_state
from drawn_maps import write_maps, write_neighbors
from seen import maps, words

from embedlab.corpora.base import Draft, store_corpus
from embedlab.jobs.questions import ask_folder
from embedlab.report.nearest_texts import Nearest, most_frequent, nearest_of_answer, nearest_of_row, same_label
from embedlab.runs.state import State, write_state
from embedlab.runs.vectors import NearRows
from embedlab.store_root import read_json, write_json
from embedlab.ui.components.nearest import ROW, list_lines
from embedlab.ui.frame.state import DIMENSIONS, DISTANCE
from embedlab.ui.maps import neighbors

DISTANCES_OF_BOTH = ("euclidean", "cosine")


@pytest.fixture
def no_process(monkeypatch):
    """Questions are put, nobody answers by himself."""
    monkeypatch.setattr("embedlab.jobs.questions.submit", lambda request: None)


def answer_all(rows, *, known: bool = True, place=(1.0, 1.0)) -> list[dict]:
    """Answer every question that waits: these rows before, those two further on after; the questions."""
    asked = []
    for file in sorted(ask_folder().glob("*.question.json")):
        asked.append(read_json(file))
        side = {"distances": [0.1 * n for n in range(len(rows))], "is_known": known, "position": list(place)}
        both = {"before": {**side, "rows": list(rows)}, "after": {**side, "rows": [row + 2 for row in rows]}}
        write_json(ask_folder() / file.name.replace("question", "answer"), both)
        file.unlink()
    return asked


def test_without_a_run_it_says_what_to_do(open_page):
    assert "There is no run yet" in words(open_page("neighbors"))


@pytest.mark.parametrize("state", ["running", "failed", "interrupted"])
def test_it_opens_on_a_run_without_a_result(open_page, made_run, state):
    made_run(state=state)
    at = open_page("neighbors")
    assert not at.exception
    assert "See how it ended" in words(at) or state == "running"


def test_the_neighbors_of_a_picked_text_come_from_the_graph(open_page, made_run, toy_corpus):
    run = made_run()
    write_neighbors(run, toy_corpus)
    at = open_page("neighbors")
    assert not at.exception
    # before: rows 1 … 10, of which 4 and 8 have the label of row 0; after: rows 4, 8, … 40, which all have it
    said = "10 of its 10 nearest texts (cosine) share its label after fine-tuning, 2 before: +8. 8 of the 10 are new."
    assert said in words(at)
    assert words(at).count("gray-badge[left]") == 8
    assert words(at).count("blue-badge[new]") == 8
    assert "maps of this run are not drawn yet" in words(at)


def test_a_label_that_all_texts_share_is_not_counted_among_the_neighbors(open_page, made_run, toy_corpus):
    single = store_corpus(Draft(name="single", source="toy", texts=[*toy_corpus.texts], labels=["a"] * 120))
    run = made_run()
    write_state(run, State.FINISHED, fingerprint=single.fingerprint)
    write_neighbors(run, single)
    said = words(open_page("neighbors"))
    assert "8 of the 10 nearest (cosine) are new." in said and "of its 10 nearest" not in said and ":green" not in said


def test_with_maps_the_neighbors_are_marked_on_both(open_page, made_run, toy_corpus):
    run = made_run()
    write_neighbors(run, toy_corpus)
    write_maps(run, toy_corpus)
    at = open_page("neighbors")
    assert not at.exception
    sent = maps(at)
    assert len(sent) == 2
    assert all("this text" in part and "its nearest texts" in part for part in sent)


def test_a_clicked_text_can_be_the_next(open_page, made_run, toy_corpus):
    run = made_run()
    write_neighbors(run, toy_corpus)
    write_maps(run, toy_corpus)
    at = open_page("neighbors")
    at.session_state[f"map_400-neighbors-after-tsne-{run.id}"] = {"picked": 4}
    at.run()
    at.button(key="neighbors.onwards").click().run()
    assert not at.exception
    assert at.session_state[ROW] == 4
    assert at.text[0].value.startswith(toy_corpus.texts[4][:60])


def test_another_text_is_found_and_chosen(open_page, made_run, toy_corpus):
    run = made_run()
    write_neighbors(run, toy_corpus)
    at = open_page("neighbors")
    wanted = toy_corpus.texts[17]
    at.text_input(key="neighbors.search").set_value(wanted[:60].upper()).run()
    at.selectbox(key="neighbors.choice").set_value(17).run()
    assert at.session_state[ROW] == 17
    assert at.text[0].value.startswith(wanted[:60])


def test_a_search_shows_its_first_hit_and_leaves_the_text_where_nothing_is_found(open_page, made_run, toy_corpus):
    run = made_run()
    write_neighbors(run, toy_corpus)
    at = open_page("neighbors")
    at.text_input(key="neighbors.search").set_value(toy_corpus.texts[17][:60]).run()
    assert at.session_state[ROW] == 17 and at.text[0].value.startswith(toy_corpus.texts[17][:60])
    at.text_input(key="neighbors.search").set_value("no text holds this").run()
    assert at.session_state[ROW] == 17
    at.text_input(key="neighbors.search").set_value("").run()
    assert at.session_state[ROW] == 17 and not at.exception


def test_every_neighbor_is_a_click_away_with_the_way_back(open_page, made_run, toy_corpus):
    run = made_run()
    write_neighbors(run, toy_corpus)
    at = open_page("neighbors")
    assert not [button for button in at.button if button.label == "Back"]
    at.button(key="walk-before-2").click().run()  # before: rows 1, 2, 3 …
    assert at.session_state[ROW] == 3
    at.button(key="walk-after-0").click().run()  # after: four rows further on
    assert at.session_state[ROW] == 7 and at.text[0].value.startswith(toy_corpus.texts[7][:60])
    for row in (3, 0):
        at.button(key="neighbors.go-back").click().run()
        assert at.session_state[ROW] == row and not at.exception
    assert not [button for button in at.button if button.label == "Back"]


def test_a_neighbor_of_a_typed_text_is_walked_to(open_page, made_run, toy_corpus, no_process):
    write_neighbors(made_run(), toy_corpus)
    at = typed(open_page, "a comet")
    answer_all(range(10))
    at.run()
    at.button(key="walk-before-4").click().run()
    assert at.session_state[ROW] == 4 and at.text[0].value.startswith(toy_corpus.texts[4][:60])


def test_without_a_graph_the_process_is_asked(open_page, made_run, toy_corpus, no_process):
    run = made_run()
    at = open_page("neighbors")
    assert "Finding the nearest texts" in words(at)
    asked = answer_all(range(1, 11))
    sides = {side: {"run": run.id, "name": side} for side in ("before", "after")}
    assert asked == [{"kind": "row_neighbors", "run": run.id, "row": 0, "k": 10, "distance": "cosine", "sides": sides}]
    at.run()
    assert not at.exception
    # before: rows 1 … 10; after: rows 3 … 12
    assert "3 of its 10 nearest texts (cosine) share its label after fine-tuning, 2 before: +1." in words(at)
    assert "cosine 1.00" in words(at) and "cosine 0.90" in words(at)  # answered as 0.0 and 0.1 away
    at.session_state[DISTANCE] = "euclidean"
    at.run()
    (asked,) = answer_all(range(1, 11))
    assert asked["distance"] == "euclidean"
    at.run()
    assert "nearest texts (Euclidean distance) share" in words(at) and "distance 0.1" in words(at)


def typed(open_page, text: str):
    """The page with this text typed and sent."""
    at = open_page("neighbors")
    at.segmented_control(key="neighbors.kind").set_value("A text of my own").run()
    at.text_area(key="neighbors.typed").set_value(text)
    return next(button for button in at.button if button.label == "Find its nearest texts").click().run()


def test_a_typed_text_lands_on_both_maps(open_page, made_run, toy_corpus, no_process):
    run = made_run()
    write_neighbors(run, toy_corpus)
    write_maps(run, toy_corpus, method="umap")
    at = typed(open_page, "  a comet and its dust ")
    assert "Embedding with both encoders" in words(at)
    assert answer_all(range(10)) == [
        {"kind": "neighbors", "run": run.id, "text": "a comet and its dust", "k": 10, "distance": "cosine",
         "method": "umap"}
    ]  # fmt: skip
    at.run()
    assert not at.exception
    assert "2 of the 10 are new." in words(at)
    assert len(maps(at)) == 2 and all("your text" in part for part in maps(at))


def test_a_text_without_a_known_token_is_said(open_page, made_run, no_process):
    made_run()
    at = typed(open_page, "🦄")
    answer_all([-1] * 10, known=False, place=())
    at.run()
    assert not at.exception
    assert "knows no token" in words(at)


def test_corpus_text_never_becomes_markup(open_page, made_run, store):
    from embedlab.corpora.base import Draft, store_corpus

    hostile = [f"![x](http://evil.example/{n}) $x$ :red[a] <b>" for n in range(40)]
    corpus = store_corpus(Draft(name="bad", source="bad", texts=hostile, labels=["a]b", "c"] * 20))
    run = made_run(corpus=corpus.fingerprint)
    leave_state(run, corpus=corpus)
    write_neighbors(run, corpus)
    at = open_page("neighbors")
    assert not at.exception
    said = "\n".join([*(element.value for element in at.markdown), *(button.label for button in at.button)])
    assert "evil" in said
    assert "![" not in said and "<b>" not in said and " $x$" not in said


def test_a_row_of_the_graph_is_a_position_among_the_texts(made_run, store):
    from embedlab.corpora.base import Draft, store_corpus

    corpus = store_corpus(Draft(name="gap", source="gap", texts=["a a", "", "b b", "c c"], labels=["x", "x", "y", "y"]))
    run = made_run(corpus=corpus.fingerprint)
    write_neighbors(run, corpus, k=2)
    near = nearest_of_row(run, "before", corpus, 2, k=2, distance="euclidean")
    assert near.rows.tolist() == [3, 0]  # text 1 is row 2; after it come text 2 (row 3) and text 0 (row 0)
    own, other = np.eye(4, 8)[2] + 0.5, np.eye(4, 8)[3] + 0.5
    assert near.cosines[0] == pytest.approx(own @ other / (own @ own))


@pytest.fixture
def three_texts(made_run, store):
    """A run of four rows, the second without a vector: row 2 is far out where row 0 points, row 3 is beside it."""
    from embedlab.corpora.base import Draft, store_corpus

    corpus = store_corpus(Draft(name="three", source="x", texts=["a a", "", "b b", "c c"]))
    run = made_run(corpus=corpus.fingerprint)
    for side in ("before", "after"):
        run.embeddings(side).parent.mkdir(exist_ok=True)
        np.save(run.embeddings(side), np.array([[1, 0], [0, 0], [10, 1], [1, 1]], np.float32))
    return run, corpus


def test_a_long_vector_in_the_same_direction_is_near_by_cosine_alone(three_texts):
    run, corpus = three_texts  # no graph is stored: one pass over the embeddings finds them
    euclidean, cosine = (nearest_of_row(run, "after", corpus, 0, k=2, distance=each) for each in DISTANCES_OF_BOTH)
    assert euclidean.rows.tolist() == [3, 2] and cosine.rows.tolist() == [2, 3]
    assert euclidean.distances == pytest.approx([1, 82**0.5]) and cosine.distances == pytest.approx([82**0.5, 1])
    assert cosine.cosines == pytest.approx([10 / 101**0.5, 0.5**0.5])
    assert nearest_of_row(run, "after", corpus, 1, k=2, distance="cosine").rows.tolist() == []
    assert list_lines(corpus, cosine, label=None, mark="", marked=np.zeros(2, bool))[0] == (
        "1. :small[:gray[cosine 1.00, distance 9.06]]  "
    )
    assert (
        "distance 1.00, cosine 0.71" in list_lines(corpus, euclidean, label=None, mark="", marked=np.ones(2, bool))[0]
    )


def test_of_two_texts_the_other_one_is_all_there_is(store, monkeypatch):
    corpus, lines = store_corpus(Draft(name="two", source="here", texts=["one", "two"], labels=["a", "b"])), []
    monkeypatch.setattr(neighbors.st, "subheader", lambda line, **_: lines.append(line))
    only = Nearest(np.array([1]), distance="cosine")
    for label in ("a", "b", None):
        neighbors.effect_of_row({"before": only, "after": only}, corpus, label)
    one = "It has one neighbor"
    assert lines == [f"{one}, with another label.", f"{one}, with the same label.", f"{one}."]


def test_an_old_run_with_the_euclidean_graph_alone_is_told_by_cosine_too(open_page, made_run, toy_corpus, no_process):
    run = made_run()
    write_neighbors(run, toy_corpus, distances=["euclidean"])
    directions = np.repeat(np.eye(4, dtype=np.float32), 30, axis=0) * np.arange(1, 121)[:, None]
    np.save(run.embeddings("after"), directions.astype(np.float32))
    near = nearest_of_row(run, "after", toy_corpus, 0, k=5, distance="cosine")
    assert near.rows.tolist() == [1, 2, 3, 4, 5] and near.cosines == pytest.approx(np.ones(5))
    by_graph = nearest_of_row(run, "after", toy_corpus, 0, k=5, distance="euclidean")
    assert by_graph.rows.tolist() == [4, 8, 12, 16, 20]
    at = open_page("neighbors")
    assert not at.exception and "10 nearest texts (cosine) share its label" in words(at)
    at = open_page("neighbors", distance="euclidean")
    assert "10 of its 10 nearest texts (Euclidean distance) share its label after fine-tuning, 2 before" in words(at)


def test_embeddings_too_many_for_a_page_are_left_to_the_process(three_texts, monkeypatch):
    run, corpus = three_texts
    monkeypatch.setattr("embedlab.runs.vectors.NUMBERS_AT_ONCE", 7)
    assert nearest_of_row(run, "after", corpus, 0, k=2, distance="cosine") is None


def test_an_answer_by_either_distance_and_of_an_unknown_text():
    found = NearRows([3, 5], [0.1, 0.3])
    near = nearest_of_answer(found, "euclidean")
    assert near.rows.tolist() == [3, 5] and near.distances.tolist() == [0.1, 0.3] and near.cosines is None
    near = nearest_of_answer(found, "cosine")
    assert near.cosines == pytest.approx([0.9, 0.7]) and near.distances is None
    assert len(nearest_of_answer(replace(found, is_known=False), "cosine").rows) == 0


def test_labels_of_neighbors(toy_corpus):
    rows = np.array([0, 1, 4, 2])
    assert same_label(toy_corpus, rows, toy_corpus.labels[0]).tolist() == [True, False, True, False]
    assert most_frequent(toy_corpus, rows) == (toy_corpus.labels[0], 2)


def test_the_dimensions_kept_decide_who_is_near(open_page, made_run, toy_corpus):
    """By all dimensions the graph answers; by the first 16 text 0 is next to text 1 alone."""
    run = made_run()
    write_neighbors(run, toy_corpus)
    for side in ("before", "after"):
        vectors = np.ones((toy_corpus.info.rows, 40), np.float32)
        vectors[2:, :16] = -1 - np.arange(toy_corpus.info.rows - 2, dtype=np.float32)[:, None] * (np.arange(16) % 2)
        np.save(run.embeddings(side), vectors)
    at = open_page("neighbors", dimensions="16")
    assert not at.exception and at.selectbox(key=DIMENSIONS).value == "16"
    assert "By the first 16 of 40 dimensions" in words(at)
    near = nearest_of_row(run, "after", toy_corpus, 0, k=1, distance="cosine", dimensions=16)
    assert near.rows.tolist() == [1]
    assert nearest_of_row(run, "after", toy_corpus, 0, k=1, distance="cosine").rows.tolist() == [4]
    at.selectbox(key=DIMENSIONS).select("all").run()
    assert "dimensions" not in at.query_params and "By the first 16" not in words(at)
