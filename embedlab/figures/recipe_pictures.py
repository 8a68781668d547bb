"""Pictures of a recipe as SVG: the two sides of an objective, and its views as blocks, one per word, coloured by
sentence.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from embedlab.numbers import counted
from embedlab.palette import ACCENT, GRID, GROUND, INK, QUIET_INK, UNTOUCHED, categorical, shade
from embedlab.plain_text import plain, svg_of

_WIDE, _HIGH, _BOX_HIGH = 660, 176, 44
_ONE, _OTHER = 8, 92  # where the boxes of the two sides begin, from the top
_ENCODER, _PROJECTOR, _LOSS = (100, 150), (318, 160), (566, 90)  # left end and width
_NO_GRADIENT = 'stroke-dasharray="5 4"'


class Wiring(Protocol):
    """How an objective wires its two sides."""

    title: str
    has_target: bool
    projects_target: bool


def wiring_picture(wiring: Wiring, settings: Mapping[str, float], *, dark: bool) -> str:
    """One view through encoder and projector, the other through the branch that ``wiring`` describes.

    ``wiring``: one of the objective's; ``settings``: its ``blocks``,
    ``width`` and ``momentum``. A filled box is kept after training, a dashed line carries no gradient.
    """
    draw = _Drawing(dark)
    blocks = f"{counted(int(settings['blocks']), 'block')}, {settings['width']} × wide inside"
    slow = wiring.has_target
    for name, top in (("One view", _ONE), ("Other view", _OTHER)):
        draw.words(name, 0, top + 27, quiet=True)
        draw.arrow(74, _ENCODER[0], top, dashed=slow and top == _OTHER)
    draw.box(_ENCODER, _ONE, "Encoder", "is kept", filled=True)
    draw.arrow(sum(_ENCODER), _PROJECTOR[0], _ONE)
    draw.box(_PROJECTOR, _ONE, "Projector", blocks)
    draw.arrow(sum(_PROJECTOR), _LOSS[0], _ONE, word="x")
    if slow:
        draw.box(_ENCODER, _OTHER, "Target", f"slow copy, momentum {settings['momentum']:g}", dashed=True)
        draw.down(_ENCODER[0] + _ENCODER[1] // 2, "follows after each step")
    else:
        draw.box(_ENCODER, _OTHER, "Encoder", "the same", filled=True)
    if wiring.projects_target:
        draw.arrow(sum(_ENCODER), _PROJECTOR[0], _OTHER, dashed=slow)
        draw.box(_PROJECTOR, _OTHER, "Projector", "the same")
        draw.arrow(sum(_PROJECTOR), _LOSS[0], _OTHER, word="y")
    else:
        draw.arrow(sum(_ENCODER), _LOSS[0], _OTHER, dashed=True, word="y")
    draw.box(_LOSS, _ONE, "Loss", "both ways", high=_OTHER - _ONE + _BOX_HIGH)
    legend = f"{wiring.title}. Filled: kept after training; the projector is not."
    draw.words(f"{legend} Dashed: no gradient." if slow else legend, 0, _HIGH - 8, quiet=True)
    return svg_of(draw.parts, _WIDE, _HIGH)


class _Drawing:
    """SVG elements in the shades of one theme."""

    def __init__(self, dark: bool):
        self.parts: list[str] = []
        self.ink, self.quiet, self.kept = (shade(each, dark) for each in (INK, QUIET_INK, ACCENT))
        self.line, self.ground = shade(UNTOUCHED, dark), shade(GROUND, dark)

    def words(self, text: str, x: int, y: int, *, quiet: bool = False, size: int = 13, middle: bool = False) -> None:
        colour, anchor = self.quiet if quiet else self.ink, ' text-anchor="middle"' if middle else ""
        self.parts.append(f'<text x="{x}" y="{y}" fill="{colour}" font-size="{size}"{anchor}>{plain(text, 90)}</text>')

    def box(self, across: tuple[int, int], top: int, name: str, line: str, *, filled: bool = False,
            dashed: bool = False, high: int = _BOX_HIGH) -> None:  # fmt: skip
        left, wide = across
        look = f'fill="{self.kept}" fill-opacity="0.16" stroke="{self.kept}"' if filled else ""
        look = look or f'fill="{self.ground}" stroke="{self.line}" {_NO_GRADIENT if dashed else ""}'
        self.parts.append(
            f'<rect x="{left}" y="{top}" width="{wide}" height="{high}" rx="6" stroke-width="1.5" {look}/>'
        )
        middle, centre = left + wide // 2, top + high // 2
        self.words(name, middle, centre - 3, middle=True)
        self.words(line, middle, centre + 14, quiet=True, size=11, middle=True)

    def arrow(self, start: int, end: int, top: int, *, dashed: bool = False, word: str = "") -> None:
        y = top + _BOX_HIGH // 2
        look = _NO_GRADIENT if dashed else ""
        self.parts.append(
            f'<path d="M{start + 4} {y}H{end - 8}" stroke="{self.line}" stroke-width="1.5" {look}/>'
            f'<path d="M{end - 9} {y - 4}l7 4l-7 4z" fill="{self.line}"/>'
        )
        if word:
            self.words(word, end - 26, y - 7)

    def down(self, x: int, word: str) -> None:
        start, end = _ONE + _BOX_HIGH, _OTHER
        self.parts.append(
            f'<path d="M{x} {start + 3}V{end - 8}" stroke="{self.line}" stroke-width="1.5"/>'
            f'<path d="M{x - 4} {end - 9}l4 7l4 -7z" fill="{self.line}"/>'
        )
        self.words(word, x + 10, (start + end) // 2 + 4, quiet=True, size=11)


HIDDEN, NOT_ASKED = -1, -2  # a masked word, a word that need not be guessed
_BLOCK, _GAP, _ROW, _LEFT, _FONT = 11, 3, 30, 104, 13
_SMALL_BLOCK, _SMALL_ROW = 5, 30  # on a card
_MOST = 26  # blocks of a row


@dataclass(frozen=True)
class Row:
    """A named row of blocks; each number is the sentence that a word comes from, ``HIDDEN`` or ``NOT_ASKED``."""

    name: str
    words: Sequence[int]


def views_drawn(rows: Sequence[Row], *, dark: bool) -> tuple[str, str]:
    """The rows as SVG, one of too many blocks ending in an ellipsis, and the sentence for screen readers."""
    ink, quiet = shade(INK, dark), shade(QUIET_INK, dark)
    hues = [shade(each, dark) for each in categorical(8)]
    wide = _LEFT + (_MOST + 1) * (_BLOCK + _GAP)
    high = len(rows) * _ROW
    parts = []
    for number, row in enumerate(rows):
        top = number * _ROW + 6
        colour = quiet if number == 0 else ink
        parts.append(f'<text x="0" y="{top + 13}" fill="{colour}" font-size="{_FONT}">{plain(row.name, 16)}</text>')
        for column, word in enumerate(row.words[:_MOST]):
            parts.append(_block(_LEFT + column * (_BLOCK + _GAP), top, word, hues, dark, (_BLOCK, 18)))
        if len(row.words) > _MOST:
            x = _LEFT + _MOST * (_BLOCK + _GAP)
            parts.append(f'<text x="{x}" y="{top + 13}" fill="{quiet}" font-size="{_FONT}">…</text>')
    return svg_of(parts, wide, high), _in_words(rows)


def small_views_drawn(rows: Sequence[Row], *, dark: bool) -> tuple[str, str]:
    """Return the rows for a narrow card, each name above its blocks, and the sentence for screen readers."""
    quiet, hues = shade(QUIET_INK, dark), [shade(each, dark) for each in categorical(8)]
    wide, parts = _MOST * (_SMALL_BLOCK + 1), []
    for number, row in enumerate(rows):
        top = number * _SMALL_ROW
        parts.append(f'<text x="0" y="{top + 10}" fill="{quiet}" font-size="11">{plain(row.name, 24)}</text>')
        for column, word in enumerate(row.words[:_MOST]):
            parts.append(_block(column * (_SMALL_BLOCK + 1), top + 14, word, hues, dark, (_SMALL_BLOCK, 11)))
    return svg_of(parts, wide, len(rows) * _SMALL_ROW), _in_words(rows)


def _in_words(rows: Sequence[Row]) -> str:
    lengths = ", ".join(f"{row.name}, {len(row.words)}" for row in rows)
    return f"Words as blocks, colored by their sentence: {lengths}."


def _block(x: int, top: int, word: int, hues: list[str], dark: bool, size: tuple[int, int]) -> str:
    wide, high = size
    box = f'x="{x}" y="{top}" width="{wide}" height="{high}" rx="2"'
    if word == NOT_ASKED:
        return f'<rect {box} fill="{shade(GRID, dark)}"/>'
    if word == HIDDEN:
        return f'<rect {box} fill="none" stroke="{shade(UNTOUCHED, dark)}" stroke-width="1.5" stroke-dasharray="3 2"/>'
    return f'<rect {box} fill="{hues[word % len(hues)]}"/>'
