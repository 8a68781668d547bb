"""What training changed of each run as an arrow from before to after, one run a row (as crops paper, Figure 2)."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from embedlab.figures.frame import framed
from embedlab.figures.palette import ACCENT, GRID, INK, QUIET_INK, REFERENCE, UNTOUCHED, shade
from embedlab.figures.text import plain

_ROW, _AROUND = 30, 130
_NAME_LENGTH = 32
_AIR = 0.06


def before_after(
    rows: Sequence[Mapping],
    *,
    title: str,
    unit: str = "",
    digits: int = 1,
    references: Mapping[str, float] | None = None,
    dark: bool = False,
) -> go.Figure:
    """``rows``: ``{"name", "before", "after"}`` from top to bottom, values as they are printed, ``said``: the change in
    words. ``references`` need no training: a line each, across all rows.
    """
    figure, references = go.Figure(), references or {}
    places = [-place for place in range(len(rows))]
    told = [[plain(row["name"]), row["said"]] for row in rows]
    hover = "%{customdata[0]}, {}: %{x:.{digits}f}; change %{customdata[1]}<extra></extra>"
    for state, shades, symbol in (("before", UNTOUCHED, "circle-open"), ("after", ACCENT, "circle")):
        colour = shade(shades, dark)
        figure.add_scatter(
            x=[row[state] for row in rows], y=places, mode="markers", name=state, customdata=told,
            marker=dict(color=colour, size=10, symbol=symbol, line_width=2), cliponaxis=False,
            hovertemplate=hover.replace("{}", state, 1).replace("{digits}", str(digits)),
        )  # fmt: skip
    for row, place in zip(rows, places, strict=True):
        figure.add_annotation(
            x=row["after"], y=place, ax=row["before"], ay=place, xref="x", yref="y", axref="x", ayref="y", text="",
            showarrow=True, arrowhead=2, arrowsize=1.1, arrowwidth=1.6, arrowcolor=shade(ACCENT, dark), standoff=7,
            startstandoff=6,
        )  # fmt: skip
        figure.add_annotation(x=max(row["before"], row["after"]), y=place, text=plain(row["said"]), showarrow=False,
                              xanchor="left", xshift=12, font=dict(size=12, color=shade(INK, dark)))  # fmt: skip
    amber = shade(REFERENCE, dark)
    for number, (name, value) in enumerate(references.items()):
        figure.add_vline(x=value, line=dict(color=amber, width=1.5, dash="dash"), annotation_text=plain(name, 24),
                         annotation_position="top", annotation_yshift=14 * (number % 2),
                         annotation_font=dict(size=11, color=amber))  # fmt: skip
    framed(figure, title=plain(title), x=plain(f"{title} ({unit})" if unit else title), y="", alt=_alt(title, rows),
           dark=dark, height=_AROUND + _ROW * max(len(rows), 2))  # fmt: skip
    ends = [row[state] for row in rows for state in ("before", "after")] + list(references.values())
    low, high = min(ends, default=0), max(ends, default=1)
    spare = _AIR * (high - low) or 1
    figure.update_xaxes(range=[low - spare, high + 4 * spare], showgrid=True, gridcolor=shade(GRID, dark))
    figure.update_yaxes(tickvals=places, ticktext=[plain(row["name"], _NAME_LENGTH) for row in rows], showgrid=False,
                        range=[0.5 - max(len(rows), 1), 0.7], automargin=True,
                        tickfont=dict(color=shade(QUIET_INK, dark)))  # fmt: skip
    figure.update_layout(
        margin_t=84, legend=dict(orientation="h", x=1, xanchor="right", y=0.985, yref="container", yanchor="top")
    )
    return figure


def _alt(title: str, rows: Sequence[Mapping]) -> str:
    said = [f"{row['name']} {row['before']:.3g} to {row['after']:.3g}" for row in rows]
    return f"{title}, before and after training: {'; '.join(said) or 'nothing measured'}."
