"""Three terms explained in small pictures of a corpus's own texts: embedding, kNN accuracy, TF-IDF; as SVG."""

import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from embedlab.counting import pieces_of
from embedlab.palette import ACCENT, GRID, INK, QUIET_INK, REFERENCE, UNTOUCHED, Shades, shade, text_shade
from embedlab.plain_text import plain, shortened, svg_of

WIDE, HIGH, FONT = 296, 150, 12
BOX = 132  # of a text's name
_LETTER = 6.6  # wide enough for most letters of that size
_MOST_WORDS_LINES = 3


@dataclass(frozen=True)
class Drawing:
    """A picture and its alternative text."""

    svg: str
    alt: str


@dataclass(frozen=True)
class Voter:
    """A neighboring text: its title and its topic."""

    name: str
    label: str
    colour: Shades


def embedding_drawn(
    name: str, *, points: np.ndarray, in_topic: np.ndarray, at: int, colour: Shades, topic: str = "", dark: bool = False
) -> Drawing:
    """A text, an arrow, and its point among others on the map; ``in_topic`` are those of its topic.

    points: (texts, 2), in_topic: (texts,) bool, at: the text's own place among them
    """
    ink, quiet, hue = shade(INK, dark), shade(UNTOUCHED, dark), shade(colour, dark)
    left, right, top, bottom = BOX + 36, WIDE - 8, 10, HIGH - 22
    low, spread = points.min(axis=0), np.maximum(np.ptp(points, axis=0), 1e-9)
    x, y = ((points - low) / spread).T
    x, y = left + 8 + x * (right - left - 16), bottom - 8 - y * (bottom - top - 16)
    parts = [f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" fill="none" '
             f'stroke="{shade(GRID, dark)}"/>']  # fmt: skip
    for index in [*np.flatnonzero(~in_topic), *np.flatnonzero(in_topic)]:
        fill, opacity = (hue, 0.8) if in_topic[index] else (quiet, 0.3)
        parts.append(f'<circle cx="{x[index]:.1f}" cy="{y[index]:.1f}" r="2" fill="{fill}" opacity="{opacity}"/>')
    parts.append(f'<circle cx="{x[at]:.1f}" cy="{y[at]:.1f}" r="5" fill="{hue}" stroke="{ink}" stroke-width="1.5"/>')
    parts += _box(name, dark)
    parts.append(_arrow(BOX + 4, 63, x[at] - 7, y[at], dark))
    if topic:
        parts.append(_text(left, HIGH - 6, _fits(topic, right - left), text_shade(colour, dark), size=11))
    among = f" among texts on {topic}" if topic else ""
    return _drawing(parts, f"The text {shortened(name, 60)} becomes a point{among} on a map of {len(points)} texts.")


def vote_drawn(name: str, label: str, voters: Sequence[Voter], won: str, *, dark: bool = False) -> Drawing:
    """A text, its nearest texts with their topics, and the majority's prediction."""
    quiet, right = shade(QUIET_INK, dark), won == label
    parts = _box(name, dark)
    for number, voter in enumerate(voters):
        y = 10 + number * 37
        parts.append(_arrow(BOX + 24, y + 13, BOX + 4, 63, dark, headed=False))
        parts.append(f'<circle cx="{BOX + 32}" cy="{y + 13}" r="5" fill="{shade(voter.colour, dark)}"/>')
        parts.append(_text(BOX + 42, y + 9, _fits(voter.name, WIDE - BOX - 42, end=True), shade(INK, dark), size=11))
        parts.append(_text(BOX + 42, y + 23, _fits(voter.label, WIDE - BOX - 42), quiet, size=11))
    mark = "✓ right" if right else "✗ wrong"
    votes = sum(voter.label == won for voter in voters)
    outcome = f"{votes} of {len(voters)} vote for {won}: {mark}"
    parts.append(_text(0, HIGH - 8, _fits(outcome, WIDE, keep=len(mark) + 2), shade(INK, dark), size=11, weight=600))
    near = "; ".join(f"{shortened(voter.name, 40)} ({voter.label})" for voter in voters)
    return _drawing(parts, f"The text {shortened(name, 60)} ({label}) and its nearest texts: {near}. {outcome}.")


def shared_words_drawn(first: Sequence[str], second: Sequence[str], rare: set[str], *, dark: bool = False) -> Drawing:
    """Two texts as words; shared words are boxed, and the ``rare`` ones (lower case) are in bold boxes."""
    shared = set(bare_words(" ".join(first))) & set(bare_words(" ".join(second))) - {""}
    ink, quiet, amber = shade(INK, dark), shade(QUIET_INK, dark), shade(REFERENCE, dark)
    parts = []
    for words, top in ((first, 20), (second, 84)):
        x, y = 4.0, top
        for word in words:
            written = shortened(word, 34)
            wide = _LETTER * len(written)
            if x > 4 and x + wide > WIDE - 6:
                x, y = 4.0, y + 20
            if y >= top + 20 * _MOST_WORDS_LINES:
                break
            bare = "".join(bare_words(word))  # a word has no blanks, so it is one
            is_shared = bare in shared
            if is_shared:
                colour, thick = (amber, 1.8) if bare in rare else (quiet, 0.8)
                box = f'x="{x - 3:.1f}" y="{y - 13}" width="{wide + 6:.1f}" height="18" rx="3"'
                parts.append(f'<rect {box} fill="none" stroke="{colour}" stroke-width="{thick}"/>')
            width = f' textLength="{wide:.1f}" lengthAdjust="spacingAndGlyphs"'
            parts.append(_text(x, y, plain(written), ink if is_shared else quiet, more=width))
            x += wide + 9
    parts.append(f'<line x1="0" y1="66" x2="{WIDE}" y2="66" stroke="{shade(GRID, dark)}"/>')
    both = ", ".join(sorted(shared, key=lambda word: (word not in rare, word))) or "none"
    return _drawing(parts, f"Two texts, “{' '.join(first)}” and “{' '.join(second)}”. Words in both: {both}.")


_PUNCTUATION = ".,;:!?()[]{}\"'`“”‘’«»"


def bare_words(text: str) -> list[str]:
    """The words of a text in lower case without surrounding punctuation, position by position."""
    return [word.lower().strip(_PUNCTUATION) for word in pieces_of(text)[0]]


def _drawing(parts: Sequence[str], alt: str) -> Drawing:
    return Drawing(svg_of(parts, WIDE, HIGH), alt)


def _box(name: str, dark: bool) -> list[str]:
    """A text's title in a frame on the left, on up to three lines."""
    letters = int((BOX - 12) / 6.6)
    if " " in name:
        wrapped_name = textwrap.wrap(name, letters, max_lines=3, placeholder="…")
    else:  # a dotted name is split before its last part
        before, dot, after = name.rpartition(".")
        wrapped_name = [_tail(part, letters) for part in (before + dot, after) if part]
    wrapped_name = wrapped_name or ["(no name)"]
    parts = [f'<rect x="1" y="40" width="{BOX}" height="46" rx="4" fill="none" stroke="{shade(ACCENT, dark)}"/>']
    top = 67 - 7 * (len(wrapped_name) - 1)
    for number, line in enumerate(wrapped_name):
        parts.append(_text(7, top + 14 * number, plain(line), shade(INK, dark), size=11))
    return parts


def _tail(name: str, letters: int) -> str:
    """The end of a dotted name, where such names differ."""
    return name if len(name) <= letters else "…" + name[-(letters - 1) :]


def _fits(text: str, width: float, *, end: bool = False, keep: int = 0) -> str:
    """As much as fits, escaped: the beginning, or of a dotted name the end; the last ``keep`` characters are kept."""
    letters = int(width / (7.4 if keep else 6.8))
    if len(text) > letters and keep:
        return plain(shortened(text[:-keep], letters - keep) + text[-keep:], letters + 1)
    if end and " " not in text:
        return plain(_tail(text, letters))
    return plain(shortened(text, letters))


def _text(x: float, y: float, escaped: str, colour: str, *, size: int = FONT, weight: int = 400, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y}" fill="{colour}" font-size="{size}" font-weight="{weight}"{more}>{escaped}</text>'


def _arrow(x: float, y: float, to_x: float, to_y: float, dark: bool, *, headed: bool = True) -> str:
    colour = shade(QUIET_INK, dark)
    line = f'<line x1="{x}" y1="{y}" x2="{to_x:.1f}" y2="{to_y:.1f}" stroke="{colour}" stroke-width="1.2"'
    if not headed:
        return f"{line}/>"
    angle = np.arctan2(to_y - y, to_x - x)
    wings = " ".join(
        f"{to_x - 7 * np.cos(angle + turn):.1f},{to_y - 7 * np.sin(angle + turn):.1f}" for turn in (-0.4, 0.4)
    )
    return f'{line}/><polygon points="{to_x:.1f},{to_y:.1f} {wings}" fill="{colour}"/>'


_FEW = 0.1  # of the texts: a word of more of them says little


def alike(texts: list[str]) -> tuple[str, str, set[str]]:
    """The two texts that share the rarest words without being near-copies, and up to three of these words."""
    words = [{word for word in bare_words(text) if len(word) > 2 and not word.isdigit()} for text in texts]
    among = Counter(word for each in words for word in each)
    rare = [{word for word in each if among[word] <= max(_FEW * len(texts), 2)} for each in words]
    if not any(among[word] > 1 for each in rare for word in each):
        rare = words  # in a corpus of few words none is rare
    best, best_pair = -1.0, (0, 1)
    for one in range(len(texts)):
        for other in range(one):
            shared = rare[one] & rare[other]
            is_copy = len(words[one] & words[other]) > 0.6 * min(len(words[one]), len(words[other]))
            rarity = -1.0 if is_copy or len(shared) > 3 else sum(1 / among[word] for word in shared)
            if rarity > best:
                best, best_pair = rarity, (other, one)
    one, other = best_pair
    return texts[one], texts[other], rare[one] & rare[other]
