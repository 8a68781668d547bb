// A chart that updates in place: the reader's zoom and hover stay, and it is as wide as its element.

const charts = new WeakMap(); // element -> the turn of its latest figure, and what watches its width
const colour = (style, name) => style.getPropertyValue(name).trim() || undefined;

function load(address) {
  window.embedlabPlotly ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.onload = () => done(window.Plotly);
    script.onerror = () => { window.embedlabPlotly = undefined; failed(new Error("plotly.js did not load")); };
    script.src = new URL(address, document.baseURI).href;
    document.head.append(script);
  });
  return window.embedlabPlotly;
}

/** The page's fonts and ink; what the figure says of its own colours stays. */
function themed(layout, element) {
  const style = getComputedStyle(element);
  const hover = { bgcolor: colour(style, "--st-background-color"), bordercolor: colour(style, "--st-border-color") };
  return {
    ...layout,
    font: { ...layout.font, family: colour(style, "--st-font"), color: colour(style, "--st-text-color") },
    hoverlabel: { ...layout.hoverlabel, ...hover, font: { color: colour(style, "--st-text-color") } },
  };
}

/** As wide as its element, whatever changed that: the window, the sidebar, a map that came to stand beside it. */
async function fit(element) {
  await letGo(element);
  const { clientWidth: width, _fullLayout: drawn } = element;
  if (width && drawn && drawn.width !== width) await window.Plotly.relayout(element, { width });
}

/** Until the reader holds nothing of the chart: drawn anew, it would lose the zoom box. */
async function letGo(element) {
  while (element._dragging) await new Promise(requestAnimationFrame);
}

/** Tell Python where the reader clicked: the point's places, of a heat map its column and row. */
function listen(element, setStateValue) {
  element.removeAllListeners("plotly_click");
  element.on("plotly_click", ({ points: [point] }) => {
    const at = point.pointNumber;
    setStateValue("clicked", Array.isArray(at) ? { x: at[1], y: at[0] } : { x: point.x, y: point.y });
  });
}

export default function ({ data, parentElement, setStateValue }) {
  if (!data.figure) {
    parentElement.replaceChildren();
    const idle = window.requestIdleCallback ?? setTimeout;
    const ahead = () => load(data.plotly).catch(() => {}); // a chart that needs it says so when it is missing
    setTimeout(() => idle(ahead), 2500); // not while the first page is still being drawn
    return;
  }
  const element = parentElement.querySelector(".chart");
  offerPicture(parentElement.querySelector(".chart-save"), (format) => savePicture(element, format, data.file));
  if (!charts.has(element)) {
    const resizing = new ResizeObserver(() => requestAnimationFrame(() => fit(element)));
    resizing.observe(element);
    charts.set(element, { turn: 0, resizing });
  }
  const turn = ++charts.get(element).turn;
  const figure = enlarged(data.figure, data.size);
  element.setAttribute("role", "img"); // from now on it has words
  element.setAttribute("aria-label", data.alt);
  element.style.minHeight = `${figure.layout.height ?? 380}px`; // kept free until the first drawing
  load(data.plotly)
    .then(async (Plotly) => {
      await letGo(element);
      if (charts.get(element)?.turn !== turn) return; // a later figure is on its way, or the chart is gone
      const layout = { ...themed(figure.layout, element), width: element.clientWidth || undefined };
      const traces = data.race ? figure.data.map((trace) => ({ ...trace })) : figure.data; // a race clips what it draws
      await Plotly.react(element, traces, layout, { displaylogo: false, displayModeBar: false });
      if (data.clicks) listen(element, setStateValue);
      raceOn(element, data.race, figure);
    })
    .catch(() => (element.textContent = data.alt));
  return () => {
    races.get(element)?.close();
    charts.get(element)?.resizing.disconnect();
    charts.delete(element);
    window.Plotly?.purge(element);
  };
}
