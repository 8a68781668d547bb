"""kNN accuracy after each post-processing step, before and after fine-tuning, by both distances."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from embedlab.figures.frame import framed, y_range
from embedlab.figures.palette import ACCENT, UNTOUCHED, shade
from embedlab.figures.text import percent, plain

_STATES = {"before": UNTOUCHED, "after": ACCENT}
_DISTANCES = {"euclidean": ("Euclidean", "circle", 0.16), "cosine": ("cosine", "diamond-open", -0.16)}
_ROW = 46  # pixels


def post_accuracies(rows: Sequence[Mapping], *, dark: bool = False) -> go.Figure:
    """``rows``: ``{"title", "state", "distance", "value", "standard_error"}``, titles from top to bottom."""
    titles = list(dict.fromkeys(row["title"] for row in rows))
    figure, states = go.Figure(), [state for state in _STATES if any(row["state"] == state for row in rows)]
    for state in states:
        for distance, (named, symbol, lift) in _DISTANCES.items():
            mine = [row for row in rows if (row["state"], row["distance"]) == (state, distance)]
            colour = shade(_STATES[state], dark)
            figure.add_scatter(
                x=[row["value"] for row in mine], y=[lift - titles.index(row["title"]) for row in mine],
                mode="markers", name=f"{named}, {state}" if len(states) > 1 else named,
                marker=dict(color=colour, size=10, symbol=symbol, line=dict(color=colour, width=2)),
                error_x=dict(array=[row["standard_error"] for row in mine], color=colour, thickness=1.5, width=0),
                customdata=[[plain(row["title"]), 100 * row["standard_error"]] for row in mine],
                hovertemplate=f"%{{customdata[0]}}, {named}, {state}:"
                              " %{x:.1%} ± %{customdata[1]:.1f}<extra></extra>",
            )  # fmt: skip
    framed(figure, title="kNN accuracy after each step", x="kNN accuracy", y="", alt=_alt(rows, titles), dark=dark,
           height=_ROW * len(titles) + 104)  # fmt: skip
    ends = [row["value"] + sign * row["standard_error"] for row in rows for sign in (-1, 1)]
    figure.update_xaxes(tickformat=".0%", range=y_range(ends), showgrid=True)
    figure.update_yaxes(
        tickvals=[-place for place in range(len(titles))], ticktext=[plain(title) for title in titles],
        range=[0.55 - len(titles), 0.45], showgrid=False, automargin=True,
    )  # fmt: skip
    figure.update_layout(legend=dict(orientation="v", x=1.01, y=1))
    return figure


def _alt(rows: Sequence[Mapping], titles: Sequence[str]) -> str:
    said = []
    for title in titles:
        values = [
            f"{_DISTANCES[row['distance']][0]} {row['state']} {percent(row['value'])}"
            for row in rows
            if row["title"] == title
        ]
        said.append(f"{title}: {', '.join(values)}")
    return f"kNN accuracy after each step. {'; '.join(said)}."
