"""The printed sheet of a study's figure: its size, its colours on both grounds, words on it, and the heat map on it."""

from collections.abc import Mapping

from embedlab.figures.palette import ACCENT, FIRST_TEN, GRID, GROUND, INK, QUIET_INK, REFERENCE, UNTOUCHED, text_shade
from embedlab.figures.palette import shade as shaded
from embedlab.figures.studies.heat import STEPS, cell_colours, in_cell, value_names
from embedlab.figures.studies.marks import axis_title, told
from embedlab.figures.text import one_line

WIDTH, HEIGHT = 760, 430  # points
LEFT, RIGHT, TOP, BOTTOM = 64, 178, 58, 92
ROLES = {
    "ground": GROUND, "grid": GRID, "ink": INK, "quiet": QUIET_INK, "accent": ACCENT, "untouched": UNTOUCHED,
    "reference": REFERENCE, **{f"series-{number}": shades for number, shades in enumerate(FIRST_TEN)},
}  # fmt: skip
CELLS = {f"cell-{step}": shades for step, shades in enumerate(cell_colours())}
_NAMES, _BAR = 150, 90  # points: for the names of rows on the left, for the scale on the right


def colour_of(role: str, *, dark: bool = False) -> str:
    """The colour of a mark; words are readable in it. Cells lie under words."""
    if role in CELLS:
        return shaded(CELLS[role], dark)
    return (shaded if role in ("ground", "grid") else text_shade)(ROLES[role], dark)


def write(axes, x: float, y: float, line: str, role: str, size: float, **more) -> None:
    """One line in points from the bottom left of the sheet."""
    axes.annotate(line, (x, y), xycoords="figure points", annotation_clip=False, color=colour_of(role), fontsize=size,
                  parse_math=False, **more)  # fmt: skip


def head(axes, found: Mapping, *, middle: float) -> None:
    """What is drawn and by which distance; under it on which corpus, with which encoder and how many seeds."""
    seeds = len(found["seeds"])
    swept = found["series"]["setting"] if found["series"] is not None else ""
    encoder = [] if swept == "encoder" else [found["encoder"]]
    where = ", ".join([found["corpus"]["name"], *encoder, f"{seeds} seed{'s' if seeds > 1 else ''}"])
    title = f"{found['title']}: {axis_title(found)}"
    write(axes, LEFT, HEIGHT - 22, one_line(title, 70), "ink", 14, fontweight="bold")
    write(axes, LEFT, HEIGHT - 41, one_line(where, 90), "quiet", 11)
    write(axes, middle, 12, one_line(found["axis"], 80), "quiet", 12, ha="center")


def heat(axes, found: Mapping) -> None:
    """The cells with their numbers, names on two sides, the scale on the right; axes cover the sheet in points."""
    names, rows = value_names(found), found["series"]["names"]
    left, low, wide, high = LEFT + _NAMES - 40, 60, WIDTH - LEFT - _NAMES - _BAR + 20, HEIGHT - 60 - 80
    across, up = wide / len(names), high / len(rows)
    heights = [point["height"] for point in found["points"] if point["height"] is not None]
    for point in found["points"]:
        column, row = names.index(point["name"]), len(rows) - 1 - rows.index(point["series_name"])
        x, y = left + column * across, low + row * up
        number, under = in_cell(found, point)
        if point["height"] is not None:
            _box(axes, x + 1, y + 1, across - 2, up - 2, f"cell-{_step(point['height'], heights)}")
        role, size = ("quiet", 9) if point["height"] is None else ("ink", 10)
        write(axes, x + across / 2, y + up / 2 + (1 if under else -4), number, role, size, ha="center")
        write(axes, x + across / 2, y + up / 2 - 12, under, "ink", 8, ha="center")
    for number, name in enumerate(names):
        write(axes, left + (number + 0.5) * across, low - 18, one_line(name, 16), "ink", 10, ha="center")
    for number, name in enumerate(reversed(rows)):
        write(axes, left - 8, low + (number + 0.5) * up - 4, one_line(name, 24), "ink", 10, ha="right")
    if heights:
        _scale(axes, found, heights, left + wide + 16, low, high)


def _scale(axes, found: Mapping, heights: list[float], x: float, low: float, high: float) -> None:
    for step in range(STEPS):
        _box(axes, x, low + step * high / STEPS, 14, high / STEPS, f"cell-{step}")
    write(axes, x + 20, low, told(found, min(heights)), "quiet", 9)
    write(axes, x + 20, low + high - 8, told(found, max(heights)), "quiet", 9)


def _step(height: float, heights: list[float]) -> int:
    low, high = min(heights), max(heights)
    return STEPS - 1 if high == low else round((height - low) / (high - low) * (STEPS - 1))


def _box(axes, x: float, y: float, wide: float, high: float, role: str) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x, y), wide, high, facecolor=colour_of(role), linewidth=0))
