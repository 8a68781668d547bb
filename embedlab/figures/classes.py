"""kNN accuracy class by class, before and after; and who neighbors whom as a heat map."""

from collections.abc import Sequence
from math import ceil

import numpy as np
import plotly.graph_objects as go

from embedlab.figures.frame import framed, see_through
from embedlab.measurement import ClassChange
from embedlab.numbers import counted, fixed, minus, percent
from embedlab.palette import ACCENT, GRID, GROUND, UNTOUCHED, Shades, shade
from embedlab.plain_text import plain, shortened

MOST = 50  # classes that can still be read in one picture
_LONGEST_LABEL = 28


def class_changes(
    classes: Sequence[ClassChange],
    *,
    by: str = "change",
    measured: str = "",
    identity: str = "",
    beginning: str = "untouched",
    dark: bool = False,
) -> go.Figure:
    """A grey point before, an accented point after, a line between them; whiskers are 95 % intervals of the change.

    ``by`` is change (the largest rise on top) or texts. Of more than 50 classes those that change most, or the largest,
    are drawn. ``measured`` says by which distance (``by cosine``), ``beginning`` names the encoder before.
    """
    rows = chosen(classes, by)[::-1]  # plotly draws upwards, the first belongs on top
    places, accent, grey = list(range(len(rows))), shade(ACCENT, dark), shade(UNTOUCHED, dark)
    figure = go.Figure()
    figure.add_scatter(
        x=[x for each in rows for x in (each.before, each.after, None)],
        y=[y for height_of_row in places for y in (height_of_row, height_of_row, None)],
        mode="lines", line=dict(color=see_through(accent, 0.45), width=3), hoverinfo="skip", showlegend=False,
    )  # fmt: skip
    hovers = [_hover_line(each) for each in rows]
    figure.add_scatter(
        x=[each.before for each in rows], y=places, mode="markers", name=f"before: {beginning}",
        marker=dict(color=grey, size=8, symbol="circle-open", line_width=2), cliponaxis=False,
        customdata=hovers, hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip
    figure.add_scatter(
        x=[each.after for each in rows], y=places, mode="markers", name="after: fine-tuned",
        marker=dict(color=accent, size=9), cliponaxis=False,
        error_x=dict(
            type="data", symmetric=False, thickness=1, width=3, color=see_through(accent, 0.8),
            array=[max(min(each.before + each.difference.high, 1) - each.after, 0) for each in rows],
            arrayminus=[max(each.after - max(each.before + each.difference.low, 0), 0) for each in rows],
        ),
        customdata=hovers, hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip
    title = f"kNN accuracy {measured}".strip() + ", class by class"
    if len(classes) > MOST:
        which = "that change most" if by == "change" else "with most texts"
        title += f", the {MOST} {which}"
    height = 124 + max(16, min(26, 420 // max(len(rows), 1))) * max(len(rows), 4)  # few classes have more room
    framed(figure, title=title, x="kNN accuracy", y="", alt=_alt(classes), dark=dark, height=height)
    names = [f"{plain(each.label, _LONGEST_LABEL)} · {each.texts:,}" for each in rows]
    figure.update_yaxes(
        tickvals=places, ticktext=names, tickfont_size=11, range=[-0.7, len(rows) - 0.3], gridcolor=shade(GRID, dark)
    )
    longest = max((min(len(each.label), _LONGEST_LABEL) + len(f" · {each.texts:,}") for each in rows), default=0)
    figure.update_layout(
        margin=dict(l=24 + int(6.3 * longest), r=24, t=76),
        legend=dict(orientation="h", x=0, y=1, xanchor="left", yanchor="bottom"),
        title=dict(xref="container", x=0.01),  # beside long class names little room is left on a narrow screen
        uirevision=f"{identity}/{by}",
    )
    figure.update_xaxes(tickformat=".0%", range=[-0.015, 1.015], showgrid=True)
    return figure


def chosen(classes: Sequence[ClassChange], by: str) -> list[ClassChange]:
    """At most fifty classes, in drawing order."""
    if by == "texts":
        return sorted(classes, key=lambda each: (-each.texts, each.label))[:MOST]
    most = sorted(classes, key=lambda each: (-abs(each.difference.value), -each.texts, each.label))[:MOST]
    return sorted(most, key=lambda each: (-each.difference.value, -each.texts, each.label))


def _hover_line(each: ClassChange) -> str:
    points = (each.difference.value, each.difference.low, each.difference.high)
    change, low, high = (fixed(100 * value, 1) for value in points)
    shares = f"{percent(each.before)} → {percent(each.after)}"
    return f"{plain(each.label)}, {counted(each.texts, 'text')}<br>{shares}: {change} points (95 %: {low} … {high})"


def _alt(classes: Sequence[ClassChange]) -> str:
    if not classes:
        return "No classes."
    better = sum(each.difference.low > 0 for each in classes)
    worse = sum(each.difference.high < 0 for each in classes)
    most = max(classes, key=lambda each: abs(each.difference.value))
    return (
        f"Of {len(classes):,} classes {better:,} are clearly better after fine-tuning and {worse:,} clearly worse; "
        f"{shortened(most.label, 60)} changes most, from {percent(most.before)} to {percent(most.after)}."
    )


CHANGE, BEFORE, AFTER = "change", "before", "after"
_LOSS = Shades(light="#b35900", dark="#f0a13c")  # orange against the accent's blue: apart also for the colour-blind
_SHARE_TICKS = (0.01, 0.1, 0.4, 1.0)


def class_neighbor_map(
    names: Sequence[str],
    *,
    before: np.ndarray,
    after: np.ndarray,
    kind: str = CHANGE,
    titles: tuple[str, str] = (BEFORE, AFTER),
    marked: tuple[int, int] | None = None,
    identity: str = "",
    dark: bool = False,
) -> go.Figure:
    """before, after: shares (classes, classes), each row the neighbors of one class; ``kind``: change, before or after.

    Colour grows with the square root of a share, so that small shares are seen beside the diagonal.  ``marked``: the
    cell (row, column) that has a frame.
    """
    count, change = len(names), after - before
    gap = 1 if count <= 60 else 0.5
    cells = {CHANGE: change, BEFORE: before, AFTER: after}[kind]
    limit = max(float(np.abs(cells).max(initial=0.0)), 0.01)
    places = list(range(count))
    labels = [plain(name, 26) for name in names]
    cell = float(np.clip(640 / max(count, 1), 9, 44))
    height = int(cell * count) + 240
    figure = go.Figure()
    figure.add_heatmap(
        z=np.round(np.sign(cells) * np.sqrt(np.abs(cells)), 4), x=_different(labels), y=places,
        customdata=np.round(100 * np.stack([before, after, change], axis=2), 6),
        zmin=-np.sqrt(limit) if kind == CHANGE else 0, zmax=np.sqrt(limit),
        colorscale=_scale(kind, dark), xgap=gap, ygap=gap, colorbar=_bar(kind, limit, height),
        hovertemplate="%{y}: neighbors of %{x}<br>%{customdata[0]:.1f} % → %{customdata[1]:.1f} %: "
        "%{customdata[2]:+.1f} points<extra></extra>",
    )  # fmt: skip
    if marked is not None:
        row, column = marked
        figure.add_shape(
            type="rect", x0=column - 0.5, x1=column + 0.5, y0=row - 0.5, y1=row + 0.5,
            line=dict(color=shade(Shades(light="#000000", dark="#ffffff"), dark), width=2),
        )  # fmt: skip
    which = {CHANGE: f"from {titles[0]} to {titles[1]}", BEFORE: titles[0], AFTER: titles[1]}[kind]
    title = "Share of the ten nearest texts" + (", change in points " if kind == CHANGE else ", ") + which
    alt = f"{title}. {_neighbors_alt(names, before, after)}"
    framed(figure, title=plain(title, 120), x="class of the neighbors", y="class of the text", alt=alt, dark=dark,
           height=height)  # fmt: skip
    axis = dict(tickfont_size=float(np.clip(cell - 1, 7.5, 12)), showgrid=False, ticks="", automargin=True)
    every = ceil(count / 40)  # on a narrow screen more names across would lie on each other; hover says them all
    figure.update_xaxes(
        type="category", tickvals=_different(labels)[::every], ticktext=labels[::every],
        tickangle=-90 if count > 6 else 0, range=[-0.5, count - 0.5], **axis,
    )  # fmt: skip
    figure.update_yaxes(range=[count - 0.5, -0.5], tickvals=places, ticktext=labels, title_standoff=8, **axis)
    figure.update_layout(uirevision=identity, title=dict(xref="container", x=0.01), margin_t=92)
    return figure


def _scale(kind: str, dark: bool) -> list[list]:
    ground = shade(GROUND, dark)
    if kind == CHANGE:
        return [[0.0, shade(_LOSS, dark)], [0.5, ground], [1.0, shade(ACCENT, dark)]]
    return [[0.0, ground], [1.0, shade(UNTOUCHED if kind == BEFORE else ACCENT, dark)]]


def _bar(kind: str, limit: float, height: int) -> go.heatmap.ColorBar:
    """A colour bar with ticks in shares, although the colours scale with their square root."""
    ticks = [tick for tick in _SHARE_TICKS if tick <= limit * 1.001] or [limit]
    values = [-tick for tick in reversed(ticks)] + [0.0, *ticks] if kind == CHANGE else [0.0, *ticks]
    signs = "%+.0f" if kind == CHANGE else "%.0f %%"
    texts = [minus(signs % (100 * value)).replace("+0", "0") for value in values]
    places = [float(np.sign(value) * np.sqrt(abs(value))) for value in values]
    return go.heatmap.ColorBar(
        tickvals=places, ticktext=texts, thickness=10, outlinewidth=0, len=1.0, orientation="h", x=0, xanchor="left",
        y=1 - 38 / height, yref="container", yanchor="top", tickfont_size=11,
    )  # fmt: skip


def _different(labels: Sequence[str]) -> list[str]:
    """The labels, with invisible characters added to those that would read the same."""
    seen: dict[str, int] = {}
    distinct_labels = []
    for label in labels:
        distinct_labels.append(label + "\u200b" * seen.setdefault(label, 0))
        seen[label] += 1
    return distinct_labels


def _neighbors_alt(names: Sequence[str], before: np.ndarray, after: np.ndarray) -> str:
    if not len(names):
        return "No classes."
    row, column = np.unravel_index(np.abs(np.round(after - before, 6)).argmax(), before.shape)
    was, now = float(before[row, column]), float(after[row, column])
    diagonal = [percent(float(np.diag(each).mean())) for each in (before, after)]
    return (
        f"Of the ten nearest texts {diagonal[0]} before and {diagonal[1]} after are of the own class, on average over "
        f"{len(names):,} classes; the largest change is in the share of {shortened(names[column], 60)} around "
        f"{shortened(names[row], 60)}, from {percent(was)} to {percent(now)}."
    )
