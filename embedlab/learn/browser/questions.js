// Questions of a lesson: choices, a number, a curve to draw, which of four maps; each answered once.

const LETTERS = "ABCD";

function writeInline(place, inline) {
  for (const [style, text] of inline) style ? made(place, style, {}, text) : place.append(text);
  return place;
}

/** `answered(value)` once; a given `answer` shows the question as it was answered. */
const QUESTIONS = {
  choice(place, step, answer, answered) {
    const list = made(place, "div", { class: "answers", role: "group", "aria-label": "Answers" });
    step.choices.forEach((inline, at) => {
      const each = button(list, "", () => answered(at), { class: "answer" });
      made(each, "span", { class: "letter" }, LETTERS[at]);
      writeInline(made(each, "span"), inline);
      if (answer === undefined) return;
      each.disabled = true;
      markAnswer(each, at === answer, at === step.right);
    });
  },

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
    const columns = 9, chart = new LineChart(made(place, "div", { class: "chart drawing" }), { x: draw.x, y: draw.y, height: 240 });
    const xs = Array.from({ length: columns }, (_, at) => draw.x.low + (at / (columns - 1)) * (draw.x.high - draw.x.low));
    const points = answer ?? xs.map((x) => [x, draw.start ?? (draw.y.low + draw.y.high) / 2]);
    let at = 1;
    const show = () => chart.set([{ name: answer ? "your line" : "", points, kind: "accent" }, ...(answer ? [{ name: "measured", points: draw.truth, kind: "untouched" }] : [])]);
    chart.drawnOver = () => {
      if (!answer) drawn(chart.svg, "circle", { class: "handle", cx: chart.x(points[at][0]), cy: chart.y(points[at][1]), r: 7 });
    };
    show();
    if (answer) {
      const off = drawingOff(draw, answer);
      made(place, "p", { class: "outcome" }, `On average ${off.toFixed(draw.y.high - draw.y.low > 4 ? 0 : 2)}${draw.y.unit ? " points" : ""} off: ${isDrawingClose(draw, answer) ? "close" : "not close"}.`);
      return () => chart.end();
    }
    const range = draw.y.high - draw.y.low, hold = (value) => Math.min(Math.max(value, draw.y.low), draw.y.high);
    chart.svg.setAttribute("tabindex", "0");
    chart.svg.setAttribute("role", "slider");
    const tell = () => {
      chart.svg.setAttribute("aria-valuemin", draw.y.low);
      chart.svg.setAttribute("aria-valuemax", draw.y.high);
      chart.svg.setAttribute("aria-valuenow", points[at][1]);
      chart.svg.setAttribute("aria-valuetext", `${draw.x.name} ${Math.round(points[at][0])}: ${points[at][1].toFixed(range > 4 ? 0 : 2)}${draw.y.unit}`);
    };
    chart.svg.setAttribute("aria-label", `Draw ${draw.y.name} over ${draw.x.name}: left and right choose a point, up and down move it.`);
    const raise = (by) => { for (let each = at; each < columns; each++) if (each === at || !points[each].isMoved) points[each][1] = hold(points[at][1] + (each === at ? by : 0)); points[at].isMoved = true; };
    chart.svg.addEventListener("keydown", (event) => {
      const keys = { ArrowRight: () => { at = Math.min(at + 1, columns - 1); }, ArrowLeft: () => { at = Math.max(at - 1, draw.start === null ? 0 : 1); }, ArrowUp: () => raise(range / 20), ArrowDown: () => raise(-range / 20) };
      if (!keys[event.key]) return;
      event.preventDefault();
      event.stopPropagation();
      keys[event.key]();
      tell();
      show();
    });
    let held = null;
    const pull = (event) => {
      const box = chart.svg.getBoundingClientRect(), share = (event.clientX - box.left - LEFT) / (chart.width - LEFT - chart.right);
      const to = Math.min(Math.max(Math.round(share * (columns - 1)), draw.start === null ? 0 : 1), columns - 1), value = hold(chart.valueAt(event.clientY - box.top));
      const from = held ?? to;
      for (let each = Math.min(from, to); each <= Math.max(from, to); each++) { points[each][1] = value; points[each].isMoved = true; }
      [held, at] = [to, to];
      for (let each = to + 1; each < columns && !points[each].isMoved; each++) points[each][1] = value;
      tell();
      show();
    };
    chart.svg.addEventListener("pointerdown", (event) => { chart.svg.setPointerCapture(event.pointerId); held = null; pull(event); });
    chart.svg.addEventListener("pointermove", (event) => { if (held !== null) pull(event); });
    for (const end of ["pointerup", "pointercancel"]) chart.svg.addEventListener(end, () => { held = null; });
    tell();
    button(made(place, "div", { class: "controls" }), "Predict", () => answered(points.map(([x, y]) => [x, Number(y.toFixed(3))])), { class: "go" });
    return () => chart.end();
  },

  four(place, step, answer, answered) {
    const list = made(place, "div", { class: "answers row", role: "group", "aria-label": "Which map" });
    for (let at = 0; at < 4; at++) {
      const each = button(list, LETTERS[at], () => answered(at), { class: "answer", "aria-label": `Map ${LETTERS[at]}` });
      if (answer === undefined) continue;
      each.disabled = true;
      markAnswer(each, at === answer, at === step.right);
    }
  },
};

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
  if (step.kind === "draw") return `=${Number(answer.at(-1)[1].toFixed(step.draw.y.high - step.draw.y.low > 4 ? 0 : 2))}`;
  return LETTERS[answer];
}
