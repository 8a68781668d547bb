"""The map of a corpus: points in WebGL2, hover texts on demand, lasso back as a polygon."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import streamlit as st

from embedlab.figures.palette import UNLABELED
from embedlab.ui.arrays import offer
from embedlab.ui.map_view.selection import MapState, rows_in_polygon
from embedlab.ui.routes import TOKEN

__all__ = ["NO_CLASS", "MapState", "map_payload", "map_view", "rows_in_polygon"]

NO_CLASS = 65535  # the category of a text without a class

_BROWSER = Path(__file__).parent / "browser"
_SCRIPTS = "colours view nearest points_gl points_2d names legend card gestures marks arrays main".split()


def _source(name: str) -> str:
    return (_BROWSER / name).read_text(encoding="utf-8")


_component = st.components.v2.component(
    "embedlab.map_view",
    html=_source("map.html"),
    css=_source("map.css"),
    js="\n".join(_source(f"{name}.js") for name in _SCRIPTS),  # one module: Streamlit takes one string
)


def map_view(
    *,
    key: str,
    coordinates: np.ndarray,
    categories: np.ndarray,
    class_names: Sequence[str],
    colours: Sequence[Mapping[str, str]],
    unlabeled: Mapping[str, str] = UNLABELED,
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
    caption: str = "",
    alt: str = "",
    corpus: str | None = None,
    group: str = "",
    link_zoom: bool = False,
    legend: bool = True,
    height: int = 560,
) -> MapState:
    """Draw a map and return what the reader did on it.

    coordinates (texts, 2); categories (texts,): index into ``class_names`` or ``NO_CLASS``; ``colours``: one
    ``{"light", "dark"}`` per class; ``without``: what a text of no class is called; ``row_ids`` (texts,): corpus rows,
    by default 0 … texts−1; ``bright`` (texts,): a search's matches, all others are dimmed; ``marks``: places
    (name, x, y) drawn over the points, without a name as dots; ``corpus``: the fingerprint hover texts are fetched
    from; ``chosen`` (texts,): a selection kept by the server, drawn as a lasso's; ``frames``: (name, coordinates
    (texts, 2)) in order, between which a slider moves the points, ``at`` its place (0 the first, by default the last);
    ``trails`` (texts,): texts whose way from the first to the last frame is drawn; ``fade`` (texts,): 0 … 1, how
    visible each point is; ``levels``: names for each zoom level, coarse to fine, as (name, x, y, weight), in place of
    the class names; maps of one ``group`` share hover, lasso and legend filter in the browser, with ``link_zoom`` also
    the part shown.
    """
    data = map_payload(
        coordinates=coordinates, categories=categories, class_names=class_names, colours=colours, unlabeled=unlabeled,
        row_ids=row_ids, bright=bright,
    )  # fmt: skip
    data |= dict(
        marks=[[str(name), float(x), float(y)] for name, x, y in marks], without=without,
        names_on_map=names_on_map, title=title, corner=corner, caption=caption, corpus=corpus, token=TOKEN, group=group,
        link_zoom=link_zoom, legend=legend, height=height, alt=alt or _alt(len(coordinates), len(class_names), corner),
    )  # fmt: skip
    result = _component(
        key=key, data=data, on_selection_change=_noted, on_picked_change=_noted, on_filter_change=_noted
    )
    return _state(result, data)


def map_payload(
    *,
    coordinates: np.ndarray,
    categories: np.ndarray,
    class_names: Sequence[str],
    colours: Sequence[Mapping[str, str]],
    unlabeled: Mapping[str, str] = UNLABELED,
    row_ids: np.ndarray | None = None,
    bright: np.ndarray | None = None,
) -> dict:
    """The part of a map that is data: small lists, and the ids of the arrays the browser fetches (each one once)."""
    count = len(coordinates)
    if coordinates.shape != (count, 2) or not np.isfinite(coordinates).all():
        raise ValueError(f"A map needs finite coordinates of shape (texts, 2), but got shape {coordinates.shape}.")
    for name, array in (("categories", categories), ("row_ids", row_ids), ("bright", bright)):
        if array is not None and len(array) != count:
            raise ValueError(f"A map of {count} texts needs as many {name}, but got {len(array)}.")
    if len(colours) != len(class_names):
        raise ValueError(f"A map of {len(class_names)} classes needs as many colours, but got {len(colours)}.")
    known = categories[categories != NO_CLASS]
    if len(class_names) >= NO_CLASS or (len(known) and known.max() >= len(class_names)):
        raise ValueError(f"Categories must be below the number of classes, {len(class_names)}, or NO_CLASS.")
    shades = [*colours, unlabeled]
    return dict(
        count=count,
        points=offer(np.asarray(coordinates, dtype=np.float32)),
        categories=offer(np.asarray(categories, dtype=np.uint16)),
        rows=None if row_ids is None else offer(np.asarray(row_ids, dtype=np.int32)),
        bright=None if bright is None else offer(np.asarray(bright, dtype=np.uint8)),
        names=[str(name) for name in class_names],
        light=[each["light"] for each in shades],
        dark=[each["dark"] for each in shades],
    )


def _state(result: Mapping, data: dict) -> MapState:
    """The reader's state, without what belongs to points or classes shown before."""
    selection, picked, shown = result.get("selection"), result.get("picked"), result.get("filter")
    if selection is not None and selection["of"] != data["points"]:
        selection = None
    if shown is not None and shown["of"] != data["categories"]:
        shown = None
    return MapState(
        selection=None if selection is None else [(float(x), float(y)) for x, y in selection["polygon"]],
        picked=None if picked is None else int(picked),
        isolated=_categories(shown, "isolated", len(data["names"])),
        hidden=_categories(shown, "hidden", len(data["names"])),
    )


def _categories(shown: Mapping | None, which: str, classes: int) -> tuple[int, ...]:
    """The browser counts "no class" as one more class."""
    return () if shown is None else tuple(NO_CLASS if value == classes else int(value) for value in shown[which])


def _alt(texts: int, classes: int, corner: str) -> str:
    return f"Map of {texts:,} texts in {classes:,} classes." + (f" {corner}." if corner else "")


def _noted() -> None:
    """Streamlit keeps a component's value only if it has a callback."""
