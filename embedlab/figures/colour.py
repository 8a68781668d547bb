"""Colours as numbers: hex, OKLCH (equal steps look equal) and the contrast of WCAG, in plain Python."""

import math


def contrast(first: str, second: str) -> float:
    """The WCAG contrast ratio of two hex colours, from 1 (equal) to 21 (black on white)."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def distance(first: str, second: str) -> float:
    """How different two hex colours look: the Euclidean distance in OKLab (black to white is 1)."""
    return math.dist(_oklab(first), _oklab(second))


def oklch(colour: str) -> tuple[float, float, float]:
    """Lightness 0–1, chroma (0 is grey), and hue in degrees of a hex colour."""
    lightness, a, b = _oklab(colour)
    return lightness, math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360


def from_oklch(lightness: float, chroma: float, hue: float) -> str:
    """The hex colour of that lightness and hue, with as much of the chroma as a screen can show."""
    while True:
        a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
        channels = _linear_rgb(lightness, a, b)
        if chroma < 0.001 or all(-0.0005 <= channel <= 1.0005 for channel in channels):
            return "#" + "".join(f"{round(255 * _encoded(min(max(channel, 0.0), 1.0))):02x}" for channel in channels)
        chroma *= 0.98


def _linear(colour: str) -> list[float]:
    encoded = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    return [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in encoded]


def _encoded(value: float) -> float:
    return 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055


def _luminance(colour: str) -> float:
    red, green, blue = _linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _oklab(colour: str) -> tuple[float, float, float]:
    """Björn Ottosson's OKLab (2020)."""
    red, green, blue = _linear(colour)
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    medium = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def _linear_rgb(lightness: float, a: float, b: float) -> tuple[float, float, float]:
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
