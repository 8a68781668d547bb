"""Where everything of a printed figure stands: heading, frames, names, legend, caption."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from embedlab.figures.palette import Shades
from embedlab.figures.print_type import measured, wrapped
from embedlab.figures.text import one_line

MM = 1 / 25.4  # inches
POINTS = 72  # to the inch
NO_CLASS = -1
MARGIN, GAP = 1.0, 3.0  # mm
SIZES = {"title": 7.5, "corner": 6.0, "name": 5.5, "caption": 6.0, "legend": 6.0}  # points of type
_LEGEND_AT_MOST = 40
_AIR = np.array([1.2, 0.6])  # points of type around a name


@dataclass(frozen=True)
class Panel:
    """One map: coordinates (texts, 2), the class of each text (texts,) or −1, and the lines above its frame."""

    coordinates: np.ndarray
    categories: np.ndarray
    title: str = ""
    corner: str = ""
    faint: np.ndarray | None = None  # (texts,) bool: drawn behind the others, in grey


@dataclass(frozen=True)
class Picture:
    """One map or two beside each other, of the same classes."""

    panels: Sequence[Panel]
    class_names: Sequence[str] = ()
    colours: Sequence[Shades] = field(default_factory=tuple)
    title: str = ""
    caption: str = ""
    names: str = "map"  # class names on the map, in a legend below, or none


class Layout:
    """Where everything stands, in inches from the bottom left."""

    def __init__(self, picture: Picture, width: float):
        self.width, self.count = width, len(picture.panels)
        inner = width - 2 * MARGIN * MM
        self.side = (inner - (self.count - 1) * GAP * MM) / self.count
        self.corners = limits(picture.panels)
        wide, high = self.corners[1] - self.corners[0]
        self.frame_height = self.side * float(np.clip(high / wide, 0.6, 1.0))
        self.heading = wrapped(picture.title, SIZES["title"] + 1, inner, bold=True)
        self.caption = wrapped(picture.caption, SIZES["caption"], inner)
        self.legend = _entries(picture) if picture.names == "legend" else []
        self.columns, self.rows = _grid(self.legend, inner)
        self.above = lines_high(bool(any(panel.title for panel in picture.panels)), SIZES["title"])
        self.above += lines_high(bool(any(panel.corner for panel in picture.panels)), SIZES["corner"])
        self.top = lines_high(len(self.heading), SIZES["title"] + 1) + (1.0 * MM if self.heading else 0.0)
        self.legend_height = lines_high(self.rows, SIZES["legend"]) + (1.5 * MM if self.rows else 0.0)
        self.caption_height = lines_high(len(self.caption), SIZES["caption"]) + (1.0 * MM if self.caption else 0.0)
        self.bottom = MARGIN * MM + self.caption_height + self.legend_height
        self.height = self.bottom + self.frame_height + self.above + self.top + MARGIN * MM

    def left(self, number: int) -> float:
        """Of one panel."""
        return MARGIN * MM + number * (self.side + GAP * MM)


def limits(panels: Sequence[Panel]) -> np.ndarray:
    """The corners that hold every point of every panel, with a little air; equal for both, so that places compare.

    -> (2, 2): (left, bottom), (right, top)
    """
    placed = [panel.coordinates for panel in panels if len(panel.coordinates)] or [np.zeros((1, 2))]
    low = np.min([each.min(axis=0) for each in placed], axis=0).astype(float)
    high = np.max([each.max(axis=0) for each in placed], axis=0).astype(float)
    air = 0.03 * max(float((high - low).max()), 1e-6)
    low, high = low - air, high + air
    middle, span = (low + high) / 2, np.maximum(high - low, 0.05 * (high - low).max())
    return np.array([middle - span / 2, middle + span / 2])


def _entries(picture: Picture) -> list[tuple[str, str]]:
    """(name, colour), the classes in the order they come, largest first; beyond forty how many more there are."""
    entries = [
        (one_line(name, 40), colour["light"])
        for name, colour in zip(picture.class_names, picture.colours, strict=True)
    ]  # fmt: skip
    if len(entries) > _LEGEND_AT_MOST:
        more = len(entries) - _LEGEND_AT_MOST + 1
        return [*entries[: _LEGEND_AT_MOST - 1], (f"and {more:,} more classes", "")]
    return entries


def _grid(entries: list[tuple[str, str]], inner: float) -> tuple[int, int]:
    """Columns and rows that the longest name leaves room for."""
    if not entries:
        return 1, 0
    longest = max(measured(name, SIZES["legend"])[0] for name, _ in entries) / POINTS + 4.0 * MM
    columns = min(max(int(inner // longest), 1), len(entries))
    return columns, -(-len(entries) // columns)


def lines_high(count: int, size: float) -> float:
    """The height of so many lines, in inches."""
    return int(count) * 1.3 * size / POINTS


def spread_names(
    at: np.ndarray, names: np.ndarray, weights: np.ndarray, frame: np.ndarray
) -> list[tuple[int, float, float]]:
    """(class, x, y) of the middles of the names that fit: heavier first, moved inside the frame, none over another.

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
        if (boxes[:, :2] < box[2:]).all(axis=1)[(boxes[:, 2:] > box[:2]).all(axis=1)].any():
            continue
        boxes = np.vstack([boxes, box])
        placed.append((int(category), float(middle[0]), float(middle[1])))
    return placed
