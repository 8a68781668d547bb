"""How a map uses its room: the card beside its point, the full screen with the legend, and a projector's size."""

import numpy as np
import pytest
from looking import idle, until
from looking_at_maps import frame, on_screen, picture
from map_points import points

pytestmark = pytest.mark.slow

CORNERS = [(-1, -1), (-1, 1), (1, -1), (1, 1)]


def is_inside(inner: dict, outer: dict) -> bool:
    """Whether one box lies within another."""
    return all(
        inner[start] >= outer[start] and inner[start] + inner[side] <= outer[start] + outer[side]
        for start, side in (("x", "width"), ("y", "height"))
    )


def away(box: dict, left: float, top: float) -> float:
    """How far a place lies from a box; 0 inside it."""
    across = max(box["x"] - left, left - box["x"] - box["width"], 0)
    return float(np.hypot(across, max(box["y"] - top, top - box["y"] - box["height"], 0)))


@pytest.mark.parametrize("length", [3, 400])
@pytest.mark.parametrize(("case", "width"), [("one", 1400), ("one", 800), ("one", 420), ("pair", 800)])
def test_the_card_lies_beside_its_point_and_inside_the_frame(open_case, case, width, length):
    page = open_case(case, width=width, texts=300)
    text = " ".join(["word"] * length)
    page.route("**/data/text*", lambda route: route.fulfill(json=dict(title="", text=text)))
    coordinates, some = points(300, 5)[0], np.flatnonzero(np.arange(300) % 3)
    shown = coordinates[some] if case == "pair" else coordinates
    bounds = coordinates if case == "one" else np.concatenate([shown, (coordinates @ [[0, -1], [1, 0]])[1::2]])
    _, box = frame(page)
    places = on_screen(box, bounds, shown)
    for corner in CORNERS:
        left, top = places[np.argmax(places @ corner)]
        page.mouse.move(left, top)
        card = page.locator(".map .card").first
        card.get_by_text(text, exact=True).wait_for()
        found = card.bounding_box()
        assert is_inside(found, box), (corner, found, box)
        assert away(found, left, top) >= 8, (corner, found)  # the ring of a hovered point ends before
        page.mouse.click(left, top)
        found = card.bounding_box()
        assert is_inside(found, box) and away(found, left, top) >= 8, (corner, "clicked", found)
        page.keyboard.press("Escape")
        page.mouse.move(box["x"] + 2, box["y"] + box["height"] - 2)
        card.wait_for(state="hidden")


ROOM = """frame => {
  const root = frame.getRootNode(), place = (root.host ?? frame).closest('[class*="st-key-"]');
  return [parseFloat(getComputedStyle(place, "::before").height), frame.clientHeight + 2];
}"""


@pytest.mark.parametrize(("case", "width"), [("one", 1400), ("one", 800), ("one", 420), ("pair", 1400), ("pair", 800)])
def test_the_room_kept_before_a_map_comes_is_as_high_as_the_map(open_case, case, width):
    page = open_case(case, width=width, texts=300)
    kept, drawn = page.locator(".map .frame").first.evaluate(ROOM)
    assert kept == pytest.approx(drawn, abs=4)


def test_a_map_fills_the_screen_with_its_legend_and_escape_brings_the_page_back(open_case):
    page = open_case("pair", width=1400, texts=300)
    found, before = frame(page)
    legend = page.locator(".map .legend").first
    legend_before = legend.is_visible()
    page.get_by_role("button", name="Full screen").first.click()
    until(page, lambda: found.bounding_box()["width"] > 1300)
    whole = found.bounding_box()
    assert whole["height"] > 800 and is_inside(whole, dict(x=0, y=0, width=1400, height=900))
    legend.wait_for()
    assert is_inside(legend.bounding_box(), whole)
    canvas = page.locator(".map canvas.points").first.evaluate("at => [at.width, at.height]")
    assert canvas == pytest.approx([whole["width"] - 2, whole["height"] - 2], abs=2)
    page.keyboard.press("Escape")
    until(page, lambda: abs(found.bounding_box()["width"] - before["width"]) < 1)
    until(page, lambda: abs(found.bounding_box()["height"] - before["height"]) < 1)
    until(page, lambda: legend.is_visible() == legend_before)


def test_the_slider_is_on_the_full_screen_too(open_case):
    page = open_case("morph", texts=300)
    page.locator(".map .frame").focus()
    page.keyboard.press("f")
    until(page, lambda: page.locator(".map .frame").bounding_box()["width"] > 1300)
    own = page.locator(".map .slider").bounding_box()
    assert own["y"] + own["height"] <= 900 and page.get_by_role("slider").is_visible()


def test_a_projector_gets_larger_letters_points_and_charts(open_case):
    page, large = open_case("one", texts=300), open_case("one", texts=300, size="projector")
    letters = "at => parseFloat(getComputedStyle(at).fontSize)"
    for part in (".title", ".corner", ".legend .name", ".names span"):
        small, wide = (each.locator(f".map {part}").first.evaluate(letters) for each in (page, large))
        assert wide == pytest.approx(1.5 * small), part
    assert large.locator("html").evaluate(letters) == 22.5
    assert picture(page) != picture(large)
    page, large = (open_case("beside", ready=".chart .main-svg", **more) for more in ({}, dict(size="projector")))
    for part in (".gtitle", ".xtick text", ".xtitle"):
        small, wide = (each.locator(f".chart {part}").first.evaluate(letters) for each in (page, large))
        assert wide == pytest.approx(1.5 * small), part
    heights = [each.locator(".chart .main-svg").first.bounding_box()["height"] for each in (page, large)]
    assert heights[1] == pytest.approx(1.5 * heights[0], abs=1)
    idle(large)
