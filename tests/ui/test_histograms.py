"""Histograms beside the maps: of any column, and what is brushed on several is what all of them hold."""

import numpy as np
import pytest
from builders import leave_result, leave_state
from drawn_maps import write_maps, write_predictions
from seen import sent, words
from toy_corpora import toy_texts

from embedlab.corpora.base import Draft, store_corpus
from embedlab.runs.store import create_run


@pytest.fixture
def mapped(store):
    """A run with drawn maps on texts with a column of numbers and one of words."""
    texts, labels = toy_texts()
    columns = {"year": [str(1900 + row) for row in range(120)], "part": ["train", "test", None] * 40}
    corpus = store_corpus(Draft(name="toy", source="toy", texts=texts, labels=labels, columns=columns))
    run = create_run("train", {"corpus": corpus.fingerprint, "encoder": "token", "recipe": "crops"})
    leave_result(run, corpus)
    leave_state(run, "finished", corpus)
    write_maps(run, corpus)
    write_predictions(run, corpus)
    return run


def strips(at) -> dict[str, dict]:
    return {each["title"]: each for each in sent(at) if "bins" in each}


def brush(at, run, choice: str, title: str, bins: list[int]):
    key = f"maps.strip-{choice}-maps-{run.id}"
    at.session_state[key] = {"brushed": {"of": strips(at)[title]["bins"], "bins": bins}}
    return at.run()


def test_every_column_can_be_counted_beside_the_maps(open_page, mapped):
    at = open_page("maps", run=mapped.id)
    offered = at.multiselect(key="maps.histograms")
    assert {"Label", "Length in characters", "Test and train texts", "year", "part"} <= set(offered.options)
    assert strips(at) == {}
    at.session_state["maps.histograms"] = ["label", "column:year", "column:part", "split"]
    at.run()
    assert not at.exception
    assert {title: each["kind"] for title, each in strips(at).items()} == {
        "Label": "bars", "year": "histogram", "part": "bars", "Test and train texts": "bars"
    }  # fmt: skip
    assert strips(at)["Test and train texts"]["counts"] == [4, 116] and strips(at)["part"]["missing"] == 40
    assert "View and filter (4)" in [each.proto.popover.label for each in at.get("popover")]


def test_what_is_brushed_on_two_is_what_both_hold(open_page, mapped):
    at = open_page("maps", run=mapped.id)
    at.session_state["maps.histograms"] = ["column:year", "column:part"]
    at.run()
    at = brush(at, mapped, "column:part", "part", [strips(at)["part"]["names"].index("train")])
    assert "40 texts of this corpus, brushed on part: train" in words(at)
    edges = np.array(strips(at)["year"]["edges"])
    first = [place for place, edge in enumerate(edges[:-1]) if edge < 1930]
    at = brush(at, mapped, "column:year", "year", first)
    assert not at.exception
    assert "10 texts of this corpus, brushed on year: 1,900 to below 1,930; part: train" in words(at)
    assert list(at.dataframe[0].value["row"]) == list(range(0, 30, 3))


def test_a_column_of_another_corpus_is_forgotten(open_page, mapped, made_run, toy_corpus):
    other = made_run()
    write_maps(other, toy_corpus)
    at = open_page("maps", run=mapped.id)
    at.multiselect(key="maps.histograms").set_value(["column:year", "length"]).run()
    assert list(strips(at)) == ["year", "Length in characters"]
    at.query_params["run"] = other.id
    at.run()
    assert not at.exception and list(strips(at)) == ["Length in characters"]
