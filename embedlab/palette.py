"""Every colour of the app: one accent, three reserved colours, and one per class, for the light and the dark theme."""

import math
from collections.abc import Iterable
from functools import cache
from itertools import cycle, islice
from typing import Literal, TypedDict

import numpy as np

Ground = Literal["light", "dark"]
GROUNDS: tuple[Ground, ...] = ("light", "dark")


class Shades(TypedDict):
    """One colour in two variants: for the light and for the dark theme."""

    light: str
    dark: str


GROUND = Shades(light="#ffffff", dark="#11151b")
INK = Shades(light="#1b2430", dark="#e4e8ee")  # text
QUIET_INK = Shades(light="#566172", dark="#a3adba")  # captions, ticks
GRID = Shades(light="#e6e9ee", dark="#272f3a")

ACCENT = Shades(light="#1f5fd0", dark="#6ea3ff")  # the fine-tuned state, everywhere
UNTOUCHED = Shades(light="#6b7480", dark="#9aa4b2")  # before
REFERENCE = Shades(light="#946200", dark="#e3b341")  # TF-IDF dashed, SVD dotted
FAILURE = Shades(light="#c22430", dark="#ff7b72")
UNLABELED = Shades(light="#c3c9d2", dark="#454e5b")  # texts without a class: there, but behind the classes

OKABE_ITO = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#f0e442", "#000000"]  # Okabe & Ito 2008

# Glasbey et al. 2007, as colorcet 3.2.1 orders them (CC-BY 4.0); the package itself loads matplotlib: 31 MB.
_GLASBEY = """
    d60000 8c3bff 018700 00acc6 97ff00 ff7ed1 6b004f ffa52f 573b00 005659 0000dd 00fdcf a17569 bcb6ff 95b577
    bf03b8 645474 790000 0774d8 fdf490 004b00 8e7900 ff7266 edb8b8 5d7e66 9ae4ff eb0077 a57bb8 5900a3 03c600
    9e4b00 9c3b4f cac300 708297 00af89 8287ff 5d363b 380000 fdbfff bde6bf db6d01 93b8b5 e452ff 2f5282 c36690
    54621f c49e72 038287 69e680 802690 6db3ff 4d33ff 85a301 fd03ca c1a5c4 c45646 75573d 016742 00d6d4 dadfff
    f9ff00 6967af c39700 e1cd9c da95ff ba03fd 915282 a00072 569a54 d38c8e 364426 97a5c3 8e8c5e ff4600 c8fff9
    ae6dff 6ecfa7 bfff8c 8c54b1 773618 ffa079 a8001f ff1c44 5e1123 679793 ff5e93 4b6774 5291cc aa7031 01cffd
    00c36b 60345d 90d42f bfd47c 5044a1 4d230c 7c5900 ffcd44 8201cf 4dfdff 89003d 7b525b 00749c aa8297 80708e
    6264fd c33489 cd2846 ff9ab5 c35dba 216701 008e64 628023 8987bf 97ddd4 cd7e57 d1b65b 60006e 995444 afc6db
    f2ffd1 00eb01 cd85bc 4400c4 799c7e 727046 93ffba 0054c1 ac93eb 3fa316 5e3a80 004b33 7cb8d3 972a00 386e64
    b8005b ff803d ffd1e8 802f59 213400 a15d6e 4fb5af 9e9e46 337c3d c14100 c6e83d 6b05e8 75bc4f a5c4a8 da546e
    d88e38 fb7cff 4b6449 d6c3eb 792d36 4b8ea5 4687ff a300c3 e9a3d4 ffbc77 464800 a1c6ff 90a1e9 4f6993 e65db1
    9e90af 57502a af5dd4 856de1 c16e72 e400e2 b8b68a 382d00 e27ea3 ac3b2f a8ba4b 69b582 93d190 af8c46 075e77
    009789 590f01 5b7c80 2f5726 e4643b 5e3f28 7249bc 4b526b c879dd 9c3190 c8e6f2 05aaeb a76b9a e6af00 60ff62
    f2dd00 774401 602441 677eca 799eaf 0ce8a1 9cf7db 830075 8e6d49 e2412f b8496b 794985 ffcfb5 4b5dc6 e2b391
    ff4bed d6efa5 bf6026 d6a3b5 bc7c00 876eb1 ff2fa1 ffe8af 33574b b88c79 6b8752 bc93d1 1ae6fd a13b72 a350a8
    6d0097 89647b 59578a f98e8a e6d67c 706b01 1859ff 1626ff 00d856 f7a1fd 79953b b1a7d4 7ecfdd 00caaf 79463b
    daffe6 db05b1 f2ddff a3e46e 891323 666782 e8fd70 d8aae8 dfbad4 fd5269 75ae9a 9733df e4727e 8c5926 774669
    2f3da8
""".split()

# Hues of Okabe & Ito first; in lightness and colour found by search, so that any two are at least ΔE 25 (CIE76) apart,
# for eyes of every kind that tests/figures/colour_vision.py simulates. Contrast with the ground is at least 3.
FIRST_TEN = [
    Shades(light="#2e93ff", dark="#0faaff"),  # blue
    Shades(light="#903d05", dark="#f76014"),  # vermillion
    Shades(light="#00725d", dark="#6affba"),  # bluish green
    Shades(light="#f54bb1", dark="#bd8ba0"),  # reddish purple
    Shades(light="#0f316b", dark="#1f6ba3"),  # a darker blue
    Shades(light="#929a02", dark="#f4ef1b"),  # yellow
    Shades(light="#6d05af", dark="#9400fa"),
    Shades(light="#bc8658", dark="#ee9466"),
    Shades(light="#522a18", dark="#985338"),
    Shades(light="#592bfa", dark="#bed2fe"),
]

_POINT_CONTRAST = 3.3  # WCAG 1.4.11 asks 3 for graphics
_TEXT_CONTRAST = 4.6  # WCAG 1.4.3 asks 4.5 for text
_RESERVED_HUE_TOLERANCE = 13  # degrees of OKLCH
_ANOTHER_HUE = 45  # degrees of OKLCH from which on nobody calls two colours by one name
_ALIKE = 0.05  # two classes closer than this in OKLab are taken only when nothing better is left


def shade(shades: Shades, dark: bool) -> str:
    """The variant for the current theme."""
    return shades["dark" if dark else "light"]


def text_shade(shades: Shades, dark: bool) -> str:
    """The variant for the current theme with enough contrast for text."""
    return _readable(shade(shades, dark), shade(GROUND, dark), _TEXT_CONTRAST)


def class_colours(classes: Iterable[str]) -> dict[str, Shades]:
    """A colour for each class, given in order of size; the first colours are the most distinct.

    Deterministic, and a class keeps its colour when smaller classes are added behind it.
    """
    return dict(zip(classes, cycle(_categorical()), strict=False))


def categorical(count: int) -> list[Shades]:
    """The first ``count`` class colours (they repeat after about two hundred)."""
    return list(islice(cycle(_categorical()), count))


def beside_accent(count: int) -> list[Shades]:
    """Class colours to be used next to the accent, without any of its hue."""
    apart = (shades for shades in _categorical() if _hues_apart(shades, ACCENT) > _ANOTHER_HUE)
    return list(islice(cycle(apart), count))


def _hues_apart(one: Shades, other: Shades) -> float:
    """The hue difference in OKLCH, 0 to 180 degrees, in the theme where it is smaller."""
    return min(abs((oklch(one[each])[2] - oklch(other[each])[2] + 180) % 360 - 180) for each in GROUNDS)


def is_free(colour: str) -> bool:
    """Whether a colour is neither black, grey, nor of a hue reserved for references and failures."""
    lightness, chroma, hue = oklch(colour)
    if chroma < 0.06 or lightness < 0.32:
        return False
    reserved = [oklch(shades[ground])[2] for shades in (REFERENCE, FAILURE) for ground in GROUNDS]
    return all(abs((hue - other + 180) % 360 - 180) > _RESERVED_HUE_TOLERANCE for other in reserved)


@cache
def _categorical() -> list[Shades]:
    """The first ten, then Okabe–Ito and Glasbey's sequence; colours resembling an earlier one come last."""
    chosen = list(FIRST_TEN)
    alike: list[Shades] = []
    for colour in [*OKABE_ITO, *(f"#{each}" for each in _GLASBEY)]:
        light, dark = (_readable(colour, GROUND[ground], _POINT_CONTRAST) for ground in GROUNDS)
        shades = Shades(light=light, dark=dark)
        if not (is_free(colour) and is_free(shades["light"]) and is_free(shades["dark"])):
            continue
        new = all(distance(shades[ground], other[ground]) >= _ALIKE for other in chosen for ground in GROUNDS)
        (chosen if new else alike).append(shades)
    return chosen + alike


def _readable(colour: str, ground: str, least: float) -> str:
    """The colour with its lightness changed until it has the required contrast."""
    lightness, chroma, hue = oklch(colour)
    step = -0.01 if oklch(ground)[0] > 0.5 else 0.01
    while contrast(colour, ground) < least:
        lightness += step
        colour = from_oklch(lightness, chroma, hue)
    return colour


NO_CLASS = 65535  # the category of a text without a class

MOST_CLASSES = NO_CLASS - 1  # with a name and a colour; texts of smaller classes are drawn as texts without one


HUES = (165.0, 310.0)  # keeps clear of the amber and the red that are reserved
LIGHTNESS = {"light": (0.64, 0.34), "dark": (0.90, 0.52)}  # contrast to the ground stays above 3 at both ends
CHROMA = 0.15


def ramp(count: int) -> list[Shades]:
    """``count`` sequential colours; in both themes the last has the most contrast."""
    places = np.linspace(0.0, 1.0, count) if count > 1 else [0.5]
    return [Shades(light=_at(position, "light"), dark=_at(position, "dark")) for position in places]


def _at(position: float, ground: Ground) -> str:
    first, last = LIGHTNESS[ground]
    return from_oklch(first + position * (last - first), CHROMA, HUES[0] + position * (HUES[1] - HUES[0]))


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
            clipped = [min(max(channel, 0.0), 1.0) for channel in channels]
            encoded = [12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055 for v in clipped]
            return "#" + "".join(f"{round(255 * value):02x}" for value in encoded)
        chroma *= 0.98


def _linear(colour: str) -> list[float]:
    encoded = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    return [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in encoded]


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
