// The page of a lesson: one step at a time, predicted, seen, explained; and the teacher's view of the same file.

const content = JSON.parse(document.getElementById("content").textContent), element = (id) => document.getElementById(id);
const corpus = content.pocket && new PocketCorpus(content.pocket), LAST = content.steps.length + 1;

const STORED = `embedlab.${content.key}`; // where a browser that does not refuse it keeps what was answered

function storedAnswers() {
  try {
    const { version, answers } = JSON.parse(localStorage.getItem(STORED));
    return version === content.version ? answers : {};
  } catch { return {}; }
}

function store(answers) {
  try { localStorage.setItem(STORED, JSON.stringify({ version: content.version, answers })); } catch { /* refused */ }
}

class Player {
  constructor() {
    this.answers = storedAnswers();
    this.hands = {}; // of each step: {votes, before, isRevealed}
    this.parts = [];
    for (const [id, text] of [["title", content.title], ["goal", content.goal]]) element(id).textContent = text;
    document.title = content.title;
    document.documentElement.lang = content.language;
    for (let number = 1; number <= LAST; number++) button(made(element("steps"), "li"), number < LAST ? `${number}` : "Your answers", () => this.go(number));
    element("back").addEventListener("click", () => this.go(this.number - 1));
    element("next").addEventListener("click", () => this.go(this.number + 1));
    element("mode").addEventListener("click", () => { location.hash = this.isPresent ? `#${this.number}` : `#${this.number}/present`; });
    addEventListener("hashchange", () => this.show());
    document.addEventListener("keydown", (event) => this.key(event));
    this.show();
  }

  get step() { return content.steps[this.number - 1]; }
  isDone(number) { return number in this.answers || content.steps[number - 1]?.kind === "none"; }

  go(number) {
    const within = Math.min(Math.max(number, 1), LAST);
    if (within === this.number) return;
    location.hash = this.isPresent ? `#${within}/present` : `#${within}`;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea, summary")) return;
    if (event.key === "ArrowRight" || event.key === "PageDown") this.go(this.number + 1);
    else if (event.key === "ArrowLeft" || event.key === "PageUp") this.go(this.number - 1);
    else return;
    event.preventDefault();
  }

  show() {
    const [, number, present] = location.hash.match(/^#(\d+)(\/present)?/) ?? [null, "1", null], before = this.number;
    this.number = Math.min(Math.max(Number(number), 1), LAST);
    this.isPresent = present !== undefined && present !== null;
    document.documentElement.classList.toggle("present", this.isPresent);
    this.draw();
    if (before !== undefined) { element("head").focus({ preventScroll: true }); scrollTo(0, 0); }
  }

  draw() {
    for (const end of this.parts) end?.();
    this.parts = [];
    const [text, figure, hands] = ["text", "figure", "hands"].map(element), isLast = this.number === LAST;
    for (const each of [text, figure, hands]) each.replaceChildren();
    element("mode").textContent = this.isPresent ? "Leave the projector" : "Projector";
    element("back").disabled = this.number === 1;
    element("next").hidden = isLast;
    element("next").classList.toggle("go", !isLast && (this.isPresent || this.isDone(this.number)));
    [...element("steps").children].forEach((item, at) => {
      const each = item.firstChild, isHere = at + 1 === this.number, done = at + 1 < LAST && this.isDone(at + 1);
      each.setAttribute("aria-current", isHere ? "step" : "false");
      each.classList.toggle("done", done);
      each.setAttribute("aria-label", at + 1 < LAST ? `Step ${at + 1}, ${content.steps[at].title}${done ? ", done" : ""}` : "Your answers");
    });
    const head = made(text, "h2", { id: "head", tabindex: "-1" }, isLast ? "Your answers" : this.step.title);
    head.dataset.step = isLast ? "" : `${this.number}`;
    document.body.classList.toggle("last", isLast);
    if (isLast) return this.drawLast(text);
    if (this.number === 1) for (const sentence of content.broken) made(text, "p", { class: "broken", role: "alert" }, sentence);
    this.drawStep(text, figure, hands);
    document.body.classList.toggle("no-figure", !figure.children.length);
  }

  /** Text and question; the reason and the picture once it is answered, on a projector once the teacher reveals it. */
  drawStep(text, figure, place) {
    const { step, isPresent } = this, answer = this.answers[this.number], hands = (this.hands[this.number] ??= { votes: [], before: null, isRevealed: false });
    const isAsked = step.kind !== "none", isAnswered = !isAsked || (isPresent ? hands.isRevealed : answer !== undefined), isDrawing = isPresent && step.kind === "draw";
    if (!isPresent || !isAsked || !isAnswered || !step.why.length) for (const inline of step.paragraphs) writeInline(made(text, "p"), inline);
    if (step.question.length && !(isDrawing && isAnswered)) writeInline(made(text, "p", { class: "question" }), step.question);
    if (isPresent) this.drawHands(place, step, hands, isAnswered ? text : figure);
    else if (isAsked) this.parts.push(QUESTIONS[step.kind](made(text, "div", { class: "ask" }), step, answer, (value) => { this.answers[this.number] = value; store(this.answers); this.draw(); element("head").focus({ preventScroll: true }); }));
    if (isAnswered && step.why.length) {
      const quote = made(text, "blockquote", { class: "why", role: "status" });
      for (const inline of step.why) writeInline(made(quote, "p"), inline);
    }
    if (!isDrawing || isAnswered) this.drawPicture(figure, isAnswered);
  }

  drawPicture(figure, isAnswered) {
    const { picture } = this.step;
    if (!picture) return;
    if (picture.after && !isAnswered) return void made(figure, "p", { class: "later" }, "The picture appears once you have predicted.");
    const drawn = VIEWS[picture.key](picture.data, made(figure, "div", { class: `view ${picture.key}` }), { corpus, isAnswered });
    this.parts.push(() => drawn?.end());
  }

  /** On a projector: each click on an answer is a hand; a curve is drawn once, in the place of the picture. */
  drawHands(place, step, hands, drawing) {
    if (step.kind === "draw") this.parts.push(QUESTIONS.draw(made(drawing, "div", { class: "ask" }), step, hands.votes[0], (value) => { Object.assign(hands, { votes: [value], isRevealed: true }); this.draw(); }));
    if (!["choice", "four", "number"].includes(step.kind)) return;
    (step.kind === "number" ? this.drawNumbers : this.drawChoices).call(this, place, step, hands);
    const tools = made(place, "div", { class: "controls tools" });
    if (!hands.isRevealed) button(tools, "Reveal", () => { hands.isRevealed = true; this.draw(); }, { class: "go" });
    button(tools, "Vote again", () => { Object.assign(hands, { before: hands.votes, votes: [], isRevealed: false }); this.draw(); });
  }

  drawChoices(place, step, hands) {
    const count = (votes, at) => votes.filter((each) => each === at).length, { votes, before } = hands;
    const most = Math.max(1, ...[votes, before ?? []].flatMap((each) => [0, 1, 2, 3].map((at) => count(each, at))));
    const buttons = answerButtons(place, step, true, (at) => { votes.push(at); this.focusHand = at; this.draw(); });
    buttons.forEach((each, at) => {
      const bars = made(each, "span", { class: "hands" });
      if (before) made(bars, "span", { class: "hand ghost" }).style.width = `${(100 * count(before, at)) / most}%`;
      made(bars, "span", { class: "hand" }).style.width = `${(100 * count(votes, at)) / most}%`;
      made(each, "span", { class: "count" }, `${count(votes, at)}${before ? ` (first ${count(before, at)})` : ""}`);
      if (hands.isRevealed) { each.disabled = true; markAnswer(each, false, at === step.right); }
    });
    buttons[this.focusHand]?.focus();
    this.focusHand = undefined;
  }

  drawNumbers(place, step, hands) {
    if (!hands.isRevealed) QUESTIONS.number(place, step, undefined, (value) => { hands.votes.push(value); this.draw(); });
    const said = (votes) => [...votes].sort((one, other) => one - other).join(" · ") || "no number yet";
    if (hands.before) made(place, "p", { class: "ghosts" }, `First: ${said(hands.before)}`);
    made(place, "p", { class: "votes", role: "status" }, said(hands.votes));
    if (hands.isRevealed && step.number.truth !== null) made(place, "p", { class: "outcome" }, `It is ${Math.round(step.number.truth)}.`);
  }

  drawLast(text) {
    const asked = content.steps.map((step, at) => [step, at + 1]).filter(([step]) => step.kind !== "none"), answered = asked.filter(([, number]) => number in this.answers);
    const judged = answered.map(([step, number]) => isRight(step, this.answers[number])).filter((each) => each !== null);
    made(text, "p", {}, `You predicted ${answered.length} of ${asked.length}; ${judged.filter(Boolean).length} of ${judged.length} were right or close. What you predicted wrong is what you learned.`);
    const label = made(text, "label", { class: "named" }, "Your name, if you like"), name = made(label, "input", { type: "text", maxlength: 60, autocomplete: "off" });
    const line = made(text, "output", { class: "line", tabindex: "0", "aria-label": "One line to copy" });
    const write = () => {
      const said = answered.map(([step, number]) => `${number}${writtenAnswer(step, this.answers[number])}`).join(" ");
      line.textContent = `embedlab ${content.key} ${content.version}: ${said || "-"}${name.value.trim() ? ` · ${name.value.trim()}` : ""}`;
    };
    name.addEventListener("input", write);
    write();
    const tools = made(text, "div", { class: "controls" }), told = made(text, "p", { class: "quiet", role: "status" });
    button(tools, "Copy the line", async () => {
      try { await navigator.clipboard.writeText(line.textContent); told.textContent = "Copied. Paste it where your teacher collects the lines."; } catch {
        getSelection().selectAllChildren(line);
        told.textContent = "The line is selected: copy it with Ctrl+C.";
      }
    }, { class: "go" });
    button(tools, "Begin again", () => { store((this.answers = {})); this.go(1); });
    made(text, "p", { class: "quiet" }, "Nothing is sent. Right answers are in the file: this is for learning, not for exams.");
  }
}

window.lesson = { player: new Player(), content, corpus, Pocket, viewPair }; // for tests
