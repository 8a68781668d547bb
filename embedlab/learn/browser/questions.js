// Questions of a lesson: choices, a number, a curve to draw, which of four maps; each answered once.

const LETTERS = "ABCD";

function writeInline(place, inline) {
  for (const [style, text] of inline) style ? made(place, style, {}, text) : place.append(text);
  return place;
}

/** A button for each answer, or for each of four maps. */
function answerButtons(place, step, isRow, clicked) {
  const list = made(place, "div", { class: isRow ? "answers row" : "answers", role: "group", "aria-label": "Answers" });
  return (step.kind === "four" ? [..."ABCD"].map(() => []) : step.choices).map((inline, at) => {
    const each = button(list, "", () => clicked(at), { class: "answer", "aria-label": inline.length ? null : `Map ${LETTERS[at]}` });
    made(each, "span", { class: "letter" }, LETTERS[at]);
    if (inline.length) writeInline(made(each, "span"), inline);
    return each;
  });
}

function choose(place, step, answer, answered) {
  answerButtons(place, step, step.kind === "four", answered).forEach((each, at) => {
    if (answer === undefined) return;
    each.disabled = true;
    markAnswer(each, at === answer, at === step.right);
  });
}

/** `answered(value)` once; a given `answer` shows the question as it was answered. */
const QUESTIONS = {
  choice: choose,
  four: choose,

  number(place, { number }, answer, answered) {
    const form = made(place, "form", { class: "number" }), start = answer ?? Math.round((number.low + number.high) / 2);
    const bar = made(form, "input", { type: "range", min: number.low, max: number.high, step: 1, value: start, "aria-label": "Your number" });
    const field = made(form, "input", { type: "number", min: number.low, max: number.high, step: 1, value: start, "aria-label": "Your number, typed" });
    const send = made(form, "button", { type: "submit", class: "go" }, "Predict");
    bar.addEventListener("input", () => { field.value = bar.value; });
    field.addEventListener("input", () => { bar.value = field.value; });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const value = Math.round(Number(field.value));
      if (field.value !== "" && value >= number.low && value <= number.high) answered(value);
    });
    if (answer === undefined) return;
    for (const each of [bar, field, send]) each.disabled = true;
    send.hidden = true;
    const off = number.truth === null ? null : Math.abs(answer - number.truth);
    made(place, "p", { class: "outcome" }, off === null ? `You gave ${answer}.` : `You said ${answer}, it is ${Math.round(number.truth)}: ${off <= number.close ? "close" : `${Math.round(off)} off`}.`);
  },

  draw(place, { draw }, answer, answered) {
    const chart = new LineChart(made(place, "div", { class: "chart drawing" }), { x: draw.x, y: draw.y, height: 240 });
    if (answer) {
      chart.set([{ name: "your line", points: answer, kind: "accent" }, { name: "measured", points: draw.truth, kind: "untouched" }]);
      const off = drawingOff(draw, answer);
      made(place, "p", { class: "outcome" }, `On average ${off.toFixed(digitsOf(draw))}${draw.y.unit ? " points" : ""} off: ${isDrawingClose(draw, answer) ? "close" : "not close"}.`);
    } else {
      const points = drawnByHand(chart, draw);
      button(made(place, "div", { class: "controls" }), "Predict", () => answered(points.map(([x, y]) => [x, Number(y.toFixed(3))])), { class: "go" });
    }
    return () => chart.end();
  },
};

const digitsOf = ({ y }) => (y.high - y.low > 4 ? 0 : 2);

/** A line of nine points that follows the pointer and the arrow keys; returns the points, which change. */
function drawnByHand(chart, draw) {
  const { svg } = chart, { low, high } = draw.y, last = 8, first = draw.start === null ? 0 : 1, moved = new Set();
  const points = Array.from({ length: last + 1 }, (_, each) => [draw.x.low + (each / last) * (draw.x.high - draw.x.low), draw.start ?? (low + high) / 2]);
  let at = 1, held = null;
  chart.drawnOver = () => drawn(svg, "circle", { class: "handle", cx: chart.x(points[at][0]), cy: chart.y(points[at][1]), r: 7 });
  const show = () => {
    chart.set([{ name: "", points, kind: "accent" }]);
    svg.setAttribute("aria-valuenow", points[at][1]);
    svg.setAttribute("aria-valuetext", `${draw.x.name} ${Math.round(points[at][0])}: ${points[at][1].toFixed(digitsOf(draw))}${draw.y.unit}`);
  };
  /** One point, and those after it that were not moved yet. */
  const put = (point, value) => {
    moved.add(point);
    for (let each = point; each <= last && (each === point || !moved.has(each)); each++) points[each][1] = Math.min(Math.max(value, low), high);
  };
  const step = (high - low) / 20, choose = (point) => { at = Math.min(Math.max(point, first), last); };
  const keys = { ArrowRight: () => choose(at + 1), ArrowLeft: () => choose(at - 1), ArrowUp: () => put(at, points[at][1] + step), ArrowDown: () => put(at, points[at][1] - step) };
  svg.addEventListener("keydown", (event) => {
    if (!keys[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
    show();
  });
  const pull = (event) => {
    const box = svg.getBoundingClientRect(), share = (event.clientX - box.left - LEFT) / (chart.width - LEFT - chart.right);
    choose(Math.round(share * last));
    for (let each = Math.min(held ?? at, at); each <= Math.max(held ?? at, at); each++) put(each, chart.valueAt(event.clientY - box.top));
    held = at;
    show();
  };
  svg.addEventListener("pointerdown", (event) => { svg.setPointerCapture(event.pointerId); held = null; pull(event); });
  svg.addEventListener("pointermove", (event) => { if (held !== null) pull(event); });
  for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => { held = null; });
  const label = `Draw ${draw.y.name} over ${draw.x.name}: left and right choose a point, up and down move it.`;
  for (const [name, value] of Object.entries({ tabindex: 0, role: "slider", "aria-valuemin": low, "aria-valuemax": high, "aria-label": label })) svg.setAttribute(name, value);
  show();
  return points;
}

/** An answer by more than color: a sign before it, and words for who does not see it. */
function markAnswer(each, isMine, isRight) {
  if (isRight) each.classList.add("right");
  if (isMine) each.classList.add("mine");
  const said = isRight ? (isMine ? "✓ your answer, right" : "✓ right") : isMine ? "✗ your answer" : "";
  if (said) made(each, "span", { class: "said" }, said);
}

/** A curve between its points. */
function heightAt(points, x) {
  const after = points.findIndex((each) => each[0] >= x);
  if (after <= 0) return points[after === 0 ? 0 : points.length - 1][1];
  const [one, other] = [points[after - 1], points[after]];
  return one[1] + ((other[1] - one[1]) * (x - one[0])) / (other[0] - one[0] || 1);
}

const drawingOff = (draw, answer) => answer.reduce((sum, [x, y]) => sum + Math.abs(y - heightAt(draw.truth, x)), 0) / answer.length;
const isDrawingClose = (draw, answer) => drawingOff(draw, answer) <= 0.1 * (draw.y.high - draw.y.low);

/** Whether an answer is right; null where there is no right one. */
function isRight(step, answer) {
  if (step.kind === "number") return step.number.truth === null ? null : Math.abs(answer - step.number.truth) <= step.number.close;
  if (step.kind === "draw") return isDrawingClose(step.draw, answer);
  return answer === step.right;
}

/** An answer as the line to copy has it: A, =36, =70 where the drawn curve ends. */
function writtenAnswer(step, answer) {
  if (step.kind === "number") return `=${answer}`;
  if (step.kind === "draw") return `=${Number(answer.at(-1)[1].toFixed(digitsOf(step.draw)))}`;
  return LETTERS[answer];
}
