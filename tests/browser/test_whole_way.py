"""A person's way through the app: corpus, train, live curve, maps with lasso, layers, length, compare, neighbors."""

import csv
import io
import re
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

import pytest
from hostile_texts import HOSTILE, written_corpus
from looking import box_at_rest, idle, no_failure, open_page, open_tab, until

from embedlab.runs.state import State
from embedlab.store_root import read_json
from embedlab.ui.frame.navigation import FORMER_PAGES

pytestmark = pytest.mark.slow  # one story in several tests, each of which needs those before it


@pytest.fixture(scope="module")
def corpus_file(tmp_path_factory):
    """A CSV of 160 texts, four classes with hostile names."""
    return written_corpus(tmp_path_factory.mktemp("corpus") / "my texts.csv")


def test_from_a_file_to_the_result(page, app, corpus_file):
    page.goto(f"{app.url}/corpus")
    idle(page)
    page.get_by_role("radio", name="Your file").click()
    page.locator('input[type="file"]:not([accept*=".npy"])').set_input_files(corpus_file)
    page.get_by_role("button", name="Read these texts").click()
    page.get_by_role("button", name="Start fine-tuning").wait_for()
    idle(page)
    until(page, lambda: "160" in page.locator("body").inner_text())
    no_failure(page)

    open_page(page, "Train")  # which has the corpus that Data shows
    page.get_by_role("button", name="Start fine-tuning").click()
    page.locator(".chart").first.wait_for()
    page.get_by_text(re.compile("Helped|No clear change|Hurt|Too few test texts")).first.wait_for()
    page.locator(".map .names span").first.wait_for(state="attached")
    pdf = page.get_by_role("button", name="Download this figure as PDF")
    until(page, lambda: pdf.count() == 1)  # for a moment the page that is drawn anew has the former one, too
    with page.expect_download() as sent:
        pdf.click()
    assert sent.value.path().read_bytes().startswith(b"%PDF")
    no_failure(page)


def lasso(page, marks) -> None:
    """Draw a lasso around all of a map."""
    marks.scroll_into_view_if_needed()
    box = box_at_rest(page, marks)
    corners = [(0.02, 0.02), (0.98, 0.02), (0.98, 0.98), (0.02, 0.98), (0.02, 0.05)]
    first, *others = [(box["x"] + a * box["width"], box["y"] + b * box["height"]) for a, b in corners]
    page.keyboard.down("Shift")
    page.mouse.move(*first)
    page.mouse.down()
    for place in others:
        page.mouse.move(*place, steps=6)
    page.mouse.up()
    page.keyboard.up("Shift")


def test_the_result_has_maps_with_a_lasso_that_ends_in_a_table(page, app):
    from playwright.sync_api import Error

    page.goto(app.url)
    open_tab(page, "Map")
    page.locator(".map .names span").nth(4).wait_for(state="attached")
    until(page, lambda: page.locator(".map").count() == 2)
    selected = page.get_by_text(re.compile(r"1[56]\d texts selected")).first
    for _ in range(6):  # a page that is just being drawn anew may move the map from under the mouse
        lasso(page, page.locator(".map .marks").first)
        with suppress(Error):
            selected.wait_for(timeout=10_000)
            break
    assert selected.is_visible()
    page.get_by_role("button", name=re.compile(r"^Use 1[56]\d texts")).click()
    with page.expect_download() as loading:
        page.get_by_role("button", name="Download CSV").click()
    written = loading.value.path().read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(written)))
    assert len(rows) >= 150 and {"text", "label"} <= set(rows[0])
    assert any(row["label"].startswith("'=") for row in rows)  # no cell runs as a formula
    assert page.get_by_role("button", name="Download as CSV").count() == 0  # Streamlit's own would
    no_failure(page)


def test_hostile_texts_and_labels_are_shown_as_text(page, app):
    page.goto(app.url)
    for name in ("Data", "Train", "Result", "Map", "Scores", "Inside", "Export", "Runs"):
        open_page(page, name) if name in ("Data", "Train", "Runs") else open_tab(page, name)
        no_failure(page)
        assert page.locator("img[src='x'], iframe[src^='javascript'], a[href^='javascript']").count() == 0
        assert page.evaluate("window.struck === undefined")
    open_tab(page, "Map")
    page.locator(".map .names span").nth(4).wait_for(state="attached")
    shown = page.locator(".map").first.evaluate("map => map.getRootNode().textContent + map.textContent")
    assert any(label[:12] in shown for label in HOSTILE)


def test_metrics_are_measured_and_every_view_shows_the_run(page, app, home):
    from playwright.sync_api import Error

    page.goto(app.url)
    open_tab(page, "Scores")
    page.get_by_text("Measure more", exact=True).click()  # what the training measured is shown already
    measure = page.get_by_role("button", name=re.compile("^Measure"))
    before = set(home.glob("jobs/*"))
    for _ in range(4):  # once more where the click fell into a page being drawn anew
        with suppress(Error):
            measure.click(timeout=10_000)
        page.wait_for_timeout(3_000)
        if set(home.glob("jobs/*")) - before:
            break
    page.get_by_role("button", name="Download as CSV").wait_for()
    kept = home / "runs" / parse_qs(urlsplit(page.url).query)["run"][0] / "evaluations.json"
    wanted = {"retrieval", "match-halves"}
    until(page, lambda: kept.exists() and all(f'"{key}"' in kept.read_text(encoding="utf-8") for key in wanted))
    begun = set(home.glob("jobs/*")) - before
    until(page, lambda: all(State(read_json(job / "state.json")["state"]).is_over for job in begun))
    until(page, lambda: page.get_by_test_id("stProgress").count() == 0)
    idle(page)
    with page.expect_download() as loading:
        page.get_by_role("button", name="Download as CSV").click()
    rows = list(csv.DictReader(io.StringIO(loading.value.path().read_text(encoding="utf-8"))))
    assert {"knn", *wanted} <= {row["\ufeffmetric"] for row in rows}
    assert {"before", "after", "difference", "tfidf", "svd"} == {row["state"] for row in rows}
    for view, seen in (("Classes", "The texts behind the numbers"), ("Benchmarks", "Benchmark"), ("Methods", "BibTeX")):
        page.get_by_role("radio", name=view).click()
        page.get_by_text(seen, exact=True).first.wait_for()
        idle(page)
        no_failure(page)
        assert page.locator("img[src='x'], iframe[src^='javascript'], a[href^='javascript']").count() == 0
        assert page.evaluate("window.struck === undefined")


@pytest.mark.parametrize("name", ["Layers", "Length"])
def test_a_token_layer_says_why_it_is_flat_and_is_measured_on_demand(page, app, name):
    page.goto(f"{app.url}/{name.lower()}")
    page.get_by_text(re.compile("one layer|mean over m copies|token-embedding layer")).first.wait_for()
    no_failure(page)


def test_a_view_under_more_opens_and_a_row_of_the_table_opens_its_run(page, app):
    page.goto(f"{app.url}/run?tab=Map")
    idle(page)
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Axes", exact=True).click()
    page.get_by_role("button", name="Draw the axes").wait_for()
    until(page, lambda: "view=Axes" in page.url)
    open_page(page, "Runs")
    table = page.locator('[data-testid="stDataFrame"]').first

    def opened() -> bool:
        """Whether the run is open; clicks a cell of the first row, again where the table was being drawn anew."""
        if "/run?" not in page.url:
            box = table.bounding_box(timeout=1000)
            page.mouse.click(box["x"] + 200, box["y"] + 55)
            page.wait_for_timeout(3000)
        return "/run?" in page.url and "tab=Result" in page.url

    until(page, opened)
    no_failure(page)


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (800, "dark")])  # a width is as wide in either
def test_every_page_opens_wide_and_narrow_light_and_dark(page, app, width, scheme):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    for place in ("", "data", "train", "run", *FORMER_PAGES, "runs", "learn"):
        page.goto(f"{app.url}/{place}")
        page.get_by_role("heading").first.wait_for()
        idle(page)
        no_failure(page)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 1"), (place, width)
