"""The map in Chromium: hover, lasso, links, morph, film, keys, dark, narrow, without WebGL2; on made-up points."""

import json
import re

import numpy as np
import pytest
from looking import idle, no_failure, until
from looking_at_maps import frame, on_screen, picture
from map_points import TURN, points

from embedlab.ui.components.map_view import drawn_places, rows_in_polygon

FOCUSED = """() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at.getAttribute("aria-label");
}"""
LOSES = """at => {
  const loses = at.getContext("webgl2").getExtension("WEBGL_lose_context");
  loses.loseContext();
  setTimeout(() => loses.restoreContext(), 50);
}"""
COUNTED = """window.asked = 0;
const real = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
  if (kind === "webgl2") window.asked++;
  return real.call(this, kind, ...more);
};"""


def state(page, key: str) -> dict:
    """What Python knows of the reader."""
    return json.loads(page.locator(f"#{key}-state").inner_text())


def lasso(page, corners) -> None:
    """Drag with Shift held."""
    page.keyboard.down("Shift")
    page.mouse.move(*corners[0])
    page.mouse.down()
    for corner in [*corners[1:], corners[0]]:
        page.mouse.move(*corner, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")


def around(box: dict, left: float, top: float, right: float, bottom: float) -> list[tuple[float, float]]:
    """A rectangle in shares of the frame."""
    across, down = (lambda share: box["x"] + share * box["width"]), (lambda share: box["y"] + share * box["height"])
    return [(across(x), down(y)) for x, y in ((left, top), (right, top), (right, bottom), (left, bottom))]


def selected(page, key: str) -> dict:
    """Wait until Python has the lasso."""
    until(page, lambda: state(page, key)["polygon"] is not None)
    return state(page, key)


def said(page, position: int = 0) -> int:
    """The number of texts the map says are selected."""
    found = re.match(r"([\d,]+) texts selected", page.locator(".map .status").nth(position).inner_text())
    return int(found[1].replace(",", "")) if found else -1


def test_hovering_shows_the_text_of_that_point(open_case):
    page = open_case("one", texts=300)
    coordinates, categories = points(300, 5)
    _, box = frame(page)
    left, top = on_screen(box, coordinates, coordinates).T
    lonely = [row for row in range(300) if np.sort(np.hypot(left - left[row], top - top[row]))[1] > 12]
    for row in lonely[:4]:
        page.mouse.move(left[row], top[row])
        page.locator(".map .card").get_by_text(f"text number {row}", exact=True).wait_for()
        assert page.locator(".map .card .label").inner_text() == f"class {categories[row]:03}"


def test_the_lasso_holds_exactly_the_points_inside(open_case):
    page = open_case("one", texts=5000, classes=12)
    coordinates, categories = points(5000, 12)
    _, box = frame(page)
    lasso(page, around(box, 0.3, 0.35, 0.72, 0.66))
    told = selected(page, "one")
    drawn = drawn_places([coordinates])
    assert 100 < told["count"] < 4900
    assert told["count"] == said(page) == len(rows_in_polygon(drawn, told["polygon"]))
    assert told["inside"] == rows_in_polygon(drawn, told["polygon"]).tolist()[:2000]
    corners = np.array(told["polygon"])
    left, top = on_screen(box, coordinates, corners).T
    assert abs(left.min() - (box["x"] + 0.3 * box["width"])) < 2  # the polygon is where the mouse was
    assert abs(top.max() - (box["y"] + 0.66 * box["height"])) < 2
    page.keyboard.press("Escape")
    until(page, lambda: state(page, "one")["polygon"] is None)


def test_a_selection_is_shown_by_the_linked_map_with_other_rows(open_case):
    page = open_case("pair", texts=2000)
    _, box = frame(page)
    lasso(page, around(box, 0.2, 0.2, 0.7, 0.7))
    told = selected(page, "left")
    places, some = points(2000, 5)[0], np.flatnonzero(np.arange(2000) % 3)  # the rows of the left map
    inside = some[rows_in_polygon(drawn_places([places[some]]), told["polygon"])]
    assert told["inside"] == inside.tolist()
    assert said(page, 1) == (inside % 2).sum() > 0  # the right map has the odd rows only
    _, other = frame(page, 1)
    lasso(page, around(other, 0.3, 0.3, 0.8, 0.8))
    selected(page, "right")
    until(page, lambda: state(page, "left")["polygon"] is None)  # one selection a group


def test_linked_maps_are_drawn_to_one_scale_and_zoom_together(open_case):
    page = open_case("pair", texts=2000)
    before = picture(page, 1)
    found, box = frame(page, 0)
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.wheel(0, -400)
    until(page, lambda: picture(page, 1) != before)


@pytest.mark.slow
def test_the_morph_slider_with_the_mouse_moves_points_and_lasso(open_case):
    page = open_case("morph", texts=3000, classes=8)
    before, categories = points(3000, 8)
    after = before @ TURN
    slider = page.get_by_role("slider")
    assert slider.get_attribute("aria-valuetext") == "after"
    track = slider.bounding_box()
    at_end = picture(page)
    page.mouse.click(track["x"] + 0.37 * track["width"], track["y"] + track["height"] / 2)
    until(page, lambda: picture(page) != at_end)
    page.wait_for_timeout(300)
    _, box = frame(page)
    lasso(page, around(box, 0.25, 0.2, 0.6, 0.7))
    told = selected(page, "morph")
    assert 0.3 < told["at"] < 0.45
    drawn = drawn_places([before, after], told["at"])
    inside = rows_in_polygon(drawn, told["polygon"])
    assert told["inside"] == inside.tolist()[:2000] and told["count"] == said(page) == len(inside) > 0
    assert inside.tolist() != rows_in_polygon(drawn_places([after]), told["polygon"]).tolist()


def test_linked_films_stand_at_one_frame(open_case):
    page = open_case("films", texts=300)
    left, right = page.get_by_role("slider").all()
    assert left.get_attribute("aria-valuetext") == right.get_attribute("aria-valuetext") == "layer 3"
    left.focus()
    page.keyboard.press("Home")
    until(page, lambda: right.get_attribute("aria-valuetext") == "layer 0")
    right.focus()
    page.keyboard.press("ArrowRight")
    until(page, lambda: left.get_attribute("aria-valuetext") == "layer 1")


def test_the_morph_slider_with_keys(open_case):
    page = open_case("morph", texts=300)
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    assert slider.get_attribute("aria-valuetext") == "90 % of the way to after"
    page.keyboard.press("Home")
    assert slider.get_attribute("aria-valuetext") == "before"
    page.keyboard.press("Space")  # plays from the first to the second
    until(page, lambda: slider.get_attribute("aria-valuetext") == "after")
    page.get_by_role("button", name="Play").wait_for()


WATCHED = """slider => {
  window.places = [];
  const watch = () => { window.places.push(Number(slider.value)); requestAnimationFrame(watch); };
  watch();
}"""


@pytest.mark.slow
def test_play_goes_from_before_to_after_and_title_and_corner_follow(open_case):
    page = open_case("morph", texts=300)
    slider, play = page.get_by_role("slider"), page.get_by_role("button", name="Play")
    title, corner = page.locator(".map .title"), page.locator(".map .corner")

    def told() -> tuple[str, str]:
        return title.inner_text(), corner.inner_text()

    assert told() == ("After: fine-tuned", "kNN 95.1 %")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    assert told() == ("Between: 90 % of the way", "Nothing is measured between")
    assert "95.1" not in page.locator(".map .frame").get_attribute("aria-label")
    page.keyboard.press("Home")
    assert told() == ("Before: untouched", "kNN 57.9 %")
    assert "kNN 57.9 %." in page.locator(".map .frame").get_attribute("aria-label")
    page.keyboard.press("End")
    slider.evaluate(WATCHED)
    play.click()  # where it stands at the end, it begins anew
    until(page, lambda: 0 in page.evaluate("window.places"))
    until(page, lambda: told() == ("After: fine-tuned", "kNN 95.1 %"))
    play.wait_for()  # and plays no more
    places = page.evaluate("window.places")
    played = places[places.index(0) :]
    assert played == sorted(played) and played[-1] == 1 and len(set(played)) > 2


STEPS_OF_A_TENTH = """() => {
  let clock = Math.floor(performance.now()), waiting = [];
  performance.now = () => clock;
  window.requestAnimationFrame = (draw) => waiting.push(draw);
  setInterval(() => { const drawn = waiting; waiting = []; clock += 150; drawn.forEach((draw) => draw(clock)); }, 5);
}"""  # ten times 0.1 is 0.9999999999999999


SAID = """button => {
  window.said = [];
  const note = () => window.said.push(button.getAttribute("aria-label"));
  new MutationObserver(note).observe(button, { attributes: true, attributeFilter: ["aria-label"] });
}"""


def test_played_in_steps_whose_sum_is_not_quite_one_it_stands_on_the_end(open_case):
    page = open_case("morph", texts=300)
    page.evaluate(STEPS_OF_A_TENTH)
    play = page.get_by_role("button", name="Play")
    play.evaluate(SAID)  # it plays for a tenth of a second
    play.click()
    until(page, lambda: page.evaluate("window.said") == ["Pause", "Play"])
    assert page.get_by_role("slider").get_attribute("aria-valuetext") == "after"
    assert page.locator(".map .title").inner_text() == "After: fine-tuned"


@pytest.mark.slow
def test_repeat_plays_again_and_again_until_it_is_taken_back(open_case):
    page = open_case("morph", texts=300)
    repeat = page.get_by_role("button", name="Repeat")
    repeat.click()
    assert repeat.get_attribute("aria-pressed") == "true"
    page.get_by_role("slider").evaluate(WATCHED)
    page.get_by_role("button", name="Play").click()
    starts = "window.places.filter((at, n, all) => n > 0 && at < all[n - 1])"
    until(page, lambda: len(page.evaluate(starts)) >= 3)
    assert page.evaluate(starts) == [0] * len(page.evaluate(starts))  # it never runs backwards
    repeat.click()
    page.get_by_role("button", name="Play").wait_for()
    assert page.get_by_role("slider").get_attribute("aria-valuetext") == "after"


def overhang(page) -> float:
    """By how many pixels the drawn chart is wider than the column it stands in."""
    drawn = "at.querySelector('.main-svg').getBoundingClientRect().width"
    return page.locator(".chart").evaluate(f"at => {drawn} - at.clientWidth")


@pytest.mark.slow
def test_a_chart_is_as_wide_as_its_column_when_something_comes_to_stand_beside_it(open_case):
    page = open_case("beside", ready=".chart .main-svg")
    chart = page.locator(".chart")
    alone = chart.bounding_box()["width"]
    page.get_by_text("A text beside it").click()
    page.get_by_text("beside the chart").wait_for()
    until(page, lambda: chart.bounding_box()["width"] < 0.6 * alone)
    until(page, lambda: abs(overhang(page)) < 1)
    page.get_by_text("A text beside it").click()
    until(page, lambda: chart.bounding_box()["width"] == alone)
    until(page, lambda: abs(overhang(page)) < 1)
    page.set_viewport_size({"width": 800, "height": 900})
    until(page, lambda: chart.bounding_box()["width"] < 0.8 * alone and abs(overhang(page)) < 1)


INK = "at => at.layout.font.color"
DRAWN = "at => at.data.slice(0, 2).map(({ x, y }) => [...x, ...y])"


@pytest.mark.slow
def test_lines_of_a_race_grow_together_and_the_verdict_stands_at_the_end(open_case):
    page = open_case("race", ready=".race-play")
    verdict, play = page.locator(".race-verdict"), page.locator(".race-play")
    page.get_by_text("Pause", exact=True).wait_for()  # it begins by itself
    assert not verdict.is_visible()
    page.get_by_text("Play again", exact=True).wait_for()
    assert verdict.inner_text() == "First: +5.0 points." and verdict.is_visible()
    said = page.locator(".race-standing span").all_inner_texts()
    assert said == ["first 70.0 %", "<b>second</b> 65.0 %", "elsewhere 75.0 %, not in the race"]
    whole = page.locator(".chart").evaluate(DRAWN)
    assert whole == [[0, 5, 10, 0.4, 0.6, 0.7], [0, 2, 10, 0.3, 0.7, 0.65]]
    page.locator(".race-scrub").focus()
    for _ in range(2):
        page.keyboard.press("PageDown")  # a tenth of the way each
    until(page, lambda: page.locator(".race-clock").inner_text() == "8.0 s")
    first, second = page.locator(".chart").evaluate(DRAWN)
    assert first == pytest.approx([0, 5, 8, 0.4, 0.6, 0.66]) and second[-1] == pytest.approx(0.6625)
    assert not verdict.is_visible() and play.inner_text() == "Play"
    ink = page.locator(".chart").evaluate(INK)
    page.emulate_media(color_scheme="dark")  # all is drawn anew, and no line has lost its end
    until(page, lambda: page.locator(".chart").evaluate(INK) != ink)
    page.locator(".race-scrub").focus()
    page.keyboard.press("End")
    until(page, lambda: page.locator(".chart").evaluate(DRAWN) == whole)


def test_streamlits_own_stop_is_not_shown_while_a_page_works(open_case):
    page = open_case("busy", ready='[data-testid="stMarkdown"]')
    page.get_by_role("button", name="Stop", include_hidden=True).wait_for(state="attached")
    assert not page.get_by_test_id("stStatusWidget").is_visible()


def test_a_hover_is_right_on_every_place_of_the_slider(open_case):
    page = open_case("morph", texts=200)
    before, _ = points(200, 5)
    after = before @ TURN
    page.get_by_role("slider").focus()
    page.keyboard.press("Home")
    page.wait_for_timeout(400)
    _, box = frame(page)
    left, top = on_screen(box, np.concatenate([before, after]), before).T
    row = next(row for row in range(200) if np.sort(np.hypot(left - left[row], top - top[row]))[1] > 14)
    page.mouse.move(left[row], top[row])
    page.locator(".map .card").get_by_text(f"text number {row}", exact=True).wait_for()


@pytest.mark.slow
def test_a_film_that_goes_on_is_followed_from_its_end_and_left_alone_elsewhere(open_case):
    page = open_case("film", texts=300)
    slider, now = page.get_by_role("slider"), page.locator(".slider .now")
    assert now.inner_text() == "step 20"
    page.get_by_role("button", name="One more").click()
    until(page, lambda: now.inner_text() == "step 30")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    assert now.inner_text() == "step 20"
    page.get_by_role("button", name="One more").click()
    until(page, lambda: slider.get_attribute("max") == "4")
    page.wait_for_timeout(800)
    assert now.inner_text() == "step 20"


@pytest.mark.slow
def test_other_places_are_glided_to_and_the_zoom_stays(open_case):
    page = open_case("glide", texts=300)
    _, box = frame(page)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -600)
    lasso(page, around(box, 0.1, 0.1, 0.9, 0.9))
    near = np.ptp(np.array(selected(page, "glide")["polygon"]), axis=0)
    page.keyboard.press("Escape")
    until(page, lambda: state(page, "glide")["polygon"] is None)
    page.get_by_text("Other places").click()
    idle(page)
    page.wait_for_timeout(1200)
    _, box = frame(page)
    lasso(page, around(box, 0.1, 0.1, 0.9, 0.9))
    told = selected(page, "glide")
    assert np.allclose(np.ptp(np.array(told["polygon"]), axis=0), near, rtol=0.02)
    after = points(300, 5)[0] @ TURN
    assert told["inside"] == rows_in_polygon(drawn_places([after]), told["polygon"]).tolist()


def test_two_clicked_texts(open_case):
    page = open_case("one", texts=60)
    coordinates, _ = points(60, 5)
    _, box = frame(page)
    left, top = on_screen(box, coordinates, coordinates).T
    first, second = [row for row in range(60) if np.sort(np.hypot(left - left[row], top - top[row]))[1] > 20][:2]
    page.mouse.click(left[first], top[first])
    until(page, lambda: state(page, "one")["picked"] == first)
    page.locator(".map .card .close").click()
    until(page, lambda: state(page, "one")["picked"] is None)
    page.mouse.click(left[first], top[first])
    page.keyboard.down("Control")
    page.mouse.click(left[second], top[second])
    page.keyboard.up("Control")
    until(page, lambda: (state(page, "one")["picked"], state(page, "one")["second"]) == (first, second))
    page.locator(".map .frame").focus()
    page.keyboard.press("Escape")
    until(page, lambda: (state(page, "one")["picked"], state(page, "one")["second"]) == (None, None))


def test_the_servers_selection_is_shown_until_the_reader_clears_it(open_case):
    page = open_case("chosen", texts=300)
    half = int((points(300, 5)[0][:, 0] > 0).sum())
    assert said(page) == half
    page.locator(".map .frame").focus()
    page.keyboard.press("Escape")
    assert said(page) == -1


def test_every_tool_and_the_map_itself_by_keyboard(open_case):
    page = open_case("one", texts=300)
    whole = picture(page)
    page.locator(".map .frame").focus()
    page.keyboard.press("+")
    until(page, lambda: picture(page) != whole)
    page.keyboard.press("0")
    page.keyboard.press("l")
    assert page.get_by_role("button", name="Select texts with a lasso").get_attribute("aria-pressed") == "true"
    page.keyboard.press("Enter")
    until(page, lambda: state(page, "one")["picked"] is not None)
    names = []
    for _ in range(8):
        page.keyboard.press("Tab")
        names.append(page.evaluate(FOCUSED))
    assert {"Move the map", "Zoom in", "Zoom out", "Show the whole map", "Classes"} <= set(names)


def test_dark_mode_has_a_dark_ground(open_case):
    page = open_case("one", texts=300, color_scheme="dark")
    _, box = frame(page)
    ground = page.locator(".map .frame").evaluate("at => getComputedStyle(at).backgroundColor")
    assert sum(int(value) for value in re.findall(r"\d+", ground)[:3]) < 150


def test_narrow_pages_do_not_overflow(open_case):
    page = open_case("morph", width=800, texts=300)
    assert page.evaluate("document.documentElement.scrollWidth") <= 800
    _, box = frame(page)
    for part in (".tools", ".slider"):
        own = page.locator(f".map {part}").bounding_box()
        assert own["x"] >= box["x"] - 1 and own["x"] + own["width"] <= box["x"] + box["width"] + 1


NO_WEBGL = """const real = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
  return kind.startsWith("webgl") ? null : real.call(this, kind, ...more);
};"""


@pytest.mark.parametrize("width", [1400, 500])
def test_the_sentence_about_a_still_picture_leaves_title_and_corner_readable(open_case, width):
    page = open_case("one", texts=300, width=width, script=NO_WEBGL)
    own = page.locator(".map .status").bounding_box()
    for part in (".title", ".corner"):
        box = page.locator(f".map {part}").bounding_box()
        assert box["y"] + box["height"] <= own["y"] or own["y"] + own["height"] <= box["y"], part


def test_without_webgl_there_is_a_still_picture_and_a_sentence(open_case):
    page = open_case("one", texts=300, script=NO_WEBGL)
    assert "no WebGL2" in page.locator(".map .status").inner_text()
    assert page.get_by_role("button", name="Select texts with a lasso").count() == 0
    before = picture(page)
    coordinates, _ = points(300, 5)
    _, box = frame(page)
    lasso(page, around(box, 0.2, 0.2, 0.8, 0.8))
    page.mouse.wheel(0, -500)
    page.mouse.move(5, 5)
    page.evaluate("document.activeElement.blur()")  # its tools are shown while it is used
    page.wait_for_timeout(400)
    assert state(page, "one")["polygon"] is None and picture(page) == before
    left, top = on_screen(box, coordinates, coordinates).T
    row = next(row for row in range(300) if np.sort(np.hypot(left - left[row], top - top[row]))[1] > 14)
    page.mouse.move(left[row], top[row])
    page.locator(".map .card").get_by_text(f"text number {row}", exact=True).wait_for()


@pytest.mark.slow
def test_a_lost_context_is_built_again(open_case):
    page = open_case("one", texts=300)
    before = picture(page)
    page.locator("canvas.points").evaluate(LOSES)
    page.wait_for_timeout(600)
    assert picture(page) == before


@pytest.mark.slow
def test_a_gallery_of_twenty_takes_no_webgl_context(open_case):
    page = open_case("gallery", texts=300, script=COUNTED)
    until(page, lambda: page.locator(".map canvas.points").count() == 20)
    assert page.evaluate("window.asked") == 0
    assert page.locator(".map .tools:visible").count() == 0
    no_failure(page)


@pytest.mark.slow
def test_maps_side_by_side_take_more_and_then_fewer_colours_together(open_case):
    page = open_case("recoloured", texts=300, classes=12)
    places = range(3)
    one_colour = [picture(page, place) for place in places]
    for _ in range(2):
        idle(page)
        before = [picture(page, place) for place in places]
        page.get_by_text("Classes", exact=True).click()
        until(page, lambda before=before: all(picture(page, place) != before[place] for place in places))
    until(page, lambda: [picture(page, place) for place in places] == one_colour)


def test_names_of_a_finer_level_come_with_the_zoom(open_case):
    page = open_case("levels", texts=300)

    def shown() -> list[str]:
        return page.locator(".names span").evaluate_all(
            "labels => labels.filter(at => at.style.opacity === '1').map(at => at.textContent)"
        )

    until(page, lambda: shown() == ["everything"])
    page.locator(".map .frame").focus()
    for _ in range(3):
        page.keyboard.press("+")
    until(page, lambda: "part 0 0" in shown())


@pytest.mark.slow
def test_a_brushed_strip_masks_both_maps_at_once_and_tells_the_server(open_case):
    page = open_case("strips", texts=400)
    lengths = np.arange(400) % 97 + 10
    dimmed = [picture(page, position) for position in (0, 1)]
    strip = page.get_by_role("application", name=re.compile("Histogram of Length"))
    box = strip.bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 30, steps=4)
    page.wait_for_timeout(60)
    assert json.loads(page.locator("#lengths-state").inner_text())["count"] == 0  # the server was not asked yet
    until(page, lambda: all(picture(page, position) != dimmed[position] for position in (0, 1)))
    page.mouse.up()
    until(page, lambda: json.loads(page.locator("#lengths-state").inner_text())["count"] > 0)
    told = json.loads(page.locator("#lengths-state").inner_text())
    low, high = (int(found) for found in re.match(r"(\d+) to below (\d+)", told["words"]).groups())
    there = np.arange(400) % 50 != 49
    assert told["count"] == int((there & (lengths >= low) & (lengths < high)).sum())
    strip.focus()
    page.keyboard.press("ArrowRight")
    until(page, lambda: json.loads(page.locator("#lengths-state").inner_text())["words"].startswith(str(low + (5))))
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Escape")
    until(page, lambda: json.loads(page.locator("#lengths-state").inner_text())["count"] == 0)
    page.mouse.move(5, 5)
    until(page, lambda: [picture(page, position) for position in (0, 1)] == dimmed)
    page.get_by_role("button", name="class 001").last.click()
    until(page, lambda: json.loads(page.locator("#bars-state").inner_text())["words"] == "class 001")


def bar_counts(page) -> list[int]:
    shown = page.locator(".strip .bars button .count").all_inner_texts()
    return [int(count.replace(",", "")) for count in shown]


def test_each_strip_counts_what_the_lasso_and_the_other_strips_hold(open_case):
    page = open_case("strips", texts=400)
    until(page, lambda: len(bar_counts(page)) == 5)
    every = bar_counts(page)
    assert sum(every) == 400
    box = frame(page)[1]
    lasso(page, around(box, 0.55, 0.3, 0.95, 0.85))
    until(page, lambda: 0 < sum(bar_counts(page)) < 400)
    until(page, lambda: sum(bar_counts(page)) == said(page))
    held = bar_counts(page)
    strip = page.get_by_role("application", name=re.compile("Histogram of Length"))
    strip.focus()
    page.keyboard.press("ArrowRight")  # brushes the first part
    until(page, lambda: sum(bar_counts(page)) < sum(held))
    until(page, lambda: sum(bar_counts(page)) == said(page))
    assert page.locator(".strip svg .bar.all").count() == page.locator(".strip svg .bar").count() / 2
    page.keyboard.press("Escape")
    until(page, lambda: bar_counts(page) == held)
    page.locator(".map .frame").first.focus()
    page.keyboard.press("Escape")
    until(page, lambda: bar_counts(page) == every and page.locator(".strip svg .bar.all").count() == 0)


def test_a_step_beside_the_map_takes_over_the_ring_of_the_click(open_case):
    page = open_case("walk", texts=300)
    coordinates, _ = points(300, 5)
    _, box = frame(page)
    left, top = on_screen(box, coordinates, coordinates).T
    first = next(
        row for row in range(300) if row not in (7, 11) and np.sort(np.hypot(left - left[row], top - top[row]))[1] > 12
    )
    page.mouse.click(left[first], top[first])
    until(page, lambda: state(page, "walk")["picked"] == first)
    page.locator(".map .card").wait_for()
    page.get_by_role("radio", name="7", exact=True).click()
    until(page, lambda: state(page, "walk")["picked"] == 7)  # clicked again, the first text is news
    page.locator(".map .card").wait_for(state="hidden")
    page.mouse.click(left[first], top[first])
    until(page, lambda: state(page, "walk")["picked"] == first)


def test_a_colour_bar_stands_in_place_of_the_legend(open_case):
    page = open_case("bar", texts=300, classes=64)
    bar = page.locator(".map .bar")
    assert bar.locator(".bar-title").inner_text() == "Characters"
    assert bar.locator(".bar-ticks span").all_inner_texts() == ["0", "500", "≥ 1,000"]
    assert bar.locator(".bar-colours").evaluate("e => getComputedStyle(e).backgroundImage.match(/rgb/g).length") == 64
    assert page.locator(".map .legend").is_hidden() and page.locator("[data-tool=legend]").is_hidden()
    frame, box = page.locator(".map .frame").bounding_box(), bar.bounding_box()
    assert frame["x"] <= box["x"] and box["x"] + box["width"] <= frame["x"] + frame["width"]
    page.get_by_text("Bar", exact=True).click()
    bar.wait_for(state="hidden")
    page.locator("[data-tool=legend]").wait_for()
