// The first second: a training begins as soon as the page stands, and again at each press.

const SHOWN_BUDGET = 4; // milliseconds a frame: the eye is to follow it
const started = new WeakMap();

class AtWork {
  constructor(root, data, setTriggerValue) {
    this.root = root;
    const theme = readTheme(root), grid = mixed(theme.ground, theme.ink, 0.12), amber = theme.dark ? "#e3b341" : "#946200";
    const colors = { ground: theme.ground, ink: theme.ink, quiet: theme.quiet, accent: theme.accent, "accent-text": asInk(theme.accent, theme.ink, theme.ground), grid };
    for (const [name, color] of Object.entries(colors)) root.style.setProperty(`--${name}`, css(color));
    for (const name of ["reference", "reference-text"]) root.style.setProperty(`--${name}`, amber);
    root.style.setProperty("--untouched", css(theme.quiet));
    this.corpus = new PocketCorpus(data);
    this.map = new PocketMap(root.querySelector(".frame"), this.corpus);
    this.chart = new LineChart(root.querySelector(".chart"), { x: { name: "steps", low: 0, high: 300 }, y: { name: "of 100 texts, how many have neighbors of their topic", low: 0, high: 100, unit: "" }, height: 170 });
    [this.seed, this.negatives, this.earlier] = [0, true, []];
    const push = root.querySelector(".push");
    root.querySelector(".again").addEventListener("click", () => { this.seed++; this.start(); });
    push.addEventListener("click", () => { this.negatives = !this.negatives; push.setAttribute("aria-pressed", String(!this.negatives)); this.start(); });
    root.querySelector(".own").addEventListener("click", () => setTriggerValue("own", true));
    this.start();
  }

  start() {
    if (this.training && !this.training.isOver && this.training.lanes[0].line.length > 2) this.earlier = [...this.earlier.slice(-2), this.training.lanes[0].line];
    this.training?.end();
    const lane = new Lane(this.corpus, { views: "sentences", negatives: this.negatives, temperature: 0.2, batch: 64, steps: 300 }, this.seed, "steps", 300);
    this.map.begin();
    this.map.follow(lane.pocket, 12);
    this.training = new Training([lane], this.map, (now) => this.draw(lane, now), SHOWN_BUDGET);
  }

  draw(lane, now) {
    const kind = this.negatives ? "accent" : "untouched", last = Math.round(lane.line.at(-1)[1]);
    if (now.hasGrown) this.chart.set([...this.earlier.map((points) => ({ name: "", points, kind: "ghost" })), { name: this.negatives ? "" : "without push", points: lane.line, kind }], [], `From ${Math.round(lane.line[0][1])} to ${last} of 100.`);
    if (now.frames % 6 === 1 || now.isOver) this.root.querySelector(".now").textContent = `Step ${lane.pocket.step} of 300: ${last} of 100, untrained ${Math.round(lane.line[0][1])}; mean cosine of two texts ${writtenCosine(lane.cosine)}. In this browser, ${this.corpus.count} texts.`;
    if (now.hasEnded) this.earlier = [...this.earlier.slice(-2), lane.line];
  }

  end() { this.training?.end(); this.map.end(); this.chart.end(); }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".at-work");
  if (!started.has(root)) started.set(root, new AtWork(root, data, setTriggerValue));
  return () => { if (!root.isConnected) { started.get(root)?.end(); started.delete(root); } };
}
