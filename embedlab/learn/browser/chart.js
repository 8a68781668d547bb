// Numbers of a lesson as lines, and as bars beside each other.

const LINE_COLORS = ["accent", "series-1", "series-2", "series-3", "series-4"];

const VIEWS = {};

VIEWS.lines = (data, place) => {
  let next = 0; // what was before is grey, others have a color each
  const kinds = data.series.map(([name]) => (/before/.test(name) ? "untouched" : LINE_COLORS[next++ % LINE_COLORS.length]) + (/cls|linear/.test(name) ? " dashed" : ""));
  const values = [...data.series.flatMap(([, points]) => points.flatMap(([, y, error = 0]) => [y - error, y + error])), ...data.references.map((each) => each[2])];
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
};
