"""Accuracy after every layer, before and after fine-tuning, for each pooling."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from embedlab.encoder_catalog.names import pooling_name
from embedlab.figures.frame import DIRECT_LABELS, EndLabel, add_band, add_end_labels, framed, share_axis
from embedlab.measurement import LayerValue
from embedlab.numbers import percent
from embedlab.palette import ACCENT, UNTOUCHED, beside_accent, shade
from embedlab.plain_text import plain

_LOOK = {  # dash, symbol: what tells the poolings apart besides their place
    "mean": ("solid", "circle"),
    "cls": ("dash", "square"),
    "last": ("dot", "diamond"),
    "sep": ("dot", "diamond"),
}


def layer_curves(
    rows: Sequence[LayerValue],
    *,
    other_runs: Mapping[str, Sequence[LayerValue]] | None = None,
    measured: str = "kNN accuracy",
    dark: bool = False,
) -> go.Figure:
    """``measured``: of what (``kNN accuracy by cosine``); errors are bands.

    ``other_runs``: such rows of other runs, by name; their values after are drawn, and those before, thin, of a run
    that began with another encoder.
    """
    figure, labels = go.Figure(), []
    poolings = list(dict.fromkeys(row.pooling for row in rows))
    states = [("before", UNTOUCHED), ("after", ACCENT)]
    lines = [(p, state, shades, rows, state) for p in poolings for state, shades in states]
    others = zip((other_runs or {}).items(), beside_accent(len(other_runs or {})), strict=True)
    for (name, values), shades in others:
        lines += [(p, plain(name), shades, values, "after") for p in poolings]
        lines += [
            (p, f"{plain(name)}, before", shades, values, "before")
            for p in poolings
            if _points(values, p, "before") != _points(rows, p, "before")
        ]
    drawn = [(p, name, shades, _points(values, p, state)) for p, name, shades, values, state in lines]
    drawn = [line for line in drawn if line[3]]
    thin = {name for _, name, _, values, state in lines if state == "before" and values is not rows}
    few = len(drawn) <= DIRECT_LABELS
    for pooling, state, shades, points in drawn:
        at_layers, values, errors = zip(*points, strict=True)
        name, (dash, symbol) = plain(pooling_name(pooling)), _LOOK.get(pooling, ("dashdot", "x"))
        colour = shade(shades, dark)
        if few and len(points) > 1:
            add_band(figure, at_layers, values, errors, colour)
        figure.add_scatter(
            x=at_layers, y=values, mode="lines+markers",
            name=f"{name}, {state}", line=dict(color=colour, width=1 if state in thin else 2, dash=dash),
            marker=dict(color=colour, size=4 if state in thin else 7, symbol=symbol),
            customdata=[100 * error for error in errors],
            hovertemplate=f"{name}, {state}, layer %{{x}}: %{{y:.1%}} ± %{{customdata:.1f}}<extra></extra>",
        )  # fmt: skip
        labels.append(EndLabel(f"{name}, {state}", points[-1][1], colour))
    framed(figure, title=f"{measured} after every layer", x="layer (0 = token embeddings)",
           y=measured.split(" by ")[0], alt=_alt(measured, drawn), dark=dark)  # fmt: skip
    layers = {row.layer for row in rows}
    figure.update_xaxes(dtick=1 if len(layers) <= 16 else None, range=[-0.5, 0.5] if layers == {0} else None)
    low, high = share_axis(figure, [value for *_, points in drawn for _, value, _ in points])
    figure.update_layout(showlegend=not few, legend=dict(orientation="v", x=1.01, y=1))
    if few:
        add_end_labels(figure, labels, low=low, high=high)
    return figure


def _points(rows: Sequence[LayerValue], pooling: str, state: str) -> list[tuple[int, float, float]]:
    """Layer, value and standard error."""
    measured = [(row.layer, getattr(row, state)) for row in rows if row.pooling == pooling]
    return sorted((layer, each.value, each.error or 0.0) for layer, each in measured if each is not None)


def _alt(name: str, drawn: list) -> str:
    if not drawn:
        return "No layers measured yet."
    last = max(points[-1][0] for *_, points in drawn)
    ends = [f"{pooling_name(pooling)} {state} {percent(points[-1][1])}" for pooling, state, _, points in drawn]
    return f"{name} after the last layer ({last}): {', '.join(ends)}."
