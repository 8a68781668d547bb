"""kNN accuracy class by class: from before to after, with the interval of the change."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from embedlab.figures.frame import framed, see_through
from embedlab.figures.palette import ACCENT, GRID, UNTOUCHED, shade
from embedlab.figures.text import plain, shortened
from embedlab.numbers import counted, percent

MOST = 50  # classes that can still be read in one picture
_LONGEST_LABEL = 28
_ROW = 16  # pixels of a class, more where there are few


def class_changes(
    classes: Sequence[Mapping],
    *,
    by: str = "change",
    measured: str = "",
    identity: str = "",
    beginning: str = "untouched",
    dark: bool = False,
) -> go.Figure:
    """A grey point before, an accent one after, a line between; the whisker is the 95 % interval of the change.

    ``classes``: ``{"label", "texts", "before", "after", "difference", "low", "high"}`` with shares; ``by`` is change
    (the largest rise on top) or texts. Of more than 50 classes those that change most, or the largest, are drawn.
    ``measured`` says by which distance (``by cosine``), ``beginning`` names the encoder before.
    """
    shown = chosen(classes, by)[::-1]  # plotly draws upwards, the first belongs on top
    places, accent, grey = list(range(len(shown))), shade(ACCENT, dark), shade(UNTOUCHED, dark)
    figure = go.Figure()
    figure.add_scatter(
        x=[x for each in shown for x in (each["before"], each["after"], None)],
        y=[y for place in places for y in (place, place, None)],
        mode="lines", line=dict(color=see_through(accent, 0.45), width=3), hoverinfo="skip", showlegend=False,
    )  # fmt: skip
    said = [_hover_line(each) for each in shown]
    figure.add_scatter(
        x=[each["before"] for each in shown], y=places, mode="markers", name=f"before: {beginning}",
        marker=dict(color=grey, size=8, symbol="circle-open", line_width=2), cliponaxis=False,
        customdata=said, hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip
    figure.add_scatter(
        x=[each["after"] for each in shown], y=places, mode="markers", name="after: fine-tuned",
        marker=dict(color=accent, size=9), cliponaxis=False,
        error_x=dict(
            type="data", symmetric=False, thickness=1, width=3, color=see_through(accent, 0.8),
            array=[max(min(each["before"] + each["high"], 1) - each["after"], 0) for each in shown],
            arrayminus=[max(each["after"] - max(each["before"] + each["low"], 0), 0) for each in shown],
        ),
        customdata=said, hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip
    title = f"kNN accuracy {measured}".strip() + ", class by class"
    if len(classes) > MOST:
        which = "that change most" if by == "change" else "with most texts"
        title += f", the {MOST} {which}"
    height = 124 + max(_ROW, min(26, 420 // max(len(shown), 1))) * max(len(shown), 4)
    framed(figure, title=title, x="kNN accuracy", y="", alt=_alt(classes), dark=dark, height=height)
    names = [f"{plain(each['label'], _LONGEST_LABEL)} · {each['texts']:,}" for each in shown]
    figure.update_yaxes(
        tickvals=places, ticktext=names, tickfont_size=11, range=[-0.7, len(shown) - 0.3], gridcolor=shade(GRID, dark)
    )
    longest = max((min(len(each["label"]), _LONGEST_LABEL) + len(f" · {each['texts']:,}") for each in shown), default=0)
    figure.update_layout(
        margin=dict(l=24 + int(6.3 * longest), r=24, t=76),
        legend=dict(orientation="h", x=0, y=1, xanchor="left", yanchor="bottom"),
        title=dict(xref="container", x=0.01),  # beside long class names little room is left on a narrow screen
        uirevision=f"{identity}/{by}",
    )
    figure.update_xaxes(tickformat=".0%", range=[-0.015, 1.015], showgrid=True)
    return figure


def chosen(classes: Sequence[Mapping], by: str) -> list[Mapping]:
    """At most fifty, in the order in which they are drawn."""
    if by == "texts":
        return sorted(classes, key=lambda each: (-each["texts"], each["label"]))[:MOST]
    most = sorted(classes, key=lambda each: (-abs(each["difference"]), -each["texts"], each["label"]))[:MOST]
    return sorted(most, key=lambda each: (-each["difference"], -each["texts"], each["label"]))


def _hover_line(each: Mapping) -> str:
    points = (each["difference"], each["low"], each["high"])
    change, low, high = (f"{100 * value:.1f}".replace("-", "−") for value in points)
    shares = f"{percent(each['before'])} → {percent(each['after'])}"
    return (
        f"{plain(each['label'])}, {counted(each['texts'], 'text')}<br>{shares}: {change} points (95 %: {low} … {high})"
    )


def _alt(classes: Sequence[Mapping]) -> str:
    if not classes:
        return "No classes."
    better = sum(each["low"] > 0 for each in classes)
    worse = sum(each["high"] < 0 for each in classes)
    most = max(classes, key=lambda each: abs(each["difference"]))
    return (
        f"Of {len(classes):,} classes {better:,} are clearly better after fine-tuning and {worse:,} clearly worse; "
        f"{shortened(most['label'], 60)} changes most, from {percent(most['before'])} to {percent(most['after'])}."
    )
