"""What tests of a map look at: its frame, what it looks like, and where a point of it lies in the window."""

from io import BytesIO

import numpy as np
from PIL import Image


def frame(page, position: int = 0):
    """The frame of one map and its box in the window."""
    found = page.locator(".map .frame").nth(position)
    return found, found.bounding_box()


def on_screen(box: dict, coordinates: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Where these places lie in the window while the whole map is shown, by view.js' rule.  -> (n, 2)"""
    width, height = box["width"] - 2, box["height"] - 2  # without the border
    low, high = coordinates.min(axis=0), coordinates.max(axis=0)
    margin = min(28, width / 12)
    scale = min((width - 2 * margin) / (high - low)[0], (height - 2 * margin) / (high - low)[1])
    away = (places - (low + high) / 2) * scale * [1, -1]
    return away + [box["x"] + 1 + width / 2, box["y"] + 1 + height / 2]


class Picture:
    """What was on the screen; two are equal where no channel of a pixel differs by more than rounding.

    A scrolled page rasters a letter's soft edge again: seven pixels of a name's halo differed by 1 of 255.
    """

    def __init__(self, png: bytes) -> None:
        self.pixels = np.asarray(Image.open(BytesIO(png)).convert("RGB"), int)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Picture):
            return NotImplemented
        return self.pixels.shape == other.pixels.shape and bool(np.abs(self.pixels - other.pixels).max() <= 4)


def picture(page, position: int = 0) -> Picture:
    """What the frame looks like."""
    return Picture(page.locator(".map .frame").nth(position).screenshot())
