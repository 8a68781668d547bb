"""Several runs in one picture: their kNN curves over steps, texts or seconds."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from embedlab.figures.curves import REFERENCE_DASHES, X_AXES, standard_error
from embedlab.figures.frame import DIRECT_LABELS, EndLabel, add_end_labels, framed, y_range
from embedlab.figures.palette import REFERENCE, Shades, categorical, shade, text_shade
from embedlab.figures.text import percent, plain, shortened

_DASHES = ["solid", "dash", "dot", "dashdot", "longdash"]
_NAME_LENGTH = 24


def overlaid_curves(
    runs: Sequence[Mapping],
    *,
    x: str = "step",
    references: Mapping[str, float] | None = None,
    identity: str = "",
    dark: bool = False,
) -> go.Figure:
    """``runs``: ``{"name", "rows"}`` with rows as ``knn_curve`` takes them; ``references`` where all share a corpus.

    A run without a kNN accuracy keeps its colour and is not drawn; ``identity`` keeps the reader's zoom.
    """
    references = references or {}
    figure, labels, said, values = go.Figure(), [], [], list(references.values())
    for position, (run, shades) in enumerate(zip(runs, categorical(len(runs)), strict=True)):
        rows = sorted((row for row in run["rows"] if row.get("knn") is not None), key=lambda row: row[x])
        if not rows:
            continue
        _add_run(figure, rows, x, name=plain(run["name"], _NAME_LENGTH), dash=_DASHES[position % len(_DASHES)],
                 shades=shades, dark=dark)  # fmt: skip
        ended = ([row for row in rows if row.get("full")] or rows)[-1]["knn"]
        name = f"{shortened(run['name'], _NAME_LENGTH)} {percent(ended)}"
        labels.append(EndLabel(plain(name), ended, text_shade(shades, dark)))
        values += [row["knn"] for row in rows]
        said.append(name)
    low, high = y_range(values or [0, 1])
    framed(figure, title="kNN accuracy of the runs", x=X_AXES[x], y="kNN accuracy", alt=_alt(said), dark=dark)
    amber = shade(REFERENCE, dark)
    for key, value in references.items():
        name, dash = REFERENCE_DASHES[key]
        figure.add_hline(y=value, line=dict(color=amber, width=1.5, dash=dash))
        labels.append(EndLabel(f"{name} {percent(value)}", value, amber))
    figure.update_yaxes(tickformat=".0%", range=[low, high])
    end = max((row[x] for run in runs for row in run["rows"] if row.get("knn") is not None), default=0) or 1
    figure.update_xaxes(tickformat=",", range=[-0.015 * end, 1.015 * end])
    direct = len(said) <= DIRECT_LABELS
    figure.update_layout(showlegend=not direct, legend=dict(x=1.01, y=1), uirevision=f"{identity}/{x}")
    if direct:
        add_end_labels(figure, labels, low=low, high=high)
    return figure


def _add_run(
    figure: go.Figure, rows: Sequence[Mapping], x: str, *, name: str, dash: str, shades: Shades, dark: bool
) -> None:
    """The live sample as a line; the whole protocol's values as diamonds, because they are of other test texts."""
    colour = shade(shades, dark)
    live, full = [row for row in rows if not row.get("full")], [row for row in rows if row.get("full")]
    line = live if len(live) > 1 else rows
    figure.add_scatter(
        x=[row[x] for row in line], y=[row["knn"] for row in line], mode="lines", name=name, legendgroup=name,
        line=dict(color=colour, width=2, dash=dash),
        hovertemplate=f"%{{x:,}} {X_AXES[x]}: %{{y:.1%}}",
    )  # fmt: skip
    figure.add_scatter(
        x=[row[x] for row in full], y=[row["knn"] for row in full], mode="markers", name=f"{name}, all test texts",
        legendgroup=name, showlegend=False, cliponaxis=False,
        marker=dict(color=colour, size=11, symbol="diamond", line_width=0),
        customdata=[100 * standard_error(row) for row in full],
        hovertemplate=f"%{{x:,}} {X_AXES[x]}: %{{y:.1%}} ± %{{customdata:.1f}}",
    )  # fmt: skip


def _alt(said: Sequence[str]) -> str:
    return f"Last kNN accuracy: {'; '.join(said)}." if said else "None of these runs has a kNN accuracy yet."
