"""Maps: opens in every state, draws when asked, and lists what a lasso or a search holds."""

import numpy as np
import pytest
from builders import leave_state
from doing import asked_of, queued
from drawn_maps import write_maps, write_predictions
from seen import maps, sent, words

from embedlab.jobs.requests.drawing import DrawMaps
from embedlab.map_methods import ANY_OF_EQUAL
from embedlab.runs.drawn_map import DrawnMap, MapFacts
from embedlab.runs.store import create_run, list_runs
from embedlab.store_root import read_json, write_json
from embedlab.ui.components.loaded_maps import categories_of, map_caption
from embedlab.ui.components.map_view import NO_CLASS, map_payload
from embedlab.ui.components.nearest import matches
from embedlab.ui.maps.colour_by import KNN, OUTCOMES, choices, colouring


@pytest.fixture
def open_maps(open_page, monkeypatch):
    """The page with the settings of the map methods known."""
    return lambda **address: open_page("maps", **address)


def lasso(at, run, corpus, polygon, side: str = "after"):
    """What the component sends when a lasso was drawn on the map of this side."""
    places = np.column_stack([corpus.kept, np.full(len(corpus.kept), float(side == "after"))])
    sent = map_payload(
        coordinates=places, categories=np.zeros(len(places), np.uint16), class_names=["a"], colours=[SHADE]
    )
    at.session_state[f"map_500-maps-{side}-tsne-{run.id}"] = {"selection": {"of": sent["points"], "polygon": polygon}}
    return at.run()


SHADE = {"light": "#aa0000", "dark": "#ff5555"}


def test_without_a_run_it_says_what_to_do(open_maps):
    assert "There is no run yet" in words(open_maps())


@pytest.mark.parametrize("state", ["running", "failed", "interrupted"])
def test_it_opens_on_a_run_without_a_result(open_maps, made_run, state):
    made_run(state=state)
    at = open_maps()
    assert not at.exception
    assert "See how it ended" in words(at) or state == "running"


def test_it_draws_the_maps_once_when_asked(open_maps, made_run, monkeypatch):
    run = made_run()
    monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
    at = open_maps()
    assert "not drawn yet" in words(at)
    next(button for button in at.button if button.label == "Draw the maps").click().run()
    assert [asked_of(job) for job in list_runs("jobs")] == [DrawMaps(run=run.id)]
    assert not at.exception
    assert "Draw the maps" not in words(at)


def test_both_maps_with_their_captions(open_maps, made_run, toy_corpus):
    write_maps(made_run(), toy_corpus)
    at = open_maps()
    assert not at.exception
    sent = maps(at)
    assert len(sent) == 2
    assert "kNN accuracy 41.0" in sent[0] and "61.0" in sent[1]
    assert "61.0" not in sent[0] and "41.0" in sent[1]  # on the right both: its slider goes from before to after
    assert all("seed 42, 120 of 120 texts shown." in part and "kNN in the picture" not in part for part in sent)


def test_a_run_without_training_has_one_map_called_what_it_is(open_maps, open_page, made_run, toy_corpus):
    run = made_run(recipe="untouched")
    write_json(run.result, read_json(run.result) | {"steps": 0})
    write_maps(run, toy_corpus)
    at = open_maps()
    (only,) = maps(at)
    assert not at.exception and "The encoder as it is" in only
    assert "fine-tuned" not in only
    assert "Nothing was trained, so there is one map and nothing moved" in words(open_page("moved"))


@pytest.mark.parametrize(
    ("distance", "share", "named"), [("cosine", "61.0", "cosine"), ("euclidean", "60.0", "Euclidean distance")]
)
def test_corners_are_by_the_shown_distance_whatever_the_map_was_drawn_with(
    open_page, made_run, toy_corpus, distance, share, named
):
    run, other = made_run(), made_run()
    for each in (run, other):
        write_maps(each, toy_corpus)
        for side in ("before", "after"):
            facts = each.map_facts(side, "tsne")
            write_json(facts, read_json(facts) | {"distance": "euclidean"})
    told = f"{share} % \\\\u00b1 14.1 ({named}), 50.0 % in the picture"
    at = open_page("maps", run=run.id, distance=distance)
    assert f"kNN accuracy {told}" in maps(at)[1]
    at = open_page("home", run=run.id, distance=distance)
    small = f"kNN {told.partition(',')[0]}"  # the other run's, whose corner is one line
    assert f"kNN accuracy {told}" in maps(at)[1] and small in maps(at)[-1] and "in the picture" not in maps(at)[-1]
    at = open_page("compare", runs=run.id, distance=distance, **{"view": "Maps"})
    assert not at.exception and small in maps(at)[-1] and "in the picture" not in maps(at)[-1]


def test_a_lasso_on_either_map_lists_its_texts(open_maps, made_run, toy_corpus):
    run = made_run()
    write_maps(run, toy_corpus)
    for side, height in (("before", 0.0), ("after", 1.0)):
        square = [(2.5, height - 0.5), (7.5, height - 0.5), (7.5, height + 0.5), (2.5, height + 0.5)]
        at = lasso(open_maps(), run, toy_corpus, square, side)
        assert "5 texts in the lasso" in words(at)
        assert list(at.dataframe[0].value["row"]) == [3, 4, 5, 6, 7]


def test_the_legend_on_the_map_after_filters_a_lasso_on_the_map_before(open_maps, made_run, toy_corpus):
    run = made_run()
    write_maps(run, toy_corpus)
    at = open_maps()
    categories = categories_of(toy_corpus, toy_corpus.kept)
    sent = map_payload(
        coordinates=np.zeros((len(categories), 2)), categories=categories, class_names=["a"] * 4, colours=[SHADE] * 4
    )
    shown = {"of": sent["categories"], "isolated": [int(categories[3])], "hidden": []}
    at.session_state[f"map_500-maps-after-tsne-{run.id}"] = {"filter": shown}
    at = lasso(at, run, toy_corpus, [(-1.0, -0.5), (11.5, -0.5), (11.5, 0.5), (-1.0, 0.5)], "before")
    assert list(at.dataframe[0].value["row"]) == [3, 7, 11]


def test_a_search_counts_and_lists_and_narrows_the_lasso(open_maps, made_run, toy_corpus):
    run = made_run()
    write_maps(run, toy_corpus)
    at = open_maps()
    at.text_input(key="maps.search").set_value("GALAXY").run()
    found = matches(toy_corpus, "galaxy")
    assert f"{found.sum()} of 120 texts of this corpus contain “GALAXY”" in words(at)
    assert f"{found.sum()} texts" in [each.value for each in at.caption]  # beside the search
    everything = [(-1.0, 0.0), (200.0, 0.0), (200.0, 2.0), (-1.0, 2.0)]
    at = lasso(at, run, toy_corpus, everything)
    assert f"{found.sum()} of 120 texts in the lasso contain “GALAXY”" in words(at)
    assert list(at.dataframe[0].value["row"]) == list(np.flatnonzero(found))


def test_settings_that_changed_can_be_drawn(open_maps, made_run, toy_corpus, monkeypatch):
    run = made_run()
    write_maps(run, toy_corpus)
    monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
    at = open_maps()
    assert at.button(key="maps.draw-tsne").disabled
    at.text_input(key="maps.tsne.perplexity").set_value("50").run()
    at.button(key="maps.draw-tsne").click().run()
    assert [asked_of(job) for job in list_runs("jobs")] == [DrawMaps(run=run.id, config={"perplexity": 50.0})]


def test_a_drawing_that_failed_says_why(open_maps, made_run):
    run = made_run()
    job = create_run("map", {"run": run.id, "method": "tsne"})
    leave_state(job, "failed", error={"code": "E-DISK", "message": "The disk is full."})
    at = open_maps()
    assert "The disk is full." in words(at)
    assert "Try again" in words(at)


def test_a_deleted_corpus_is_said(open_maps, made_run, toy_corpus):
    import shutil

    from embedlab.ui.frame.state import _opened

    made_run()
    shutil.rmtree(toy_corpus.folder)
    _opened.cache_clear()
    at = open_maps()
    assert not at.exception
    assert "no longer in the store" in words(at)


def test_colours_of_what_knn_said(made_run, toy_corpus, monkeypatch):
    run = made_run()
    monkeypatch.setattr("embedlab.ui.maps.colour_by.shown_distance", lambda: "euclidean")
    assert KNN not in choices(toy_corpus, run)
    write_predictions(run, toy_corpus)
    found = colouring(toy_corpus, run, KNN)
    assert found.names == [name for name, _ in OUTCOMES.values()]
    assert [found.names[category] for category in found.categories[:4]] == [
        "right before and after",
        "right only after",
        "right only before",
        "wrong before and after",
    ]
    assert set(found.categories[4:]) == {NO_CLASS} and "train texts (Euclidean distance) voted" in found.note


def test_colours_of_what_knn_said_by_cosine(made_run, toy_corpus):
    run = made_run()
    write_predictions(run, toy_corpus)
    found = colouring(toy_corpus, run, KNN)  # pages open on cosine, by which every text is wrong before
    assert "train texts (cosine) voted" in found.note
    assert (
        found.names[found.categories[0]] == "right only after"
        and found.names[found.categories[1]] == "right only after"
    )


def keys(at) -> list[str]:
    return [each.proto.body for each in at.get("html") if "colour-key" in each.proto.body]


def test_where_no_names_stand_on_the_maps_a_key_stands_below_them(open_maps, made_run, toy_corpus):
    run = made_run()
    write_maps(run, toy_corpus)
    write_predictions(run, toy_corpus)
    at = open_maps()
    assert not at.exception and keys(at) == []  # labels stand on the maps
    at.selectbox(key="maps.colour").set_value(KNN).run()
    assert not at.exception
    (said,) = keys(at)
    shown = [(name, shades) for name, shades in OUTCOMES.values() if name in said]
    assert len(shown) > 1 and all(f"color:{shades['light']}" in said for _, shades in shown)


def test_a_map_of_approximate_neighbors_says_their_recall(toy_corpus):
    facts = MapFacts(seed=42, approximate=True, recall_15=0.97, queries=1000)
    drawn = DrawnMap(np.zeros((120, 2), np.float32), np.arange(120), facts)
    said = map_caption(drawn, toy_corpus, "tsne")
    assert (
        said
        == f"t-SNE, seed 42, 120 of 120 texts, neighbors approximate, recall@15 97.0 % on 1,000 texts, {ANY_OF_EQUAL}"
    )


def test_a_preview_says_how_many_of_all_texts_it_shows(open_maps, made_run, toy_corpus):
    run = made_run()
    write_maps(run, toy_corpus)
    for side in ("before", "after"):
        facts = run.map_facts(side, "tsne")
        write_json(facts, read_json(facts) | {"preview": {"shown": 30, "of": 120}})
    job = create_run("map", {"run": run.id, "method": "tsne"})
    leave_state(job, "queued")
    assert "30 of 120 texts are shown until the full maps are drawn" in words(open_maps())


@pytest.mark.parametrize(
    ("zoom", "view"),
    [("0.5,-0.25,3", [0.5, -0.25, 3.0]), ("nan,1,2", None), ("1,2", None), ("words", None), ("1,1,0.2", None)],
)
def test_the_address_opens_a_part_of_the_maps_coloured_as_it_says(open_maps, made_run, toy_corpus, zoom, view):
    run = made_run()
    write_maps(run, toy_corpus)
    at = open_maps(run=run.id, colour="Length in characters", zoom=zoom)
    assert not at.exception
    assert at.selectbox(key="maps.colour").value == "length"
    assert at.query_params["colour"] in ("Length in characters", ["Length in characters"])
    assert [each["view"] for each in sent(at) if "names_on_map" in each] == [view, view]


def test_contours_are_drawn_on_large_maps_alone(open_maps, made_run, toy_corpus, monkeypatch):
    write_maps(made_run(), toy_corpus)
    assert [each["contours"] for each in sent(open_maps()) if "contours" in each] == [False, False]
    monkeypatch.setattr("embedlab.ui.maps.drawn_maps.CONTOURS_FROM", 100)
    at = open_maps()
    assert [each["contours"] for each in sent(at) if "contours" in each] == [True, True]
    at.toggle(key="maps.contours").set_value(False).run()
    assert not at.exception
    assert [each["contours"] for each in sent(at) if "contours" in each] == [False, False]


def test_maps_of_the_first_dimensions_can_be_drawn(open_maps, made_run, toy_corpus, monkeypatch):
    run = made_run()
    write_maps(run, toy_corpus)
    run.embeddings("after").parent.mkdir()
    for side in ("before", "after"):
        np.save(run.embeddings(side), np.ones((120, 40), np.float32))
    monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
    at = open_maps()
    at.selectbox(key="dimensions").select("32").run()
    at.button(key="maps.draw-tsne").click().run()
    assert [asked_of(job) for job in list_runs("jobs")] == [DrawMaps(run=run.id, dimensions=32)]
