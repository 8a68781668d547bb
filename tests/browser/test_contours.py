"""Lines of density over a large map: around the regions they name, of the part shown, gone while the map moves."""

from pathlib import Path

import numpy as np
from looking import until
from looking_at_maps import frame

import embedlab.ui

SOURCE = Path(embedlab.ui.__file__).parent / "components" / "map_view" / "browser" / "contours.js"
INKED = """() => {
  const roots = [document], found = [];
  while (roots.length) for (const each of roots.pop().querySelectorAll("*")) {
    if (each.shadowRoot) roots.push(each.shadowRoot); // the map lies in one
    if (each.matches("canvas.marks")) found.push(each);
  }
  const { width, height } = found[0], data = found[0].getContext("2d").getImageData(0, 0, width, height).data;
  let inked = 0;
  for (let index = 3; index < data.length; index += 4) inked += data[index] > 0;
  return inked / (width * height);
}"""
CLOUD = """
let seed = 7;
const uniform = () => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 4294967296);
const places = new Float32Array(80000);
for (let point = 0; point < 40000; point++) {
  const radius = Math.sqrt(-2 * Math.log(1 - uniform())), angle = 2 * Math.PI * uniform();
  places[2 * point] = radius * Math.cos(angle);
  places[2 * point + 1] = radius * Math.sin(angle);
}
const few = contoursOf(places, [-4, -4, 4, 4], (point) => point < 100);
return [few, contoursOf(places, [-4, -4, 4, 4], () => true).map((line) => {
  let sum = 0;
  for (let place = 0; place < line.length; place += 2) sum += Math.hypot(line[place], line[place + 1]);
  return sum / (line.length / 2);
})];
"""


def inked(page) -> float:
    """The share of the canvas over the points on which anything is drawn."""
    return page.evaluate(INKED)


def test_contours_are_of_the_part_shown_and_can_be_left_out(open_case):
    page = open_case("contours", texts=25_000)
    page.mouse.move(5, 5)
    until(page, lambda: 0.005 < inked(page) < 0.2)
    whole = inked(page)
    box = frame(page)[1]
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -600)
    until(page, lambda: abs(inked(page) - whole) > 0.004 and inked(page) > 0.005)
    page.get_by_text("Contours", exact=True).click()
    page.mouse.move(5, 5)
    until(page, lambda: inked(page) == 0)


def test_contours_hold_the_shares_they_are_for(open_case):
    """Of a round cloud the line around a share of the points lies at the radius that holds it; few points have none."""
    page = open_case("one", texts=300)
    few, radii = page.evaluate(f"() => {{ {SOURCE.read_text(encoding='utf-8')} {CLOUD} }}")
    assert few is None
    assert np.allclose(radii, [np.sqrt(-2 * np.log(1 - share)) for share in (0.2, 0.4, 0.6, 0.8)], rtol=0.06)
