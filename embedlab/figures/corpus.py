"""A corpus at a glance: how large its classes are, and how long its texts."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from embedlab.figures.frame import framed, see_through
from embedlab.numbers import counted
from embedlab.palette import QUIET_INK, Shades, shade
from embedlab.plain_text import plain, shortened

_LONGEST_LABEL = 32


def class_sizes(
    classes: Sequence[Mapping], colours: Mapping[str, Shades], *, most: int = 30, dark: bool = False
) -> go.Figure:
    """Bars of the largest classes. ``classes``: ``{"label", "texts"}`` by size; ``colours`` from ``class_colours``."""
    largest = list(classes[:most])[::-1]  # plotly draws upwards, the largest class belongs on top
    figure = go.Figure(
        go.Bar(
            x=[each["texts"] for each in largest], y=list(range(len(largest))), orientation="h",
            marker=dict(color=[shade(colours[each["label"]], dark) for each in largest], line_width=0),
            text=[f"{each['texts']:,}" for each in largest], textposition="outside", cliponaxis=False,
            customdata=[plain(each["label"], 120) for each in largest],
            hovertemplate="%{customdata}: %{x:,} texts<extra></extra>",
        )
    )  # fmt: skip
    rest = classes[most:]
    title = "Texts per class" + (f" (the {most} largest of {len(classes):,})" if rest else "")
    height = 104 + 20 * max(len(largest), 3)
    framed(figure, title=title, x="texts", y="", alt=_sizes_alt(classes), dark=dark, height=height)
    figure.update_yaxes(
        tickvals=list(range(len(largest))),
        ticktext=[plain(each["label"], _LONGEST_LABEL) for each in largest],
        showgrid=False,
    )
    longest = max((min(len(each["label"]), _LONGEST_LABEL) for each in largest), default=0)
    figure.update_layout(margin_l=24 + 7 * longest, margin_r=64, bargap=0.25)
    figure.update_layout(title=dict(xref="container", x=0))  # names as long as these leave little room above the bars
    figure.update_xaxes(rangemode="tozero", **_ticks(largest[-1]["texts"] if largest else 0))
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
    figure.update_yaxes(**_ticks(counts.max() if counts.size else 0))
    return figure


def _ticks(most: int) -> dict[str, Any]:
    """An axis of counts up to ``most``: whole numbers."""
    return dict(tickformat=",") | (dict(dtick=1) if 0 < most < 5 else {})


def _sizes_alt(classes: Sequence[Mapping]) -> str:
    if not classes:
        return "No classes."
    largest, smallest = classes[0], classes[-1]
    name = shortened(largest["label"], 60)
    most, fewest = counted(largest["texts"], "text"), counted(smallest["texts"], "text")
    return f"{counted(len(classes), 'class', 'classes')}, from {name} with {most} down to {fewest}."
