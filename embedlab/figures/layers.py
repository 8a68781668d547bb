"""kNN accuracy after every layer, before and after fine-tuning, for each pooling."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from embedlab.figures.frame import DIRECT_LABELS, EndLabel, add_end_labels, framed, y_range
from embedlab.figures.palette import ACCENT, UNTOUCHED, shade
from embedlab.figures.text import percent, plain

_LOOK = {  # name, dash, symbol: what tells the poolings apart besides their place
    "mean": ("mean", "solid", "circle"),
    "cls": ("[CLS]", "dash", "square"),
    "last": ("[SEP]", "dot", "diamond"),
    "sep": ("[SEP]", "dot", "diamond"),
}


def layer_curves(rows: Sequence[Mapping], *, dark: bool = False) -> go.Figure:
    """``rows``: ``{"layer", "pooling", "before", "after"}`` with shares; ``after`` may be None."""
    figure, labels = go.Figure(), []
    poolings = list(dict.fromkeys(row["pooling"] for row in rows))
    states = [("before", UNTOUCHED), ("after", ACCENT)]
    drawn = [(p, state, shades, _points(rows, p, state)) for p in poolings for state, shades in states]
    drawn = [line for line in drawn if line[3]]
    for pooling, state, shades, points in drawn:
        name, dash, symbol = _LOOK.get(pooling, (plain(pooling), "dashdot", "x"))
        colour = shade(shades, dark)
        figure.add_scatter(
            x=[layer for layer, _ in points], y=[value for _, value in points], mode="lines+markers",
            name=f"{name}, {state}", line=dict(color=colour, width=2, dash=dash),
            marker=dict(color=colour, size=7, symbol=symbol),
            hovertemplate=f"{name}, {state}, layer %{{x}}: %{{y:.1%}}<extra></extra>",
        )  # fmt: skip
        labels.append(EndLabel(f"{name}, {state}", points[-1][1], colour))
    low, high = y_range([value for *_, points in drawn for _, value in points] or [0, 1])
    framed(figure, title="kNN accuracy after every layer", x="layer (0 = token embeddings)", y="kNN accuracy",
           alt=_alt(drawn), dark=dark)  # fmt: skip
    figure.update_xaxes(dtick=1 if len({row["layer"] for row in rows}) <= 16 else None)
    figure.update_yaxes(tickformat=".0%", range=[low, high])
    direct = len(drawn) <= DIRECT_LABELS
    figure.update_layout(showlegend=not direct, legend=dict(orientation="v", x=1.01, y=1))
    if direct:
        add_end_labels(figure, labels, low=low, high=high)
    return figure


def _points(rows: Sequence[Mapping], pooling: str, state: str) -> list[tuple[int, float]]:
    return sorted(
        (row["layer"], row[state]) for row in rows if row["pooling"] == pooling and row.get(state) is not None
    )


def _alt(drawn: list) -> str:
    if not drawn:
        return "No layers measured yet."
    last = max(points[-1][0] for *_, points in drawn)
    said = [
        f"{_LOOK.get(pooling, (pooling,))[0]} {state} {percent(points[-1][1])}" for pooling, state, _, points in drawn
    ]
    return f"kNN accuracy after the last layer ({last}): {', '.join(said)}."
