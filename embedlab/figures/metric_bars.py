"""Many runs by several metrics, one panel per metric with arrows from before to after; and one run after each
post-processing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf
from textwrap import wrap
from typing import NamedTuple

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from embedlab.distance import COSINE, Distance
from embedlab.figures.frame import framed, share_range
from embedlab.measurement import Change, Measurement
from embedlab.numbers import fixed, percent
from embedlab.palette import ACCENT, GRID, INK, QUIET_INK, REFERENCE, UNTOUCHED, shade
from embedlab.plain_text import plain, shortened

ROW = 24  # pixels a bar
PANELS = 3  # side by side
_KINDS = {"run": (ACCENT, "fine-tuned"), "untouched": (UNTOUCHED, "untouched"), "baseline": (REFERENCE, "baseline")}
_NAME_LENGTH = 28
_BESIDE = 0.07  # of the width between panels: the values of long bars stand there, beyond the axis
_HEAD = 20  # characters of a panel's title on one line


class Bar(NamedTuple):
    """A value as printed, in the row of this number; ``sign`` stands behind it, ``published`` is what a paper says."""

    row: int
    kind: str  # run, untouched or baseline
    value: float
    error: float | None
    sign: str = ""
    published: float | None = None
    published_in: str = ""

    def in_words(self, digits: int) -> str:
        """``58.9 ± 1.4``"""
        return fixed(self.value, digits) + (f" ± {self.error:.{digits}f}" if self.error else "")


class BarPanel(NamedTuple):
    """One metric; its axis ends at what no value exceeds, ``most``: 100 of a share."""

    title: str
    digits: int
    bars: list[Bar]
    most: float = inf


def metric_bars(names: Sequence[str], panels: Sequence[BarPanel], *, title: str = "", dark: bool = False) -> go.Figure:
    """``names`` of the rows from top to bottom."""
    columns = min(len(panels), PANELS) or 1
    lines = ceil(len(panels) / columns) or 1
    heads = ["<br>".join(plain(part) for part in wrap(panel.title, _HEAD)) for panel in panels]
    figure = make_subplots(rows=lines, cols=columns, shared_yaxes=True, subplot_titles=heads or None,
                           horizontal_spacing=_BESIDE, vertical_spacing=0.2 / lines)  # fmt: skip
    metrics = []
    for number, panel in enumerate(panels):
        _add_panel(figure, names, panel, dark, row=number // columns + 1, col=number % columns + 1)
        values = [f"{shortened(names[bar.row], _NAME_LENGTH)} {bar.in_words(panel.digits)}" for bar in panel.bars]
        metrics.append(f"{panel.title}: {', '.join(values) or 'not measured'}")
    alt = f"{'; '.join(metrics)}." if metrics else "Nothing measured yet."
    height = lines * (ROW * max(len(names), 2) + 70) + 60
    framed(figure, title=plain(title), x="", y="", alt=alt, dark=dark, height=height)
    ticks = [plain(name, _NAME_LENGTH) for name in names]
    figure.update_yaxes(tickvals=[-rank for rank in range(len(names))], ticktext=ticks, showgrid=False,
                        range=[0.5 - max(len(names), 1), 0.5], automargin=True)  # fmt: skip
    figure.update_xaxes(showgrid=True, gridcolor=shade(GRID, dark), zeroline=True, zerolinecolor=shade(GRID, dark))
    figure.update_annotations(font=dict(size=12))
    figure.update_layout(showlegend=False, bargap=0.35, margin=dict(t=80 if title else 52, b=44, r=64, l=12))
    return figure


def _add_panel(figure: go.Figure, names: Sequence[str], panel: BarPanel, dark: bool, **panel_of: int) -> None:
    bars, digits, quiet = panel.bars, panel.digits, shade(QUIET_INK, dark)
    places = [-bar.row for bar in bars]
    figure.add_bar(
        x=[bar.value for bar in bars], y=places, orientation="h",
        marker_color=[shade(_KINDS[bar.kind][0], dark) for bar in bars], marker_line_width=0,
        error_x=dict(array=[bar.error or 0 for bar in bars], color=quiet, thickness=1.5, width=3),
        customdata=[[plain(names[bar.row]), _KINDS[bar.kind][1], bar.in_words(digits)] for bar in bars],
        hovertemplate="%{customdata[0]} (%{customdata[1]}): %{customdata[2]}<extra></extra>", **panel_of,
    )  # fmt: skip
    ends = [bar.value + (bar.error or 0) for bar in bars]
    short = [f" {fixed(bar.value, digits)} {bar.sign}".rstrip() for bar in bars]  # the bar shows the error
    figure.add_scatter(
        x=ends, y=places, mode="text", text=short, textposition="middle right", textfont=dict(size=11, color=quiet),
        cliponaxis=False, hoverinfo="skip", **panel_of,
    )  # fmt: skip
    printed = [bar for bar in bars if bar.published is not None]
    if printed:
        figure.add_scatter(
            x=[bar.published for bar in printed], y=[-bar.row for bar in printed], mode="markers",
            marker=dict(symbol="diamond-open", size=9, color=quiet, line=dict(width=2, color=quiet)),
            customdata=[plain(bar.published_in, 90) for bar in printed],
            hovertemplate="published %{x}: %{customdata}<extra></extra>", **panel_of,
        )  # fmt: skip
    reach = [*ends, *(bar.published for bar in bars if bar.published is not None), 0]
    low, high = min(0, *(bar.value for bar in bars), 0), max(reach) or 1
    figure.update_xaxes(range=[1.1 * low, min(high + 0.3 * (high - low), panel.most)], **panel_of)


_STATES = {"before": UNTOUCHED, "after": ACCENT}
_NAMES = {"euclidean": "Euclidean", "cosine": "cosine"}
_SHOWN, _FAINTER = ("circle", 11, 1.0), ("diamond-open", 8, 0.55)  # symbol, size, opacity
_LIFT = 0.16


@dataclass(frozen=True)
class StepAccuracy:
    """kNN accuracy by one distance after a post-processing step; ``against_raw``: None for the raw embeddings."""

    title: str
    state: str
    distance: Distance
    knn: Measurement
    against_raw: Change | None = None

    @property
    def error(self) -> float:
        """The standard error."""
        return self.knn.error or 0.0


def post_accuracies(
    rows: Sequence[StepAccuracy], *, first_distance: Distance = COSINE, dark: bool = False
) -> go.Figure:
    """``rows``: titles from top to bottom.

    The ``first_distance`` is filled, large and above the other one, which stands beside it hollow and fainter.
    """
    titles = list(dict.fromkeys(row.title for row in rows))
    figure, states = go.Figure(), [state for state in _STATES if any(row.state == state for row in rows)]
    for state in states:
        for distance in sorted(_NAMES, key=lambda each: each != first_distance):
            (symbol, size, opacity), lift = (_SHOWN, _LIFT) if distance == first_distance else (_FAINTER, -_LIFT)
            named = _NAMES[distance]
            mine = [row for row in rows if (row.state, row.distance) == (state, distance)]
            colour = shade(_STATES[state], dark)
            figure.add_scatter(
                x=[row.knn.value for row in mine], y=[lift - titles.index(row.title) for row in mine],
                mode="markers", name=f"{named}, {state}" if len(states) > 1 else named,
                marker=dict(color=colour, size=size, symbol=symbol, line=dict(color=colour, width=2)), opacity=opacity,
                error_x=dict(array=[row.error for row in mine], color=colour, thickness=1.5, width=0),
                customdata=[[plain(row.title), 100 * row.error] for row in mine],
                hovertemplate=f"%{{customdata[0]}}, {named}, {state}:"
                              " %{x:.1%} ± %{customdata[1]:.1f}<extra></extra>",
            )  # fmt: skip
    steps = []
    for title in titles:
        values = [f"{_NAMES[row.distance]} {row.state} {percent(row.knn.value)}" for row in rows if row.title == title]
        steps.append(f"{title}: {', '.join(values)}")
    framed(figure, title="kNN accuracy after each step", x="kNN accuracy", y="", dark=dark,
           alt=f"kNN accuracy after each step. {'; '.join(steps)}.", height=46 * len(titles) + 104)  # fmt: skip
    ends = [row.knn.value + sign * row.error for row in rows for sign in (-1, 1)]
    figure.update_xaxes(tickformat=".0%", range=share_range(ends), showgrid=True)
    figure.update_yaxes(
        tickvals=[-line for line in range(len(titles))], ticktext=[plain(title) for title in titles],
        range=[0.55 - len(titles), 0.45], showgrid=False, automargin=True,
    )  # fmt: skip
    figure.update_layout(legend=dict(orientation="v", x=1.01, y=1))
    return figure


class Arrow(NamedTuple):
    """A row's values as printed, and its change in words."""

    name: str
    before: float
    after: float
    change: str


def before_after(
    rows: Sequence[Arrow],
    *,
    title: str,
    unit: str = "",
    digits: int = 1,
    references: Mapping[str, float] | None = None,
    dark: bool = False,
) -> go.Figure:
    """Arrows from top to bottom; ``references`` need no training and are drawn as lines across all rows."""
    figure, references = go.Figure(), references or {}
    places = [-height for height in range(len(rows))]
    hovers = [[plain(row.name), row.change] for row in rows]
    hover = "%{customdata[0]}, {}: %{x:.{digits}f}; change %{customdata[1]}<extra></extra>"
    for state, shades, symbol in (("before", UNTOUCHED, "circle-open"), ("after", ACCENT, "circle")):
        figure.add_scatter(
            x=[getattr(row, state) for row in rows], y=places, mode="markers", name=state, customdata=hovers,
            marker=dict(color=shade(shades, dark), size=10, symbol=symbol, line_width=2), cliponaxis=False,
            hovertemplate=hover.replace("{}", state, 1).replace("{digits}", str(digits)),
        )  # fmt: skip
    for row, height in zip(rows, places, strict=True):
        figure.add_annotation(
            x=row.after, y=height, ax=row.before, ay=height, xref="x", yref="y", axref="x", ayref="y", text="",
            showarrow=True, arrowhead=2, arrowsize=1.1, arrowwidth=1.6, arrowcolor=shade(ACCENT, dark), standoff=7,
            startstandoff=6,
        )  # fmt: skip
        figure.add_annotation(x=max(row.before, row.after), y=height, text=plain(row.change), showarrow=False,
                              xanchor="left", xshift=12, font=dict(size=12, color=shade(INK, dark)))  # fmt: skip
    amber = shade(REFERENCE, dark)
    for number, (name, value) in enumerate(references.items()):
        figure.add_vline(x=value, line=dict(color=amber, width=1.5, dash="dash"), annotation_text=plain(name, 24),
                         annotation_position="top", annotation_yshift=14 * (number % 2),
                         annotation_font=dict(size=11, color=amber))  # fmt: skip
    values = "; ".join(f"{row.name} {row.before:.3g} to {row.after:.3g}" for row in rows) or "nothing measured"
    framed(figure, title=plain(title), x=plain(f"{title} ({unit})" if unit else title), y="",
           alt=f"{title}, before and after training: {values}.", dark=dark,
           height=130 + 30 * max(len(rows), 2))  # fmt: skip
    ends = [end for row in rows for end in (row.before, row.after)] + list(references.values())
    low, high = min(ends, default=0), max(ends, default=1)
    spare = 0.06 * (high - low) or 1
    figure.update_xaxes(range=[low - spare, high + 4 * spare], showgrid=True, gridcolor=shade(GRID, dark))
    figure.update_yaxes(tickvals=places, ticktext=[plain(row.name, 32) for row in rows],
                        showgrid=False, range=[0.5 - max(len(rows), 1), 0.7], automargin=True,
                        tickfont=dict(color=shade(QUIET_INK, dark)))  # fmt: skip
    figure.update_layout(
        margin_t=84, legend=dict(orientation="h", x=1, xanchor="right", y=0.985, yref="container", yanchor="top")
    )
    return figure
