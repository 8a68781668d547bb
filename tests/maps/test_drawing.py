"""Figures for a paper: text stays text, one image a map, pixels as asked, names literal and apart, bytes repeatable."""

import re
import xml.etree.ElementTree as tree
import zlib

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from embedlab.figures.print_type import RC, families, measured, wrapped
from embedlab.maps.drawing import NO_CLASS, MapFigure, MapPanel, draw, limits, point_size, spread_names, with_halos
from embedlab.palette import class_colours
from embedlab.plain_text import one_line
from embedlab.plane import densest_places

HOSTILE = ["$x^2$", "<b>bold</b>", "a & b", "\\frac", "_{i}", "100 %", "naïve", '"quoted"', "line\nbreak\0"]


def picture(names=("law", "sailing"), *, panels=2, where="map", texts=60, **more) -> MapFigure:
    rng = np.random.default_rng(1)
    middles = np.column_stack([np.arange(len(names)) * 8.0, np.arange(len(names)) % 3 * 8.0])
    categories = np.arange(texts) % len(names)
    places = [middles[categories] + rng.normal(size=(texts, 2)) for _ in range(panels)]
    drawn = [
        MapPanel(place, categories, title, "kNN accuracy 57.9 % ± 1.4")
        for place, title in zip(places, "AB", strict=False)
    ]
    colours = list(class_colours(names).values())
    return MapFigure(drawn, list(names), colours, caption="t-SNE, seed 42.", names=where, **more)


def said(svg: str) -> list[str]:
    """Every text of an SVG, without halos."""
    root = tree.fromstring(svg)
    halos = {id(text) for group in root.iter("{http://www.w3.org/2000/svg}g") if group.get("aria-hidden")
             for text in group.iter("{http://www.w3.org/2000/svg}text")}  # fmt: skip
    return [node.text for node in root.iter("{http://www.w3.org/2000/svg}text") if id(node) not in halos]


def pdf_pages(content: bytes) -> list[bytes]:
    """The unpacked streams that draw text."""
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", content, re.DOTALL)
    return [page for page in map(_unpacked, streams) if b"\nBT\n" in page or page.startswith(b"BT\n")]


def _unpacked(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return b""


def pdf_lines(page: bytes) -> list[str]:
    """What each text object says: two bytes a character, as TrueType text is written."""
    lines = []
    for block in re.findall(rb"BT\n(.*?)ET", page, re.DOTALL):
        parts = re.findall(rb"\(((?:\\.|[^\\)])*)\)", block, re.DOTALL)
        code = b"".join(re.sub(rb"\\([()\\])", rb"\1", part) for part in parts)
        lines.append(code.decode("utf-16-be", "replace"))
    return lines


def test_an_svg_has_its_text_as_text_and_one_image_a_map(tmp_path):
    for panels in (1, 2):
        draw(picture(panels=panels), tmp_path / "a.svg", width_mm=174, dpi=100)
        svg = (tmp_path / "a.svg").read_text()
        assert svg.count("<image ") == panels
        texts = said(svg)
        assert texts.count("law") == texts.count("sailing") == panels
        assert "t-SNE, seed 42." in texts and texts.count("kNN accuracy 57.9 % ± 1.4") == panels
        assert 'width="493' in svg  # 174 mm in points
        assert "Verdana, sans-serif" in svg


def test_a_pdf_has_its_text_as_text_and_one_image_a_map(tmp_path):
    draw(picture(), tmp_path / "a.pdf", width_mm=174, dpi=100)
    content = (tmp_path / "a.pdf").read_bytes()
    (page,) = pdf_pages(content)
    assert {"law", "sailing", "t-SNE, seed 42.", "A"} <= set(pdf_lines(page))
    assert page.count(b" Do") == 2
    assert b"/FontFile2" in content and b"/Type3" not in content


@pytest.mark.parametrize(
    ("width", "dpi", "pixels"), [(85, 300, 1004), (174, 300, 2055), (120, 72, 340), (30, 600, 709)]
)
def test_a_png_has_the_asked_pixels(tmp_path, width, dpi, pixels):
    facts = draw(picture(panels=1), tmp_path / "a.png", width_mm=width, dpi=dpi)
    with Image.open(tmp_path / "a.png") as image:
        assert image.size == (pixels, facts.height) == (facts.width, facts.height)
        assert round(image.info["dpi"][0]) == dpi


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_the_same_map_gives_the_same_bytes(tmp_path, ending):
    for name in "ab":
        draw(picture(where="legend"), tmp_path / f"{name}.{ending}", width_mm=85, dpi=100)
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


@pytest.mark.parametrize("where", ["map", "legend"])
def test_hostile_names_are_shown_literally(tmp_path, where):
    draw(
        picture(HOSTILE, panels=1, where=where, texts=90, title="$\\alpha$ <i>"),
        tmp_path / "a.svg",
        width_mm=174,
        dpi=90,
    )
    texts = said((tmp_path / "a.svg").read_text())
    assert {one_line(name, 26) for name in HOSTILE} <= set(texts)
    assert "$\\alpha$ <i>" in texts
    draw(picture(HOSTILE, panels=1, where=where, texts=90), tmp_path / "a.pdf", width_mm=174, dpi=90)
    (page,) = pdf_pages((tmp_path / "a.pdf").read_bytes())
    assert {one_line(name, 26) for name in HOSTILE} <= set(pdf_lines(page))


def test_a_character_without_a_glyph_is_told_and_stays_in_the_svg(tmp_path):
    nowhere = "\u0378"  # not assigned
    fonts, unseen = families([f"plain {nowhere}"])
    assert fonts[0] == "DejaVu Sans" and "\u0378" in unseen
    assert families(["plain ± ü"]) == (["DejaVu Sans"], "")
    assert "\u0378" in draw(picture([f"a{nowhere}", "b"]), tmp_path / "a.png", width_mm=85, dpi=80).unseen
    assert draw(picture([f"a{nowhere}", "b"]), tmp_path / "a.svg", width_mm=85, dpi=80).unseen == ""
    assert f"a{nowhere}" in said((tmp_path / "a.svg").read_text())


def test_points_are_drawn_where_they_lie_in_the_colour_of_their_class(tmp_path):
    places = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    colours = [{"light": shade, "dark": "#000000"} for shade in ("#ff0000", "#0000ff")]
    panel = MapPanel(places, np.array([0, 1, NO_CLASS, 0]))
    draw(MapFigure([panel], ["a", "b"], colours, names="none"), tmp_path / "a.png", width_mm=60, dpi=200)
    pixels = np.asarray(Image.open(tmp_path / "a.png").convert("RGB")).astype(int)
    found = {}
    for name, (red, green, blue) in (("red", (1, 0, 0)), ("blue", (0, 0, 1))):
        wanted = pixels @ (2 * np.array([red, green, blue]) - 1) > 150
        found[name] = np.argwhere(wanted)
    height, width = pixels.shape[:2]
    assert (found["blue"].mean(axis=0) > (0.8 * height, 0.8 * width)).all()  # (1, 0) is right and below
    assert found["red"][:, 1].min() < 0.2 * width and found["red"][:, 0].min() < 0.2 * height


def test_faint_texts_are_grey(tmp_path):
    shown = picture(panels=1)
    panel = MapPanel(shown.panels[0].coordinates, shown.panels[0].categories, faint=np.ones(60, bool))
    draw(MapFigure([panel], shown.class_names, shown.colours, names="none"), tmp_path / "a.png", width_mm=60, dpi=100)
    pixels = np.asarray(Image.open(tmp_path / "a.png").convert("RGB")).astype(int)
    assert np.ptp(pixels, axis=2).max() < 25 and pixels.min() < 235


def test_both_panels_have_the_same_corners():
    one, two = MapPanel(np.array([[0.0, 0.0]]), np.zeros(1, int)), MapPanel(np.array([[10.0, 4.0]]), np.zeros(1, int))
    low, high = limits([one, two])
    assert low.tolist() == pytest.approx([-0.3, -0.3]) and high.tolist() == pytest.approx([10.3, 4.3])  # 3 % of 10
    assert np.isfinite(limits([MapPanel(np.empty((0, 2)), np.empty(0, int))])).all()


def test_no_text_and_one_text_can_be_drawn(tmp_path):
    for texts in (0, 1):
        panel = MapPanel(np.zeros((texts, 2)), np.zeros(texts, int))
        draw(MapFigure([panel], ["a"], list(class_colours(["a"]).values())), tmp_path / "a.png", width_mm=60, dpi=80)


def test_points_shrink_and_fade_with_density():
    frame = 240.0 * 240
    sizes = [point_size(texts, frame) for texts in (10, 1_000, 10_000, 100_000, 1_000_000)]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] == (1.8, 0.9) and sizes[-1][0] == 0.18


def test_a_class_is_named_where_it_is_densest():
    crowd = np.array([[0.0, 0.0]] * 5 + [[10.0, 10.0]] * 2)
    found = densest_places(crowd, np.array([0, 0, 0, 0, 1, 0, NO_CLASS]), 3)
    assert found.middles[0].tolist() == [0.0, 0.0] and np.isnan(found.middles[2]).all()
    assert found.sizes.tolist() == [5, 1, 0]


def test_the_densest_place_is_that_of_a_count_cell_by_cell():
    rng = np.random.default_rng(7)
    points, classes = rng.normal(size=(600, 2)), rng.integers(0, 3, 600)
    low, high = points.min(axis=0), points.max(axis=0)
    cells = np.minimum((points - low) / (high - low) * 40, 39).astype(int)
    for category, middle in enumerate(densest_places(points, classes, 3).middles):
        own = cells[classes == category]
        near = {tuple(cell): (np.abs(own - cell) <= 1).all(axis=1) for cell in own}
        most = max(
            near, key=lambda cell: (near[cell].sum() + (own == cell).all(axis=1).sum(), [-each for each in cell])
        )
        assert middle == pytest.approx(points[classes == category][near[most]].mean(axis=0))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 60))
def test_names_never_lie_on_each_other_nor_outside(seed, count):
    rng = np.random.default_rng(seed)
    at, names, frame = (
        rng.uniform(0, 100, (count, 2)),
        rng.uniform(2, 30, (count, 2)),
        np.array([[0.0, 0.0], [100.0, 80.0]]),
    )
    found = spread_names(at, names, rng.integers(0, 5, count), frame)
    boxes = [(x - names[c, 0] / 2, y - names[c, 1] / 2, x + names[c, 0] / 2, y + names[c, 1] / 2) for c, x, y in found]
    assert all(box[0] >= 0 and box[1] >= 0 and box[2] <= 100 and box[3] <= 80 for box in boxes)
    for number, one in enumerate(boxes):
        for other in boxes[:number]:
            assert one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3]


def test_the_larger_of_two_classes_in_one_place_is_named():
    at, names = np.array([[50.0, 50.0], [51.0, 50.0]]), np.full((2, 2), 10.0)
    frame = np.array([[0.0, 0.0], [100.0, 100.0]])
    assert [category for category, *_ in spread_names(at, names, np.array([3, 9]), frame)] == [1]


def test_a_long_caption_is_wrapped_and_a_long_word_cut():
    lines = wrapped("kNN accuracy of the embeddings, not of the picture. " * 4, 6.0, 2.0)
    assert len(lines) > 3 and " ".join(lines).startswith("kNN accuracy of the embeddings, not of the picture.")
    assert wrapped("x" * 500, 6.0, 1.0)[0].endswith("…") and wrapped("", 6.0, 1.0) == []


def test_a_dollar_is_measured_as_wide_as_it_is_drawn():
    with matplotlib.rc_context(RC):
        dollars = measured("$$", 10.0)[0] - measured("", 10.0)[0]
        assert measured("$xx$", 10.0)[0] > measured("xx", 10.0)[0] + 0.8 * dollars > 10


def test_a_figure_with_another_number_of_halos_is_refused():
    with pytest.raises(ValueError, match="2 names with a halo"):
        with_halos('<svg><g id="halo-0"><text style="font: x">a</text></g></svg>', 2, "#ffffff")
