"""Who neighbors whom as a heat map: the class of a text down, the class of its neighbors across."""

from collections.abc import Sequence
from math import ceil

import numpy as np
import plotly.graph_objects as go

from embedlab.figures.frame import framed
from embedlab.figures.palette import ACCENT, GROUND, UNTOUCHED, Shades, shade
from embedlab.figures.text import plain, shortened
from embedlab.numbers import percent

CHANGE, BEFORE, AFTER = "change", "before", "after"
_LOSS = Shades(light="#b35900", dark="#f0a13c")  # orange against the accent's blue: apart also for the colour-blind
_LONGEST_LABEL = 26
_ACROSS = 40  # names below the picture
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
    shown = {CHANGE: change, BEFORE: before, AFTER: after}[kind]
    limit = max(float(np.abs(shown).max(initial=0.0)), 0.01)
    places = list(range(count))
    labels = [plain(name, _LONGEST_LABEL) for name in names]
    cell = float(np.clip(640 / max(count, 1), 9, 44))
    height = int(cell * count) + 240
    figure = go.Figure()
    figure.add_heatmap(
        z=np.round(np.sign(shown) * np.sqrt(np.abs(shown)), 4), x=_different(labels), y=places,
        customdata=np.round(100 * np.stack([before, after, change], axis=2), 6),
        zmin=-np.sqrt(limit) if kind == CHANGE else 0, zmax=np.sqrt(limit),
        colorscale=_scale(kind, dark), xgap=_gap(count), ygap=_gap(count), colorbar=_bar(kind, limit, height),
        hovertemplate="%{y}: neighbors of %{x}<br>%{customdata[0]:.1f} % → %{customdata[1]:.1f} %: "
        "%{customdata[2]:+.1f} points<extra></extra>",
    )  # fmt: skip
    if marked is not None:
        row, column = marked
        figure.add_shape(
            type="rect", x0=column - 0.5, x1=column + 0.5, y0=row - 0.5, y1=row + 0.5,
            line=dict(color=shade(Shades(light="#000000", dark="#ffffff"), dark), width=2),
        )  # fmt: skip
    said = {CHANGE: f"from {titles[0]} to {titles[1]}", BEFORE: titles[0], AFTER: titles[1]}[kind]
    title = "Share of the ten nearest texts" + (", change in points " if kind == CHANGE else ", ") + said
    alt = f"{title}. {_alt(names, before, after)}"
    framed(figure, title=plain(title, 120), x="class of the neighbors", y="class of the text", alt=alt, dark=dark,
           height=height)  # fmt: skip
    size = float(np.clip(cell - 1, 7.5, 12))
    axis = dict(tickfont_size=size, showgrid=False, ticks="", automargin=True)
    every = ceil(count / _ACROSS)  # on a narrow screen more names across would lie on each other; hover says them all
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


def _bar(kind: str, limit: float, height: int) -> dict:
    """Shares at the ticks, though the colour is their root."""
    ticks = [tick for tick in _SHARE_TICKS if tick <= limit * 1.001] or [limit]
    values = [-tick for tick in reversed(ticks)] + [0.0, *ticks] if kind == CHANGE else [0.0, *ticks]
    signs = "%+.0f" if kind == CHANGE else "%.0f %%"
    texts = [(signs % (100 * value)).replace("-", "−").replace("+0", "0") for value in values]
    places = [float(np.sign(value) * np.sqrt(abs(value))) for value in values]
    return dict(
        tickvals=places, ticktext=texts, thickness=10, outlinewidth=0, len=1.0, orientation="h", x=0, xanchor="left",
        y=1 - 38 / height, yref="container", yanchor="top", tickfont_size=11,
    )  # fmt: skip


def _different(labels: Sequence[str]) -> list[str]:
    """The labels, those that are the same told apart by characters nobody sees."""
    seen: dict[str, int] = {}
    found = []
    for label in labels:
        found.append(label + "\u200b" * seen.setdefault(label, 0))
        seen[label] += 1
    return found


def _gap(count: int) -> float:
    return 1 if count <= 60 else 0.5


def _alt(names: Sequence[str], before: np.ndarray, after: np.ndarray) -> str:
    if not len(names):
        return "No classes."
    row, column = np.unravel_index(np.abs(np.round(after - before, 6)).argmax(), before.shape)
    own = [percent(float(np.diag(each).mean())) for each in (before, after)]
    return (
        f"Of the ten nearest texts {own[0]} before and {own[1]} after are of the own class, on average over "
        f"{len(names):,} classes; the largest change is in the share of {shortened(names[column], 60)} around "
        f"{shortened(names[row], 60)}, from {percent(before[row, column])} to {percent(after[row, column])}."
    )
