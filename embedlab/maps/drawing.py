"""Maps as figures for a paper: rasterised points, vector type and legend; the same bytes for the same map."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from embedlab.figures.print_type import measured, printing, with_other_fonts, wrapped
from embedlab.palette import GROUND, INK, QUIET_INK, UNLABELED, Shades, text_shade
from embedlab.plain_text import one_line
from embedlab.plane import densest_places
from embedlab.store_root import atomic_write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_UNDATED = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {"Software": None}}
_INK_SHARE = 0.22  # of the frame, were no point to lie on another


class Drawn(NamedTuple):
    """The size of a figure in pixels, and the characters that no font could draw."""

    width: int
    height: int
    unseen: str


def draw(picture: MapFigure, out: Path, *, width_mm: float, dpi: int) -> Drawn:
    """Write the figure in the format of the file's ending.

    PNG is ``width_mm`` wide at ``dpi``; PDF and SVG hold one image a map at that resolution and all else as vectors.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    written = out.suffix.removeprefix(".")
    strings = [picture.title, picture.caption, *picture.class_names, *(panel.title for panel in picture.panels)]
    with printing(strings) as unseen:
        width = round(width_mm * MM * dpi) / dpi  # inches; whole pixels
        layout = FigureLayout(picture, width)
        height = round(layout.height * dpi) / dpi
        figure = Figure(figsize=(width, height), dpi=dpi, facecolor=GROUND["light"])
        FigureCanvasAgg(figure)
        halos = _paint(figure, picture, layout, as_text=written == "svg")
        # a page of the exact size: matplotlib would cut 1003.9999 pixels to 1003
        figure.set_size_inches(width + 1e-9, height + 1e-9)
        with atomic_write(out) as temporary:
            figure.savefig(temporary, format=written, dpi=dpi, metadata=_UNDATED[written])
            if written == "svg":
                temporary.write_text(
                    with_halos(temporary.read_text("utf-8"), halos, GROUND["light"]), "utf-8", newline="\n"
                )
    return Drawn(round(width * dpi), round(height * dpi), "" if written == "svg" else unseen)


def _paint(figure: Figure, picture: MapFigure, layout: FigureLayout, *, as_text: bool) -> int:
    """Draw everything on the figure; returns how many names have a halo of their own (SVG)."""
    ink, quiet = INK["light"], QUIET_INK["light"]
    y = layout.height - MARGIN * MM
    for line in layout.heading:
        y = _write(figure, layout, MARGIN * MM, y, line, SIZES["title"] + 1, ink, weight="bold")
    halos = 0
    for number, panel in enumerate(picture.panels):
        axes = _frame(figure, layout, number)
        _points(axes, panel, picture.colours, layout)
        top = layout.bottom + layout.frame_height + layout.above
        left = layout.left(number)
        if any(each.title for each in picture.panels):
            top = _write(figure, layout, left, top, panel.title, SIZES["title"], ink, weight="bold")
        if panel.corner:
            _write(figure, layout, left, top, panel.corner, SIZES["corner"], quiet)
        if picture.names == "map":
            halos += _names(figure, axes, panel, picture, layout, as_text=as_text, first=halos)
    if layout.legend:
        _legend(figure, picture, layout)
    y = MARGIN * MM + layout.caption_height - (1.0 * MM if layout.caption else 0.0)
    for line in layout.caption:
        y = _write(figure, layout, MARGIN * MM, y, line, SIZES["caption"], quiet)
    return halos


def _frame(figure: Figure, layout: FigureLayout, number: int) -> Axes:
    """A thin frame with equal aspect, without ticks."""
    width, height = layout.width, layout.height
    axes = figure.add_axes(
        (layout.left(number) / width, layout.bottom / height, layout.side / width, layout.frame_height / height)
    )
    axes.set_facecolor(GROUND["light"])
    low, high = layout.corners
    unit = max((high[0] - low[0]) / layout.side, (high[1] - low[1]) / layout.frame_height)
    half = np.array([layout.side, layout.frame_height]) * unit / 2
    middle = (low + high) / 2
    axes.set_xlim(middle[0] - half[0], middle[0] + half[0])
    axes.set_ylim(middle[1] - half[1], middle[1] + half[1])
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set(linewidth=0.4, color="#c9d0da")
    return axes


def _points(axes: Axes, panel: MapPanel, colours: Sequence[Shades], layout: FigureLayout) -> None:
    """All points as one image: faint ones first, then texts without a class, then the classes in shuffled order."""
    from matplotlib.colors import to_rgba_array

    texts = len(panel.coordinates)
    if not texts:
        return
    radius, alpha = point_size(texts, layout.side * layout.frame_height * POINTS**2)
    has_class = (panel.categories >= 0) & (panel.categories < len(colours))
    palette = to_rgba_array([*(each["light"] for each in colours), UNLABELED["light"]])
    rgba = palette[np.where(has_class, panel.categories, len(colours))]
    rgba[:, 3] = alpha
    faint = np.zeros(texts, bool) if panel.faint is None else panel.faint
    rgba[faint] = (*to_rgba_array(UNLABELED["light"])[0][:3], 0.5 * alpha)
    order = np.random.default_rng(0).permutation(texts)
    order = order[np.argsort(np.where(faint, 0, np.where(has_class, 2, 1))[order], kind="stable")]
    x, y = panel.coordinates[order].T
    axes.scatter(x, y, s=(2 * radius) ** 2, c=rgba[order], linewidths=0, rasterized=True, zorder=1)


def point_size(texts: int, frame: float) -> tuple[float, float]:
    """The radius of a point in points of type, and its opacity: the more texts, the smaller and fainter.

    frame: the area of the frame in square points -> 0.18 … 1.8, 0.35 … 0.9
    """
    radius = float(np.sqrt(_INK_SHARE * frame / (np.pi * texts)))
    alpha = 0.9 if radius > 0.6 else 0.9 - 0.55 * (0.6 - radius) / 0.6
    return float(np.clip(radius, 0.18, 1.8)), float(np.clip(alpha, 0.35, 0.9))


def _names(
    figure: Figure, axes: Axes, panel: MapPanel, picture: MapFigure, layout: FigureLayout, *, as_text: bool, first: int
) -> int:
    """Write class names where their classes are densest, without overlaps; returns how many were written."""
    from matplotlib.patheffects import Stroke

    is_named = ~panel.faint if panel.faint is not None else np.ones(len(panel.coordinates), bool)
    places = densest_places(panel.coordinates[is_named], panel.categories[is_named], len(picture.class_names))
    names = [one_line(name, 26) for name in picture.class_names]
    frame = axes.get_window_extent()
    scale = POINTS / figure.dpi
    sizes = np.array([measured(name, SIZES["name"], bold=True) for name in names]).reshape(-1, 2)
    at = axes.transData.transform(np.nan_to_num(places.middles)) * scale
    box = np.array([[frame.x0, frame.y0], [frame.x1, frame.y1]]) * scale
    written = spread_names(at, sizes, places.sizes, box)
    for number, (category, x, y) in enumerate(written):
        lettering: dict[str, Any] = {
            "x": x / POINTS,
            "y": y / POINTS,
            "s": names[category],
            "transform": figure.dpi_scale_trans,
            "ha": "center",
            "va": "center",
            "fontsize": SIZES["name"],
            "fontweight": "bold",
            "parse_math": False,
        }
        halo = axes.text(**lettering, color=GROUND["light"], zorder=3)
        if as_text:
            halo.set_gid(f"halo-{first + number}")
        else:
            halo.set_path_effects([Stroke(linewidth=1.6, foreground=GROUND["light"], joinstyle="round")])
        axes.text(**lettering, color=text_shade(picture.colours[category], dark=False), zorder=4)
    return len(written)


def _legend(figure: Figure, picture: MapFigure, layout: FigureLayout) -> None:
    from matplotlib.patches import Ellipse

    inner = layout.width - 2 * MARGIN * MM
    top = layout.bottom - 1.5 * MM
    for number, (name, colour) in enumerate(layout.legend):
        column, row = divmod(number, layout.rows)
        x = MARGIN * MM + column * inner / layout.columns
        y = top - lines_high(row, SIZES["legend"])
        if colour:
            middle = ((x + 1.0 * MM) / layout.width, (y - 0.55 * lines_high(1, SIZES["legend"])) / layout.height)
            dot = Ellipse(middle, 1.5 * MM / layout.width, 1.5 * MM / layout.height, facecolor=colour, linewidth=0)
            figure.add_artist(dot)
        _write(figure, layout, x + 2.6 * MM, y, name, SIZES["legend"], INK["light"])


def _write(
    figure: Figure,
    layout: FigureLayout,
    x: float,
    y: float,
    line: str,
    size: float,
    colour: str,
    *,
    weight: str = "normal",
) -> float:
    """Write one line with its top at ``y`` inches; returns the top of the next one."""
    height = lines_high(1, size)
    below = y - 0.78 * height
    figure.text(
        x / layout.width, below / layout.height, one_line(line), fontsize=size, color=colour, fontweight=weight,
        ha="left", va="baseline", parse_math=False,
    )  # fmt: skip
    return y - height


def with_halos(svg: str, count: int, colour: str) -> str:
    """Give the text of each group ``halo-0`` … ``halo-(count − 1)`` a stroke, and hide it from screen readers."""
    stroke = f"stroke: {colour}; stroke-width: 1.6; stroke-linejoin: round; "
    pattern = re.compile(r'<g id="halo-(\d+)">(\s*(?:<!--.*?-->\s*)?(?:<g[^>]*>\s*)?<text style=")', re.DOTALL)
    replaced, made = pattern.subn(rf'<g id="halo-\1" aria-hidden="true">\g<2>{stroke}', svg)
    if made != count:
        raise ValueError(f"Expected {count} names with a halo in the figure, but found {made}.")
    return with_other_fonts(replaced)


MM = 1 / 25.4  # inches
POINTS = 72  # to the inch
NO_CLASS = -1
MARGIN, GAP = 1.0, 3.0  # mm
SIZES = {"title": 7.5, "corner": 6.0, "name": 5.5, "caption": 6.0, "legend": 6.0}  # points of type
_LEGEND_AT_MOST = 40
_AIR = np.array([1.2, 0.6])  # points of type around a name


@dataclass(frozen=True)
class MapPanel:
    """One map: coordinates (texts, 2), the class of each text (texts,) or −1, and the lines above its frame."""

    coordinates: np.ndarray
    categories: np.ndarray
    title: str = ""
    corner: str = ""
    faint: np.ndarray | None = None  # (texts,) bool: drawn behind the others, in grey


@dataclass(frozen=True)
class MapFigure:
    """One map, or two side by side with the same classes."""

    panels: Sequence[MapPanel]
    class_names: Sequence[str] = ()
    colours: Sequence[Shades] = field(default_factory=tuple)
    title: str = ""
    caption: str = ""
    names: str = "map"  # class names on the map, in a legend below, or none


class FigureLayout:
    """Positions of all elements, in inches from the bottom left."""

    def __init__(self, picture: MapFigure, width: float):
        self.width, self.count = width, len(picture.panels)
        inner = width - 2 * MARGIN * MM
        self.side = (inner - (self.count - 1) * GAP * MM) / self.count
        self.corners = limits(picture.panels)
        wide, high = self.corners[1] - self.corners[0]
        self.frame_height = self.side * float(np.clip(high / wide, 0.6, 1.0))
        self.heading = wrapped(picture.title, SIZES["title"] + 1, inner, bold=True)
        self.caption = wrapped(picture.caption, SIZES["caption"], inner)
        self.legend: list[tuple[str, str]] = []  # name and colour of the classes, the largest first
        self.columns, self.rows = 1, 0
        if picture.names == "legend" and picture.class_names:
            classes = zip(picture.class_names, picture.colours, strict=True)
            self.legend = [(one_line(name, 40), colour["light"]) for name, colour in classes]
            if (more := len(self.legend) - _LEGEND_AT_MOST + 1) > 1:
                self.legend[_LEGEND_AT_MOST - 1 :] = [(f"and {more:,} more classes", "")]
            longest = max(measured(name, SIZES["legend"])[0] for name, _ in self.legend) / POINTS + 4.0 * MM
            self.columns = min(max(int(inner // longest), 1), len(self.legend))
            self.rows = -(-len(self.legend) // self.columns)
        self.above = lines_high(bool(any(panel.title for panel in picture.panels)), SIZES["title"])
        self.above += lines_high(bool(any(panel.corner for panel in picture.panels)), SIZES["corner"])
        self.top = lines_high(len(self.heading), SIZES["title"] + 1) + (1.0 * MM if self.heading else 0.0)
        self.legend_height = lines_high(self.rows, SIZES["legend"]) + (1.5 * MM if self.rows else 0.0)
        self.caption_height = lines_high(len(self.caption), SIZES["caption"]) + (1.0 * MM if self.caption else 0.0)
        self.bottom = MARGIN * MM + self.caption_height + self.legend_height
        self.height = self.bottom + self.frame_height + self.above + self.top + MARGIN * MM

    def left(self, number: int) -> float:
        """The left edge of one panel."""
        return MARGIN * MM + number * (self.side + GAP * MM)


def limits(panels: Sequence[MapPanel]) -> np.ndarray:
    """The corners that contain all points of all panels, plus a margin; the same for both panels so that positions
    compare.

    -> (2, 2): (left, bottom), (right, top)
    """
    placed = [panel.coordinates for panel in panels if len(panel.coordinates)] or [np.zeros((1, 2))]
    low = np.min([each.min(axis=0) for each in placed], axis=0).astype(float)
    high = np.max([each.max(axis=0) for each in placed], axis=0).astype(float)
    air = 0.03 * max(float((high - low).max()), 1e-6)
    low, high = low - air, high + air
    middle, span = (low + high) / 2, np.maximum(high - low, 0.05 * (high - low).max())
    return np.array([middle - span / 2, middle + span / 2])


def lines_high(count: int, size: float) -> float:
    """The height of this many lines, in inches."""
    return int(count) * 1.3 * size / POINTS


def spread_names(
    at: np.ndarray, names: np.ndarray, weights: np.ndarray, frame: np.ndarray
) -> list[tuple[int, float, float]]:
    """(class, x, y) of the centres of the names that fit: heavier ones first, moved inside the frame, without overlaps.

    at: (classes, 2) where each should stand; names: (classes, 2) width and height; weights: (classes,), 0 never stands;
    frame: (2, 2) its corners; all in one unit.
    """
    placed, boxes = [], np.empty((0, 4))
    for category in np.argsort(-weights, kind="stable"):
        half = names[category] / 2 + _AIR
        if not weights[category] or (2 * half > frame[1] - frame[0]).any():
            continue
        middle = np.clip(at[category], frame[0] + half, frame[1] - half)
        box = np.concatenate([middle - half, middle + half])
        if ((boxes[:, :2] < box[2:]) & (boxes[:, 2:] > box[:2])).all(axis=1).any():
            continue
        boxes = np.vstack([boxes, box])
        placed.append((int(category), float(middle[0]), float(middle[1])))
    return placed
