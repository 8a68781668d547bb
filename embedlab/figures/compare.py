"""Several runs in one picture: their kNN curves over steps, texts or seconds."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from embedlab.figures.curves import REFERENCE_DASHES, X_AXES
from embedlab.figures.frame import DIRECT_LABELS, EndLabel, add_end_labels, framed, y_range
from embedlab.figures.palette import REFERENCE, categorical, shade, text_shade
from embedlab.figures.text import percent, plain, shortened

_DASHES = ["solid", "dash", "dot", "dashdot", "longdash"]


def overlaid_curves(
    runs: Sequence[Mapping], *, x: str = "step", references: Mapping[str, float] | None = None, dark: bool = False
) -> go.Figure:
    """``runs``: ``{"name", "rows"}`` with rows as ``knn_curve`` takes them; ``references`` where all share a corpus."""
    figure, labels, said, values = go.Figure(), [], [], list((references or {}).values())
    for position, (run, shades) in enumerate(zip(runs, categorical(len(runs)), strict=True)):
        rows = [row for row in run["rows"] if row.get("knn") is not None]
        if not rows:
            continue
        colour, name = shade(shades, dark), plain(run["name"], 28)
        figure.add_scatter(
            x=[row[x] for row in rows], y=[row["knn"] for row in rows], mode="lines+markers", name=name,
            line=dict(color=colour, width=2, dash=_DASHES[position % len(_DASHES)]),
            marker=dict(color=colour, size=[11 if row.get("full") else 4 for row in rows],
                        symbol=["diamond" if row.get("full") else "circle" for row in rows], line_width=0),
            hovertemplate=f"{X_AXES[x]} %{{x:,}}: %{{y:.1%}}",
        )  # fmt: skip
        values += [row["knn"] for row in rows]
        labels.append(EndLabel(f"{name} {percent(rows[-1]['knn'])}", rows[-1]["knn"], text_shade(shades, dark)))
        said.append(f"{shortened(run['name'], 28)} {percent(rows[-1]['knn'])}")
    low, high = y_range(values or [0, 1])
    framed(figure, title="kNN accuracy of the runs", x=X_AXES[x], y="kNN accuracy",
           alt=_alt(said), dark=dark)  # fmt: skip
    amber = shade(REFERENCE, dark)
    for key, value in (references or {}).items():
        name, dash = REFERENCE_DASHES[key]
        figure.add_hline(y=value, line=dict(color=amber, width=1.5, dash=dash))
        labels.append(EndLabel(f"{name} {percent(value)}", value, amber))
    figure.update_yaxes(tickformat=".0%", range=[low, high])
    figure.update_xaxes(tickformat=",")
    direct = len(labels) <= DIRECT_LABELS + len(references or {}) and len(runs) <= DIRECT_LABELS
    figure.update_layout(showlegend=not direct, legend=dict(x=1.01, y=1))
    if direct:
        add_end_labels(figure, labels, low=low, high=high)
    return figure


def _alt(said: Sequence[str]) -> str:
    return f"Last kNN accuracy: {'; '.join(said)}." if said else "None of these runs has a kNN accuracy yet."
