"""A study as lines, one a series: the mean of each value with its error, seeds as faint dots, what it is compared to.

What is up the y axis is the ``measure`` of the summary, kNN accuracy before anything else.
"""

import math
from collections.abc import Mapping, Sequence
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
from embedlab.figures.palette import ACCENT, REFERENCE, UNTOUCHED, Shades, categorical, shade, text_shade
from embedlab.figures.text import plain
from embedlab.numbers import in_unit, percent, with_unit

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star", "pentagon", "triangle-down")
PRINTED = ("o", "s", "D", "^", "P", "*", "p", "v")  # the same marks as matplotlib calls them
_WIDE = 0.56  # of the room of a word on the axis: what the series beside each other take


@dataclass(frozen=True)
class Series:
    """One line of a study; ``number`` is its place among them, ``aside`` its way from the middle of a word."""

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


def series_in(found: Mapping) -> list[Series]:
    """Every line of the study; one in the accent, without a name, where it has no series."""
    if found["series"] is None:
        return [Series("", 0, ACCENT, tuple(found["points"]), 0.0)]
    names = found["series"]["names"]
    colours, step = categorical(len(names)), _WIDE / len(names)
    is_words = found["scale"] == "category"
    return [
        Series(
            name,
            number,
            colours[number],
            tuple(point for point in found["points"] if point["series_name"] == name),
            (number - (len(names) - 1) / 2) * step if is_words else 0.0,
        )
        for number, name in enumerate(names)
    ]


def told(found: Mapping, value: float, error: float | None = None) -> str:
    """A height with its error."""
    return in_unit(value, error, found["measure"]["unit"])


def label_of(point: Mapping) -> str:
    """``0.05``, in a study with series ``0.05, crops``"""
    return f"{point['name']}, {point['series_name']}" if point.get("series_name") else point["name"]


def axis_title(found: Mapping) -> str:
    """What the heights are, with their unit."""
    unit = {"points": "points", "seconds": "s"}.get(found["measure"]["unit"], "")
    return with_unit(found["measure"]["title"], unit)


HEIGHT = 420
_ASIDE = 0.016  # of the axis: where the dots of the seeds lie, right of their mean


def study_curve(found: Mapping, *, dark: bool = False) -> go.Figure:
    """``found`` is a study's summary as seen ``by`` one distance: ``points`` (``name height height_error accuracy error
    before steps usable_texts seeds series_name``, the other distance ``beside``), ``measure``, ``series``, ``scale``,
    ``axis``, ``references`` (``tfidf svd untouched``) and ``line``, a point of another recipe or None."""
    figure, series = go.Figure(), series_in(found)
    places, category = places_of(found)
    beside = _right_of(found, places)
    if found["kind"] == "domain-transfer" and is_accuracy(found):
        for each in series:
            x = [places[point["name"]] + each.aside for point in each.done]
            _add_first_phase(figure, each.done, x, shade(UNTOUCHED, dark))
    for each in series:
        _add_series(figure, found, each, places, beside, dark=dark, is_line=not category)
    labels = _ends(series, dark, category=category) + _lines(figure, found, dark)
    framed(figure, title=f"{plain(found['title'])}: {lower(found['measure']['title'])}", x=plain(found["axis"]),
           y=axis_title(found), alt=alt(found), dark=dark, height=HEIGHT)  # fmt: skip
    low, high = _y_axis(figure, found)
    _x_axis(figure, found, places)
    has_legend = len(series) > 1 and not _is_labelled(series, category)
    figure.update_layout(
        showlegend=has_legend, uirevision=f"{found['study']} {found['measure']['key']}",
        legend=dict(orientation="h", x=0, xanchor="left", y=1.01, yanchor="bottom"),
    )  # fmt: skip
    if has_legend:
        figure.update_layout(margin_t=84)
    add_end_labels(figure, labels, low=low, high=high, height=HEIGHT)
    return figure


def is_accuracy(found: Mapping) -> bool:
    """Whether kNN accuracy is up the axis: only it has lines to be compared with."""
    return found["measure"]["key"] == "accuracy"


def places_of(found: Mapping) -> tuple[dict[str, float], bool]:
    """Where each value lies along x, by its name, and whether values are words, side by side in their order."""
    category = found["scale"] == "category"
    names = {point["name"]: point["value"] for point in found["points"]}
    return {name: place if category else value for place, (name, value) in enumerate(names.items())}, category


def compared_with(found: Mapping) -> list[tuple[str, float, str]]:
    """Key, height and name of every horizontal line."""
    names = {
        "untouched": "untouched",
        **{key: baseline_title(key, found.get("counted", WORDS)) for key in REFERENCE_LINES},
    }
    lines = [(key, value, f"{names[key]} {percent(value)}") for key, value in found["references"].items()]
    line = found["line"]
    if line is not None and line["height"] is not None:
        lines.append(("line", line["height"], f"{line['name']} {told(found, line['height'])}"))
    return lines


def hover(found: Mapping, point: Mapping) -> str:
    """What a point says of itself."""
    seeds, word = sum(each["height"] is not None for each in point["seeds"]), found.get("spread", "seeds")
    said = [
        f"<b>{plain(label_of(point))}</b>: {told(found, point['height'], point['height_error'])}",
        f"{point['steps']:,.0f} steps · {point['usable_texts']:,.0f} usable texts",
        f"{seeds} {word if seeds > 1 else word.removesuffix('s')}, {point['test_texts'] or 0:,} test texts",
    ]
    if point["height_sd"] is not None:
        spread = {**found, "measure": {**found["measure"], "unit": "number"}}
        is_share = found["measure"]["unit"] == "share"
        sd = f"{100 * point['height_sd']:.1f} points" if is_share else told(spread, point["height_sd"])
        said.append(f"sd of the {word} {sd}")
    if is_accuracy(found) and (beside := point["beside"]) is not None:
        said.append(f"{beside['by']} {percent(beside['accuracy'])} ± {100 * beside['error']:.1f}")
    return "<br>".join(said)


def alt(found: Mapping) -> str:
    """The sentence that stands for the picture."""
    done = [point for point in found["points"] if point["height"] is not None]
    if not done:
        return f"{found['title']}: no run has finished yet."
    said = ", ".join(f"{label_of(point)} {told(found, point['height'], point['height_error'])}" for point in done)
    return f"{found['measure']['title']} over {found['axis']}: {said}."


def heights_of(found: Mapping) -> list[float]:
    """Everything that lies in the picture, for the range of its y axis."""
    done = [point for point in found["points"] if point["height"] is not None]
    heights = [point["height"] + sign * (point["height_error"] or 0) for point in done for sign in (-1, 1)]
    heights += [each["height"] for point in done for each in point["seeds"] if each["height"] is not None]
    if found["kind"] == "domain-transfer" and is_accuracy(found):
        heights += [point["before"] for point in done]
    return heights + [value for _, value, _ in compared_with(found)]


def height_range(found: Mapping) -> tuple[float, float]:
    """The ends of the y axis: shares stay within 0 and 100 %."""
    heights = heights_of(found) or [0, 1]
    if found["measure"]["unit"] == "share":
        return share_range(heights)
    return y_range(heights, least=0.02 * max(map(abs, heights)) or 1)


def x_range(found: Mapping) -> tuple[float, float]:
    """The ends of the x axis: a little beyond the outermost values."""
    places, category = places_of(found)
    low, high = min(places.values()), max(places.values())
    if found["scale"] == "log":
        spare = (high / low) ** 0.05 if high > low else 10**0.2
        return low / spare, high * spare
    spare = 0.5 if category else 0.05 * (high - low) or 0.5
    return low - spare, high + spare


def _add_series(figure: go.Figure, found: Mapping, series: Series, places: Mapping, beside, *, dark: bool,
                is_line: bool) -> None:  # fmt: skip
    """The means with their errors, and behind them each run, a little to the right of its mean."""
    colour, done = shade(series.shades, dark), series.done
    each = [
        (places[point["name"]] + series.aside, seed) for point in done for seed in point["seeds"]
        if seed["height"] is not None
    ]  # fmt: skip
    said = f"{plain(series.name)}, " if series.name else ""
    figure.add_scatter(
        x=[beside(x) for x, _ in each], y=[seed["height"] for _, seed in each], mode="markers", name="one seed",
        marker=dict(color=see_through(colour, 0.45), size=6, symbol=series.symbol), cliponaxis=False, showlegend=False,
        customdata=[f"{said}{_called(seed)}: {told(found, seed['height'])}" for _, seed in each],
        hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip
    errors = [point["height_error"] or 0 for point in done]
    figure.add_scatter(
        x=[places[point["name"]] + series.aside for point in done], y=[point["height"] for point in done],
        mode="lines+markers" if is_line else "markers", name=plain(series.name) or "mean of the seeds",
        line=dict(color=colour, width=2), marker=dict(color=colour, size=9, symbol=series.symbol),
        error_y=dict(array=errors, color=colour, thickness=1.5, width=5, visible=any(errors)),
        customdata=[hover(found, point) for point in done], hovertemplate="%{customdata}<extra></extra>",
        cliponaxis=False,
    )  # fmt: skip


def _called(seed: Mapping) -> str:
    """What a dot is: a seed, in the mean over corpora a corpus."""
    return plain(seed["called"]) if "called" in seed else f"seed {seed['seed']}"


def _add_first_phase(figure: go.Figure, points: Sequence[Mapping], x: list, colour: str) -> None:
    """What the first phase alone gives, measured on the corpus of the second."""
    figure.add_scatter(
        x=x, y=[point["before"] for point in points], mode="markers", name="before the last phase",
        marker=dict(color=colour, size=9, symbol="circle-open", line_width=2), cliponaxis=False, showlegend=False,
        hovertemplate="before the last phase: %{y:.1%}<extra></extra>",
    )  # fmt: skip


def _is_labelled(series: Sequence[Series], category: bool) -> bool:
    """Up to four lines carry their name at their end; marks over words, and more lines, have a legend."""
    return len(series) <= DIRECT_LABELS and not category


def _ends(series: Sequence[Series], dark: bool, *, category: bool) -> list[EndLabel]:
    if len(series) < 2 or not _is_labelled(series, category):
        return []
    return [
        EndLabel(plain(each.name, 28), each.done[-1]["height"], text_shade(each.shades, dark))
        for each in series
        if each.done
    ]


def _right_of(found: Mapping, places: Mapping):
    marks = list(places.values())
    if found["scale"] == "log":
        return lambda x: x * (max(marks) / min(marks)) ** _ASIDE if len(marks) > 1 else x
    return lambda x: x + _ASIDE * ((max(marks) - min(marks)) or 1)


def _lines(figure: go.Figure, found: Mapping, dark: bool) -> list[EndLabel]:
    labels = []
    for key, value, name in compared_with(found):
        dash = REFERENCE_LINES[key].dash if key in REFERENCE_LINES else "solid"
        colour = shade(REFERENCE if key in REFERENCE_LINES else UNTOUCHED if key == "untouched" else ACCENT, dark)
        figure.add_hline(y=value, line=dict(color=colour, width=1.5, dash=dash))
        labels.append(EndLabel(plain(name), value, colour))
    return labels


def _y_axis(figure: go.Figure, found: Mapping) -> tuple[float, float]:
    if found["measure"]["unit"] == "share":
        return share_axis(figure, heights_of(found))
    low, high = height_range(found)
    figure.update_yaxes(range=[low, high])
    return low, high


def lower(title: str) -> str:
    """As it stands within a line; kNN stays as it is written."""
    return title if title.startswith("kNN") else title[0].lower() + title[1:]


def _x_axis(figure: go.Figure, found: Mapping, places: Mapping) -> None:
    """A mark at every value, with its name."""
    names = [plain(name, 24) for name in places]
    if found["scale"] == "log":
        figure.update_xaxes(type="log", range=[math.log10(end) for end in x_range(found)])
    else:
        figure.update_xaxes(range=list(x_range(found)))
    figure.update_xaxes(tickmode="array", tickvals=list(places.values()), ticktext=names)
