"""A study as a line plot, one line per series: mean and error of each value, seeds as faint dots, reference lines.

What is up the y axis is the ``measure`` of the study, kNN accuracy before anything else.
"""

import math
from dataclasses import dataclass

import plotly.graph_objects as go

from embedlab.baseline_methods import REFERENCE_LINES, baseline_title
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
from embedlab.figures.studies.drawn import DrawnPoint, DrawnStudy
from embedlab.numbers import in_unit, percent
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
    done: list[DrawnPoint]
    aside: float

    @property
    def symbol(self) -> str:
        """As plotly calls it."""
        return SYMBOLS[self.number % len(SYMBOLS)]

    @property
    def printed(self) -> str:
        """As matplotlib calls it."""
        return PRINTED[self.number % len(PRINTED)]


def series_in(study: DrawnStudy) -> list[Series]:
    """Every line of the study; a single accented line without a name if the study has no series."""
    if not study.series:
        return [Series("", 0, ACCENT, study.done, 0.0)]
    colours, step = categorical(len(study.series)), _WIDE / len(study.series)
    is_words = study.scale == "category"
    return [
        Series(
            name,
            number,
            colours[number],
            [point for point in study.done if point.series_name == name],
            (number - (len(study.series) - 1) / 2) * step if is_words else 0.0,
        )
        for number, name in enumerate(study.series)
    ]


HEIGHT = 420
_ASIDE = 0.016  # of the axis: where the dots of the seeds lie, right of their mean


def study_curve(study: DrawnStudy, *, dark: bool = False) -> go.Figure:
    """Each series as a line, or as marks where the values are words; the lines they are compared with across."""
    figure, series = go.Figure(), series_in(study)
    for each in series:
        _add_first_phase(figure, study, each, shade(UNTOUCHED, dark))
    for each in series:
        _add_series(figure, study, each, dark=dark)
    is_labelled = len(series) <= DIRECT_LABELS and not study.has_words
    labels = [
        EndLabel(plain(each.name, 28), each.done[-1].height, text_shade(each.shades, dark))
        for each in series
        if is_labelled and len(series) > 1 and each.done
    ]
    for name, value, role, dash in compared_with(study):
        colour = shade({"reference": REFERENCE, "untouched": UNTOUCHED, "accent": ACCENT}[role], dark)
        figure.add_hline(y=value, line=dict(color=colour, width=1.5, dash=dash))
        labels.append(EndLabel(plain(name), value, colour))
    framed(figure, title=f"{plain(study.title)}: {lower(study.measure_title)}", x=plain(study.axis),
           y=study.y_title, alt=study.alt, dark=dark, height=HEIGHT)  # fmt: skip
    if study.unit == "share":
        low, high = share_axis(figure, heights_of(study))
    else:
        low, high = height_range(study)
        figure.update_yaxes(range=[low, high])
    if study.scale == "log":
        figure.update_xaxes(type="log", range=[math.log10(end) for end in x_range(study)])
    else:
        figure.update_xaxes(range=list(x_range(study)))
    names = [plain(name, 24) for name in study.places]
    figure.update_xaxes(tickmode="array", tickvals=list(study.places.values()), ticktext=names)
    has_legend = len(series) > 1 and not is_labelled
    figure.update_layout(
        showlegend=has_legend, uirevision=f"{study.id} {study.measure}",
        legend=dict(orientation="h", x=0, xanchor="left", y=1.01, yanchor="bottom"),
    )  # fmt: skip
    if has_legend:
        figure.update_layout(margin_t=84)
    add_end_labels(figure, labels, low=low, high=high, height=HEIGHT)
    return figure


def compared_with(study: DrawnStudy) -> list[tuple[str, float, str, str]]:
    """Name, height, role and dash of each horizontal line that the points are compared with."""
    lines = []
    for key, value in study.references.items():
        name, role, dash = "untouched", "untouched", "solid"
        if (reference := REFERENCE_LINES.get(key)) is not None:
            name, role = baseline_title(key, study.counted), "reference"
            dash = reference.dash or dash
        lines.append((f"{name} {percent(value)}", value, role, dash))
    if (line := study.line) is not None:
        lines.append((f"{line.name} {study.in_words(line.height)}", line.height, "accent", "solid"))
    return lines


def hover(study: DrawnStudy, point: DrawnPoint) -> str:
    """The hover text of a point."""
    dots, word = sum(dot.height is not None for dot in point.dots), "corpora" if study.view == "mean" else "seeds"
    lines = [
        f"<b>{plain(point.label)}</b>: {study.in_words(point.height, point.error)}",
        f"{point.steps:,.0f} steps · {point.usable_texts:,.0f} usable texts",
        f"{dots} {word if dots > 1 else word.removesuffix('s')}, {point.test_texts:,} test texts",
    ]
    if point.sd is not None:
        sd = f"{100 * point.sd:.1f} points" if study.unit == "share" else in_unit(point.sd, None, "number")
        lines.append(f"sd of the {word} {sd}")
    return "<br>".join([*lines, point.by_other] if point.by_other else lines)


def heights_of(study: DrawnStudy) -> list[float]:
    """All y values in the picture, for the range of the y axis."""
    heights = [point.height + sign * (point.error or 0) for point in study.done for sign in (-1, 1)]
    heights += [dot.height for point in study.done for dot in point.dots if dot.height is not None]
    heights += [point.first_phase for point in study.done if point.first_phase is not None]
    return heights + [value for _, value, *_ in compared_with(study)]


def height_range(study: DrawnStudy) -> tuple[float, float]:
    """The range of the y axis; shares stay within 0 and 100 %."""
    heights = heights_of(study) or [0, 1]
    if study.unit == "share":
        return share_range(heights)
    return y_range(heights, least=0.02 * max(map(abs, heights)) or 1)


def x_range(study: DrawnStudy) -> tuple[float, float]:
    """The range of the x axis, slightly wider than the values."""
    low, high = min(study.places.values()), max(study.places.values())
    if study.scale == "log":
        spare = (high / low) ** 0.05 if high > low else 10**0.2
        return low / spare, high * spare
    spare = 0.5 if study.has_words else 0.05 * (high - low) or 0.5
    return low - spare, high + spare


def _add_series(figure: go.Figure, study: DrawnStudy, series: Series, *, dark: bool) -> None:
    """Draw the means with their errors and, slightly to the right, each run behind them."""
    colour, done, marks = shade(series.shades, dark), series.done, study.places.values()
    x = [study.places[point.name] + series.aside for point in done]
    if study.scale == "log":
        asides = [each * (max(marks) / min(marks)) ** _ASIDE for each in x]
    else:
        asides = [each + _ASIDE * ((max(marks) - min(marks)) or 1) for each in x]
    dots = [
        (aside, dot.height, plain(dot.name)) for aside, point in zip(asides, done, strict=True)
        for dot in point.dots if dot.height is not None
    ]  # fmt: skip
    prefix = f"{plain(series.name)}, " if series.name else ""
    figure.add_scatter(
        x=[aside for aside, *_ in dots], y=[height for _, height, _ in dots], mode="markers", name="one seed",
        marker=dict(color=see_through(colour, 0.45), size=6, symbol=series.symbol), cliponaxis=False, showlegend=False,
        customdata=[f"{prefix}{name}: {study.in_words(height)}" for _, height, name in dots],
        hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip
    errors = [point.error or 0 for point in done]
    figure.add_scatter(
        x=x, y=[point.height for point in done],
        mode="markers" if study.has_words else "lines+markers", name=plain(series.name) or "mean of the seeds",
        line=dict(color=colour, width=2), marker=dict(color=colour, size=9, symbol=series.symbol),
        error_y=dict(array=errors, color=colour, thickness=1.5, width=5, visible=any(errors)),
        customdata=[hover(study, point) for point in done], hovertemplate="%{customdata}<extra></extra>",
        cliponaxis=False,
    )  # fmt: skip


def _add_first_phase(figure: go.Figure, study: DrawnStudy, series: Series, colour: str) -> None:
    """Draw the result of the first of two phases alone, measured on the corpus of the second."""
    points = [point for point in series.done if point.first_phase is not None]
    if not points:
        return
    figure.add_scatter(
        x=[study.places[point.name] + series.aside for point in points], y=[point.first_phase for point in points],
        mode="markers", name="before the last phase",
        marker=dict(color=colour, size=9, symbol="circle-open", line_width=2), cliponaxis=False, showlegend=False,
        hovertemplate="before the last phase: %{y:.1%}<extra></extra>",
    )  # fmt: skip


def lower(title: str) -> str:
    """The title as it reads within a sentence; kNN keeps its case."""
    return title if title.startswith("kNN") else title[0].lower() + title[1:]
