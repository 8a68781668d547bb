// The pocket of a lesson: its controls, Train, the map, the line, and what it ended with each time.

const CHOICES = { temperature: [0.005, 0.02, 0.05, 0.2, 1, 5], batch: [8, 16, 32, 64, 128, 256], views: ["sentences", "halves", "dropped words", "same", "strangers"], negatives: [true, false] };
const CONTROL_NAMES = { views: "Pairs", temperature: "Temperature τ", batch: "Batch", negatives: "Push" };
const WRITTEN = { same: "the same text twice", strangers: "two strangers", sentences: "two sentences", halves: "two halves", "dropped words": "words dropped" };
const PREFIXES = { temperature: "τ ", batch: "batch " };
const writtenSetting = (name, value) => (name === "negatives" ? (value ? "with push" : "without push") : WRITTEN[value] ?? `${PREFIXES[name]}${value}`);

VIEWS.pocket = (data, place, { corpus }) => {
  const settings = { ...data.settings }, isRace = data.against !== null, show = (part) => data.show.includes(part);
  let seed = 0, training = null, clock = data.x[0] ?? "steps", earlier = [];
  const head = made(place, "div", { class: "controls" });
  for (const name of data.controls) {
    const label = made(head, "label", {}, CONTROL_NAMES[name]), select = made(label, "select");
    for (const value of CHOICES[name]) { const option = made(select, "option", {}, writtenSetting(name, value)); option.value = JSON.stringify(value); option.selected = value === settings[name]; }
    select.addEventListener("change", () => { settings[name] = JSON.parse(select.value); });
  }
  if (data.x.length > 1) {
    const group = made(head, "div", { class: "choice", role: "group", "aria-label": "What is equal" });
    for (const name of data.x) {
      const each = button(group, `equal ${name}`, () => { measureBy(name); for (const other of group.children) other.setAttribute("aria-pressed", String(other === each)); start(); }, { "aria-pressed": String(name === clock) });
    }
  }
  if (data.train !== "no") button(head, "Train", () => start(), { class: "go" });
  const map = show("map") && !isRace ? new PocketMap(made(place, "div", { class: "frame" }), corpus) : null;
  const lanesOf = () => [settings, ...(isRace ? [{ ...settings, ...data.against }] : [])];
  const limit = () => ({ steps: Math.max(...lanesOf().map(({ steps }) => steps)), texts: data.texts, seconds: data.seconds })[clock];
  const charts = Object.fromEntries(["accuracy", "loss"].filter((part) => show(part) && data.train !== "no").map((part) => [part, new LineChart(made(place, "div", { class: "chart" }), {
    x: { name: clock, low: 0, high: limit() }, height: !map ? 300 : document.documentElement.classList.contains("present") ? (show("loss") ? 88 : 130) : show("loss") ? 130 : 170,
    y: part === "loss" ? { name: "loss", low: 0, high: 6, unit: "" } : { name: "of 100 test texts, how many get their topic", low: 0, high: 100, unit: "" },
  })]));
  charts.accuracy?.set([], [["counting words", "dash", data.counting]]);
  const below = made(place, "p", { class: "numbers", role: "status" }), grey = made(place, "p", { class: "quiet" });
  const isGrey = () => clock === "steps" && data.grey !== "";
  const list = made(place, "ol", { class: "ends", "aria-label": "Trainings so far" });
  const typed = data.typed ? typedSentence(place, corpus, () => training?.isOver && training.lanes[0].pocket) : null;

  function measureBy(name) {
    if (name !== clock) earlier = []; // over another axis
    clock = name;
    for (const chart of Object.values(charts)) Object.assign(chart, { across: { name }, last: limit() });
  }

  function start() {
    training?.end();
    const lanes = lanesOf().map((each) => new Lane(corpus, each, seed, clock, limit()));
    [grey.hidden, grey.textContent] = [!isGrey(), data.grey];
    if (data.next_seed) seed++;
    training = new Training(lanes, map, drawNow);
    training.said = [...data.controls.map((name) => writtenSetting(name, settings[name])), ...(data.next_seed ? [`seed ${seed - 1}`] : [])].join(", ");
  }

  function drawNow(now) {
    const { lanes } = now, { names } = data, colors = ["accent", isGrey() ? "untouched" : "series-1"];
    if (now.hasGrown) charts.accuracy?.set([...earlier.map((points) => ({ name: "", points, kind: "ghost" })), ...lanes.map(({ line }, at) => ({ name: names[at], points: line, kind: colors[at] }))]);
    if (charts.loss) {
      const { losses } = lanes[0].pocket, thin = Math.max(1, Math.floor(losses.length / 100));
      charts.loss.high = Math.max(...losses, 0.5) * 1.05;
      charts.loss.set([{ name: "", points: losses.map((loss, step) => [step + 1, loss]).filter((_, step) => step % thin === 0), kind: "untouched many" }]);
    }
    const said = lanes.map((lane, at) => `${names[at] ? `${names[at]}: ` : ""}${Math.round(lane.line.at(-1)[1])} of 100 after ${numbered(lane.pocket.step)} steps, ${numbered(lane.pocket.step * lane.pocket.batch)} texts${now.isOver ? `, ${lane.seconds.toFixed(1)} s` : ""}${isRace ? "" : `; mean cosine ${writtenCosine(lane.cosine)}`}`);
    if (now.isOver || now.frames % 6 === 1) below.textContent = said.join(" · ");
    if (!now.hasEnded) return;
    earlier = [...earlier, lanes[0].line].slice(-3);
    charts.accuracy?.svg.setAttribute("aria-label", `kNN accuracy of 100: ${lanes.map(({ line }, at) => `${names[at]} from ${Math.round(line[0][1])} to ${Math.round(line.at(-1)[1])}`).join("; ")}. Counting words ${Math.round(data.counting)}.`);
    if (!isRace && (data.controls.length || data.next_seed)) made(list, "li", {}, `${now.said}: ${Math.round(lanes[0].line.at(-1)[1])} of 100`);
    if (list.children.length > 6) list.firstChild.remove();
    typed?.ready();
  }

  if (data.train === "at once") start();
  else {
    const pocket = new Pocket(corpus, settings, 0);
    map?.settle(pocket);
    if (data.train === "no") below.textContent = `Untrained: ${Math.round(pocket.accuracy())} of 100 test texts get their topic; mean cosine of two texts ${writtenCosine(pocket.meanCosine())}.`;
  }
  return { end() { training?.end(); map?.end(); for (const chart of Object.values(charts)) chart.end(); } };
};
