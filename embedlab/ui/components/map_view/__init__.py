"""The map of a corpus: points in WebGL2, hover texts on demand, lasso returned as a polygon and as rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from embedlab.figures.colour_groups import ColourBar
from embedlab.figures.map_browser import map_script, map_style
from embedlab.numbers import counted
from embedlab.palette import MOST_CLASSES, NO_CLASS, UNLABELED, Shades
from embedlab.plane import from_sixteen_bits, sixteen_bits
from embedlab.ui.frame.layout import browser_component, noting
from embedlab.ui.frame.routes import TOKEN, map_key, offer
from embedlab.ui.frame.state import shown_size


@dataclass(frozen=True)
class MapState:
    """The reader's state of a map: a lasso, clicked texts, and the legend's filter."""

    selection: list[tuple[float, float]] | None = None  # the lasso's vertices in map coordinates
    at: float | None = None  # where the slider stood when the lasso was drawn; None: at the last frame
    picked: int | None = None  # the row id of the clicked text
    second: int | None = None  # of another one, clicked with Ctrl (or Command) held
    isolated: tuple[int, ...] = ()  # categories shown alone; empty: all
    hidden: tuple[int, ...] = ()
    view: tuple[float, float, float] | None = None  # the part shown: x and y of its middle, and how much larger
    frames: Sequence[np.ndarray] = field(default=(), repr=False, compare=False)  # what the slider moves between

    def shows(self, categories: np.ndarray) -> np.ndarray:
        """Which points the legend shows. categories: (texts,) -> bool (texts,)"""
        visible = ~np.isin(categories, self.hidden)
        return visible & np.isin(categories, self.isolated) if self.isolated else visible

    def selected(self, coordinates: np.ndarray, categories: np.ndarray) -> np.ndarray:
        """Positions of the shown points inside the lasso, as the map highlights them.  -> (selected,)

        coordinates (texts, 2), categories (texts,): those the map was drawn with; of a map with frames the places
        count where the slider had moved the points to.
        """
        if self.selection is None:
            return np.empty(0, dtype=np.int64)
        inside = rows_in_polygon(drawn_places(self.frames or [coordinates], self.at), self.selection)
        return inside[self.shows(categories[inside])]


__all__ = ["MOST_CLASSES", "NO_CLASS", "MapState", "map_payload", "map_view", "rows_in_polygon"]

_BROWSER = Path(__file__).parent / "browser"
_SCRIPTS = (
    "trails_gl points_gl card gestures contours marks arrays slider picks linked states screen picture main".split()
)

_component = browser_component("map_view", _BROWSER, "map", _SCRIPTS, style=map_style(), script=map_script())
_draw = noting(_component, "selection", "picked", "second", "filter", "view")


def map_view(
    *,
    key: str,
    coordinates: np.ndarray,
    categories: np.ndarray,
    class_names: Sequence[str],
    colours: Sequence[Shades],
    unlabeled: Shades = UNLABELED,
    without: str = "no class",
    row_ids: np.ndarray | None = None,
    bright: np.ndarray | None = None,
    chosen: np.ndarray | None = None,
    marks: Sequence[tuple[str, float, float]] = (),
    frames: Sequence[tuple[str, np.ndarray]] = (),
    at: float | None = None,
    trails: np.ndarray | None = None,
    fade: np.ndarray | None = None,
    levels: Sequence[Sequence[tuple[str, float, float, float]]] = (),
    names_on_map: bool = True,
    title: str = "",
    corner: str = "",
    headings: Sequence[tuple[str, str]] = (),
    caption: str = "",
    alt: str = "",
    corpus: str | None = None,
    pointed: int | None = None,
    bar: ColourBar | None = None,
    view: tuple[float, float, float] | None = None,
    keeps_view: bool = False,
    contours: bool = False,
    group: str = "",
    link_zoom: bool = False,
    link_frames: bool = False,
    legend: bool = True,
    by_size: bool = True,
    glide: bool = False,
    plays: bool = False,
    still: bool = False,
    height: int = 560,
) -> MapState:
    """Draw a map and return the reader's actions on it.

    coordinates (texts, 2); categories (texts,): index into ``class_names`` or ``NO_CLASS``; ``colours``: one
    ``{"light", "dark"}`` per class; ``without``: what a text of no class is called; ``row_ids`` (texts,): corpus rows,
    by default 0 … texts−1; ``bright`` (texts,): a search's matches, all others are dimmed; ``marks``: places (name, x,
    y) drawn over the points, without a name as dots; ``corpus``: the fingerprint hover texts are fetched from;
    ``chosen`` (texts,): a selection kept by the server, until the reader draws or clears one; ``frames``: (name,
    coordinates (texts, 2)) in order, between which a slider moves the points (they are drawn in place of
    ``coordinates``), ``at`` its first place (0 the first frame, by default the last); with more frames behind those
    shown, a slider at its end follows; marks and ``levels`` belong to the last frame, a mark with a sequence of x and y
    has a place on each; ``trails`` (texts,): texts whose way from the first to the last frame is drawn; ``fade``
    (texts,): 0 … 1, how visible each point is; ``levels``: names for each zoom level, coarse to fine, as (name, x, y,
    weight), in place of the class names; maps of one ``group`` share hover, lasso, legend filter and brushed strips in
    the browser, with ``link_zoom`` also the part shown, with ``link_frames`` the slider's place, where they have as
    many frames; ``glide``: other places of the same texts are moved to, and the part shown stays; ``plays``: the slider
    goes once from the first frame to the last when the map appears; ``headings``: title and corner of each frame, in
    place of ``title`` and ``corner``; the corner is also read out after ``alt``; ``still``: a small picture on a plain
    canvas, without tools and zoom (a browser draws only sixteen others at a time); ``pointed``: the row id of the text
    the page is about: another than that clicked last takes its ring, without its card; ``bar``: the classes are steps
    of a number, with this colour bar; ``view``: the part shown at first, as
    ``MapState`` has it; ``keeps_view``: the server is told which one is shown; ``contours``: lines around the densest
    regions of the points that are not dimmed; ``by_size``: the largest class first in the legend.
    """
    data = map_payload(
        coordinates=coordinates, categories=categories, class_names=class_names, colours=colours, unlabeled=unlabeled,
        row_ids=row_ids, bright=bright, chosen=chosen, frames=frames, trails=trails, fade=fade,
    )  # fmt: skip
    data |= dict(
        marks=[[str(name), _numbers(x), _numbers(y)] for name, x, y in marks], without=without,
        levels=[[[str(name), float(x), float(y), float(weight)] for name, x, y, weight in level] for level in levels],
        at=None if at is None else float(at), glide=glide, plays=plays, still=still, keeps_view=keeps_view,
        told=[[str(part) for part in each] for each in headings or [(title, corner)]],
        names_on_map=names_on_map, caption=caption, corpus=corpus, token=TOKEN, group=group,
        link_zoom=link_zoom, link_frames=link_frames, legend=legend and not still, by_size=by_size, height=height,
        size=shown_size(), view=None if view is None else list(view), contours=contours and not still,
        bar=None if bar is None else bar._asdict(), pointed=None if pointed is None else int(pointed),
        alt=alt or f"Map of {len(coordinates):,} texts in {counted(len(class_names), 'class', 'classes')}.",
    )  # fmt: skip
    state = _state(_draw(key=map_key(key, height), data=data), data)
    return replace(state, frames=tuple(at for _, at in frames))


def _numbers(value: float | Sequence[float]) -> float | list[float]:
    return [float(each) for each in value] if isinstance(value, Sequence | np.ndarray) else float(value)


def _state(result: Mapping, data: dict) -> MapState:
    """The reader's state without parts that belong to points or classes shown earlier."""
    selection, legend_filter = result.get("selection"), result.get("filter")
    picked, second = result.get("picked"), result.get("second")
    if selection is not None and selection["of"] != _lassoed(data["frames"], selection.get("at")):
        selection = None
    if legend_filter is not None and legend_filter["of"] != data["categories"]:
        legend_filter = None
    return MapState(
        selection=None if selection is None else [(float(x), float(y)) for x, y in selection["polygon"]],
        at=None if selection is None else selection.get("at"),
        picked=None if picked is None else int(picked),
        second=None if second is None or picked is None else int(second),
        isolated=_categories(legend_filter, "isolated", len(data["names"])),
        hidden=_categories(legend_filter, "hidden", len(data["names"])),
        view=(float(part[0]), float(part[1]), float(part[2])) if (part := result.get("view")) else None,
    )


def _lassoed(frames: Sequence[tuple[str, str]], at: float | None) -> str:
    """The id of the frame that the points were at, or of both frames that they were between."""
    ids = [identity for _, identity in frames]
    if at is None or at >= len(ids):
        return ids[-1] if at is None else ""
    return ids[int(at)] if at == int(at) else f"{ids[int(at)]} {ids[int(at) + 1]}" if at < len(ids) - 1 else ""


def _categories(filtered: Mapping | None, which: str, classes: int) -> tuple[int, ...]:
    """The browser counts "no class" as a further class."""
    return () if filtered is None else tuple(NO_CLASS if value == classes else int(value) for value in filtered[which])


def rows_in_polygon(coordinates: np.ndarray, polygon: list[tuple[float, float]]) -> np.ndarray:
    """Positions of the points inside a polygon, by the even-odd rule.  coordinates: (texts, 2) -> (inside,)"""
    vertices = np.asarray(polygon, dtype=np.float64).reshape(-1, 2)
    if len(vertices) < 3:
        return np.empty(0, dtype=np.int64)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    near = np.flatnonzero(((coordinates >= low) & (coordinates <= high)).all(axis=1))
    x, y = coordinates[near].astype(np.float64).T
    inside = np.zeros(len(near), dtype=bool)
    for (x_from, y_from), (x_to, y_to) in zip(vertices, np.roll(vertices, 1, axis=0), strict=True):
        crossed = np.flatnonzero((y_from > y) != (y_to > y))  # the edge passes the height of these points
        x_edge = (x_to - x_from) * (y[crossed] - y_from) / (y_to - y_from) + x_from if len(crossed) else 0.0
        inside[crossed] ^= x[crossed] < x_edge
    return near[inside]


def map_payload(
    *,
    coordinates: np.ndarray,
    categories: np.ndarray,
    class_names: Sequence[str],
    colours: Sequence[Shades],
    unlabeled: Shades = UNLABELED,
    row_ids: np.ndarray | None = None,
    bright: np.ndarray | None = None,
    chosen: np.ndarray | None = None,
    frames: Sequence[tuple[str, np.ndarray]] = (),
    trails: np.ndarray | None = None,
    fade: np.ndarray | None = None,
) -> dict[str, Any]:
    """The map's data for the component: small lists, and the ids of arrays that the browser fetches (once each)."""
    count = len(coordinates)
    for name, places in (("coordinates", coordinates), *(("frames", places) for _, places in frames)):
        if places.shape != (count, 2) or not np.isfinite(places).all():
            raise ValueError(f"A map needs finite {name} of shape (texts, 2), but got shape {places.shape}.")
    one_each = dict(categories=categories, row_ids=row_ids, bright=bright, chosen=chosen, trails=trails, fade=fade)
    for name, array in one_each.items():
        if array is not None and len(array) != count:
            raise ValueError(f"A map of {count} texts needs as many {name}, but got {len(array)}.")
    if len(colours) != len(class_names):
        raise ValueError(f"A map of {len(class_names)} classes needs as many colors, but got {len(colours)}.")
    classes = categories[categories != NO_CLASS]
    if len(class_names) > MOST_CLASSES or (len(classes) and classes.max() >= len(class_names)):
        raise ValueError(f"Categories must be below the number of classes, {len(class_names)}, or NO_CLASS.")
    shades = [*colours, unlabeled]
    sent = [[str(name), offer(packed_places(places))] for name, places in frames or [("", coordinates)]]
    numbers = np.where(categories == NO_CLASS, len(class_names), categories)  # a text without a class gets the next
    return dict(
        count=count,
        frames=sent,
        points=sent[-1][1],
        categories=offer(numbers.astype(np.uint8 if len(class_names) <= 255 else np.uint16)),
        rows=packed_rows(row_ids),
        bright=_bits(bright),
        chosen=_bits(chosen),
        trails=_bits(trails) if frames else None,
        fade=None if fade is None else offer(np.rint(np.clip(fade, 0, 1) * 255).astype(np.uint8)),
        names=[str(name) for name in class_names],
        light=[each["light"] for each in shades],
        dark=[each["dark"] for each in shades],
    )


def packed_places(coordinates: np.ndarray) -> np.ndarray:
    """The corners (left, bottom, right, top) as four float64, then x and y of each point as uint16.  -> bytes"""
    whole, low, high = _whole_numbers(coordinates)
    corners = np.array([*low, *high], dtype="<f8")
    return np.concatenate([corners.view(np.uint8), whole.astype("<u2").reshape(-1).view(np.uint8)])


def packed_rows(row_ids: np.ndarray | None) -> dict[str, str | None] | None:
    """None for 0 … n−1; one bit per corpus row if the rows are increasing; otherwise four bytes per point."""
    if row_ids is None or (len(row_ids) and np.array_equal(row_ids, np.arange(len(row_ids)))):
        return None
    rows = np.asarray(row_ids, dtype=np.int32)
    grows = len(rows) > 0 and rows[0] >= 0 and bool((np.diff(rows) > 0).all())
    if not grows or rows[-1] // 8 > 4 * len(rows):
        return dict(kind="list", id=offer(rows))
    there = np.zeros(rows[-1] + 1, dtype=bool)
    there[rows] = True
    return dict(kind="bits", id=_bits(there))


def _bits(array: np.ndarray | None) -> str | None:
    return None if array is None else offer(np.packbits(np.asarray(array, dtype=bool), bitorder="little"))


def _whole_numbers(coordinates: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One frame as sent: integers and the corners that they span; of no texts too.

    (texts, 2) -> (texts, 2) uint16, (2,), (2,)
    """
    if not len(coordinates):
        return np.zeros((0, 2), np.uint16), np.zeros(2), np.ones(2)
    return sixteen_bits(coordinates)


def drawn_places(frames: Sequence[np.ndarray], at: float | None = None) -> np.ndarray:
    """The coordinates at this slider position, bit for bit as in the browser.

    frames: each (texts, 2); at: 0 the first … frames−1 the last (the default) -> (texts, 2)
    """
    last = len(frames) - 1
    at = float(last) if at is None else min(max(float(at), 0.0), float(last))
    before = int(at)
    start = from_sixteen_bits(*_whole_numbers(frames[before]))
    if at == before:
        return start
    return start + (from_sixteen_bits(*_whole_numbers(frames[before + 1])) - start) * (at - before)
