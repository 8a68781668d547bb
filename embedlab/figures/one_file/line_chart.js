// A chart of lines and reference lines, each with its name at its end, an error as a band; drawn anew when values come.

class LineChart extends Plot {
  /** `x`, `y`: {name, low, high, unit}; `series`: {name, points: [[x, y, error]], kind}; `references`: [name, dash (null: no line), y]; `room` for the names. */
  constructor(parent, { x, y, height, label = "", room = null }) {
    super(parent, height, label);
    Object.assign(this, { across: x, up: y, start: x.low, last: x.high, low: y.low, high: y.high, room, series: [], references: [] });
    this.title = made(parent, "p", { class: "chart-title" }, y.name);
    this.svg.before(this.title);
  }

  /** As along the axis, and as beside a name. */
  tick(value) { return `${Math.abs(this.high - this.low) > 4 ? Math.round(value) : value.toFixed(2)}${this.up.unit ?? ""}`; }
  written(value) { return this.tick(value); }

  set(series, references = this.references, label = null) {
    Object.assign(this, { series, references });
    if (label !== null) this.svg.setAttribute("aria-label", label);
    this.redraw();
  }

  redraw() {
    this.width = this.parent.clientWidth;
    if (!this.width) return;
    const { svg } = this, letters = parseFloat(getComputedStyle(svg).fontSize) / 12 || 1;
    const ends = [...this.series.map(({ name, points, kind }) => [name, points.at(-1), `line-name ${kind}`]), ...this.references.map(([name, , value]) => [name, [this.last, value], "reference-name"])];
    const names = ends.filter(([name, end]) => name && end).map(([name, [x, y], kind]) => ({ x, y, kind, text: `${name} ${this.written(y)}` }));
    this.right = this.room ?? Math.min(Math.max(58, ...names.map(({ text }) => text.length * 7.3 * letters + 12)), this.width * 0.42);
    this.clear((value) => this.tick(value), this.across.name);
    for (const [, dash, value] of this.references) if (dash) this.reference(dash, value);
    for (const { points, kind = "" } of this.series) {
      this.curve(points, kind);
      if (points.length < 25 && !kind.includes("ghost")) for (const [x, y] of points) drawn(svg, "circle", { class: `dot-of ${kind}`, cx: this.x(x), cy: this.y(y), r: 3 });
    }
    const places = apart(names.map(({ y }) => this.y(y)), 16 * letters);
    names.forEach(({ x, kind, text }, at) => drawn(svg, "text", { class: kind, x: this.x(x) + 8, y: places[at] + 4 }, text));
    this.drawnOver?.();
  }
}
