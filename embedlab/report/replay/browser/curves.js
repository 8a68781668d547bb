// The curves as SVG: kNN accuracy with its error between the reference lines, and the loss; one cursor through both.

class Curve extends LineChart {
  /** `values`: [step, value, …] rows that the cursor reads, `said` of the last one; `moved(step)` when a reader points at a step. */
  constructor(parent, { values, kind, said, tick, moved, ...chart }) {
    super(parent, chart);
    Object.assign(this, { values, said, tick, written: percent, series: [{ name: "", points: values, kind }] });
    this.value = made(this.title, "span", { class: "value" });
    const seek = (event) => {
      const box = this.svg.getBoundingClientRect();
      moved(Math.min(Math.max((event.clientX - box.left - LEFT) / (this.width - LEFT - this.right), 0), 1) * this.last);
    };
    let held = false;
    this.svg.addEventListener("pointerdown", (event) => { held = true; this.svg.setPointerCapture(event.pointerId); seek(event); });
    this.svg.addEventListener("pointermove", (event) => held && seek(event));
    for (const end of ["pointerup", "pointercancel"]) this.svg.addEventListener(end, () => { held = false; });
  }

  drawnOver() {
    this.cursor = drawn(this.svg, "line", { class: "cursor", y1: TOP, y2: this.height - BOTTOM });
    this.dot = drawn(this.svg, "circle", { class: "now-dot", r: 4.5 });
    this.moveTo(this.step ?? 0);
  }

  /** The cursor to a step; the value beside the title is the last one measured by then. */
  moveTo(step) {
    this.step = step;
    if (!this.cursor) return;
    const x = this.x(step);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    const now = this.values.findLast((row) => row[0] <= step + 1e-6) ?? this.values[0];
    this.dot.setAttribute("cx", this.x(now[0]));
    this.dot.setAttribute("cy", this.y(now[1]));
    this.value.textContent = this.said(now);
  }
}

/** With measurements of all test texts as diamonds, and reference lines that were measured on these as marks at the end. */
class KnnCurve extends Curve {
  constructor(parent, { told, ...chart }) {
    super(parent, chart);
    const { references, reference_marks: ends } = this.told = told;
    this.references = [...references, ...(references.length ? [] : ends.map(([name, , value]) => [name, null, value]))].map(([name, ...rest]) => [name.replace("TF-IDF → ", ""), ...rest]);
  }

  drawnOver() {
    const { svg } = this, { line, marks, reference_marks: ends } = this.told, right = this.width - this.right;
    const allOfThem = `all ${numbered(marks[0]?.[3] ?? 0)} test texts`;
    for (const [name, , value] of ends) { // of other texts than the line's: no line that it could be compared with
      const end = drawn(svg, "line", { class: "reference-mark", x1: right - 0.06 * (right - LEFT), x2: right, y1: this.y(value), y2: this.y(value) });
      drawn(end, "title", {}, `${name}, ${allOfThem}: ${percent(value)}`);
    }
    if (line[0][0] === 0) drawn(svg, "circle", { class: "knn-start", cx: this.x(0), cy: this.y(line[0][1]), r: 3 });
    for (const [step, value, error] of marks) {
      const [x, y] = [this.x(step), this.y(value)];
      drawn(svg, "line", { class: "knn-error", x1: x, x2: x, y1: this.y(value - error), y2: this.y(value + error) });
      const diamond = drawn(svg, "path", { class: step === 0 ? "knn-start" : "knn-full", d: `M${x} ${y - 6.5}l6.5 6.5-6.5 6.5-6.5-6.5z` });
      drawn(diamond, "title", {}, `${allOfThem}: ${percent(value)} ± ${(100 * error).toFixed(1)}`);
    }
    super.drawnOver();
  }
}

/** Both curves, kNN accuracy by one distance, as far as there is something to draw; `moved(step)` when the reader points at a step. */
function makeCurves(told, moved) {
  const { line, marks, references, reference_marks: ends, by, where } = told, charts = [], steps = content.steps;
  const room = references.length + ends.length ? 104 : 46, x = { name: "steps", low: 0, high: steps };
  for (const id of ["knn", "loss"]) element(id).replaceChildren();
  if (line.length && steps) {
    const every = [...line, ...marks].flatMap(([, value, error]) => [value - error, value + error]).concat([...references, ...ends].map((each) => each[2]));
    const [low, high] = airAround(every, 0.04);
    const said = ([step, value, error]) => `step ${numbered(step)}: ${percent(value)}${error ? ` ± ${(100 * error).toFixed(1)}` : ""}`;
    const curve = new KnnCurve(element("knn"), {
      x, y: { name: `kNN accuracy (${by})`, low: Math.max(low, 0), high: Math.min(high, 1) }, height: 270, room, kind: "knn", told, values: line, said, tick: (value) => percent(value, high - low > 0.05 ? 0 : 1), moved,
    });
    const last = line.at(-1);
    curve.svg.setAttribute("aria-label", `kNN accuracy (${by}) ${percent(line[0][1])} at the start, ${percent(last[1])} after ${numbered(last[0])} steps.`);
    made(element("knn"), "p", { class: "quiet" }, where);
    charts.push(curve);
  }
  if (content.loss.length > 1 && steps) {
    const losses = content.loss.map((row) => row[1]), [low, high] = airAround(losses, 0.01);
    const curve = new Curve(element("loss"), {
      x, y: { name: "Loss", low, high }, height: 165, room: charts.length ? room : 46, kind: "loss", values: content.loss,
      said: ([step, loss]) => `step ${numbered(step)}: ${loss.toFixed(3)}`, tick: (value) => `${Number(value.toPrecision(3))}`, moved,
    });
    curve.svg.setAttribute("aria-label", `Loss ${losses.at(-1).toFixed(3)} after ${numbered(content.loss.at(-1)[0])} steps.`);
    charts.push(curve);
  }
  return charts;
}
