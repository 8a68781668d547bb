"""Finding on the maps: by words, by meaning, as neighbors of a text, two texts; asked, waited for, and drawn."""

import numpy as np
import pytest
from drawn_maps import write_maps, write_neighbors
from seen import maps, words

from embedlab.jobs.questions import ask_folder
from embedlab.report.nearest_texts import change_of_two, ordinal, table_of_two
from embedlab.runs.vectors import Ranks, TwoTexts, between, stored_vectors
from embedlab.store_root import read_json, write_json
from embedlab.ui.components.nearest import ROW, SECOND
from embedlab.ui.components.pair_of_maps import UNTOUCHED, Compared
from embedlab.ui.frame.state import DISTANCE
from embedlab.ui.maps.finding import SearchHits


@pytest.fixture
def no_process(monkeypatch):
    """Questions are put, nobody answers by himself."""
    monkeypatch.setattr("embedlab.jobs.questions.submit", lambda request: None)


def answer_with(found: dict) -> list[dict]:
    """Answer every question that waits with this; the questions."""
    asked = []
    for file in sorted(ask_folder().glob("*.question.json")):
        asked.append(read_json(file))
        write_json(ask_folder() / file.name.replace("question", "answer"), found)
        file.unlink()
    return asked


def near(rows, *, known: bool = True, place=(3.0, 0.5)) -> dict:
    return {"rows": list(rows), "distances": [0.1] * len(rows), "is_known": known, "position": place and list(place)}


def by(at, way: str):
    return at.segmented_control(key="maps.find").set_value(way).run()


@pytest.fixture
def drawn(open_page, made_run, toy_corpus):
    """A run with maps and neighbor graphs, and its page."""
    run = made_run()
    write_maps(run, toy_corpus)
    write_neighbors(run, toy_corpus, k=60)
    return run, open_page("maps", run=run.id)


def test_a_typed_sentence_lands_on_both_maps(drawn, no_process):
    run, at = drawn
    at = by(at, "Meaning")
    assert not at.exception and "Embedding with both encoders" not in words(at)
    at.text_input(key="maps.meaning").set_value("  a comet and its dust ").run()
    assert "Embedding the sentence" in words(at)
    sides = {"before": {"run": run.id, "name": "before"}, "after": {"run": run.id, "name": "after"}}
    question = {"kind": "neighbors", "run": run.id, "text": "a comet and its dust", "k": 50, "method": "tsne"}
    question |= {"distance": "cosine"}
    assert answer_with({"before": near(range(50)), "after": near(range(20, 70))}) == [question | {"sides": sides}]
    at.run()
    assert not at.exception
    sent = maps(at)
    assert len(sent) == 2 and all("placed by its neighbors" in part for part in sent)
    assert "70 texts" in words(at)  # 0 … 49 before, 20 … 69 after


def test_a_sentence_without_a_known_token_is_said(drawn, no_process):
    _, at = drawn
    at = by(at, "Meaning")
    at.text_input(key="maps.meaning").set_value("🦄").run()
    answer_with({side: near([], known=False, place=None) for side in ("before", "after")})
    at.run()
    assert not at.exception and "know no token" in words(at)
    assert not any("placed by its neighbors" in part for part in maps(at))


def test_an_encoder_that_cannot_be_opened_is_said(drawn, no_process):
    _, at = drawn
    at = by(at, "Meaning")
    at.text_input(key="maps.meaning").set_value("a star").run()
    answer_with({"error": {"code": "E-NO-ENCODER", "message": "This needs an encoder."}})
    at.run()
    assert not at.exception and "This needs an encoder." in words(at)


def test_the_neighbors_of_a_clicked_text_come_from_the_graphs(drawn):
    run, at = drawn
    at.session_state[f"map_500-maps-after-tsne-{run.id}"] = {"picked": 7}
    at = by(at, "Neighbors")
    assert not at.exception and at.session_state[ROW] == 7
    assert all("this text" in part for part in maps(at))
    # before: rows 8 … 57; after: every fourth row from 11 on, which are thirty different ones
    after = {(7 + 4 * n) % 120 for n in range(1, 51)}
    before = {(7 + n) % 120 for n in range(1, 51)}
    assert f"{len(before | after)} texts" in words(at)


def test_without_a_graph_the_process_finds_the_neighbors(open_page, made_run, toy_corpus, no_process):
    run = made_run()
    write_maps(run, toy_corpus)
    at = by(open_page("maps", run=run.id), "Neighbors")
    assert "Finding the nearest texts" in words(at)
    (asked,) = answer_with({"before": near([1, 2]), "after": near([2, 3])})
    assert (asked["kind"], asked["row"], asked["k"]) == ("row_neighbors", 0, 50)
    assert asked["distance"] == "cosine"
    at.run()
    assert not at.exception and "3 texts of this corpus among the 50 nearest (cosine) to" in words(at)
    at.session_state[DISTANCE] = "euclidean"
    at.run()
    (asked,) = answer_with({"before": near([1, 2]), "after": near([1, 2])})
    assert asked["distance"] == "euclidean"
    assert "2 texts of this corpus among the 50 nearest (Euclidean distance) to" in words(at.run())


def test_two_texts_are_chosen_without_the_mouse(drawn):
    _, at = drawn
    at = by(at, "Two texts")
    assert not at.exception
    at.selectbox(key=f"{SECOND}.choice").set_value(9).run()
    assert not at.exception and at.session_state[f"{SECOND}.row"] == 9 and at.session_state.get(ROW) == 0
    assert all("first text" in part and "second text" in part for part in maps(at))


def test_what_lies_between_two_texts_is_computed_and_shown(made_run, toy_corpus):
    from streamlit.testing.v1 import AppTest

    run = made_run()
    write_neighbors(run, toy_corpus)
    rng = np.random.default_rng(0)
    for side in ("before", "after"):
        np.save(run.embeddings(side), rng.normal(size=(120, 8)).astype(np.float32))

    def page(run_id, second):
        from embedlab.runs.store import open_run
        from embedlab.ui.components.pair_of_maps import Compared
        from embedlab.ui.frame.state import corpus_of
        from embedlab.ui.maps.chosen_on_maps import two_texts

        run = open_run(run_id)
        two_texts(Compared(run, "before"), corpus_of(run), 4, second)

    at = AppTest.from_function(page, kwargs={"run_id": run.id, "second": 17}, default_timeout=30).run()
    assert not at.exception
    left, right = (between(stored_vectors(run, side), 4, 17, "cosine") for side in ("before", "after"))
    assert "Ranks and nearest texts (cosine)" in words(at)
    said = words(at)
    assert f"{ordinal(left.ranks.of_first)} → {ordinal(right.ranks.of_first)} nearest of the first" in said
    assert f"| Cosine similarity | {left.cosine:.2f} | {right.cosine:.2f} |".replace("-", "−") in said.replace("-", "−")
    assert "119 other texts" in said and toy_corpus.texts[17][:40] in said
    same = AppTest.from_function(page, kwargs={"run_id": run.id, "second": 4}, default_timeout=30).run()
    assert not same.exception and "the same text" in words(same)


def side(first: int, second: int, *, cosine=0.5, shared=()) -> TwoTexts:
    return TwoTexts(cosine, Ranks(first, second), list(shared), 999)


def test_the_change_in_words():
    both = ("before", "after")
    assert (
        change_of_two(side(812, 40), side(3, 40), both)
        == "Closer: 812th → 3rd nearest of the first, 40th → 40th of the second."
    )
    assert change_of_two(side(1, 2), side(12, 2), both).startswith("Farther: 1st → 12th")
    assert change_of_two(side(5, 6), side(2, 9), both).startswith("Closer in one list, farther in the other")
    assert change_of_two(side(5, 6), side(5, 6), both).startswith("As close as before")
    assert "no vector before" in change_of_two(TwoTexts(None, None, [], 999), side(1, 1), both)
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 112, 1313, 1022)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th", "1,313th", "1,022nd",
    ]  # fmt: skip


def test_the_table_of_two_texts():
    lines = table_of_two(
        side(812, 5, cosine=0.25), side(3, 5, cosine=0.5, shared=[1, 2]), ("left", "right")
    ).splitlines()
    assert lines[2:] == [
        "| Cosine similarity | 0.25 | 0.50 | +0.25 |",
        "| Rank in the first text's list | 812th | 3rd | −809 |",
        "| Rank in the second text's list | 5th | 5th | 0 |",
        "| Shared among their 10 nearest | 0 | 2 | +2 |",
    ]


def test_the_sides_of_two_runs_are_both_after(made_run):
    run, other = made_run(name="one"), made_run(name="two")
    assert [(each.id, name) for each, name in Compared(run, UNTOUCHED).encoders] == [
        (run.id, "before"),
        (run.id, "after"),
    ]
    view = Compared(run, other.id)
    assert [(each.id, name) for each, name in view.encoders] == [(other.id, "after"), (run.id, "after")]
    assert view.encoders_asked == {
        "before": {"run": other.id, "name": "after"},
        "after": {"run": run.id, "name": "after", "onto": other.id},
    }
    assert view.words == ("left", "right")


def test_what_is_bright_may_differ_between_the_maps(toy_corpus):
    left, right = np.zeros(120, bool), np.zeros(120, bool)
    left[3], right[[5, 9]] = True, True
    found = SearchHits(
        left | right, sides=(left, right), nearest=np.array([9, 5, 3]), near="a *star*", distance="euclidean"
    )
    assert found.bright("before").sum() == 1 and found.bright("after").tolist() == right.tolist()
    assert found.listed(toy_corpus).tolist() == [9, 5, 3]
    assert found.counted(3, "of this corpus", 120) == (
        "3 texts of this corpus among the 50 nearest (Euclidean distance) to “a \\*star\\*” on either map"
    )
    plain = SearchHits(left, "comet")
    assert plain.bright("after") is plain.rows and plain.listed(toy_corpus).tolist() == [3]
    assert plain.counted(1, "in the lasso", 7) == "1 of 7 texts in the lasso contains “comet”"
    assert (SearchHits().bright("after"), SearchHits().name, plain.name, found.name) == (
        None,
        "",
        "comet",
        "near a *star*",
    )
