// Charts as SVG: marks, round numbers along an axis, names that do not touch, the grid of a chart.

const SVG = "http://www.w3.org/2000/svg", LEFT = 52, BOTTOM = 30, TOP = 10; // room for the numbers of the axes

function drawn(parent, name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

/** Round numbers between low and high, about `count` of them. */
function ticks(low, high, count) {
  const rough = (high - low) / count || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough - 1e-12);
  const found = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + 1e-9 * step; value += step) found.push(Math.abs(value) < step * 1e-9 ? 0 : value);
  return found;
}

/** Places at least `gap` apart, as near to the wanted ones as their order allows. */
function apart(wanted, gap) {
  const order = wanted.map((_, index) => index).sort((a, b) => wanted[a] - wanted[b]), places = [...wanted];
  for (let round = 0; round < 60; round++)
    for (let rank = 1; rank < order.length; rank++) {
      const lack = gap - (places[order[rank]] - places[order[rank - 1]]);
      if (lack > 0) { places[order[rank - 1]] -= lack / 2; places[order[rank]] += lack / 2; }
    }
  return places;
}

/** Grid and numbers of a chart that knows `x(value)`, `y(value)`, its width and height, and what is free on its right. */
function drawAxes(svg, chart, { low, high, start = 0, end, right, tick, name }) {
  const { width, height } = chart;
  for (const value of ticks(low, high, Math.max(2, Math.round(height / 60)))) {
    drawn(svg, "line", { class: "grid-line", x1: LEFT, x2: width - right, y1: chart.y(value), y2: chart.y(value) });
    drawn(svg, "text", { x: LEFT - 8, y: chart.y(value) + 4, "text-anchor": "end" }, tick(value));
  }
  for (const value of ticks(start, end, Math.max(2, Math.round(width / 130))))
    drawn(svg, "text", { x: chart.x(value), y: height - 12, "text-anchor": "middle" }, numbered(value));
  drawn(svg, "text", { x: width - right, y: height + 2, "text-anchor": "end" }, name);
}
