"""User text inside a figure: escaped, on one line, and short; every label passes through here."""

import re

_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;", "{": "&#123;"}
_UNPRINTABLE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


def plain(text: object, length: int = 60) -> str:
    """The text as plotly shows it verbatim: no markup, no MathJax, no ``%{template}``, at most ``length`` long."""
    line = shortened(_UNPRINTABLE.sub(" ", str(text)).strip(), length)
    return "".join(_ESCAPED.get(character, character) for character in line)


def shortened(text: str, length: int) -> str:
    """The text, or its beginning and an ellipsis."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def accuracy(value: float, error: float | None = None) -> str:
    """``58.9 % ± 1.4``"""
    return percent(value) + (f" ± {100 * error:.1f}" if error else "")


def percent(share: float, digits: int = 1) -> str:
    """A share between 0 and 1 as ``58.9 %``."""
    return f"{100 * share:.{digits}f} %"


def in_percent(share: float | None) -> float | None:
    """The number of a table's cell, whole: who shows it rounds it, and 95.146 rounded twice would be 95.2."""
    return None if share is None else round(100 * share, 9)  # what follows is the float's own
