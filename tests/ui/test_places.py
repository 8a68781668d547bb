"""Where every view is: every place opens, the address of a former page leads to its view, and switches keep it."""

import pytest
from drawn_folds import write_folds
from drawn_maps import write_maps, write_neighbors
from seen import controls, maps, words
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from embedlab.jobs.executors import LOCAL
from embedlab.runs.selections import keep
from embedlab.ui.frame.navigation import FORMER_PAGES, PLACES, TITLES, forwarded


@pytest.mark.parametrize("key", PLACES)
def test_every_place_opens_and_the_address_names_it(open_page, made_run, monkeypatch, key):
    monkeypatch.setattr(type(LOCAL), "submit", lambda *_: None)  # what a page begins by itself waits
    run = made_run()
    at = open_page(key, run=run.id)
    assert not at.exception, [each.stack_trace for each in at.exception]
    place = PLACES[key]
    assert place.page in TITLES
    for name, value in place.address.items():
        assert at.query_params[name] in (value, [value])


def test_a_former_address_keeps_all_that_it_said():
    found = forwarded("maps", {"run": "a", "maps.view": "What moved", "with": "b", "distance": "euclidean"})
    assert (found.page, dict(found.address)) == (
        "run", {"tab": "Map", "run": "a", "view": "What moved", "with": "b", "distance": "euclidean"},
    )  # fmt: skip
    assert dict(forwarded("maps", {"maps.view": "Maps"}).address) == {"tab": "Map", "view": "Map"}
    assert dict(forwarded("maps", {"maps.view": "Export"}).address) == {"tab": "Export"}
    assert dict(forwarded("evaluate", {"evaluate.view": "Classes"}).address) == {"tab": "Scores", "view": "Classes"}
    assert dict(forwarded("compare", {"compare.show": "Curves"}).address) == {"view": "Curves"}


@pytest.mark.parametrize("former", FORMER_PAGES)
def test_the_server_forwards_it_below_any_prefix(former):
    from starlette.applications import Starlette

    from embedlab.ui.frame.routes import ROUTES

    client = TestClient(Starlette(routes=ROUTES), follow_redirects=False)
    answer = client.get(f"/{former}?run=x%26y")
    where = answer.headers["location"]
    assert answer.status_code == 307 and where.startswith(f"{PLACES[former].page}?") and "run=x%26y" in where


def switched() -> None:
    import streamlit as st

    from embedlab.ui.frame.state import forget_switches, tidy_address, view_choice

    forget_switches()
    chosen = view_choice(["one", "two", "three"], key="outer", more=1)
    if chosen != "three":
        view_choice(["a", "b"], key=f"inner.{chosen}", address="view")
    tidy_address()
    st.write(f"chosen: {chosen}")


def test_a_view_under_more_joins_the_switch_and_a_switch_that_is_gone_leaves_the_address():
    at = AppTest.from_function(switched).run()
    assert at.segmented_control(key="outer").options == ["one", "two"] and dict(at.query_params)["view"] in ("a", ["a"])
    at.button(key="outer.more-three").click().run()
    assert "chosen: three" in words(at) and at.segmented_control(key="outer").options == ["one", "two", "three"]
    assert "view" not in at.query_params


def test_switches_that_share_a_name_in_the_address_each_keep_their_choice():
    at = AppTest.from_function(switched).run()
    at.segmented_control(key="inner.one").set_value("b").run()
    at.segmented_control(key="outer").set_value("two").run()
    assert at.segmented_control(key="inner.two").value == "b", "the address says it, and it is offered here too"
    at.segmented_control(key="inner.two").set_value("a").run()
    at.segmented_control(key="outer").set_value("one").run()
    assert dict(at.query_params)["view"] in ("a", ["a"])


WITH_MAPS = ("home", "result", "run", "maps", "moved", "neighbors")


@pytest.mark.parametrize("key", PLACES)
def test_a_view_has_at_most_six_controls_and_ten_with_maps(open_page, made_run, toy_corpus, key):
    for name in ("one", "two", "three", "four"):
        run = made_run(name=name)
        write_maps(run, toy_corpus)
        write_folds(run, toy_corpus)
        write_neighbors(run, toy_corpus)
        (run.path / "encoder").mkdir()
    keep(toy_corpus, "some", [0, 1])
    assert_within_limit(open_page(key, run=run.id, distance="euclidean"), key)


@pytest.mark.parametrize("key", PLACES)
def test_nor_has_it_more_where_nothing_was_trained_yet(open_page, toy_corpus, key):
    assert_within_limit(open_page(key), key)


@pytest.mark.parametrize("key", ["home", "result", "settings"])
def test_nor_where_the_run_failed(open_page, made_run, key):
    run = made_run(state="failed")
    assert_within_limit(open_page(key, run=run.id), key)


def assert_within_limit(at, key: str) -> None:
    seen = controls(at.main)
    has_cards = any((each.key or "").startswith("train.card") for each in at.button)  # of recipes, as many as five
    assert len(seen) <= (11 if has_cards else 10 if key in WITH_MAPS or maps(at) else 6), seen
