"""Smoothed lines: an exponential running mean over what was measured, with the measured line faint behind it."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from embedlab.figures.frame import see_through

FAINT = 0.3  # of the measured line while a smoothed one is drawn over it


def smoothed(x: Sequence[float], y: Sequence[float], weight: float) -> np.ndarray:
    """Σ wᵈ y / Σ wᵈ over a point and those before it, d how far back each lies in usual steps.  (points,) each

    ``weight``: 0 leaves the values as they are, near 1 means the mean of all so far. A usual step is the median
    distance of two points, so that a gap counts as long as it is; the first point is itself, without a bias to 0.
    """
    x, y = np.asarray(x, float), np.asarray(y, float)
    if weight <= 0 or len(y) < 2:
        return y.copy()
    apart = np.diff(x)
    usual = float(np.median(apart[apart > 0])) if (apart > 0).any() else 1.0
    found, total, size = np.empty(len(y)), 0.0, 0.0
    for place, value in enumerate(y):
        kept = weight ** (apart[place - 1] / usual) if place else 0.0
        total, size = total * kept + value, size * kept + 1.0
        found[place] = total / size
    return found


def add_line(
    figure: go.Figure, x: Sequence[float], y: Sequence[float], *, colour: str, weight: float = 0.0, **trace
) -> None:
    """The line, 2 px; smoothed by ``weight``, with the measured one faint behind it. ``trace``: name, hover, mode."""
    line = {"color": colour, "width": 2} | trace.pop("line", {})
    if weight <= 0:
        figure.add_scatter(x=x, y=y, line=line, **{"mode": "lines"} | trace)
        return
    figure.add_scatter(x=x, y=y, line=line | {"color": see_through(colour, FAINT), "width": 1.5},
                       marker_color=see_through(colour, FAINT), **{"mode": "lines"} | trace)  # fmt: skip
    shown = {"mode": "lines", "hoverinfo": "skip", "showlegend": False}
    shown |= {name: trace[name] for name in ("legendgroup",) if name in trace}
    figure.add_scatter(x=x, y=smoothed(x, y, weight), line=line, name=f"{trace.get('name', '')}, smoothed", **shown)
