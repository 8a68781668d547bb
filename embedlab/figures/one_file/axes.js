// Charts as SVG: marks, round numbers along an axis, names that do not touch, and the plot that all curves are.

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

/** Low and high with some air around all these values, at least `least` apart: what hardly differs is to look like it. */
function airAround(values, least) {
  const low = Math.min(...values), high = Math.max(...values), air = Math.max((high - low) * 0.08, (least - (high - low)) / 2);
  return [low - air, high + air];
}

/** A chart in `parent` that is drawn anew as wide as its place: `low` … `high` over `start` … `end`, `right` of it free. */
class Plot {
  constructor(parent, height, label = "") {
    Object.assign(this, { parent, height, start: 0 });
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("role", "img");
    this.svg.setAttribute("aria-label", label);
    parent.append(this.svg);
    this.observer = new ResizeObserver(() => { if (parent.clientWidth && parent.clientWidth !== this.width) this.redraw(); });
    this.observer.observe(parent);
  }

  end() { this.observer.disconnect(); }
  x(value) { return LEFT + ((value - this.start) / (this.last - this.start || 1)) * (this.width - LEFT - this.right); }
  y(value) { return TOP + (1 - (value - this.low) / (this.high - this.low || 1)) * (this.height - TOP - BOTTOM); }
  valueAt(pixel) { return this.low + (1 - (pixel - TOP) / (this.height - TOP - BOTTOM)) * (this.high - this.low); }
  along(points) { return points.map(([x, y]) => `${this.x(x).toFixed(1)},${this.y(y).toFixed(1)}`).join(" "); }

  /** Empty but for its grid and the numbers along its axes. */
  clear(tick, name) {
    this.svg.replaceChildren();
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.svg.setAttribute("height", this.height);
    const { svg, width, height, right } = this;
    for (const value of ticks(this.low, this.high, Math.max(2, Math.round(height / 60)))) {
      drawn(svg, "line", { class: "grid-line", x1: LEFT, x2: width - right, y1: this.y(value), y2: this.y(value) });
      drawn(svg, "text", { x: LEFT - 8, y: this.y(value) + 4, "text-anchor": "end" }, tick(value));
    }
    for (const value of ticks(this.start, this.last, Math.max(2, Math.round(width / 130))))
      drawn(svg, "text", { x: this.x(value), y: height - 12, "text-anchor": "middle" }, numbered(value));
    drawn(svg, "text", { x: width - right, y: height + 2, "text-anchor": "end" }, name);
  }

  /** A line, with its error as a band where its points have one.  points: [x, y, error] */
  curve(points, kind) {
    const edge = (sign) => points.map(([x, y, error]) => [x, y + sign * error]);
    if (points[0]?.[2]) drawn(this.svg, "polygon", { class: `band ${kind}`, points: this.along([...edge(1), ...edge(-1).reverse()]) });
    drawn(this.svg, "polyline", { class: `line ${kind}`, points: this.along(points) });
  }

  reference(dash, value) {
    drawn(this.svg, "line", { class: `reference-line ${dash === "dash" ? "dash" : "dot-line"}`, x1: LEFT, x2: this.width - this.right, y1: this.y(value), y2: this.y(value) });
  }
}
