"""Every colour of the app: one accent, three reserved colours, and a colour per class, for light and dark ground."""

from collections.abc import Iterable
from functools import cache
from typing import TypedDict

from embedlab.figures.colour import contrast, distance, from_oklch, oklch


class Shades(TypedDict):
    """One colour twice: as it is drawn on the light and on the dark ground."""

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
_ALIKE = 0.05  # two classes closer than this in OKLab are taken only when nothing better is left


def shade(shades: Shades, dark: bool) -> str:
    """The variant for the ground in use."""
    return shades["dark" if dark else "light"]


def text_shade(shades: Shades, dark: bool) -> str:
    """The variant for the ground in use, with contrast enough to write in it."""
    return _readable(shade(shades, dark), shade(GROUND, dark), _TEXT_CONTRAST)


def class_colours(classes: Iterable[str]) -> dict[str, Shades]:
    """A colour for each class, given in size order; the first colours are the easiest to tell apart.

    Deterministic, and a class keeps its colour when smaller classes are added behind it.
    """
    colours = _categorical()
    return {label: colours[position % len(colours)] for position, label in enumerate(classes)}


def categorical(count: int) -> list[Shades]:
    """The first ``count`` class colours (they repeat after about two hundred)."""
    colours = _categorical()
    return [colours[position % len(colours)] for position in range(count)]


def is_free(colour: str) -> bool:
    """Whether a colour is neither black or grey nor of the hue kept for references and failures."""
    lightness, chroma, hue = oklch(colour)
    if chroma < 0.06 or lightness < 0.32:
        return False
    reserved = [oklch(shades[ground])[2] for shades in (REFERENCE, FAILURE) for ground in ("light", "dark")]
    return all(abs((hue - other + 180) % 360 - 180) > _RESERVED_HUE_TOLERANCE for other in reserved)


@cache
def _categorical() -> list[Shades]:
    """The first ten, then Okabe–Ito's own and Glasbey's sequence; colours that look like an earlier one come last."""
    from colorcet import glasbey

    chosen = list(FIRST_TEN)
    alike: list[Shades] = []
    for colour in [*OKABE_ITO, *glasbey]:
        shades = Shades(**{ground: _readable(colour, GROUND[ground], _POINT_CONTRAST) for ground in ("light", "dark")})
        if not (is_free(colour) and is_free(shades["light"]) and is_free(shades["dark"])):
            continue
        new = all(distance(shades[ground], other[ground]) >= _ALIKE for other in chosen for ground in shades)
        (chosen if new else alike).append(shades)
    return chosen + alike


def _readable(colour: str, ground: str, wanted: float) -> str:
    """The colour, moved away from the ground in lightness only, until it has the wanted contrast."""
    lightness, chroma, hue = oklch(colour)
    step = -0.01 if oklch(ground)[0] > 0.5 else 0.01
    while contrast(colour, ground) < wanted:
        lightness += step
        colour = from_oklch(lightness, chroma, hue)
    return colour
