"""A run whose encoder has layers: every layer, the length attack and its bench, and other maps, each by its button."""

import json
import re

import pytest
from hostile_texts import written_corpus
from looking import idle, no_failure, until

from embedlab.corpora import load_corpus
from embedlab.jobs.runner import submit, wait
from embedlab.runs.state import State
from embedlab.training.settings import RunSettings

pytestmark = pytest.mark.slow

QUICK = {
    "encoder": "scratch:bert-tiny",
    "recipe": "crops",
    "vocabulary_size": 300,
    "batch_size": 16,
    "maps": False,
    "inside": False,
}


@pytest.fixture(scope="module")
def layered(home, tmp_path_factory):
    """A finished run of BERT tiny with random weights, on the browser tests' store."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDLAB_HOME", str(home))
        corpus = load_corpus(str(written_corpus(tmp_path_factory.mktemp("layered") / "layered.csv")))
        folder = submit(RunSettings(**{**QUICK, "corpus": corpus.fingerprint}), name="layered")
        assert wait(folder).state is State.FINISHED
    return folder


def test_every_layer_is_measured_by_its_button_and_drawn(page, app, layered):
    page.goto(f"{app.url}/layers?run={layered.id}")
    page.get_by_role("button", name="Measure every layer").click()
    page.get_by_text("An example that came with embedlab").wait_for(state="detached")  # the example's plot stood there
    page.locator(".chart .xtitle").filter(has_text=re.compile("layer", re.IGNORECASE)).wait_for()
    found = json.loads(layered.layers.read_text(encoding="utf-8"))
    lines = {(row["layer"], row["pooling"]) for row in found["layers"]}
    assert {(layer, pooling) for layer in (0, 1, 2) for pooling in ("mean", "cls", "last")} == lines
    drawn = page.locator(".chart").first.evaluate("g => g._fullData.filter(t => t.visible === true).map(t => t.y)")
    after = [row["after"]["knn"]["cosine"]["value"] for row in found["layers"] if row["pooling"] == "mean"]
    assert any(values == pytest.approx(after) for values in drawn)
    no_failure(page)


def test_the_length_attack_and_the_bench_of_two_sentences(page, app, layered):
    page.goto(f"{app.url}/length?run={layered.id}")
    page.get_by_role("button", name="Start the length attack").click()
    page.get_by_text("An example that came with embedlab").wait_for(state="detached")
    page.locator(".chart .xtitle").filter(has_text=re.compile("cosine", re.IGNORECASE)).first.wait_for()
    no_failure(page)

    page.get_by_role("radio", name="Two sentences").click()
    read = page.get_by_test_id("stMetric").filter(has_text="Copies read")
    read.wait_for()
    shown = read.inner_text()
    page.get_by_role("slider").press("ArrowLeft")
    until(page, lambda: read.inner_text() != shown)
    no_failure(page)


def test_a_text_flies_and_its_slider_says_which_neighbors_it_keeps(page, app, layered):
    page.goto(f"{app.url}/length?run={layered.id}&length.view=A%20text's%20flight")
    page.get_by_label("Text", exact=True).fill("star comet galaxy")
    page.get_by_label("Text", exact=True).press("Enter")
    said = page.get_by_role("heading", name=re.compile("the text keeps"))
    said.wait_for()
    shown = said.inner_text()
    page.get_by_role("slider").last.press("ArrowLeft")
    until(page, lambda: said.inner_text() != shown)
    idle(page)
    page.get_by_text("Its nearest texts", exact=True).click()
    page.get_by_text("Nearest unchanged", exact=True).wait_for()
    no_failure(page)


def test_geometry_is_measured_by_itself_and_another_instrument_by_its_button(page, app, layered):
    page.goto(f"{app.url}/diagnostics?run={layered.id}")
    page.get_by_role("heading", name=re.compile("mean cosine of two texts drawn at random")).wait_for()
    page.locator(".chart .xtitle").filter(has_text="cosine").first.wait_for()
    page.get_by_role("combobox", name=re.compile("Instrument")).click()
    page.get_by_role("option", name="Words: Word order", exact=True).click()
    page.get_by_role("button", name="Measure all of words").click()
    page.get_by_role("heading", name=re.compile("Shuffling words moves the cosines")).wait_for()
    assert json.loads(layered.diagnostic("word-order").read_text(encoding="utf-8"))["after"]["js"] is not None
    no_failure(page)


@pytest.mark.parametrize("method", ["UMAP", "PCA"])
def test_another_map_is_drawn_by_its_button(page, app, layered, method):
    page.goto(f"{app.url}/maps?run={layered.id}")
    page.get_by_role("button", name="View and filter").click()
    page.get_by_role("radio", name=method).click()
    page.keyboard.press("Escape")
    page.get_by_text(f"The {method} maps of this run are not drawn yet").wait_for()
    page.get_by_role("button", name="Draw the maps").click()
    page.get_by_text(re.compile(rf"{method}.*160 of 160 texts shown")).nth(1).wait_for()
    assert page.locator(".map").count() == 2
    assert all(layered.map(side, method.casefold()).is_file() for side in ("before", "after"))
    no_failure(page)
