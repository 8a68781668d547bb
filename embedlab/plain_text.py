"""User text in figures and lists: escaped, on one line, and short; every label of a figure passes through here."""

import re
from collections.abc import Iterable

_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;", "{": "&#123;"}
_UNPRINTABLE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]+")


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
