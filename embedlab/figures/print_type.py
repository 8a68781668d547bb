"""Type of printed figures: the font that comes with matplotlib, without markup, measured and wrapped."""

import re
import threading
import warnings
from bisect import bisect
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, cast

from embedlab.plain_text import one_line

FAMILY = "DejaVu Sans"  # lies in matplotlib itself: the same figure on every computer
RC: dict[str, Any] = {
    "font.family": [FAMILY],
    "text.usetex": False,
    "text.parse_math": False,  # a class may be called $x^2$
    "pdf.fonttype": 42,  # TrueType: text that can be searched and edited
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "embedlab",
    "svg.image_inline": True,
    "image.composite_image": True,
}
_NO_LETTERS = ("Last Resort", "cm", "STIX")  # fonts of matplotlib whose glyphs are boxes or mathematics

_ONE_FIGURE = threading.RLock()  # matplotlib's settings belong to the whole process


@contextmanager
def printing(texts: Iterable[str]) -> Iterator[str]:
    """matplotlib's defaults with this font and fallbacks for these texts; yields the characters that no font has."""
    import matplotlib

    with _ONE_FIGURE, matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # the caller is told which
        matplotlib.rcdefaults()
        fonts, unseen = families(texts)
        matplotlib.rcParams.update(cast(Any, RC | {"font.family": fonts}))  # its stub lists every name
        yield unseen


def with_other_fonts(svg: str) -> str:
    """Add fallback fonts to each text of the drawing, for computers that lack ours.

    Verdana is as wide as DejaVu Sans, so that nothing comes to lie on anything.
    """
    return re.sub(r'(<text style="[^"]*font-family: [^;"]*)', r"\g<1>, Verdana, sans-serif", svg)


def measured(line: str, size: float, *, bold: bool = False) -> tuple[float, float]:
    """Width and height of a line of type, in points."""
    import matplotlib

    return _width(line, bold, tuple(matplotlib.rcParams["font.family"])) * size, 1.2 * size


def wrapped(text: str, size: float, inches: float, *, bold: bool = False) -> list[str]:
    """Lines of at most ``width``; a word too long for one line is cut."""
    lines: list[str] = []
    room = 72 * inches
    for word in one_line(text, 2000).split(" "):
        if len(word) > 1 and measured(word, size, bold=bold)[0] > room:
            ends = range(len(word) - 1)
            fitting = bisect(ends, room, key=lambda end: measured(f"{word[:end]}…", size, bold=bold)[0])
            word = f"{word[: max(fitting - 1, 0)]}…"
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and measured(longer, size, bold=bold)[0] <= room:
            lines[-1] = longer
        elif word:
            lines.append(word)
    return lines


def families(texts: Iterable[str]) -> tuple[list[str], str]:
    """The font families that these texts need, ours first, and the characters that no installed font has."""
    from matplotlib.font_manager import findfont, fontManager

    missing = {each for text in texts for each in one_line(text)} - _glyphs(findfont(FAMILY))
    chosen = [FAMILY]
    for font in sorted(fontManager.ttflist, key=lambda font: (font.name, font.fname)) if missing else ():
        drawn = missing & _glyphs(font.fname)
        if drawn and font.style == "normal" and not font.name.startswith(_NO_LETTERS):
            chosen.append(font.name)
            missing -= drawn
    return list(dict.fromkeys(chosen)), "".join(sorted(missing))


@lru_cache(maxsize=4096)
def _width(line: str, bold: bool, fonts: tuple[str, ...]) -> float:
    """The width in ems."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    if not line.strip():
        return 0.0
    font = FontProperties(family=list(fonts), weight="bold" if bold else "normal")
    return float(TextPath((0, 0), line, size=1.0, prop=font).get_extents().x1) + 0.06


@lru_cache(maxsize=512)
def _glyphs(file: str) -> frozenset[str]:
    from matplotlib.font_manager import get_font

    return frozenset(map(chr, get_font(file).get_charmap()))
