"""A chart: plotly.js, loaded once for all, in a component that updates without flicker and keeps zoom and hover."""

import json
from collections.abc import Callable
from importlib.metadata import version
from typing import Protocol

import streamlit as st

HTML = "<div class='chart' role='img'></div>"

JS = """
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
  if (!charts.has(element)) {
    const resizing = new ResizeObserver(() => requestAnimationFrame(() => fit(element)));
    resizing.observe(element);
    charts.set(element, { turn: 0, resizing });
  }
  const turn = ++charts.get(element).turn;
  element.setAttribute("aria-label", data.alt);
  element.style.minHeight = `${data.figure.layout.height ?? 380}px`; // kept free until the first drawing
  load(data.plotly)
    .then(async (Plotly) => {
      await letGo(element);
      if (charts.get(element)?.turn !== turn) return; // a later figure is on its way, or the chart is gone
      const layout = { ...themed(data.figure.layout, element), width: element.clientWidth || undefined };
      await Plotly.react(element, data.figure.data, layout, { displaylogo: false, displayModeBar: false });
      if (data.clicks) listen(element, setStateValue);
    })
    .catch(() => (element.textContent = data.alt));
  return () => {
    charts.get(element)?.resizing.disconnect();
    charts.delete(element);
    window.Plotly?.purge(element);
  };
}
"""

_component = st.components.v2.component("embedlab.chart", html=HTML, js=JS, isolate_styles=False)


class Figure(Protocol):
    """A plotly figure, as far as it matters here; plotly itself is imported in figures/ only."""

    def to_json(self) -> str: ...


def chart(figure: Figure, *, key: str, alt: str = "", on_click: Callable[[], None] | None = None) -> None:
    """Draw or update a chart in place; the reader's zoom stays while ``layout.uirevision`` does.

    ``alt`` is read out in place of the picture; without it, the figure's own sentence (``layout.meta.alt``).
    ``on_click`` runs when the reader clicks a mark, whose place ``clicked(key)`` then is.
    """
    drawn = json.loads(figure.to_json())
    sentence = alt or drawn["layout"].get("meta", {}).get("alt", "")
    shown = dict(figure=drawn, alt=sentence, plotly=_address())
    if on_click is None:
        _component(key=key, data=shown)
    else:
        _component(key=key, data=shown | dict(clicks=True), on_clicked_change=on_click)


def clicked(key: str) -> tuple[float, float] | None:
    """Where the reader clicked on the chart of this key: x and y, of a heat map column and row."""
    place = (st.session_state.get(key) or {}).get("clicked")
    return None if place is None else (float(place["x"]), float(place["y"]))


def prepare_charts() -> None:
    """Have the browser load plotly.js when it is idle, so that no chart waits for it."""
    _component(key="charts", data=dict(plotly=_address()))


def _address() -> str:
    return f"assets/plotly.min.js?v={version('plotly')}"
