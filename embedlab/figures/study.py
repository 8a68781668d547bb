"""A study as one curve: mean kNN accuracy of each value with its error, seeds as faint dots, what it is compared to."""

import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from embedlab.baseline_methods import REFERENCE_LINES
from embedlab.figures.frame import EndLabel, add_end_labels, framed, see_through, share_axis
from embedlab.figures.palette import ACCENT, REFERENCE, UNTOUCHED, shade
from embedlab.figures.text import percent, plain

HEIGHT = 420
_ASIDE = 0.016  # of the axis: where the dots of the seeds lie, right of their mean


def study_curve(found: Mapping, *, dark: bool = False) -> go.Figure:
    """``found`` is a study's summary as seen ``by`` one distance: ``points`` (``name value accuracy error before steps
    usable_texts seeds``, the other distance ``beside``), ``scale``, ``axis``, ``references`` (``tfidf svd untouched``)
    and ``line``, a point of another recipe or None."""
    points = [point for point in found["points"] if point["accuracy"] is not None]
    accent, figure = shade(ACCENT, dark), go.Figure()
    places, category = places_of(found)
    x = [places[point["name"]] for point in points]
    if found["kind"] == "domain-transfer":
        _add_first_phase(figure, points, x, shade(UNTOUCHED, dark))
    _add_seeds(figure, points, places, _right_of(found, places), see_through(accent, 0.45))
    figure.add_scatter(
        x=x, y=[point["accuracy"] for point in points], mode="markers" if category else "lines+markers",
        name="mean of the seeds", line=dict(color=accent, width=2), marker=dict(color=accent, size=9),
        error_y=dict(array=[point["error"] for point in points], color=accent, thickness=1.5, width=5),
        customdata=[hover(point) for point in points], hovertemplate="%{customdata}<extra></extra>", cliponaxis=False,
    )  # fmt: skip
    labels = _lines(figure, found, dark)
    framed(figure, title=f"{plain(found['title'])}: kNN accuracy {found['by']}", x=plain(found["axis"]),
           y=f"kNN accuracy {found['by']}", alt=alt(found), dark=dark, height=HEIGHT)  # fmt: skip
    low, high = share_axis(figure, heights_of(found))
    _x_axis(figure, found, places)
    figure.update_layout(showlegend=False, uirevision=found["study"])
    add_end_labels(figure, labels, low=low, high=high, height=HEIGHT)
    return figure


def places_of(found: Mapping) -> tuple[dict[str, float], bool]:
    """Where each value lies along x, by its name, and whether values are words, side by side in their order."""
    category = found["scale"] == "category"
    places = {point["name"]: place if category else point["value"] for place, point in enumerate(found["points"])}
    return places, category


def compared_with(found: Mapping) -> list[tuple[str, float, str]]:
    """Key, height and name of every horizontal line."""
    names = {"untouched": "untouched", **{key: line.title for key, line in REFERENCE_LINES.items()}}
    lines = [(key, value, f"{names[key]} {percent(value)}") for key, value in found["references"].items()]
    line = found["line"]
    if line is not None and line["accuracy"] is not None:
        lines.append(("line", line["accuracy"], f"{line['name']} {percent(line['accuracy'])}"))
    return lines


def hover(point: Mapping) -> str:
    """What a point says of itself."""
    seeds = sum(each["accuracy"] is not None for each in point["seeds"])
    said = [
        f"<b>{plain(point['name'])}</b>: {percent(point['accuracy'])} ± {100 * point['error']:.1f}",
        f"{point['steps']:,.0f} steps · {point['usable_texts']:,.0f} usable texts",
        f"{seeds} seed{'s' if seeds > 1 else ''}, {point['test_texts'] or 0:,} test texts",
    ]
    if point["sd"] is not None:
        said.append(f"sd of the seeds {100 * point['sd']:.1f} points")
    if (beside := point["beside"]) is not None:
        said.append(f"{beside['by']} {percent(beside['accuracy'])} ± {100 * beside['error']:.1f}")
    return "<br>".join(said)


def alt(found: Mapping) -> str:
    """The sentence that stands for the picture."""
    done = [point for point in found["points"] if point["accuracy"] is not None]
    if not done:
        return f"{found['title']}: no run has finished yet."
    said = ", ".join(f"{point['name']} {percent(point['accuracy'])} ± {100 * point['error']:.1f}" for point in done)
    return f"kNN accuracy {found['by']} over {found['axis']}: {said}."


def _add_first_phase(figure: go.Figure, points: Sequence[Mapping], x: list, colour: str) -> None:
    """What the first phase alone gives, measured on the corpus of the second."""
    figure.add_scatter(
        x=x, y=[point["before"] for point in points], mode="markers", name="before the last phase",
        marker=dict(color=colour, size=9, symbol="circle-open", line_width=2), cliponaxis=False,
        hovertemplate="before the last phase: %{y:.1%}<extra></extra>",
    )  # fmt: skip


def _add_seeds(figure: go.Figure, points: Sequence[Mapping], places: Mapping, beside, colour: str) -> None:
    """Each run, a little to the right of its mean."""
    each = [
        (places[point["name"]], seed) for point in points for seed in point["seeds"] if seed["accuracy"] is not None
    ]
    figure.add_scatter(
        x=[beside(x) for x, _ in each], y=[seed["accuracy"] for _, seed in each], mode="markers", name="one seed",
        marker=dict(color=colour, size=6), customdata=[seed["seed"] for _, seed in each],
        hovertemplate="seed %{customdata}: %{y:.1%}<extra></extra>", cliponaxis=False,
    )  # fmt: skip


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


def heights_of(found: Mapping) -> list[float]:
    done = [point for point in found["points"] if point["accuracy"] is not None]
    heights = [point["accuracy"] + sign * point["error"] for point in done for sign in (-1, 1)]
    heights += [each["accuracy"] for point in done for each in point["seeds"] if each["accuracy"] is not None]
    if found["kind"] == "domain-transfer":
        heights += [point["before"] for point in done]
    return heights + [value for _, value, _ in compared_with(found)]


def x_range(found: Mapping) -> tuple[float, float]:
    """The ends of the x axis: a little beyond the outermost values."""
    places, category = places_of(found)
    low, high = min(places.values()), max(places.values())
    if found["scale"] == "log":
        spare = (high / low) ** 0.05 if high > low else 10**0.2
        return low / spare, high * spare
    spare = 0.5 if category else 0.05 * (high - low) or 0.5
    return low - spare, high + spare


def _x_axis(figure: go.Figure, found: Mapping, places: Mapping) -> None:
    """A mark at every value, with its name."""
    names = [plain(name, 24) for name in places]
    if found["scale"] == "log":
        figure.update_xaxes(type="log", range=[math.log10(end) for end in x_range(found)])
    else:
        figure.update_xaxes(range=list(x_range(found)))
    figure.update_xaxes(tickmode="array", tickvals=list(places.values()), ticktext=names)
