"""Bytes on the wire and time to first paint of a map, ours against ``st.plotly_chart`` with one Scattergl trace.

Each side is a Streamlit app of its own that shows the same points in the same colours; they are opened in turn.

python -m tests.benchmarks.map_paint [rounds]
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.browser import ROOT, page_of, served

SIZES = (100_000, 500_000)
CLASSES, MEGABYTE = 20, 1e6

POINTS = f"""
import numpy as np
import streamlit as st

@st.cache_resource
def points(texts):
    rng = np.random.default_rng(0)
    categories = rng.integers({CLASSES}, size=texts).astype(np.uint16)
    centres = rng.normal(size=({CLASSES}, 2)) * 8
    return (centres[categories] + rng.normal(size=(texts, 2))).astype(np.float32), categories

coordinates, categories = points(int(st.query_params["texts"]))
"""
OURS = """
from embedlab.palette import categorical
from embedlab.ui.components.map_view import map_view

map_view(key="map", coordinates=coordinates, categories=categories, class_names=[f"class {n}" for n in range(20)],
         colours=categorical(20), names_on_map=False, legend=False)
"""
PLOTLY = """
import plotly.graph_objects as go
from embedlab.palette import categorical

shades = np.array([each["light"] for each in categorical(20)])
scale = [[n / 19, shade] for n, shade in enumerate(shades)]
marker = dict(color=categories.astype(np.uint8), colorscale=scale, cmin=0, cmax=19, size=2)
points = go.Scattergl(x=coordinates[:, 0], y=coordinates[:, 1], mode="markers", marker=marker, hoverinfo="skip")
figure = go.Figure(points)
figure.update_layout(height=560, margin=dict(l=0, r=0, t=0, b=0))
figure.update_xaxes(visible=False)
figure.update_yaxes(visible=False)
st.plotly_chart(figure, key="map")
"""
APP = """
import sys
sys.path.insert(0, {root!r})
import streamlit as st
from embedlab.ui.frame.routes import ROUTES

app = st.App("script.py", routes=ROUTES)
"""
PAINTED = """() => {
  const canvases = [], look = (root) => root.querySelectorAll("*").forEach((at) => {
    if (at.tagName === "CANVAS") canvases.push(at);
    if (at.shadowRoot) look(at.shadowRoot);
  });
  look(document);
  return canvases.filter(({ width, height }) => width * height > 1e5).map((at) => at.getBoundingClientRect())
    .map(({ x, y, width, height }) => ({ x, y, width, height }));
}"""
COLOURED = 0.01  # of the picture, to count as painted


class Wire:
    """Counts what reaches the page from the app, scripts and styles of Streamlit and plotly.js left out."""

    def __init__(self, page):
        self.bytes = 0
        self.urls = {}
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.webSocketFrameReceived", self.frame)
        session.on(
            "Network.responseReceived", lambda told: self.urls.update({told["requestId"]: told["response"]["url"]})
        )
        session.on("Network.loadingFinished", self.finished)

    def frame(self, told: dict) -> None:
        """A message of Streamlit: base64 when it is binary."""
        response = told["response"]
        self.bytes += len(response["payloadData"]) * (3 / 4 if response["opcode"] == 2 else 1)

    def finished(self, told: dict) -> None:
        """An answer over HTTP that carries points."""
        if "/data/array" in (url := self.urls.get(told["requestId"], "")) or (
            "/media/" in url and "/static/" not in url
        ):
            self.bytes += told["encodedDataLength"]


def paint(page, url: str, texts: int) -> tuple[float, float]:
    """(seconds from going to the address until a hundredth of the picture is coloured, megabytes received)"""
    wire = Wire(page)
    began = time.perf_counter()
    page.goto(f"{url}/?texts={texts}")
    while True:
        boxes = page.evaluate(PAINTED)
        if boxes and coloured(page.screenshot(clip=boxes[0])) > COLOURED:
            return time.perf_counter() - began, wire.bytes / MEGABYTE
        if time.perf_counter() - began > 120:
            raise RuntimeError("nothing was painted within two minutes")


def coloured(png: bytes) -> float:
    """The share of pixels that are not grey."""
    import io

    import numpy as np
    from PIL import Image

    pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=np.int16)
    return float((np.ptp(pixels, axis=2) > 40).mean())


def main(rounds: int) -> None:
    """Print both sides and their ratios."""
    with tempfile.TemporaryDirectory() as folder:
        sides = {}
        for name, script in (("ours", OURS), ("plotly", PLOTLY)):
            home = Path(folder) / name
            home.mkdir()
            (home / "script.py").write_text(POINTS + script, encoding="utf-8")
            (home / "app.py").write_text(APP.format(root=str(ROOT)), encoding="utf-8")
            sides[name] = home
        with (
            served(sides["ours"] / "app.py", home=sides["ours"]) as (ours, *_),
            served(sides["plotly"] / "app.py", home=sides["plotly"]) as (plotly, *_),
        ):
            urls = {"ours": ours, "plotly": plotly}
            for texts in SIZES:
                measured = {name: [] for name in urls}
                for turn in range(rounds + 1):
                    for name, url in urls.items():
                        with page_of() as page:
                            found = paint(page, url, texts)
                        if turn:  # the first turn warms both sides
                            measured[name].append(found)
                report(texts, measured)


def report(texts: int, measured: dict) -> None:
    """Medians, and how many times more plotly needs."""
    middle = {name: [statistics.median(each) for each in zip(*found, strict=True)] for name, found in measured.items()}
    goal = "  (goal: at least 2)" if texts == max(SIZES) else ""
    print(f"{texts:,} points, median of {len(measured['ours'])}")
    for position, (what, unit) in enumerate((("first paint", "s"), ("on the wire", "MB"))):
        ours, plotly = middle["ours"][position], middle["plotly"][position]
        print(
            f"  {what}: ours {ours:.2f} {unit}, plotly {plotly:.2f} {unit}, ratio {plotly / ours:.2f}{goal}", flush=True
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
