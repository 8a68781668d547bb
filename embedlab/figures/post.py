"""kNN accuracy after each post-processing step, before and after fine-tuning, by both distances."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from embedlab.figures.frame import framed, share_range
from embedlab.figures.palette import ACCENT, UNTOUCHED, shade
from embedlab.figures.text import percent, plain

_STATES = {"before": UNTOUCHED, "after": ACCENT}
_NAMES = {"euclidean": "Euclidean", "cosine": "cosine"}
_SHOWN, _BESIDE = ("circle", 11, 1.0), ("diamond-open", 8, 0.55)  # symbol, size, opacity
_LIFT = 0.16
_ROW = 46  # pixels


def post_accuracies(rows: Sequence[Mapping], *, shown: str = "cosine", dark: bool = False) -> go.Figure:
    """``rows``: ``{"title", "state", "distance", "value", "standard_error"}``, titles from top to bottom.

    The ``shown`` distance is filled, large and above the other one, which stands beside it hollow and fainter.
    """
    titles = list(dict.fromkeys(row["title"] for row in rows))
    figure, states = go.Figure(), [state for state in _STATES if any(row["state"] == state for row in rows)]
    for state in states:
        for distance in sorted(_NAMES, key=lambda each: each != shown):
            (symbol, size, opacity), lift = (_SHOWN, _LIFT) if distance == shown else (_BESIDE, -_LIFT)
            named = _NAMES[distance]
            mine = [row for row in rows if (row["state"], row["distance"]) == (state, distance)]
            colour = shade(_STATES[state], dark)
            figure.add_scatter(
                x=[row["value"] for row in mine], y=[lift - titles.index(row["title"]) for row in mine],
                mode="markers", name=f"{named}, {state}" if len(states) > 1 else named,
                marker=dict(color=colour, size=size, symbol=symbol, line=dict(color=colour, width=2)), opacity=opacity,
                error_x=dict(array=[row["standard_error"] for row in mine], color=colour, thickness=1.5, width=0),
                customdata=[[plain(row["title"]), 100 * row["standard_error"]] for row in mine],
                hovertemplate=f"%{{customdata[0]}}, {named}, {state}:"
                              " %{x:.1%} ± %{customdata[1]:.1f}<extra></extra>",
            )  # fmt: skip
    framed(figure, title="kNN accuracy after each step", x="kNN accuracy", y="", alt=_alt(rows, titles), dark=dark,
           height=_ROW * len(titles) + 104)  # fmt: skip
    ends = [row["value"] + sign * row["standard_error"] for row in rows for sign in (-1, 1)]
    figure.update_xaxes(tickformat=".0%", range=share_range(ends), showgrid=True)
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
            f"{_NAMES[row['distance']]} {row['state']} {percent(row['value'])}" for row in rows if row["title"] == title
        ]
        said.append(f"{title}: {', '.join(values)}")
    return f"kNN accuracy after each step. {'; '.join(said)}."
