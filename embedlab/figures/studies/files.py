"""The figure of a study as files: SVG for both themes and PNG by matplotlib, HTML by plotly."""

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from embedlab.figures.frame import apart
from embedlab.figures.print_type import printing, with_other_fonts
from embedlab.figures.studies.curve import (
    Series,
    alt,
    axis_title,
    compared_with,
    height_range,
    is_accuracy,
    label_of,
    places_of,
    series_in,
    study_curve,
    told,
    x_range,
)
from embedlab.figures.studies.heat import STEPS, cell_colours, in_cell, study_heat, value_names
from embedlab.numbers import counted, percent
from embedlab.palette import ACCENT, FIRST_TEN, GRID, GROUND, INK, QUIET_INK, REFERENCE, UNTOUCHED, text_shade
from embedlab.palette import shade as shaded
from embedlab.plain_text import one_line, shortened

if TYPE_CHECKING:  # matplotlib loads when a figure is drawn
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DASHES = {"dash": "dashed", "dot": "dotted", "solid": "solid"}  # plotly's names and matplotlib's
_UNDATED = dict.fromkeys(("Creator", "Date", "Format", "Type"))


def is_heat(summary: Mapping) -> bool:
    """Whether the summary is drawn as a heat map; its ``view`` decides, lines are the default."""
    return summary.get("view") == "heat"


def study_html(summary: Mapping) -> bytes:
    """One page with plotly.js included, which opens without a network."""
    figure = study_heat(summary) if is_heat(summary) else study_curve(summary)
    figure.update_layout(paper_bgcolor=GROUND["light"], plot_bgcolor=GROUND["light"])
    return figure.to_html(include_plotlyjs=True, full_html=True).encode("utf-8")


def study_png(summary: Mapping) -> bytes:
    """The figure in the light theme, two pixels per point."""
    return _saved(summary, format="png", dpi=144, metadata={"Software": None})


def study_svg(summary: Mapping) -> bytes:
    """An SVG that follows the reader's light or dark scheme and carries its alternative text."""
    description = one_line(alt(summary), 4000)
    svg = _saved(summary, format="svg", metadata={"Title": description, **_UNDATED}).decode()
    head = f'<svg role="img" aria-label={quoteattr(description)} '
    svg = head + svg.partition("<svg ")[2].replace(f'width="{WIDTH}pt" height="{HEIGHT}pt"', "", 1)
    svg = svg.replace("</style>", f"\n@media (prefers-color-scheme: dark) {{\n{_dark_colours()}\n}}</style>", 1)
    for number, (*_, title) in enumerate([] if is_heat(summary) else _dots(summary)):
        dot = f'<g id="said-{number}">'
        svg = svg.replace(dot, f"{dot}<title>{escape(one_line(title))}</title>", 1)
    return with_other_fonts(svg).encode()


def _dark_colours() -> str:
    """CSS that replaces each light colour by its dark variant."""
    return "\n".join(
        f'[style*="{kind}: {colour_of(role)}"] {{ {kind}: {colour_of(role, dark=True)} !important }}'
        for role in (*ROLES, *CELLS)
        for kind in ("fill", "stroke")
    )


def _saved(summary: Mapping, **options: Any) -> bytes:
    sink, where = io.BytesIO(), summary["corpus"]["name"]
    names = [name for name, *_ in compared_with(summary)] + [series.name for series in series_in(summary)]
    with printing([summary["title"], where, summary["encoder"], summary["axis"], *names]):
        _figure(summary).savefig(sink, **options)
    return sink.getvalue()


def _figure(summary: Mapping) -> "Figure":
    """Draw all elements of the figure, back to front, on a page of 760 × 430 points."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH / 72, HEIGHT / 72), dpi=72, facecolor=colour_of("ground"))
    if is_heat(summary):
        axes = figure.add_axes((0, 0, 1, 1), frameon=False, xlim=(0, WIDTH), ylim=(0, HEIGHT), xticks=[], yticks=[])
        head(axes, summary, middle=WIDTH / 2)
        heat(axes, summary)
        return figure
    axes = figure.add_axes(
        (LEFT / WIDTH, BOTTOM / HEIGHT, 1 - (LEFT + RIGHT) / WIDTH, 1 - (TOP + BOTTOM) / HEIGHT), frameon=False
    )
    places, category = places_of(summary)
    axes.set_xscale("log" if summary["scale"] == "log" else "linear")
    axes.set_xlim(*x_range(summary))
    _heights(axes, summary)
    head(axes, summary, middle=(LEFT + WIDTH - RIGHT) / 2)
    _value_names(axes, summary, places)
    _ends(axes, summary)
    for series in series_in(summary):
        _points(axes, summary, series, places, is_line=not category)
    _dotted(axes, summary)
    return figure


def _heights(axes: "Axes", summary: Mapping) -> None:
    """The y axis: the measure, shares in percent, and a light grid."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    low, high = height_range(summary)
    axes.set_ylim(low, high)
    axes.yaxis.set_major_locator(MaxNLocator(7, steps=[1, 2, 5, 10]))
    if summary["measure"]["unit"] == "share":
        axes.yaxis.set_major_formatter(PercentFormatter(1, 0 if high - low > 0.04 else 1, " %"))
    else:
        axes.ticklabel_format(axis="y", useOffset=False)
    axes.tick_params(axis="y", length=0, pad=8, labelsize=11, labelcolor=colour_of("quiet"))
    axes.grid(axis="y", color=colour_of("grid"), linewidth=1)


def _value_names(axes: "Axes", summary: Mapping, places: Mapping[str, float]) -> None:
    """Each value, with the steps and usable texts of its point below it."""
    axes.set_xticks(list(places.values()), labels=[])
    axes.minorticks_off()
    axes.tick_params(axis="x", length=5, width=1, color=colour_of("quiet"))
    along = [axes.transData.transform((position, 0))[0] for position in places.values()]
    room = (WIDTH - LEFT - RIGHT) / len(along)
    names = [one_line(name, 16) for name in places]
    size = 10 if room > 52 else 9
    for value, name, x in zip(places, names, apart(along, min(7 * max(map(len, names)) + 6, room)), strict=True):
        points = [point for point in summary["points"] if point["name"] == value]
        done = [point for point in points if point["accuracy"] is not None]
        steps, texts = (_span(done, "steps"), _span(done, "usable_texts")) if done else (_missing(points), "")
        write(axes, x, BOTTOM - 20, name, "ink", 11, ha="center")
        write(axes, x, BOTTOM - 36, steps, "quiet", size, ha="center")
        write(axes, x, BOTTOM - 51, texts, "quiet", size, ha="center")
    write(axes, LEFT - 8, BOTTOM - 36, "steps", "quiet", 10, ha="right")
    write(axes, LEFT - 8, BOTTOM - 51, "texts", "quiet", 10, ha="right")


def _span(points: list[Mapping], name: str) -> str:
    """The range over all series at one value: ``120``, or ``80–120`` where they differ."""
    low, high = (_short(end(point[name] for point in points)) for end in (min, max))
    return low if low == high else f"{low}–{high}"


def _missing(points: list[Mapping]) -> str:
    """Says whether a point failed or is still to come."""
    over = any(each["state"] in ("failed", "stopped", "interrupted") for point in points for each in point["seeds"])
    return "gap" if over else "–"


def _ends(axes: "Axes", summary: Mapping) -> None:
    """Labels of reference lines and series at their right ends, without overlaps."""
    named: list[tuple[float, str, str, str | None]] = []
    for name, value, role, dash in compared_with(summary):
        axes.axhline(value, color=colour_of(role), linewidth=1.5, linestyle=_DASHES[dash])
        named.append((value, one_line(name), role, None))
    for series in series_in(summary):
        if series.name and series.done:
            named.append((series.done[-1]["height"], one_line(series.name), _role(series), series.printed))
    ends = apart([axes.transData.transform((1, value))[1] for value, *_ in named], 16)
    for (_, name, role, mark), end in zip(named, ends, strict=True):
        if mark is not None:
            spot = axes.figure.dpi_scale_trans
            axes.plot([(WIDTH - RIGHT + 13) / 72], [end / 72], mark, color=colour_of(role), markersize=7,
                      clip_on=False, transform=spot)  # fmt: skip
        write(axes, WIDTH - RIGHT + (8 if mark is None else 22), end - 4, shortened(name, 24), role, 11)


def _role(series: Series) -> str:
    """The role of the series' colour: the accent if the study has no series."""
    return f"series-{series.number % len(FIRST_TEN)}" if series.name else "accent"


def _points(axes: "Axes", summary: Mapping, series: Series, places: Mapping[str, float], *, is_line: bool) -> None:
    """Means with their errors, and seeds as faint dots slightly to the right."""
    from matplotlib.transforms import ScaledTranslation

    done, colour = series.done, colour_of(_role(series))
    x, y = [places[point["name"]] + series.aside for point in done], [point["height"] for point in done]
    seeds = [(x_of_seed, seed["height"]) for x_of_seed, point in zip(x, done, strict=True) for seed in point["seeds"]]
    aside = axes.transData + ScaledTranslation(11 / 72, 0, axes.figure.dpi_scale_trans)
    faint: dict[str, Any] = dict(
        color=colour, alpha=0.4, markersize=6, markeredgewidth=0, clip_on=False, transform=aside
    )
    for x_of_seed, height in seeds:
        if height is not None:
            axes.plot([x_of_seed], [height], series.printed, **faint)
    if is_line and len(done) > 1:
        axes.plot(x, y, color=colour, linewidth=2, clip_on=False)
    errors = [point["height_error"] or 0 for point in done]
    if any(errors):
        axes.errorbar(x, y, yerr=errors, fmt="none", color=colour, elinewidth=1.5, capsize=4)


def _dotted(axes: "Axes", summary: Mapping) -> None:
    """The dots of the means, drawn first; each has its value as a tooltip."""
    for number, (x, height, role, mark, _) in enumerate(_dots(summary)):
        face = "none" if role == "untouched" else colour_of(role)
        axes.plot([x], [height], mark, color=colour_of(role), markerfacecolor=face, markeredgewidth=1.5,
                  markersize=8, clip_on=False, gid=f"said-{number}")  # fmt: skip


def _dots(summary: Mapping) -> list[tuple[float, float, str, str, str]]:
    """Position, height, colour, marker and tooltip of the means and, below them, of the first phase alone."""
    places, _ = places_of(summary)
    each = [(series, point) for series in series_in(summary) for point in series.done]
    means = [
        (places[point["name"]] + series.aside, point["height"], _role(series), series.printed,
         f"{label_of(point)}: {told(summary, point['height'], point['height_error'])}")
        for series, point in each
    ]  # fmt: skip
    before = [
        (places[point["name"]] + series.aside, point["before"], "untouched", "o", f"before: {percent(point['before'])}")
        for series, point in each if summary["kind"] == "domain-transfer" and is_accuracy(summary)
    ]  # fmt: skip
    return before + means


def _short(number: float) -> str:
    return f"{number:,.0f}" if number < 100_000 else f"{number / 1000:,.0f}k"


WIDTH, HEIGHT = 760, 430  # points
LEFT, RIGHT, TOP, BOTTOM = 64, 178, 58, 92
ROLES = {
    "ground": GROUND, "grid": GRID, "ink": INK, "quiet": QUIET_INK, "accent": ACCENT, "untouched": UNTOUCHED,
    "reference": REFERENCE, **{f"series-{number}": shades for number, shades in enumerate(FIRST_TEN)},
}  # fmt: skip
CELLS = {f"cell-{step}": shades for step, shades in enumerate(cell_colours())}
_NAMES, _BAR = 150, 90  # points: for the names of rows on the left, for the scale on the right


def colour_of(role: str, *, dark: bool = False) -> str:
    """A marker's colour, dark enough for text; text in cells is drawn on top of the cells."""
    if role in CELLS:
        return shaded(CELLS[role], dark)
    return (shaded if role in ("ground", "grid") else text_shade)(ROLES[role], dark)


def write(axes: "Axes", x: float, y: float, line: str, role: str, size: float, **more: Any) -> None:
    """One line of text, positioned in points from the bottom left of the page."""
    axes.annotate(line, (x, y), xycoords="figure points", annotation_clip=False, color=colour_of(role), fontsize=size,
                  parse_math=False, **more)  # fmt: skip


def head(axes: "Axes", summary: Mapping, *, middle: float) -> None:
    """The title with measure and distance; below it the corpus, the encoder and the number of seeds."""
    seeds = len(summary["seeds"])
    swept = summary["series"]["setting"] if summary["series"] is not None else ""
    encoder = [] if swept == "encoder" else [summary["encoder"]]
    where = ", ".join([summary["corpus"]["name"], *encoder, counted(seeds, "seed")])
    title = f"{summary['title']}: {axis_title(summary)}"
    write(axes, LEFT, HEIGHT - 22, one_line(title, 70), "ink", 14, fontweight="bold")
    write(axes, LEFT, HEIGHT - 41, one_line(where, 90), "quiet", 11)
    write(axes, middle, 12, one_line(summary["axis"], 80), "quiet", 12, ha="center")


def heat(axes: "Axes", summary: Mapping) -> None:
    """The cells with their numbers, names on two sides, the scale on the right; ``axes`` spans the page in points."""
    names, rows = value_names(summary), summary["series"]["names"]
    left, low, wide, high = LEFT + _NAMES - 40, 60, WIDTH - LEFT - _NAMES - _BAR + 20, HEIGHT - 60 - 80
    across, up = wide / len(names), high / len(rows)
    heights = [point["height"] for point in summary["points"] if point["height"] is not None]
    for point in summary["points"]:
        column, row = names.index(point["name"]), len(rows) - 1 - rows.index(point["series_name"])
        x, y = left + column * across, low + row * up
        number, under = in_cell(summary, point)
        if point["height"] is not None:
            _box(axes, x + 1, y + 1, across - 2, up - 2, f"cell-{_step(point['height'], heights)}")
        role, size = ("quiet", 9) if point["height"] is None else ("ink", 10)
        write(axes, x + across / 2, y + up / 2 + (1 if under else -4), number, role, size, ha="center")
        write(axes, x + across / 2, y + up / 2 - 12, under, "ink", 8, ha="center")
    for index, name in enumerate(names):
        write(axes, left + (index + 0.5) * across, low - 18, one_line(name, 16), "ink", 10, ha="center")
    for index, name in enumerate(reversed(rows)):
        write(axes, left - 8, low + (index + 0.5) * up - 4, one_line(name, 24), "ink", 10, ha="right")
    if heights:
        _scale(axes, summary, heights, left + wide + 16, low, high)


def _scale(axes: "Axes", summary: Mapping, heights: list[float], x: float, low: float, high: float) -> None:
    for step in range(STEPS):
        _box(axes, x, low + step * high / STEPS, 14, high / STEPS, f"cell-{step}")
    write(axes, x + 20, low, told(summary, min(heights)), "quiet", 9)
    write(axes, x + 20, low + high - 8, told(summary, max(heights)), "quiet", 9)


def _step(height: float, heights: list[float]) -> int:
    low, high = min(heights), max(heights)
    return STEPS - 1 if high == low else round((height - low) / (high - low) * (STEPS - 1))


def _box(axes: "Axes", x: float, y: float, wide: float, high: float, role: str) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x, y), wide, high, facecolor=colour_of(role), linewidth=0))
