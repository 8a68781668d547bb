"""What broke under the mouse: walking neighbors, searches at every width, a run that another tab resumes; and axe."""

from importlib.resources import files
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from doing import do
from filelock import FileLock
from hostile_texts import written_corpus
from looking import box_at_rest, idle, no_failure, until

from embedlab.corpora import load_corpus
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, fingerprint_of
from embedlab.ui.frame.navigation import PLACES

QUICK = {
    "encoder": "token",
    "recipe": "crops",
    "vocabulary_size": 300,
    "batch_size": 16,
    "max_steps": 4,
    "maps": False,
    "inside": False,
}
FAULTS = Path(__file__).with_name("faults.js").read_text(encoding="utf-8")
LOOKED_AT = ("home", "train", "maps", "moved", "neighbors", "diagnostics", "evaluate", "compare", "export")


@pytest.fixture(scope="module")
def run(home, tmp_path_factory):
    """A finished run with its maps, made in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDLAB_HOME", str(home))
        corpus = load_corpus(str(written_corpus(tmp_path_factory.mktemp("mouse") / "mouse.csv", per_class=15)))
        made = do("train", {**QUICK, "corpus": corpus.fingerprint})
        do("map", {"run": made.id, "method": "tsne"})
    return made


def opened(page, app, key: str, run) -> None:
    """A view by its key."""
    place = PLACES[key]
    page.goto(f"{app.url}/{'' if place.page == 'home' else place.page}?{urlencode({**place.address, 'run': run.id})}")
    idle(page)


def test_a_search_shows_its_first_hit_and_neighbors_are_walked_by_mouse_and_back(page, app, run):
    opened(page, app, "neighbors", run)
    text = page.locator('[data-testid="stText"]').first
    first = text.inner_text()
    search = page.get_by_label("Search the corpus")
    search.fill("anchor")
    search.press("Enter")
    until(page, lambda: "anchor" in text.inner_text().lower() and text.inner_text() != first)
    idle(page)  # the neighbors are drawn after the text
    found = text.inner_text()
    neighbor = page.locator('[class*="st-key-walk-after"] button').nth(2)
    beginning = neighbor.inner_text()[:40]
    neighbor.click()
    until(page, lambda: text.inner_text().replace("\n", " ").startswith(beginning))
    page.get_by_role("button", name="Back", exact=True).click()
    until(page, lambda: text.inner_text() == found)
    no_failure(page)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1400, 800])
def test_no_way_to_search_the_map_lies_over_another_control_or_pushes_it_away(page, app, run, width):
    page.set_viewport_size({"width": width, "height": 900})
    opened(page, app, "maps", run)
    for way in ("Words", "Meaning", "Neighbors", "Two texts"):
        page.get_by_role("radiogroup", name="Find by").get_by_role("radio", name=way, exact=True).click()
        if way == "Meaning":  # an encoder that knows no token of it says so in a sentence
            page.get_by_label("Sentence").wait_for()
            idle(page)
            popover = page.get_by_role("button", name="View and filter")
            place = box_at_rest(page, popover)
            page.get_by_label("Sentence").fill("🦄")
            page.get_by_label("Sentence").press("Enter")
            page.get_by_text("know no token of it").wait_for()
            assert box_at_rest(page, popover)["y"] == pytest.approx(place["y"], abs=2)
        idle(page)
        assert [fault for fault in page.evaluate(FAULTS)["faults"] if "lies over" in fault or "wider" in fault] == []


@pytest.mark.slow
def test_a_run_that_another_tab_resumed_is_followed(page, app, run, home, monkeypatch):
    monkeypatch.setenv("EMBEDLAB_HOME", str(home))
    ended = create_run("train", {**QUICK, "corpus": fingerprint_of(run)}, name="resumed elsewhere")
    write_state(ended, State.STOPPED)
    opened(page, app, "result", ended)
    page.get_by_role("button", name="Resume", exact=True).wait_for()
    with FileLock(ended.lock):  # as its new worker holds it
        write_state(ended, State.RUNNING)
        page.get_by_role("button", name="Stop and keep the best").wait_for()
    write_state(ended, State.FAILED, error={"code": "E-X", "message": "It ended."})
    no_failure(page)


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(page, app, run, theme):
    pytest.importorskip("axe_playwright_python", reason="needs axe: pip install -r tests/requirements.txt")
    axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    page.emulate_media(color_scheme=theme)
    found = []
    for key in LOOKED_AT:
        opened(page, app, key, run)
        page.evaluate(axe)
        for each in page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")["violations"]:
            if each["impact"] in ("serious", "critical"):
                found += [f"{key}: {each['id']}: {node['html'][:120]}" for node in each["nodes"]]
    assert found == []


def part_shown(page) -> list[float]:
    """What the address says of the maps' zoom; empty where it says nothing."""
    asked = parse_qs(urlsplit(page.url).query).get("zoom", [""])[0]
    return [float(each) for each in asked.split(",") if each]


@pytest.mark.slow
def test_the_part_of_a_map_that_is_shown_is_a_link(page, app, run):
    opened(page, app, "maps", run)
    marks = page.locator(".map .marks").first
    page.locator(".map .names span").first.wait_for(state="attached")
    marks.scroll_into_view_if_needed()

    def zoomed(at: float, turn: int, *earlier: list[float]) -> bool:
        """Turn the wheel there; the address follows, unless the page was being drawn anew and the turn was lost."""
        box = box_at_rest(page, marks)
        page.mouse.move(box["x"] + at * box["width"], box["y"] + at * box["height"])
        page.mouse.wheel(0, turn)
        page.wait_for_timeout(1_500)
        return part_shown(page) not in ([], *earlier)

    until(page, lambda: zoomed(0.4, -600))
    idle(page)
    link, asked = page.url, part_shown(page)
    assert asked[2] > 1.2
    page.goto("about:blank")
    page.goto(link)
    marks.wait_for()  # its names may lie outside the part
    idle(page)
    marks.scroll_into_view_if_needed()
    until(page, lambda: zoomed(0.5, -120, asked))  # a little more of the part that the link opened
    assert part_shown(page)[2] > asked[2]
    no_failure(page)
