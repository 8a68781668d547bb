"""Colours for groups that have an order: lightness and hue go one way, from green to violet."""

import numpy as np

from embedlab.figures.colour import from_oklch
from embedlab.figures.palette import Shades

HUES = (165.0, 310.0)  # keeps clear of the amber and the red that are reserved
LIGHTNESS = {"light": (0.64, 0.34), "dark": (0.90, 0.52)}  # contrast to the ground stays above 3 at both ends
CHROMA = 0.15


def ramp(count: int) -> list[Shades]:
    """``count`` colours in order; on both grounds the last one is the darkest."""
    places = np.linspace(0.0, 1.0, count) if count > 1 else [0.5]
    return [Shades(light=_at(place, "light"), dark=_at(place, "dark")) for place in places]


def _at(place: float, ground: str) -> str:
    first, last = LIGHTNESS[ground]
    return from_oklch(first + place * (last - first), CHROMA, HUES[0] + place * (HUES[1] - HUES[0]))
