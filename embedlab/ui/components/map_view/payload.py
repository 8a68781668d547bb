"""What the browser fetches for a map: 16-bit coordinates, one- or two-byte classes, rows as bits."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from embedlab.palette import MOST_CLASSES, NO_CLASS, UNLABELED, Shades
from embedlab.plane import from_sixteen_bits, sixteen_bits
from embedlab.ui.frame.routes import offer


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
    return dict(
        count=count,
        frames=sent,
        points=sent[-1][1],
        categories=offer(packed_categories(categories, len(class_names))),
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


def packed_categories(categories: np.ndarray, classes: int) -> np.ndarray:
    """One byte per point if sufficient, otherwise two; a text without a class gets the next number."""
    width = np.uint8 if classes <= 255 else np.uint16
    return np.where(categories == NO_CLASS, classes, categories).astype(width)


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
