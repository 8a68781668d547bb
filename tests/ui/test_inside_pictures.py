"""Home and Result show accuracy by layer and the length attack below the maps, without a click."""

import pytest
from builders import layer_row, layers_of
from filelock import FileLock
from seen import drawn

from embedlab.jobs.requests.measuring import MeasureInside
from embedlab.runs.evaluations import read_length
from embedlab.runs.example import MINI, example_run
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
from embedlab.store_root import write_json

PAGES = ["home", "result"]
HEADING = "Inside the encoder"


def headings(at) -> list[str]:
    return [each.value for each in at.subheader]


def figures(at) -> list[str]:
    """The titles of all charts."""
    return [each["layout"].get("title", {}).get("text", "") for each in drawn(at)]


def write_layers(run) -> None:
    rows = [layer_row(layer, "mean", before=(0.3, 0.4), after=(0.4, 0.5)) for layer in range(2)]
    write_json(run.layers, layers_of(rows).model_dump(mode="json"))


@pytest.mark.parametrize("page", PAGES)
def test_the_example_shows_both(open_page, page):
    at = open_page(page)
    assert not at.exception and HEADING in headings(at)
    assert any("after every layer" in title for title in figures(at))
    (histograms,) = (each for each in drawn(at) if "elongation" in each["layout"]["title"]["text"])
    length = read_length(example_run(MINI))
    for encoder in ("untouched", "tuned"):
        for cosines in (length.encoders[encoder].before, length.encoders[encoder].after):
            assert f"mean {cosines.mean:.2f}" in str(histograms), f"{encoder}: not of random pairs of this run"


@pytest.mark.parametrize("page", PAGES)
def test_one_progress_stands_there_until_the_first_of_both_is_measured(open_page, made_run, page):
    run = made_run("scratch:bert-tiny")
    job = create_run(MeasureInside.task, MeasureInside(run=run.id).stored)
    write_state(job, State.RUNNING)
    with FileLock(job.lock):
        at = open_page(page, run=run.id)
        assert not at.exception and HEADING in headings(at)
        assert [button.key for button in at.main.button].count(f"stop-{job.id}") == 1
        write_layers(run)
        at = open_page(page, run=run.id)
        assert not at.exception and any("after every layer" in title for title in figures(at))
        assert [button.key for button in at.main.button].count(f"stop-{job.id}") == 1, "the length attack is to come"


def values_after(at) -> list[float]:
    """The accuracies after training in the picture of the layers."""
    (figure,) = (each for each in drawn(at) if "after every layer" in each["layout"]["title"]["text"])
    (line,) = (each for each in figure["data"] if each.get("name") == "mean, after")
    return line["y"]


@pytest.mark.parametrize("page", PAGES)
def test_the_values_are_by_the_shown_distance(open_page, made_run, page):
    run = made_run("scratch:bert-tiny", inside=False)
    write_layers(run)
    at = open_page(page, run=run.id)
    assert values_after(at) == [0.5, 0.5]
    assert any(each.value.count("40.0 % → 50.0 %") == 2 for each in at.caption), "the first layer and the last"
    at.sidebar.segmented_control[0].set_value("euclidean").run()
    assert values_after(at) == [0.4, 0.4]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("encoder", ["token", "scratch:bert-tiny"])
def test_a_run_of_which_nothing_was_measured_has_no_heading_over_nothing(open_page, made_run, page, encoder):
    at = open_page(page, run=made_run(encoder, inside=False).id)
    assert not at.exception and HEADING not in headings(at)
