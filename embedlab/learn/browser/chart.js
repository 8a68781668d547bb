// Lines of a lesson: each with its name at its end, an error as a band, reference lines; drawn anew when values come.

const LINE_COLORS = ["accent", "series-1", "series-2", "series-3", "series-4"];

class LineChart extends Plot {
  /** `x`, `y`: {name, low, high, unit}; `series`: {name, points: [[x, y, error]], kind}; `references`: [name, dash, y] */
  constructor(parent, { x, y, height = 230, label = "" }) {
    super(parent, height, label);
    Object.assign(this, { across: x, up: y, start: x.low, last: x.high, low: y.low, high: y.high, series: [], references: [] });
    this.svg.before(made(parent, "p", { class: "chart-title" }, y.name));
  }

  valueAt(pixel) { return this.low + (1 - (pixel - TOP) / (this.height - TOP - BOTTOM)) * (this.high - this.low); }

  set(series, references = this.references, label = null) {
    Object.assign(this, { series, references });
    if (label !== null) this.svg.setAttribute("aria-label", label);
    this.redraw();
  }

  redraw() {
    this.width = this.parent.clientWidth;
    if (!this.width) return;
    const { svg, up, across } = this, written = (value) => `${Math.abs(this.high - this.low) > 4 ? Math.round(value) : value.toFixed(2)}${up.unit ?? ""}`;
    const letters = parseFloat(getComputedStyle(svg).fontSize) / 12 || 1;
    const names = [...this.series.filter(({ name, points }) => name && points.length), ...this.references.map(([name, , value]) => ({ name, points: [[across.high, value]], isReference: true }))];
    const said = ({ name, points }) => `${name} ${written(points.at(-1)[1])}`;
    this.right = Math.min(Math.max(58, ...names.map((each) => said(each).length * 7.3 * letters + 12)), this.width * 0.42);
    this.clear(written, across.name);
    for (const [, dash, value] of this.references) this.reference(dash, value);
    for (const { points, kind = "" } of this.series) {
      this.curve(points, kind);
      if (points.length < 25 && !kind.includes("ghost")) for (const [x, y] of points) drawn(svg, "circle", { class: `dot-of ${kind}`, cx: this.x(x), cy: this.y(y), r: 3 });
    }
    const places = apart(names.map(({ points }) => this.y(points.at(-1)[1])), 16 * letters);
    names.forEach((each, at) => {
      const x = each.isReference ? this.width - this.right : this.x(each.points.at(-1)[0]);
      drawn(svg, "text", { class: each.isReference ? "reference-name" : `line-name ${each.kind}`, x: x + 8, y: places[at] + 4 }, said(each));
    });
    this.drawnOver?.();
  }
}

/** Kinds of line: what was before is grey, others have a color each. */
function kindsOf(names) {
  let next = 0;
  return names.map((name) => (/before/.test(name) ? "untouched" : LINE_COLORS[next++ % LINE_COLORS.length]) + (/cls|linear/.test(name) ? " dashed" : ""));
}

const VIEWS = {};

VIEWS.lines = (data, place) => {
  const kinds = kindsOf(data.series.map(([name]) => name)), values = [...data.series.flatMap(([, points]) => points.flatMap(([, y, error = 0]) => [y - error, y + error])), ...data.references.map((each) => each[2])];
  const xs = data.series.flatMap(([, points]) => points.map(([x]) => x)), [low, high] = airAround(values, data.unit ? 24 : data.x === "copies" ? 0.3 : 0.5);
  const text = data.series.map(([name, points]) => `${name}: ${points.map(([x, y]) => `${y.toFixed(data.unit ? 1 : 2)}${data.unit} at ${data.x} ${x}`).slice(0, 12).join(", ")}`).join("; ");
  const chart = new LineChart(place, { x: { name: data.x, low: Math.min(...xs), high: Math.max(...xs) }, y: { name: data.unit ? "kNN accuracy" : data.x === "copies" ? "cosine of the two texts" : "loss", low, high, unit: data.unit }, height: 330, label: text });
  chart.set(data.series.map(([name, points], at) => ({ name, points, kind: kinds[at] })), data.references);
  return chart;
};

VIEWS.bars = ({ bars }, place) => {
  const list = made(place, "div", { class: "bars", role: "list" }), most = Math.max(...bars.map(([, value]) => value ?? 0)), scale = most <= 1 ? 1 : 100;
  for (const [name, value, text, beside] of bars) {
    const row = made(list, "div", { class: "bar-row", role: "listitem" });
    made(row, "span", { class: "bar-name" }, name);
    const track = made(row, "span", { class: "track" }), bar = made(track, "span", { class: value === null ? "bar any" : /before|once|guess/.test(name) ? "bar grey" : /TF-IDF|counting/.test(name) ? "bar amber" : "bar" });
    bar.style.width = value === null ? "40%" : `calc((100% - 7em) * ${Math.max(value / scale, 0.005)})`;
    made(track, "span", { class: "bar-text" }, value === null ? text : text.includes("%") || scale === 1 ? text : `${text} of 100`);
    if (beside) made(row, "span", { class: "bar-beside" }, beside);
  }
  return { end() {} };
};
