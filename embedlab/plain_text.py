"""User text in names, lines and figures: names are cleaned where they enter, whatever is printed is printable."""

import re
import unicodedata
from collections.abc import Iterable

_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;", "{": "&#123;"}
_UNPRINTABLE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]+")
_BREAKS = re.compile(r"[\t-\r\x1c-\x1f\x85\u2028\u2029]+")  # end a line, or jump within it
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_CONTROL_OF_NOTES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # which have lines and tabs
_UNSEEN = re.compile("[\u200b\u2060\ufeff]")  # of no width; joiners stay, without which words and emoji look different
_MARKS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")  # turn the direction of what follows
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_FOR_A_TERMINAL = re.compile(f"{_CONTROL.pattern}|{_MARKS.pattern}|[\u2028\u2029]")
_NOT_IN_JSON = re.compile(f"[\\x7f-\\x9f]|{_MARKS.pattern}|[\u2028\u2029]")  # C0 is escaped by whoever writes JSON


def visible(match: re.Match[str]) -> str:
    """Return a character that cannot be seen as its number: ``⟨U+202E⟩``."""
    return f"⟨U+{ord(match.group()):04X}⟩"


def clean_name(name: object) -> str:
    """Return a name as it may be stored, by the rule of labels: of a run, corpus, file, column, class, tag.

    Line ends and tabs become a space, other control characters go, direction marks become visible, signs of no width
    go, accents are composed (NFC), lone surrogates become U+FFFD, blanks at both ends go. A name of which nothing can
    be seen is empty.
    """
    text = _BREAKS.sub(" ", _LONE_SURROGATE.sub("\ufffd", str(name)))
    text = _UNSEEN.sub("", _CONTROL.sub("", text))
    if not _MARKS.sub("", text).strip():
        return ""
    return unicodedata.normalize("NFC", _MARKS.sub(visible, text)).strip()


def clean_note(note: str) -> str:
    """Return a text of several lines as it may be stored: by the same rule, but with its lines and tabs."""
    text = _LONE_SURROGATE.sub("\ufffd", re.sub(r"\r\n|[\r\x85\u2028\u2029]", "\n", note))
    return _MARKS.sub(visible, _UNSEEN.sub("", _CONTROL_OF_NOTES.sub("", text))).strip()


def printable(text: object) -> str:
    """Return a text as one line for a terminal, whatever it holds: nothing in it moves the cursor or hides a letter.

    Line ends and tabs become a space; other control characters and direction marks are shown as their numbers.
    """
    line = _NOT_FOR_A_TERMINAL.sub(visible, _BREAKS.sub(" ", str(text)))
    return _LONE_SURROGATE.sub("\ufffd", line)


def printable_json(written: str) -> str:
    """Return JSON in which control characters and direction marks inside strings are escaped."""
    return _NOT_IN_JSON.sub(lambda match: f"\\u{ord(match.group()):04x}", written)


def plain(text: object, length: int = 60) -> str:
    """Text that plotly shows verbatim: no markup, no MathJax, no ``%{template}``, at most ``length`` characters."""
    return "".join(_ESCAPED.get(character, character) for character in one_line(text, length))


def one_line(text: object, characters: int = 400) -> str:
    """User text on one line, without characters that fonts or XML cannot represent."""
    return shortened(_UNPRINTABLE.sub(" ", str(text)).strip(), characters)


def shortened(text: str, length: int) -> str:
    """The text, or its beginning and an ellipsis."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def svg_of(parts: Iterable[str], wide: int, high: int) -> str:
    """An SVG of these elements, which are already escaped."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" '
        f'font-family="system-ui, sans-serif">{"".join(parts)}</svg>'
    )
