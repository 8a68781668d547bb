"""A study as a line plot, one line per series: mean and error of each value, seeds as faint dots, reference lines.

What is up the y axis is the ``measure`` of the summary, kNN accuracy before anything else.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from embedlab.baseline_methods import REFERENCE_LINES, baseline_title
from embedlab.counting import WORDS
from embedlab.figures.frame import (
    DIRECT_LABELS,
    EndLabel,
    add_end_labels,
    framed,
    see_through,
    share_axis,
    share_range,
    y_range,
)
from embedlab.numbers import in_unit, margin, percent, with_unit
from embedlab.palette import ACCENT, REFERENCE, UNTOUCHED, Shades, categorical, shade, text_shade
from embedlab.plain_text import plain

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star", "pentagon", "triangle-down")
PRINTED = ("o", "s", "D", "^", "P", "*", "p", "v")  # the same marks as matplotlib calls them
_WIDE = 0.56  # of the room of a word on the axis: what the series beside each other take


@dataclass(frozen=True)
class Series:
    """One line of a study; ``number`` is its index, ``aside`` its offset from the centre of a categorical value."""

    name: str
    number: int
    shades: Shades
    points: tuple[Mapping, ...]
    aside: float

    @property
    def symbol(self) -> str:
        """As plotly calls it."""
        return SYMBOLS[self.number % len(SYMBOLS)]

    @property
    def printed(self) -> str:
        """As matplotlib calls it."""
        return PRINTED[self.number % len(PRINTED)]

    @property
    def done(self) -> list[Mapping]:
        """The points that have a height."""
        return [point for point in self.points if point["height"] is not None]


def series_in(summary: Mapping) -> list[Series]:
    """Every line of the study; a single accented line without a name if the study has no series."""
    if summary["series"] is None:
        return [Series("", 0, ACCENT, tuple(summary["points"]), 0.0)]
    names = summary["series"]["names"]
    colours, step = categorical(len(names)), _WIDE / len(names)
    is_words = summary["scale"] == "category"
    return [
        Series(
            name,
            number,
            colours[number],
            tuple(point for point in summary["points"] if point["series_name"] == name),
            (number - (len(names) - 1) / 2) * step if is_words else 0.0,
        )
        for number, name in enumerate(names)
    ]


def told(summary: Mapping, value: float, error: float | None = None) -> str:
    """The point's value with its error."""
    return in_unit(value, error, summary["measure"]["unit"])


def label_of(point: Mapping) -> str:
    """``0.05``, or ``0.05, crops`` in a study with series."""
    return f"{point['name']}, {point['series_name']}" if point.get("series_name") else point["name"]


def axis_title(summary: Mapping) -> str:
    """The measure on the y axis, with its unit."""
    unit = {"points": "points", "seconds": "s"}.get(summary["measure"]["unit"], "")
    return with_unit(summary["measure"]["title"], unit)


HEIGHT = 420
_ASIDE = 0.016  # of the axis: where the dots of the seeds lie, right of their mean


def study_curve(summary: Mapping, *, dark: bool = False) -> go.Figure:
    """``summary``: of a study, as seen ``by`` one distance: ``points`` (``name height height_error accuracy error
    before steps usable_texts seeds series_name``, the other distance ``beside``), ``measure``, ``series``, ``scale``,
    ``axis``, ``references`` (``tfidf svd untouched``) and ``line``, a point of another recipe or None."""
    figure, series = go.Figure(), series_in(summary)
    places, category = places_of(summary)
    aside_of = _right_of(summary, places)
    if summary["kind"] == "domain-transfer" and is_accuracy(summary):
        for each in series:
            x = [places[point["name"]] + each.aside for point in each.done]
            _add_first_phase(figure, each.done, x, shade(UNTOUCHED, dark))
    for each in series:
        _add_series(figure, summary, each, places, aside_of, dark=dark, is_line=not category)
    labels = _ends(series, dark, category=category) + _lines(figure, summary, dark)
    framed(figure, title=f"{plain(summary['title'])}: {lower(summary['measure']['title'])}", x=plain(summary["axis"]),
           y=axis_title(summary), alt=alt(summary), dark=dark, height=HEIGHT)  # fmt: skip
    low, high = _y_axis(figure, summary)
    _x_axis(figure, summary, places)
    has_legend = len(series) > 1 and not _is_labelled(series, category)
    figure.update_layout(
        showlegend=has_legend, uirevision=f"{summary['study']} {summary['measure']['key']}",
        legend=dict(orientation="h", x=0, xanchor="left", y=1.01, yanchor="bottom"),
    )  # fmt: skip
    if has_legend:
        figure.update_layout(margin_t=84)
    add_end_labels(figure, labels, low=low, high=high, height=HEIGHT)
    return figure


def is_accuracy(summary: Mapping) -> bool:
    """Whether the y axis is kNN accuracy; only then are there reference lines."""
    return summary["measure"]["key"] == "accuracy"


def places_of(summary: Mapping) -> tuple[dict[str, float], bool]:
    """The x position of each value by name, and whether the values are categories placed side by side in order."""
    category = summary["scale"] == "category"
    names = {point["name"]: point["value"] for point in summary["points"]}
    return {name: number if category else value for number, (name, value) in enumerate(names.items())}, category


def compared_with(summary: Mapping) -> list[tuple[str, float, str, str]]:
    """Name, height, role and dash of each horizontal line that the points are compared with."""
    lines = []
    for key, value in summary["references"].items():
        name, role, dash = "untouched", "untouched", "solid"
        if (reference := REFERENCE_LINES.get(key)) is not None:
            name, role = baseline_title(key, summary.get("counted", WORDS)), "reference"
            dash = reference.dash or dash
        lines.append((f"{name} {percent(value)}", value, role, dash))
    line = summary["line"]
    if line is not None and line["height"] is not None:
        lines.append((f"{line['name']} {told(summary, line['height'])}", line["height"], "accent", "solid"))
    return lines


def hover(summary: Mapping, point: Mapping) -> str:
    """The hover text of a point."""
    seeds, word = sum(each["height"] is not None for each in point["seeds"]), summary.get("spread", "seeds")
    lines = [
        f"<b>{plain(label_of(point))}</b>: {told(summary, point['height'], point['height_error'])}",
        f"{point['steps']:,.0f} steps · {point['usable_texts']:,.0f} usable texts",
        f"{seeds} {word if seeds > 1 else word.removesuffix('s')}, {point['test_texts'] or 0:,} test texts",
    ]
    if point["height_sd"] is not None:
        spread = {**summary, "measure": {**summary["measure"], "unit": "number"}}
        is_share = summary["measure"]["unit"] == "share"
        sd = f"{100 * point['height_sd']:.1f} points" if is_share else told(spread, point["height_sd"])
        lines.append(f"sd of the {word} {sd}")
    if is_accuracy(summary) and (other := point["beside"]) is not None:
        lines.append(f"{other['by']} {percent(other['accuracy'])} {margin(other['error'])}")
    return "<br>".join(lines)


def alt(summary: Mapping) -> str:
    """The sentence for screen readers."""
    done = [point for point in summary["points"] if point["height"] is not None]
    if not done:
        return f"{summary['title']}: no run has finished yet."
    values = ", ".join(f"{label_of(point)} {told(summary, point['height'], point['height_error'])}" for point in done)
    return f"{summary['measure']['title']} over {summary['axis']}: {values}."


def heights_of(summary: Mapping) -> list[float]:
    """All y values in the picture, for the range of the y axis."""
    done = [point for point in summary["points"] if point["height"] is not None]
    heights = [point["height"] + sign * (point["height_error"] or 0) for point in done for sign in (-1, 1)]
    heights += [each["height"] for point in done for each in point["seeds"] if each["height"] is not None]
    if summary["kind"] == "domain-transfer" and is_accuracy(summary):
        heights += [point["before"] for point in done]
    return heights + [value for _, value, *_ in compared_with(summary)]


def height_range(summary: Mapping) -> tuple[float, float]:
    """The range of the y axis; shares stay within 0 and 100 %."""
    heights = heights_of(summary) or [0, 1]
    if summary["measure"]["unit"] == "share":
        return share_range(heights)
    return y_range(heights, least=0.02 * max(map(abs, heights)) or 1)


def x_range(summary: Mapping) -> tuple[float, float]:
    """The range of the x axis, slightly wider than the values."""
    places, category = places_of(summary)
    low, high = min(places.values()), max(places.values())
    if summary["scale"] == "log":
        spare = (high / low) ** 0.05 if high > low else 10**0.2
        return low / spare, high * spare
    spare = 0.5 if category else 0.05 * (high - low) or 0.5
    return low - spare, high + spare


def _add_series(
    figure: go.Figure, summary: Mapping, series: Series, places: Mapping, aside_of: Callable[[float], float], *,
    dark: bool, is_line: bool,
) -> None:  # fmt: skip
    """Draw the means with their errors and, slightly to the right, each run behind them."""
    colour, done = shade(series.shades, dark), series.done
    each = [
        (places[point["name"]] + series.aside, seed) for point in done for seed in point["seeds"]
        if seed["height"] is not None
    ]  # fmt: skip
    prefix = f"{plain(series.name)}, " if series.name else ""
    figure.add_scatter(
        x=[aside_of(x) for x, _ in each], y=[seed["height"] for _, seed in each], mode="markers", name="one seed",
        marker=dict(color=see_through(colour, 0.45), size=6, symbol=series.symbol), cliponaxis=False, showlegend=False,
        customdata=[f"{prefix}{_called(seed)}: {told(summary, seed['height'])}" for _, seed in each],
        hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip
    errors = [point["height_error"] or 0 for point in done]
    figure.add_scatter(
        x=[places[point["name"]] + series.aside for point in done], y=[point["height"] for point in done],
        mode="lines+markers" if is_line else "markers", name=plain(series.name) or "mean of the seeds",
        line=dict(color=colour, width=2), marker=dict(color=colour, size=9, symbol=series.symbol),
        error_y=dict(array=errors, color=colour, thickness=1.5, width=5, visible=any(errors)),
        customdata=[hover(summary, point) for point in done], hovertemplate="%{customdata}<extra></extra>",
        cliponaxis=False,
    )  # fmt: skip


def _called(seed: Mapping) -> str:
    """What one dot is: a seed, or in the mean over corpora a corpus."""
    return plain(seed["called"]) if "called" in seed else f"seed {seed['seed']}"


def _add_first_phase(figure: go.Figure, points: Sequence[Mapping], x: list, colour: str) -> None:
    """Draw the result of the first phase alone, measured on the corpus of the second."""
    figure.add_scatter(
        x=x, y=[point["before"] for point in points], mode="markers", name="before the last phase",
        marker=dict(color=colour, size=9, symbol="circle-open", line_width=2), cliponaxis=False, showlegend=False,
        hovertemplate="before the last phase: %{y:.1%}<extra></extra>",
    )  # fmt: skip


def _is_labelled(series: Sequence[Series], category: bool) -> bool:
    """Whether lines are labelled at their ends (up to four); categorical values and more lines use a legend."""
    return len(series) <= DIRECT_LABELS and not category


def _ends(series: Sequence[Series], dark: bool, *, category: bool) -> list[EndLabel]:
    if len(series) < 2 or not _is_labelled(series, category):
        return []
    return [
        EndLabel(plain(each.name, 28), each.done[-1]["height"], text_shade(each.shades, dark))
        for each in series
        if each.done
    ]


def _right_of(summary: Mapping, places: Mapping) -> Callable[[float], float]:
    marks = list(places.values())
    if summary["scale"] == "log":
        return lambda x: x * (max(marks) / min(marks)) ** _ASIDE if len(marks) > 1 else x
    return lambda x: x + _ASIDE * ((max(marks) - min(marks)) or 1)


def _lines(figure: go.Figure, summary: Mapping, dark: bool) -> list[EndLabel]:
    labels = []
    for name, value, role, dash in compared_with(summary):
        colour = shade({"reference": REFERENCE, "untouched": UNTOUCHED, "accent": ACCENT}[role], dark)
        figure.add_hline(y=value, line=dict(color=colour, width=1.5, dash=dash))
        labels.append(EndLabel(plain(name), value, colour))
    return labels


def _y_axis(figure: go.Figure, summary: Mapping) -> tuple[float, float]:
    if summary["measure"]["unit"] == "share":
        return share_axis(figure, heights_of(summary))
    low, high = height_range(summary)
    figure.update_yaxes(range=[low, high])
    return low, high


def lower(title: str) -> str:
    """The title as it reads within a sentence; kNN keeps its case."""
    return title if title.startswith("kNN") else title[0].lower() + title[1:]


def _x_axis(figure: go.Figure, summary: Mapping, places: Mapping) -> None:
    """A tick with a name at every value."""
    names = [plain(name, 24) for name in places]
    if summary["scale"] == "log":
        figure.update_xaxes(type="log", range=[math.log10(end) for end in x_range(summary)])
    else:
        figure.update_xaxes(range=list(x_range(summary)))
    figure.update_xaxes(tickmode="array", tickvals=list(places.values()), ticktext=names)
