"""What all figures share: background, grid, axis titles, smoothed lines, labels at line ends, alternative text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from embedlab.palette import GRID, INK, QUIET_INK, shade

_MARKUP = re.compile(r"</?b>|&#?\w+;")
DIRECT_LABELS = 4  # up to so many lines carry their name at their end; more get a legend


def framed(figure: go.Figure, *, title: str, x: str, y: str, alt: str, dark: bool, height: int = 380) -> go.Figure:
    """The figure with title, axis titles and the app's style; ``alt`` is the sentence for screen readers."""
    if not alt.strip():
        raise ValueError(f"The figure {title!r} needs a sentence to be read out in its place.")
    ink, quiet, grid = shade(INK, dark), shade(QUIET_INK, dark), shade(GRID, dark)
    axis = dict(gridcolor=grid, linecolor=grid, zeroline=False, tickfont=dict(color=quiet))
    across = axis | dict(title=dict(text=x, font=dict(color=quiet, size=13)), showgrid=False, ticks="outside",
                         tickcolor=grid)  # fmt: skip
    upwards = axis | dict(title=dict(text=y, font=dict(color=quiet, size=13)))
    drawn = figure.layout.to_plotly_json()
    look = dict(
        title=dict(text=title, x=0, xref="paper", xanchor="left", y=1, yref="container", yanchor="top", pad=dict(t=14),
                   font=dict(size=15, color=ink, weight=600)),
        height=height,
        margin=dict(l=64, r=24, t=52, b=52),
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font=dict(color=ink, size=13),
        hoverlabel=dict(align="left"),
        legend=dict(title=dict(text=""), bgcolor="rgba(0,0,0,0)", font=dict(color=ink)),
        meta=dict(alt=alt),
        **{name: across for name in dict.fromkeys(["xaxis", *drawn]) if name.startswith("xaxis")},
        **{name: upwards for name in dict.fromkeys(["yaxis", *drawn]) if name.startswith("yaxis")},
    )  # fmt: skip
    # merged here and set whole: plotly's own merging of the same takes five times as long, on every page
    figure.update_layout({name: _merged(drawn.get(name), part) for name, part in look.items()}, overwrite=True)
    return figure


def _merged(existing: Any, override: Any) -> Any:
    """``override`` merged into ``existing``, nested dictionaries included."""
    if not (isinstance(existing, dict) and isinstance(override, dict)):
        return override
    return existing | {name: _merged(existing.get(name), value) for name, value in override.items()}


@dataclass(frozen=True)
class EndLabel:
    """A label (already escaped) to be written at the end of its line."""

    text: str
    y: float
    colour: str


def add_end_labels(
    figure: go.Figure, labels: Sequence[EndLabel], *, low: float, high: float, height: int = 380
) -> None:
    """Write the labels to the right of the plot, as close to their lines as fits; (low, high) is the y range."""
    pixels = height - 104  # what framed leaves between its margins
    heights = [(label.y - low) / (high - low) * pixels for label in labels]
    for label, position, line in zip(labels, apart(heights, 17), heights, strict=True):
        figure.add_annotation(
            x=1, xref="paper", xanchor="left", xshift=8, y=label.y, yshift=position - line, yanchor="middle",
            text=label.text, font=dict(color=label.colour, size=12), showarrow=False, align="left",
        )  # fmt: skip
    if labels:
        figure.update_layout(margin_r=max(60, 6 * max(len(_MARKUP.sub("x", label.text)) for label in labels) + 18))


def apart(positions: Sequence[float], gap: float) -> list[float]:
    """Positions at least ``gap`` apart, in the given order; groups that collide are spread around their mean."""
    groups: list[list[int]] = []
    for index in sorted(range(len(positions)), key=lambda i: (positions[i], i)):
        groups.append([index])
        while len(groups) > 1 and _middle(groups[-1], positions) - _middle(groups[-2], positions) < gap * (
            (len(groups[-1]) + len(groups[-2])) / 2
        ):
            groups[-2:] = [groups[-2] + groups[-1]]
    places = [0.0] * len(positions)
    for group in groups:
        for rank, index in enumerate(group):
            places[index] = _middle(group, positions) + gap * (rank - (len(group) - 1) / 2)
    return places


def _middle(group: list[int], positions: Sequence[float]) -> float:
    return sum(positions[index] for index in group) / len(group)


def y_range(values: Sequence[float], *, air: float = 0.08, least: float = 0.04) -> tuple[float, float]:
    """From the lowest to the highest value plus a margin, at least ``least`` wide."""
    low, high = min(values), max(values)
    spare = max((high - low) * air, (least - (high - low)) / 2)
    return low - spare, high + spare


def share_range(values: Sequence[float]) -> tuple[float, float]:
    """``y_range`` for shares: never below 0 or above 100 %."""
    low, high = y_range(values)
    return max(low, 0.0), min(high, 1.0)


def share_axis(figure: go.Figure, values: Sequence[float]) -> tuple[float, float]:
    """Format the y axis as percentages, from 0 to 100 % if no range is set yet; returns its range."""
    low, high = share_range(values or [0, 1])
    figure.update_yaxes(tickformat=".0%" if high - low > 0.04 else ".1%", range=[low, high])
    return low, high


def add_band(figure: go.Figure, x: Sequence[float], y: Sequence[float], errors: Sequence[float], colour: str) -> None:
    """Draw one standard error above and below the line as a closed shape."""
    upper, lower = ([value + sign * error for value, error in zip(y, errors, strict=True)] for sign in (1, -1))
    figure.add_scatter(
        x=[*x, *x[::-1]], y=upper + lower[::-1], fill="toself", fillcolor=see_through(colour, 0.14), mode="none",
        name="± standard error", hoverinfo="skip", showlegend=False,
    )  # fmt: skip


def see_through(colour: str, opacity: float) -> str:
    """The hex colour as ``rgba(…)``."""
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


FAINT = 0.3  # of the measured line while a smoothed one is drawn over it


def smoothed(x: Sequence[float], y: Sequence[float], weight: float) -> np.ndarray:
    """Exponentially weighted means Σ wᵈ y / Σ wᵈ over each point and those before it, d being the distance in typical
    steps. (points,) each

    ``weight``: 0 leaves the values as they are, near 1 means the mean of all so far. A usual step is the median
    distance of two points, so that a gap counts as long as it is; the first point is itself, without a bias to 0.
    """
    values = np.array(y, float)
    if weight <= 0 or len(values) < 2:
        return values
    apart = np.diff(np.asarray(x, float))
    usual = float(np.median(apart[apart > 0])) if (apart > 0).any() else 1.0
    means, total, size = np.empty(len(values)), 0.0, 0.0
    for index, value in enumerate(values):
        retained = weight ** (apart[index - 1] / usual) if index else 0.0
        total, size = total * retained + value, size * retained + 1.0
        means[index] = total / size
    return means


def add_line(
    figure: go.Figure, x: Sequence[float], y: Sequence[float], *, colour: str, weight: float, **trace: Any
) -> None:
    """Draw a 2 px line; with ``weight`` it is smoothed and the raw values stay faintly behind it. ``trace``: name,
    hover, mode.
    """
    line = {"color": colour, "width": 2} | trace.pop("line", {})
    if len(x) == 1:  # a line of one point is not visible
        trace = {"mode": "markers", "marker_color": colour} | trace
    if weight <= 0:
        figure.add_scatter(x=x, y=y, line=line, **{"mode": "lines"} | trace)
        return
    figure.add_scatter(x=x, y=y, line=line | {"color": see_through(colour, FAINT), "width": 1.5},
                       marker_color=see_through(colour, FAINT), **{"mode": "lines"} | trace)  # fmt: skip
    style = {"mode": "lines", "hoverinfo": "skip", "showlegend": False}
    style |= {name: trace[name] for name in ("legendgroup",) if name in trace}
    figure.add_scatter(x=x, y=smoothed(x, y, weight), line=line, name=f"{trace.get('name', '')}, smoothed", **style)
