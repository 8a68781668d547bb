"""Selections on the pages: kept from a search, in the address, on Compare, as a corpus; figures and files to take."""

import shutil
from dataclasses import asdict

import numpy as np
import pytest
from builders import leave_state
from doing import asked_of, queued
from drawn_folds import write_folds
from drawn_maps import write_maps, write_neighbors
from seen import words
from streamlit.testing.v1 import AppTest

from embedlab.corpora.base import Draft, store_corpus
from embedlab.jobs.requests.corpora import MakeSubset
from embedlab.jobs.requests.drawing import DrawFigure, DrawnFigure, WriteNeighbors
from embedlab.jobs.requests.measuring import PredictFolds
from embedlab.runs.selections import keep, list_selections, open_selection, rows_of
from embedlab.runs.store import list_runs, open_run
from embedlab.store_root import store_root, write_json
from embedlab.ui.components.nearest import matches
from embedlab.ui.frame.state import CORPUS

HOSTILE = "<b>x</b> $x^2$ :red[x]"


@pytest.fixture
def run(made_run, toy_corpus):
    """A finished run with its maps."""
    made = made_run(name="demo")
    write_maps(made, toy_corpus)
    return made


@pytest.fixture
def submitted(monkeypatch):
    """Jobs are noted and not started."""
    monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
    return lambda kind: [each for each in map(asked_of, list_runs("jobs")) if type(each) is kind]


def finish(job, **result) -> None:
    write_json(job.result, result)
    leave_state(job)


def picker(at) -> list:
    return [each for each in at.selectbox if each.key == "selection.picked"]


def shown(monkeypatch, run, corpus, selection=None) -> AppTest:
    """The part below the maps, by itself."""

    def part(run_id: str, fingerprint: str) -> None:
        from embedlab.corpora.base import open_corpus
        from embedlab.ui.maps.selections import opened_selection, show_selection

        mask = opened_selection(open_corpus(fingerprint))
        there = show_selection(open_corpus(fingerprint))
        import streamlit as st

        st.write(f"there: {there}, chosen: {None if mask is None else int(mask.sum())}")

    at = AppTest.from_function(part, args=(run.id, corpus.fingerprint), default_timeout=30)
    if selection is not None:
        at.query_params["selection"] = selection.id
    return at.run()


def test_where_none_is_stored_there_is_no_choice(open_page, run):
    at = open_page("maps")
    assert not at.exception and not picker(at)


def test_what_a_search_found_is_kept_and_opened(open_page, run, toy_corpus):
    at = open_page("maps")
    at.text_input(key="maps.search").set_value("galaxy").run()
    name = next(each for each in at.text_input if str(each.key).startswith("selection.name"))
    assert name.value == "galaxy"
    name.set_value(HOSTILE)
    at.button(key="selection.keep").click().run()
    assert not at.exception
    (made,) = list_selections(toy_corpus.fingerprint)
    assert made.name == HOSTILE
    assert rows_of(made).tolist() == np.flatnonzero(matches(toy_corpus, "galaxy")).tolist()
    assert picker(at)[0].value == made.id
    assert made.id in at.query_params["selection"]
    assert at.button(key="selection.show").disabled  # the same texts are kept once


def test_a_link_opens_it_and_the_map_gets_its_rows(open_page, run, toy_corpus):
    made = keep(toy_corpus, HOSTILE, [3, 4])
    at = open_page("maps", selection=made.id)
    assert not at.exception
    assert picker(at)[0].value == made.id and picker(at)[0].options[1] == f"{HOSTILE} · 2 texts"
    picker(at)[0].set_value(None).run()
    assert "selection" not in at.query_params and at.session_state["selection"] is None


def test_a_link_to_a_selection_of_other_texts_is_said(open_page, run, toy_corpus):
    other = store_corpus(Draft(name="other", source="x", texts=["a", "b"]))
    mine, foreign = keep(toy_corpus, "mine", [1]), keep(other, "foreign", [0])
    at = open_page("maps", selection=foreign.id)
    assert "not one of these texts" in words(at)
    assert picker(at)[0].value is None
    assert picker(at)[0].options == ["none", f"{mine.name} · 1 text"]


def test_the_opened_selection_is_listed_renamed_and_deleted(monkeypatch, run, toy_corpus):
    made = keep(toy_corpus, HOSTILE, [3, 7, 8])
    at = shown(monkeypatch, run, toy_corpus, made)
    assert not at.exception
    assert "there: True, chosen: 3" in words(at) and HOSTILE in words(at).replace("\u2060", "")
    assert list(at.dataframe[0].value["row"]) == [3, 7, 8]
    assert len(at.get("download_button")) == 2
    at.text_input(key=f"selection.rename-{made.id}").set_value("courts")
    at.button(key=f"selection.rename-{made.id}.button").click().run()
    assert open_selection(made.id).name == "courts"
    at.button(key=f"selection.delete-{made.id}").click().run()
    assert not at.exception and list_selections() == []
    assert "there: False, chosen: None" in words(at)


def test_a_damaged_one_is_said_and_can_be_deleted(monkeypatch, run, toy_corpus, store):
    made = keep(toy_corpus, "courts", [3])
    (store / "selections" / f"{made.id}.npy").unlink()
    at = shown(monkeypatch, run, toy_corpus, made)
    assert not at.exception and "missing or damaged" in words(at)
    at.button(key=f"selection.delete-{made.id}").click().run()
    assert list_selections() == []


def test_a_corpus_is_made_once_and_opened(monkeypatch, run, toy_corpus, submitted):
    made = keep(toy_corpus, "courts", [3, 7])
    at = shown(monkeypatch, run, toy_corpus, made)
    assert at.button(key="selection.corpus").label == "Make a corpus of 2 texts"
    at.button(key="selection.corpus").click().run()
    assert at.button(key="selection.corpus").disabled and at.button(key="selection.train").disabled
    assert submitted(MakeSubset) == [MakeSubset(selection=made.id, name="toy: courts")]
    (job,) = list_runs("jobs")
    small = store_corpus(Draft(name="toy: courts", source="x", texts=["a", "b"], labels=["x", "y"]))
    finish(job, fingerprint=small.fingerprint, corpus=small.info.model_dump(mode="json"))
    at.run()
    assert "In the store: toy: courts, 2 texts, 2 classes." in words(at)
    assert {each.label for each in at.button} >= {"Open it on Data", "Open it on Train"}
    assert not [each for each in at.button if each.key in ("selection.corpus", "selection.train")]  # it is there
    shutil.rmtree(store_root() / "corpora" / small.fingerprint)
    assert not at.run().button(key="selection.corpus").disabled


def test_train_on_these_texts_opens_train_with_their_corpus(open_page, run, toy_corpus, submitted):
    at = open_page("maps")
    at.text_input(key="maps.search").set_value("galaxy").run()
    at.button(key="selection.train").click().run()
    (job,) = list_runs("jobs")
    (made,) = list_selections()
    assert submitted(MakeSubset) == [MakeSubset(selection=made.id, name="toy: galaxy")]
    small = store_corpus(Draft(name="toy: galaxy", source="x", texts=["a", "b"], labels=["x", "y"]))
    finish(job, fingerprint=small.fingerprint, corpus=small.info.model_dump(mode="json"))
    at.run()
    assert at.session_state[CORPUS] == small.fingerprint
    assert at.session_state["train.view"] == "One run"


def test_compare_measures_the_runs_on_the_selection_alone(open_page, run, made_run, toy_corpus):
    other = made_run(name="<i>other</i>")
    for each in (run, other):
        write_folds(each, toy_corpus)
    made = keep(toy_corpus, HOSTILE, range(8))  # rows 0-3 turned right, 4-7 turned wrong
    at = open_page("compare", selection=made.id)
    assert not at.exception
    table = next(each.value for each in at.table if "change (cosine)" in each.value)
    assert list(table["n"]) == ["8", "8"] and "<" not in "".join(table["run"]).replace("\\<", "")
    assert all(cell.startswith("0.0 % (") for cell in table["before (cosine)"])
    assert all(cell.startswith("100.0 % (") for cell in table["after (cosine)"])
    assert all(cell.startswith("+100.0 points (") and "clear" in cell for cell in table["change (cosine)"])
    assert list(table["Euclidean distance"]) == ["50.0 % → 50.0 %, 0.0 points"] * 2
    assert f"{HOSTILE}: 8 of its 8 texts have a label." in words(at).replace("\u2060", "")


def test_compare_on_a_selection_follows_the_shown_distance(open_page, run, toy_corpus):
    write_folds(run, toy_corpus)
    made = keep(toy_corpus, "courts", range(8))
    at = open_page("compare", selection=made.id, distance="euclidean")
    assert not at.exception
    table = next(each.value for each in at.table if "change (Euclidean distance)" in each.value)
    assert list(table["cosine"]) == ["0.0 % → 100.0 %, +100.0 points, clear"]
    assert all(cell.startswith("50.0 % (") for cell in table["after (Euclidean distance)"])
    assert not any(button.key == f"compare.folds-{run.id}" for button in at.button)


def test_compare_offers_the_folds_that_are_missing(open_page, run, toy_corpus, submitted):
    made = keep(toy_corpus, "courts", range(8))
    at = open_page("compare", selection=made.id)
    at.button(key=f"compare.folds-{run.id}").click().run()
    assert submitted(PredictFolds) == [PredictFolds(run=run.id)]


def test_compare_without_selections_says_nothing(open_page, run):
    assert "On a selection" not in words(open_page("compare"))


def test_a_figure_is_asked_for_and_downloaded(open_page, run, toy_corpus, submitted):
    at = open_page("figure")
    assert not at.exception
    at.button(key="figure.draw").click().run()
    (asked,) = submitted(DrawFigure)
    assert (asked.run, asked.method, asked.format, asked.maps) == (run.id, "tsne", "pdf", "both")
    assert (asked.width_mm, asked.dpi, asked.names, asked.selection) == (174.0, 300, "map", "")
    job = open_run(list_runs("jobs")[0].id)
    (job.path / "figure.pdf").write_bytes(b"%PDF")
    (job.path / "preview.png").write_bytes(PIXEL)
    drawn = DrawnFigure(
        out=str(job.path / "figure.pdf"), run=run.id, method="tsne", maps="both", format="pdf", texts=120, width=2055,
        height=1063, unseen="", bytes=1_200_000,
    )  # fmt: skip
    finish(job, file="figure.pdf", **asdict(drawn))
    at.run()
    assert not at.exception
    assert "174 × 90 mm, 1.2 MB, 120 texts on a map." in words(at)
    assert "Download PDF" in [each.proto.label for each in at.get("download_button")]


PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c636060606000000005000187a1d4a00000000049454e44ae426082"
)


def test_only_files_that_exist_are_offered(open_page, run, toy_corpus, submitted):
    at = open_page("tables")
    tables = at.selectbox(key="export.table")
    assert tables.options == ["Coordinates before", "Coordinates after"]
    assert [each.proto.label for each in at.get("download_button")] == ["Download (2 kB)"]
    write_neighbors(run, toy_corpus)
    run.trust(run.map("after", "tsne")).write_bytes(b"x")
    for path in (run.moves("before"), run.clusters("before")):  # two files of one name, in two folders
        path.parent.mkdir()
        path.write_bytes(b"x")
    at.run()
    tables = at.selectbox(key="export.table")
    assert tables.options[2:] == ["Trust after", "Movement", "Clusters before", "Neighbors before", "Neighbors after"]
    tables.set_value("Movement").run()
    assert [each.proto.label for each in at.get("download_button")] == ["Download (1 byte)"]
    at.selectbox(key="export.table").set_value("Neighbors after").run()
    at.button(key="files.neighbors-after").click().run()
    assert submitted(WriteNeighbors) == [WriteNeighbors(run=run.id, side="after", distance="cosine")]
    job = list_runs("jobs")[0]
    (job.path / "neighbors.parquet").write_bytes(b"x")
    finish(job, file="neighbors.parquet")
    at.run()
    assert not at.exception
    assert [each.proto.label for each in at.get("download_button")] == ["Download (1 byte)"]
    assert "rows of the corpus" in words(at) and "distances: 1 − cosine." in words(at)
    shutil.rmtree(run.neighbors("before", "cosine"))
    shutil.rmtree(run.neighbors("after", "cosine"))  # an old run has the maps' graph alone
    at.run()
    assert not at.exception and "distances: Euclidean." in words(at) and not at.get("download_button")


def test_without_maps_it_says_how_to_get_them(open_page, made_run):
    made_run()
    at = open_page("tables")
    assert not at.exception
    assert "nothing to export yet" in words(at) and "Draw the maps" in words(at)
