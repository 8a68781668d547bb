"""Gain on retrieval tasks over the mean length of their documents, a point a task (LA(SER)³ paper, section 4)."""

from collections.abc import Sequence
from math import log10

import plotly.graph_objects as go

from embedlab.figures.frame import framed, y_range
from embedlab.figures.palette import ACCENT, INK, QUIET_INK, shade
from embedlab.figures.text import plain


def gains_by_length(tasks: Sequence[tuple[str, int, float]], *, dark: bool = False) -> go.Figure:
    """``tasks``: name, characters of a document on average, after minus before as a share."""
    tasks = sorted(tasks, key=lambda task: task[1])
    figure, gains = go.Figure(), [100 * gain for *_, gain in tasks]
    places = ["top center", "bottom center"]  # neighbors' names stand on other sides of their points
    figure.add_scatter(
        x=[characters for _, characters, _ in tasks], y=gains, mode="markers+text", cliponaxis=False,
        text=[plain(name, 18) for name, *_ in tasks], textposition=[places[n % 2] for n in range(len(tasks))],
        textfont=dict(size=11, color=shade(INK, dark)), marker=dict(color=shade(ACCENT, dark), size=9),
        hovertemplate="%{text}: documents of %{x:,.0f} characters, %{y:+.1f} points<extra></extra>",
    )  # fmt: skip
    figure.add_hline(y=0, line=dict(color=shade(QUIET_INK, dark), width=1, dash="dot"))
    framed(figure, title="Gain by the length of documents", x="characters of a document, mean (log)",
           y="nDCG@10, after − before (points)", alt=_alt(tasks), dark=dark)  # fmt: skip
    low, high = min(task[1] for task in tasks), max(task[1] for task in tasks)
    figure.update_xaxes(type="log", range=_log_range(low, high), tickformat=",", dtick="D2")
    figure.update_yaxes(range=y_range([*gains, 0.0], air=0.14, least=1.0))
    figure.update_layout(showlegend=False)
    return figure


def _log_range(low: float, high: float) -> list[float]:
    return [log10(low) - 0.12, log10(high) + 0.12]


def _alt(tasks: Sequence[tuple[str, int, float]]) -> str:
    said = "; ".join(f"{name}, {characters:,} characters, {100 * gain:+.1f}" for name, characters, gain in tasks)
    return f"Change of nDCG@10 in points by the mean length of a task's documents: {said}.".replace("-", "−")
