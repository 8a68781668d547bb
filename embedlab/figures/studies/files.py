"""The figure of a study as files: SVG for both themes and PNG by matplotlib, HTML by plotly."""

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from embedlab.figures.frame import apart
from embedlab.figures.print_type import printing, with_other_fonts
from embedlab.figures.studies.curve import Series, compared_with, height_range, series_in, study_curve, x_range
from embedlab.figures.studies.drawn import DrawnPoint, DrawnStudy
from embedlab.figures.studies.heat import STEPS, cell_colours, in_cell, study_heat
from embedlab.numbers import counted, percent
from embedlab.palette import ACCENT, FIRST_TEN, GRID, GROUND, INK, QUIET_INK, REFERENCE, UNTOUCHED, text_shade
from embedlab.palette import shade as shaded
from embedlab.plain_text import one_line, shortened

if TYPE_CHECKING:  # matplotlib loads when a figure is drawn
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DASHES = {"dash": "dashed", "dot": "dotted", "solid": "solid"}  # plotly's names and matplotlib's
_UNDATED = dict.fromkeys(("Creator", "Date", "Format", "Type"))


def study_html(study: DrawnStudy) -> bytes:
    """One page with plotly.js included, which opens without a network."""
    figure = study_heat(study) if study.view == "heat" else study_curve(study)
    figure.update_layout(paper_bgcolor=GROUND["light"], plot_bgcolor=GROUND["light"])
    return figure.to_html(include_plotlyjs=True, full_html=True).encode("utf-8")


def study_png(study: DrawnStudy) -> bytes:
    """The figure in the light theme, two pixels per point."""
    return _saved(study, format="png", dpi=144, metadata={"Software": None})


def study_svg(study: DrawnStudy) -> bytes:
    """An SVG that follows the reader's light or dark scheme and carries its alternative text."""
    description = one_line(study.alt, 4000)
    svg = _saved(study, format="svg", metadata={"Title": description, **_UNDATED}).decode()
    head = f'<svg role="img" aria-label={quoteattr(description)} '
    svg = head + svg.partition("<svg ")[2].replace(f'width="{WIDTH}pt" height="{HEIGHT}pt"', "", 1)
    dark_colours = "\n".join(
        f'[style*="{kind}: {colour_of(role)}"] {{ {kind}: {colour_of(role, dark=True)} !important }}'
        for role in (*ROLES, *CELLS)
        for kind in ("fill", "stroke")
    )
    svg = svg.replace("</style>", f"\n@media (prefers-color-scheme: dark) {{\n{dark_colours}\n}}</style>", 1)
    for number, (*_, title) in enumerate([] if study.view == "heat" else _dots(study)):
        dot = f'<g id="said-{number}">'
        svg = svg.replace(dot, f"{dot}<title>{escape(one_line(title))}</title>", 1)
    return with_other_fonts(svg).encode()


def _saved(study: DrawnStudy, **options: Any) -> bytes:
    sink = io.BytesIO()
    names = [name for name, *_ in compared_with(study)] + [series.name for series in series_in(study)]
    with printing([study.title, study.corpus, study.encoder, study.axis, *names]):
        _figure(study).savefig(sink, **options)
    return sink.getvalue()


def _figure(study: DrawnStudy) -> "Figure":
    """Draw all elements of the figure, back to front, on a page of 760 × 430 points."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH / 72, HEIGHT / 72), dpi=72, facecolor=colour_of("ground"))
    if study.view == "heat":
        axes = figure.add_axes((0, 0, 1, 1), frameon=False, xlim=(0, WIDTH), ylim=(0, HEIGHT), xticks=[], yticks=[])
        head(axes, study, middle=WIDTH / 2)
        heat(axes, study)
        return figure
    axes = figure.add_axes(
        (LEFT / WIDTH, BOTTOM / HEIGHT, 1 - (LEFT + RIGHT) / WIDTH, 1 - (TOP + BOTTOM) / HEIGHT), frameon=False
    )
    axes.set_xscale("log" if study.scale == "log" else "linear")
    axes.set_xlim(*x_range(study))
    _heights(axes, study)
    head(axes, study, middle=(LEFT + WIDTH - RIGHT) / 2)
    _value_names(axes, study)
    _ends(axes, study)
    for series in series_in(study):
        _points(axes, study, series)
    for number, (x, height, role, mark, _) in enumerate(_dots(study)):  # each has its value as a tooltip
        face = "none" if role == "untouched" else colour_of(role)
        axes.plot([x], [height], mark, color=colour_of(role), markerfacecolor=face, markeredgewidth=1.5,
                  markersize=8, clip_on=False, gid=f"said-{number}")  # fmt: skip
    return figure


def _heights(axes: "Axes", study: DrawnStudy) -> None:
    """The y axis: the measure, shares in percent, and a light grid."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    low, high = height_range(study)
    axes.set_ylim(low, high)
    axes.yaxis.set_major_locator(MaxNLocator(7, steps=[1, 2, 5, 10]))
    if study.unit == "share":
        axes.yaxis.set_major_formatter(PercentFormatter(1, 0 if high - low > 0.04 else 1, " %"))
    else:
        axes.ticklabel_format(axis="y", useOffset=False)
    axes.tick_params(axis="y", length=0, pad=8, labelsize=11, labelcolor=colour_of("quiet"))
    axes.grid(axis="y", color=colour_of("grid"), linewidth=1)


def _value_names(axes: "Axes", study: DrawnStudy) -> None:
    """Each value, with the steps and usable texts of its point below it."""
    axes.set_xticks(list(study.places.values()), labels=[])
    axes.minorticks_off()
    axes.tick_params(axis="x", length=5, width=1, color=colour_of("quiet"))
    along = [axes.transData.transform((position, 0))[0] for position in study.places.values()]
    room = (WIDTH - LEFT - RIGHT) / len(along)
    names = [one_line(name, 16) for name in study.places]
    size = 10 if room > 52 else 9
    for value, name, x in zip(study.places, names, apart(along, min(7 * max(map(len, names)) + 6, room)), strict=True):
        points = [point for point in study.points if point.name == value]
        steps, texts = _span(point.steps for point in points), _span(point.usable_texts for point in points)
        if not steps:
            steps = "gap" if any(dot.is_over for point in points for dot in point.dots) else "–"
        write(axes, x, BOTTOM - 20, name, "ink", 11, ha="center")
        write(axes, x, BOTTOM - 36, steps, "quiet", size, ha="center")
        write(axes, x, BOTTOM - 51, texts, "quiet", size, ha="center")
    write(axes, LEFT - 8, BOTTOM - 36, "steps", "quiet", 10, ha="right")
    write(axes, LEFT - 8, BOTTOM - 51, "texts", "quiet", 10, ha="right")


def _span(numbers: Iterable[float | None]) -> str:
    """The range over all series at one value: ``120``, or ``80–120`` where they differ; empty if none has it."""
    measured = [number for number in numbers if number is not None]
    low, high = (_short(end(measured)) if measured else "" for end in (min, max))
    return low if low == high else f"{low}–{high}"


def _ends(axes: "Axes", study: DrawnStudy) -> None:
    """Labels of reference lines and series at their right ends, without overlaps."""
    named: list[tuple[float, str, str, str | None]] = []
    for name, value, role, dash in compared_with(study):
        axes.axhline(value, color=colour_of(role), linewidth=1.5, linestyle=_DASHES[dash])
        named.append((value, one_line(name), role, None))
    for series in series_in(study):
        if series.name and series.done:
            named.append((series.done[-1].height, one_line(series.name), _role(series), series.printed))
    ends = apart([axes.transData.transform((1, value))[1] for value, *_ in named], 16)
    for (_, name, role, mark), end in zip(named, ends, strict=True):
        if mark is not None:
            axes.plot([(WIDTH - RIGHT + 13) / 72], [end / 72], mark, color=colour_of(role), markersize=7,
                      clip_on=False, transform=axes.figure.dpi_scale_trans)  # fmt: skip
        write(axes, WIDTH - RIGHT + (8 if mark is None else 22), end - 4, shortened(name, 24), role, 11)


def _role(series: Series) -> str:
    """The role of the series' colour: the accent if the study has no series."""
    return f"series-{series.number % len(FIRST_TEN)}" if series.name else "accent"


def _points(axes: "Axes", study: DrawnStudy, series: Series) -> None:
    """Means with their errors, and seeds as faint dots slightly to the right."""
    from matplotlib.transforms import ScaledTranslation

    done, colour = series.done, colour_of(_role(series))
    x, y = [study.places[point.name] + series.aside for point in done], [point.height for point in done]
    aside = axes.transData + ScaledTranslation(11 / 72, 0, axes.figure.dpi_scale_trans)
    faint: dict[str, Any] = dict(
        color=colour, alpha=0.4, markersize=6, markeredgewidth=0, clip_on=False, transform=aside
    )
    for middle, point in zip(x, done, strict=True):
        for dot in point.dots:
            if dot.height is not None:
                axes.plot([middle], [dot.height], series.printed, **faint)
    if len(done) > 1 and not study.has_words:
        axes.plot(x, y, color=colour, linewidth=2, clip_on=False)
    errors = [point.error or 0 for point in done]
    if any(errors):
        axes.errorbar(x, y, yerr=errors, fmt="none", color=colour, elinewidth=1.5, capsize=4)


def _dots(study: DrawnStudy) -> list[tuple[float, float, str, str, str]]:
    """Position, height, colour, marker and tooltip of the means and, below them, of the first phase alone."""
    each = [
        (study.places[point.name] + series.aside, series, point) for series in series_in(study) for point in series.done
    ]
    means = [
        (x, point.height, _role(series), series.printed, f"{point.label}: {study.in_words(point.height, point.error)}")
        for x, series, point in each
    ]
    before = [
        (x, point.first_phase, "untouched", "o", f"before: {percent(point.first_phase)}")
        for x, _, point in each
        if point.first_phase is not None
    ]
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


def head(axes: "Axes", study: DrawnStudy, *, middle: float) -> None:
    """The title with measure and distance; below it the corpus, the encoder and the number of seeds."""
    encoder = [] if study.series_setting == "encoder" else [study.encoder]
    where = ", ".join([study.corpus, *encoder, counted(study.seeds, "seed")])
    write(axes, LEFT, HEIGHT - 22, one_line(f"{study.title}: {study.y_title}", 70), "ink", 14, fontweight="bold")
    write(axes, LEFT, HEIGHT - 41, one_line(where, 90), "quiet", 11)
    write(axes, middle, 12, one_line(study.axis, 80), "quiet", 12, ha="center")


def heat(axes: "Axes", study: DrawnStudy) -> None:
    """The cells with their numbers, names on two sides, the scale on the right; ``axes`` spans the page in points."""
    names, rows = study.value_names, study.series
    left, low, wide, high = LEFT + _NAMES - 40, 60, WIDTH - LEFT - _NAMES - _BAR + 20, HEIGHT - 60 - 80
    across, up = wide / len(names), high / len(rows)
    heights = [point.height for point in study.done]
    least, most = min(heights, default=0.0), max(heights, default=0.0)
    for point in study.points:
        column, row = names.index(point.name), len(rows) - 1 - rows.index(point.series_name)
        x, y = left + column * across, low + row * up
        number, under = in_cell(study, point)
        role, size = "quiet", 9
        if isinstance(point, DrawnPoint):
            share = 1.0 if most == least else (point.height - least) / (most - least)
            _box(axes, x + 1, y + 1, across - 2, up - 2, f"cell-{round(share * (STEPS - 1))}")
            role, size = "ink", 10
        write(axes, x + across / 2, y + up / 2 + (1 if under else -4), number, role, size, ha="center")
        write(axes, x + across / 2, y + up / 2 - 12, under, "ink", 8, ha="center")
    for index, name in enumerate(names):
        write(axes, left + (index + 0.5) * across, low - 18, one_line(name, 16), "ink", 10, ha="center")
    for index, name in enumerate(reversed(rows)):
        write(axes, left - 8, low + (index + 0.5) * up - 4, one_line(name, 24), "ink", 10, ha="right")
    if heights:
        x = left + wide + 16
        for step in range(STEPS):
            _box(axes, x, low + step * high / STEPS, 14, high / STEPS, f"cell-{step}")
        write(axes, x + 20, low, study.in_words(least), "quiet", 9)
        write(axes, x + 20, low + high - 8, study.in_words(most), "quiet", 9)


def _box(axes: "Axes", x: float, y: float, wide: float, high: float, role: str) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x, y), wide, high, facecolor=colour_of(role), linewidth=0))
