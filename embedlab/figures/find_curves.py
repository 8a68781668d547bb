"""All candidates of a Find in one picture: the leader in the accent colour, pruned ones grey until they stopped."""

from collections.abc import Sequence
from dataclasses import replace

import plotly.graph_objects as go

from embedlab.baseline_methods import REFERENCE_LINES
from embedlab.figures.candidates import (
    FAILED,
    GOING,
    LEADS,
    PRUNED,
    ROLES,
    CandidateCurve,
    CandidatePoint,
    CountingLine,
)
from embedlab.figures.candidates import UNTOUCHED as AS_IT_IS
from embedlab.figures.frame import EndLabel, add_band, add_end_labels, framed, see_through, share_axis, y_range
from embedlab.numbers import counted, margin, percent
from embedlab.palette import ACCENT, FAILURE, QUIET_INK, REFERENCE, UNTOUCHED, shade
from embedlab.plain_text import plain

HEIGHT = 380
X_AXES = {"steps": "steps", "seconds": "seconds of work", "share": "share of its training"}
_NAMES = {LEADS: "best", GOING: "not pruned", PRUNED: "pruned here", FAILED: "failed here", AS_IT_IS: "untouched"}
_SYMBOLS = {LEADS: "circle", GOING: "circle-open", PRUNED: "x-thin", FAILED: "x", AS_IT_IS: "diamond"}


def find_curves(
    curves: Sequence[CandidateCurve], *, references: Sequence[CountingLine] = (), rungs: Sequence[float] = (),
    x: str = "steps", metric: str = "kNN accuracy", by: str = "", in_shares: bool = True, identity: str = "",
    dark: bool = False,
) -> go.Figure:  # fmt: skip
    """``x`` is a field of a point; ``references`` lie across the whole plot.

    ``rungs``: shares of a training at which the worse ones stop, drawn where x is ``share``. ``in_shares``: values are
    written in percent. ``identity`` keeps the reader's zoom while the curves grow.
    """
    figure, amber = go.Figure(), shade(REFERENCE, dark)
    rows = [replace(curve, points=[p for p in curve.points if getattr(p, x) is not None]) for curve in curves]
    rows = [row for row in rows if row.points]
    end = max([1.0 if x == "share" else 0.0, *(max(_places(row, x)) for row in rows)]) or 1.0
    if x == "share":
        for rung in rungs:
            figure.add_vline(x=rung, line=dict(color=see_through(shade(QUIET_INK, dark), 0.35), width=1, dash="dot"))
    for reference in references:
        line = REFERENCE_LINES.get(reference.key)
        figure.add_hline(y=reference.value, line=dict(color=amber, width=1.5, dash=line.dash if line else "dash"))
    for role in ROLES:
        drawn = [row for row in rows if row.role == role]
        if drawn:
            _add_role(figure, role, drawn, x, end=end, in_shares=in_shares, dark=dark)
    name = f"{metric} {by}".strip()
    framed(figure, title=f"{name} of every candidate", x=X_AXES[x], y=metric, dark=dark, height=HEIGHT,
           alt=_alt(name, rows, references, in_shares=in_shares))  # fmt: skip
    values = [point.value for row in rows for point in row.points]
    values += [each.value for each in references]
    lasts = [row.points[-1] for row in rows if row.role == LEADS]
    values += [last.value + sign * last.error for last in lasts for sign in (-1, 1)]
    if in_shares:
        low, high = share_axis(figure, values)
    else:
        low, high = y_range(values or [0, 1])
        figure.update_yaxes(range=[low, high])
    figure.update_xaxes(range=[-0.02 * end, 1.02 * end], tickformat=".0%" if x == "share" else ",")
    figure.update_layout(
        showlegend=True, uirevision=f"{identity}/{x}", margin_t=84, hovermode="closest",
        legend=dict(orientation="h", x=0, xanchor="left", y=1.01, yanchor="bottom", traceorder="reversed"),
    )  # fmt: skip
    labels = [EndLabel(f"{plain(each.title, 24)} {_value(each.value, in_shares)}", each.value, amber)
              for each in references]  # fmt: skip
    for row in rows:
        if row.role == LEADS:
            value = row.points[-1].value
            name = row.title.partition(" on ")[0]  # of a training its recipe alone: the table has the encoder
            text = f"<b>{plain(name, 30)} {_value(value, in_shares)}</b>"
            labels.append(EndLabel(text, value, shade(ACCENT, dark)))
    add_end_labels(figure, labels, low=low, high=high, height=HEIGHT)
    return figure


def _add_role(
    figure: go.Figure, role: str, rows: list[CandidateCurve], x: str, *, end: float, in_shares: bool, dark: bool
) -> None:
    """Draw the lines of one role with a dot at each measurement, and its legend symbol at the last one."""
    colour = shade({LEADS: ACCENT, FAILED: FAILURE, PRUNED: UNTOUCHED, AS_IT_IS: UNTOUCHED}.get(role, QUIET_INK), dark)
    if role == PRUNED:
        colour = see_through(colour, 0.5)
    is_leader = role == LEADS
    if is_leader:
        points = rows[0].points
        if len(points) > 1:
            add_band(figure, _places(rows[0], x), [p.value for p in points], [p.error for p in points], colour)
        elif getattr(points[0], x) == 0:  # an encoder as it is: its value holds across the plot
            figure.add_shape(type="line", x0=0, x1=end, y0=points[0].value, y1=points[0].value,
                             line=dict(color=colour, width=2))  # fmt: skip
    xs, ys, hovers = [], [], []
    for row in rows:  # a gap after each, so that one trace holds them all
        xs += [*_places(row, x), None]
        ys += [*(point.value for point in row.points), None]
        hovers += [*(_hover(row, point, in_shares) for point in row.points), ""]
    figure.add_scatter(
        x=xs, y=ys, mode="lines+markers", legendgroup=role, showlegend=False, text=hovers, connectgaps=False,
        line=dict(color=colour, width=2.5 if is_leader else 1.5), marker=dict(color=colour, size=4),
        name=_NAMES[role], cliponaxis=False, hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip
    mark = dict(color=colour, symbol=_SYMBOLS[role], size=9 if is_leader else 7, line=dict(color=colour, width=1.5))
    figure.add_scatter(
        x=[_places(row, x)[-1] for row in rows], y=[row.points[-1].value for row in rows], mode="markers",
        legendgroup=role, name=_NAMES[role], marker=mark, cliponaxis=False,
        text=[_hover(row, row.points[-1], in_shares) for row in rows], hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip


def _places(curve: CandidateCurve, x: str) -> list[float]:
    return [getattr(point, x) for point in curve.points]


def _hover(row: CandidateCurve, point: CandidatePoint, in_shares: bool) -> str:
    error = (f" {margin(point.error)}" if in_shares else f" ± {point.error:.3f}") if point.error else ""
    steps = counted(point.steps, "step") if point.steps else "before training"
    line = f"{steps}, {point.seconds:,.0f} s"
    settings = f"<br>{plain(row.settings, 90)}" if row.settings else ""
    return f"<b>{plain(row.title)}</b>{settings}<br>{_value(point.value, in_shares)}{error}<br>{line}"


def _value(value: float, in_shares: bool) -> str:
    return percent(value) if in_shares else f"{value:.3f}"


def _alt(name: str, rows: Sequence[CandidateCurve], references: Sequence[CountingLine], *, in_shares: bool) -> str:
    best = next((row for row in rows if row.role == LEADS), None)
    if best is None:
        return f"{name}: no candidate has been measured yet."
    line = f"{name} of {counted(len(rows), 'candidate')}: {best.title} leads with "
    line += _value(best.points[-1].value, in_shares)
    against = [f"{each.title} {_value(each.value, in_shares)}" for each in references]
    return "; ".join([line, *against]) + "."
