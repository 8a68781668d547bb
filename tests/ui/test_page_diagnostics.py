"""Diagnostics: opens in every state, begins by itself, shows what was found, other runs beside, texts of one's own."""

import shutil
from dataclasses import asdict

import numpy as np
import pytest
from builders import leave_live, leave_point, leave_state, length_facts
from doing import asked_of
from seen import drawn, words

from embedlab.diagnostics import DIAGNOSTICS, NUMBERS
from embedlab.jobs.requests.measuring import Diagnose
from embedlab.picture import Picture, Series
from embedlab.report.run_rows import numbers_table
from embedlab.runs.evaluations import Diagnosed, read_diagnosed
from embedlab.runs.store import list_runs, stored_request
from embedlab.store_root import store_root, write_json
from embedlab.ui.run.diagnostics_section import series_table


@pytest.fixture
def open_diagnostics(open_page, monkeypatch):
    """The page; a started worker is only noted."""
    monkeypatch.setattr("embedlab.jobs.runner.start", lambda folder, on=None: folder)
    return lambda **address: open_page("diagnostics", **address)


def keep(run, key: str, before: dict, after: dict, *pictures: Picture, **more) -> None:
    """What a worker would have written."""
    both = {state: [asdict(each) for each in pictures] for state in ("before", "after")}
    told = {"before": before, "after": after, "unit": "directions", "sentence": "It is so.", "pictures": both}
    write_json(run.diagnostic(key), told | {"settings": {}, "texts": [], "measured": "2026-01-01T00:00:00"} | more)


LINE = Picture("lines", "Singular values", "direction", "share", (Series("", [1, 2, 3], [0.5, 0.3, 0.2]),))


def test_without_a_run_it_says_what_to_do(open_diagnostics):
    at = open_diagnostics()
    assert not at.exception and "There is no run yet" in words(at)


@pytest.mark.parametrize("state", ["running", "failed", "interrupted", "stopped", "finished"])
def test_it_opens_on_a_run_in_any_state(open_diagnostics, made_run, state):
    made_run(state=state)
    at = open_diagnostics()
    assert not at.exception, at.exception


def test_geometry_begins_by_itself_once_and_needs_no_click(open_diagnostics, made_run):
    run = made_run()
    open_diagnostics(), open_diagnostics()
    (job,) = list_runs("jobs")
    asked = stored_request(job)
    assert asked.task == "diagnose" and asked.settings["run"] == run.id
    assert asked.settings["keys"] == [part.key for part in DIAGNOSTICS if part.group == "Geometry"]


def test_what_was_found_is_said_drawn_and_told_in_numbers(open_diagnostics, made_run):
    run = made_run()
    keep(run, "cosines", {"mean": 0.3687, "pairs": 5000}, {"mean": 0.0554, "pairs": 5000}, LINE)
    at = open_diagnostics()
    assert not at.exception, at.exception
    assert "It is so." in words(at) and "How similar are two texts?" in words(at)
    (figure,) = drawn(at)
    assert [trace["name"] for trace in figure["data"]] == ["untouched", "fine-tuned"]
    assert figure["data"][1]["y"] == [0.5, 0.3, 0.2] and figure["layout"]["xaxis"]["title"]["text"] == "direction"
    table = at.table[0].value
    assert list(table["mean"]) == [0.3687, 0.0554] and list(table.columns) == ["encoder", "mean", "pairs"]


def test_another_run_stands_beside_it(open_diagnostics, made_run):
    other, run = made_run(name="other"), made_run(name="mine")
    for each, mean in ((other, 0.1), (run, 0.2)):
        keep(each, "cosines", {"mean": 0.5}, {"mean": mean}, LINE)
    at = open_diagnostics(run=run.id)
    at.multiselect(key="diagnostics.beside-cosines").set_value([other.id]).run()
    assert not at.exception, at.exception
    (figure,) = drawn(at)
    assert [trace["name"] for trace in figure["data"]] == ["untouched", "fine-tuned", "other"]
    assert list(at.table[0].value["mean"]) == [0.5, 0.2, 0.1]


def test_what_cannot_be_looked_at_says_why(open_diagnostics, made_run):
    run = made_run()
    keep(run, "cosines", None, None, reason="It needs labels. Choose a label column.", sentence="")
    at = open_diagnostics()
    assert not at.exception and "It needs labels. Choose a label column." in words(at) and not drawn(at)


def test_a_damaged_file_is_as_if_nobody_had_measured_it(open_diagnostics, made_run):
    run = made_run()
    run.diagnostic("cosines").parent.mkdir()
    run.diagnostic("cosines").write_text("{", encoding="utf-8")
    at = open_diagnostics()
    assert not at.exception and read_diagnosed(run, "cosines") is None and len(list_runs("jobs")) == 1


def test_without_its_corpus_it_says_so_shows_what_was_found_and_begins_nothing(open_diagnostics, made_run, toy_corpus):
    run = made_run()
    keep(run, "cosines", {"mean": 0.5}, {"mean": 0.2}, LINE)
    shutil.rmtree(store_root() / "corpora" / toy_corpus.fingerprint)
    at = open_diagnostics()
    assert not at.exception and "The texts of this run are no longer in the store." in words(at)
    assert "It is so." in words(at) and "Open Data" in words(at) and not list_runs("jobs")
    assert "Measure" not in words(on(at, "Geometry", "Hubness"))


def on(at, group: str, title: str):
    at.session_state["diagnostics.part"] = next(
        part.key for part in DIAGNOSTICS if (part.group, part.title) == (group, title)
    )
    return at.run()


def test_typed_texts_are_measured_when_asked_and_shown_for_these_texts_alone(open_diagnostics, made_run):
    run = made_run("scratch:bert-mini")
    at = on(open_diagnostics(), "Words", "Which word matters")
    at.text_input(key="diagnostics.a").set_value("red <b>apple").run()
    at.button(key="diagnostics.measure").click().run()
    assert not at.exception, at.exception
    job = list_runs("jobs")[0]
    texts = ["red <b>apple", "what is computer vision?"]
    assert asked_of(job) == Diagnose(run=run.id, keys=("word-deletion",), texts=tuple(texts))
    picture = Picture("words", "Words", "", "drop", (Series("first text", ["red", "<b>apple"], [0.1, None]),))
    keep(run, "word-deletion", {"word": "red"}, {"word": "red"}, picture, texts=texts)
    leave_state(job)
    at.run()
    assert not at.exception, at.exception
    images = "".join(str(image) for image in at.get("imgs"))
    assert "It is so." in words(at) and "<b>apple" not in images
    at.text_input(key="diagnostics.a").set_value("green apple").run()
    assert "It is so." not in words(at)


def test_a_token_layer_says_why_and_offers_a_run_with_layers(open_diagnostics, made_run):
    made_run("scratch:bert-mini", name="with layers")
    token = made_run("token")
    at = on(open_diagnostics(run=token.id), "Length", "Similarity within a text")
    assert not at.exception and "tokens have no context" in words(at)
    assert at.button(key="diagnostics.layered").label == "Open with layers"


def test_every_way_to_read_stands_in_a_table_with_its_mark(open_diagnostics, made_run):
    run = made_run()
    shared = {"pooling": "mean", "layers": "last layer", "distance": "cosine", "standard_error": 0.01}
    told = (("none", 0.7, "best"), ("centre", 0.5, "worse"))
    ways = [shared | {"name": step, "step": step, "value": value, "mark": mark} for step, value, mark in told]
    keep(run, "readout", {"ways": ways[:1], "best": 0.7}, {"ways": ways, "best": 0.7}, LINE)
    at = on(open_diagnostics(), "Read-out", "Ways to read an encoder")
    assert not at.exception, at.exception
    table = at.dataframe[0].value
    assert list(table["after (%)"]) == [70.0, 50.0] and list(table["mark"]) == ["best", "worse"]


def test_hubs_can_be_read(open_diagnostics, made_run, toy_corpus):
    run = made_run()
    hubs = [{"row": 3, "times": 41, "before": 9}]
    keep(run, "hubness", {"skewness": 2.0, "hubs": []}, {"skewness": 1.0, "hubs": hubs}, LINE)
    at = on(open_diagnostics(), "Geometry", "Hubness")
    assert not at.exception, at.exception
    table = at.dataframe[0].value
    assert list(table["N₁₀ after"]) == [41] and list(table["N₁₀ before"]) == [9] and list(table["row"]) == [3]


def test_numbers_of_runs_stand_on_compare(made_run):
    one, other = made_run(name="one"), made_run(name="other")
    names = {one.id: "one", other.id: "other"}
    assert numbers_table([one, other], names, NUMBERS) is None
    write_json(one.length, length_facts(0.44, 0.59))
    assert numbers_table([one], names, NUMBERS)["Moved by length (sd)"].to_pylist() == ["0.44 → 0.59"]
    one.length.unlink()
    keep(one, "effective-rank", {"rank": 617.85}, {"rank": 505.3})
    keep(other, "hubness", {"skewness": -1.5}, {"skewness": None})
    table = numbers_table([one, other], names, NUMBERS)
    assert table.column_names == ["run", "Effective rank", "Hubness (skewness of N₁₀)"]
    assert table["Effective rank"].to_pylist() == ["618 → 505", None]
    assert table["Hubness (skewness of N₁₀)"].to_pylist() == [None, "−1.5 → –"]


def test_the_picture_s_data_is_one_point_a_row():
    told = Diagnosed(pictures={"before": [LINE], "after": []})
    table = series_table(told)
    assert (
        table.num_rows == 3
        and table["y"].to_pylist() == [0.5, 0.3, 0.2]
        and set(table["encoder"].to_pylist()) == {"before"}
    )
    assert np.allclose(table["y"].to_numpy().sum(), 1)


def test_a_cheap_diagnostic_is_drawn_beside_knn_accuracy(open_page, made_run):
    run = made_run(state="interrupted")
    for step, hubness in ((0, 2.5), (10, 0.5)):
        leave_point(run, step, 0.4, texts=step, seconds=step, hubness=hubness)
    leave_live(run)
    at = open_page("result", run=run.id)
    assert not at.exception and not any("Hubness" in str(figure["layout"]["title"]) for figure in drawn(at))
    at.selectbox(key=f"also-{run.id}").set_value("hubness").run()
    assert not at.exception, at.exception
    (figure,) = (figure for figure in drawn(at) if "Hubness" in str(figure["layout"]["title"]))
    assert figure["data"][0]["y"] == [2.5, 0.5]
