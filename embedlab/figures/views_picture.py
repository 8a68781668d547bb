"""The picture of a recipe's views: one block a word, coloured by the sentence it comes from, as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass

from embedlab.figures.palette import GRID, INK, QUIET_INK, UNTOUCHED, categorical, shade
from embedlab.figures.text import plain, svg_of

HIDDEN, NOT_ASKED = -1, -2  # a masked word, a word that need not be guessed
_BLOCK, _GAP, _ROW, _LEFT, _FONT = 11, 3, 30, 104, 13


@dataclass(frozen=True)
class Row:
    """A name, and a number per word: the sentence it comes from, ``HIDDEN`` or ``NOT_ASKED``."""

    name: str
    words: Sequence[int]


def views_picture(rows: Sequence[Row], *, dark: bool, most: int = 26) -> str:
    """An SVG of the rows, at most ``most`` blocks wide; a longer row ends in a sign that more follows."""
    ink, quiet = shade(INK, dark), shade(QUIET_INK, dark)
    hues = [shade(each, dark) for each in categorical(8)]
    wide = _LEFT + (most + 1) * (_BLOCK + _GAP)
    high = len(rows) * _ROW
    parts = []
    for number, row in enumerate(rows):
        top = number * _ROW + 6
        colour = quiet if number == 0 else ink
        parts.append(f'<text x="0" y="{top + 13}" fill="{colour}" font-size="{_FONT}">{plain(row.name, 16)}</text>')
        for place, word in enumerate(row.words[:most]):
            parts.append(_block(_LEFT + place * (_BLOCK + _GAP), top, word, hues, dark))
        if len(row.words) > most:
            x = _LEFT + most * (_BLOCK + _GAP)
            parts.append(f'<text x="{x}" y="{top + 13}" fill="{quiet}" font-size="{_FONT}">…</text>')
    return svg_of(parts, wide, high)


def _block(x: int, top: int, word: int, hues: list[str], dark: bool) -> str:
    place = f'x="{x}" y="{top}" width="{_BLOCK}" height="18" rx="2"'
    if word == NOT_ASKED:
        return f'<rect {place} fill="{shade(GRID, dark)}"/>'
    if word == HIDDEN:
        return (
            f'<rect {place} fill="none" stroke="{shade(UNTOUCHED, dark)}" stroke-width="1.5" stroke-dasharray="3 2"/>'
        )
    return f'<rect {place} fill="{hues[word % len(hues)]}"/>'
