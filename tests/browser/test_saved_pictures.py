"""Every chart and map is saved as a picture from the browser: solid ground, its title, a name that says what it is."""

import io
import re

import numpy as np
import pytest
from looking import until
from looking_at_maps import frame

pytestmark = pytest.mark.slow


def saved(page, name: str) -> tuple[str, bytes]:
    """The file that a click on this button saves: its name and content."""
    with page.expect_download() as download:
        page.get_by_role("button", name=name, exact=True).click()
    with open(download.value.path(), "rb") as file:
        return download.value.suggested_filename, file.read()


def pixels(content: bytes) -> np.ndarray:
    """(height, width, 4)"""
    image = pytest.importorskip("PIL.Image")
    return np.asarray(image.open(io.BytesIO(content)).convert("RGBA"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_chart_as_png_and_svg_with_the_keyboard(open_case, scheme):
    page = open_case("beside", ready=".chart .main-svg", color_scheme=scheme)
    save = page.get_by_role("button", name="Save picture", exact=True)
    assert page.get_by_role("button", name="Save picture as PNG").count() == 0
    save.focus()
    until(page, lambda: page.locator(".chart-save").evaluate("at => getComputedStyle(at).opacity") == "1")
    page.keyboard.press("Enter")
    name, content = saved(page, "Save picture as PNG")
    drawn, box = pixels(content), page.locator(".chart").bounding_box()
    assert name == "length-of-the-texts.png"
    assert drawn.shape[1] == pytest.approx(2 * box["width"], abs=2)
    assert (drawn[..., 3] == 255).all() and (drawn[0, 0, :3].mean() < 60) == (scheme == "dark")
    save.click()
    name, content = saved(page, "Save picture as SVG")
    told = content.decode()
    assert name == "length-of-the-texts.svg" and told.startswith("<svg")
    assert "Length of the texts" in told
    assert re.search(r"<rect[^>]*fill: rgb\((255, 255, 255|\d\d, \d\d, \d\d)\); fill-opacity: 1", told)


def test_a_chart_is_saved_as_far_as_it_is_zoomed(open_case):
    page = open_case("beside", ready=".chart .main-svg")
    page.locator(".chart").evaluate("at => window.Plotly.relayout(at, {'xaxis.range': [1, 2]})")
    page.get_by_role("button", name="Save picture", exact=True).click()
    _, content = saved(page, "Save picture as SVG")
    assert ">1.5<" in content.decode() or ">1.2<" in content.decode()


def test_a_map_as_png_with_points_names_title_corner_and_legend(open_case):
    page = open_case("one", texts=300)
    _, box = frame(page)
    page.get_by_role("button", name="Classes", exact=True).click()
    page.wait_for_timeout(200)
    name, content = saved(page, "Save picture")
    drawn = pixels(content)[..., :3].astype(int)
    assert name == "one.png"
    assert drawn.shape[:2] == pytest.approx((2 * (box["height"] - 2), 2 * (box["width"] - 2)), abs=2)

    def is_marked(part: str) -> bool:
        """Whether anything is drawn where this part of the map stands."""
        own = page.locator(f".map {part}").first.bounding_box()
        left, top = (round(2 * (own[axis] - box[axis] - 1)) for axis in ("x", "y"))
        shown = drawn[top : top + round(2 * own["height"]), left : left + round(2 * own["width"])]
        return (shown.max(axis=(0, 1)) - shown.min(axis=(0, 1))).max() > 120

    assert all(is_marked(part) for part in (".title", ".corner", ".legend .name", ".legend .dot", ".names span"))
    middle = drawn[300:-300, 300:-600]
    assert (np.ptp(middle, axis=2) > 60).mean() > 0.002  # the points have colours


def test_saving_leaves_the_map_as_it_was(open_case):
    page = open_case("one", texts=300)
    sizes = "canvases => canvases.map(at => [at.width, at.height])"
    before = page.locator(".map canvas").evaluate_all(sizes)
    saved(page, "Save picture")
    assert page.locator(".map canvas").evaluate_all(sizes) == before
