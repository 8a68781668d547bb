"""A corpus at a glance: how large its classes are, and how long its texts."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from embedlab.figures.frame import framed, see_through
from embedlab.numbers import counted
from embedlab.palette import QUIET_INK, Shades, shade
from embedlab.plain_text import plain, shortened

_LONGEST_LABEL = 32


def class_sizes(
    sizes: Mapping[str, int], colours: Mapping[str, Shades], *, most: int = 30, dark: bool = False
) -> go.Figure:
    """Bars of the largest classes. ``sizes``: texts by label, the largest first; ``colours`` from ``class_colours``."""
    labels = list(sizes)[:most][::-1]  # plotly draws upwards, the largest class belongs on top
    figure = go.Figure(
        go.Bar(
            x=[sizes[label] for label in labels], y=list(range(len(labels))), orientation="h",
            marker=dict(color=[shade(colours[label], dark) for label in labels], line_width=0),
            text=[f"{sizes[label]:,}" for label in labels], textposition="outside", cliponaxis=False,
            customdata=[plain(label, 120) for label in labels],
            hovertemplate="%{customdata}: %{x:,} texts<extra></extra>",
        )
    )  # fmt: skip
    title, alt = "Texts per class", "No classes."
    if len(sizes) > most:
        title += f" (the {most} largest of {len(sizes):,})"
    if sizes:
        down = f"with {counted(max(sizes.values()), 'text')} down to {counted(min(sizes.values()), 'text')}"
        alt = f"{counted(len(sizes), 'class', 'classes')}, from {shortened(next(iter(sizes)), 60)} {down}."
    framed(figure, title=title, x="texts", y="", alt=alt, dark=dark, height=104 + 20 * max(len(labels), 3))
    names = [plain(label, _LONGEST_LABEL) for label in labels]
    figure.update_yaxes(tickvals=list(range(len(labels))), ticktext=names, showgrid=False)
    longest = max((min(len(label), _LONGEST_LABEL) for label in labels), default=0)
    figure.update_layout(margin_l=24 + 7 * longest, margin_r=64, bargap=0.25)
    figure.update_layout(title=dict(xref="container", x=0))  # names as long as these leave little room above the bars
    figure.update_xaxes(rangemode="tozero", tickformat=",", dtick=_tick_step(max(sizes.values(), default=0)))
    return figure


def length_histogram(
    counts: Sequence[int] | np.ndarray, edges: Sequence[float] | np.ndarray, *, dark: bool = False
) -> go.Figure:
    """A histogram of text lengths in characters; ``edges`` has one entry more than ``counts``."""
    counts, edges = np.asarray(counts), np.asarray(edges, dtype=float)
    colour = shade(QUIET_INK, dark)
    figure = go.Figure(
        go.Bar(
            x=(edges[:-1] + edges[1:]) / 2, y=counts, width=np.diff(edges), marker=dict(
                color=see_through(colour, 0.55), line_width=0), customdata=np.stack([edges[:-1], edges[1:]], axis=1),
            hovertemplate="%{customdata[0]:,.0f}–%{customdata[1]:,.0f}: %{y:,} texts<extra></extra>",
        )
    )  # fmt: skip
    most = int(counts.argmax()) if counts.size else 0
    alt = (
        f"{int(counts.sum()):,} texts; most have {edges[most]:,.0f} to {edges[most + 1]:,.0f} characters."
        if counts.size
        else "No texts."
    )
    framed(figure, title="Length of the texts", x="characters", y="texts", alt=alt, dark=dark, height=280)
    figure.update_layout(bargap=0, showlegend=False)
    figure.update_xaxes(tickformat=",")
    figure.update_yaxes(tickformat=",", dtick=_tick_step(counts.max(initial=0)))
    return figure


def _tick_step(most: int) -> int | None:
    """Of an axis of counts up to ``most``, so that they are whole numbers."""
    return 1 if 0 < most < 5 else None
