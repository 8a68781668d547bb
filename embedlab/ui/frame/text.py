"""Words and numbers on a page: corpus text as plain text, escaped labels, figures as a person reads them."""

import re
from datetime import UTC, datetime

import streamlit as st

from embedlab.figures.text import accuracy, percent, shortened

__all__ = [
    "accuracy",
    "ago",
    "count",
    "duration",
    "escaped",
    "percent",
    "points",
    "share_range",
    "show_text",
    "shortened",
]

_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$<>&=\"'])")
_OPTIONS = re.compile(r" \(--[^)]*\)")
_EMOJI = re.compile(r":(?=[\w+\-/])")
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_JOINER = "\u2060"  # seen by no reader; keeps ``:red[`` and ``:smile:`` from being read as markup


def show_text(text: str, *, characters: int = 4000) -> None:
    """Corpus text, exactly as it is: never Markdown, HTML or LaTeX."""
    st.text(shortened(text, characters))


def escaped(text: object, characters: int = 120) -> str:
    """User text for a label, a caption or wherever else Streamlit reads Markdown: shown as it is, on one line."""
    line = shortened(_BLANKS.sub(" ", str(text)).strip(), characters)
    return _EMOJI.sub(rf"\\:{_JOINER}", _MARKUP.sub(r"\\\1", line))


def without_options(sentence: str) -> str:
    """A sentence of the command line, too, without the options that it names in brackets."""
    return _OPTIONS.sub("", sentence)


def count(number: int) -> str:
    """``11,024``"""
    return f"{number:,}"


def points(difference: float) -> str:
    """A change of a share, signed: ``+21.5 points``"""
    rounded = round(100 * difference, 1) + 0.0  # -0.0 becomes 0.0
    return (f"{rounded:+.1f}".replace("-", "−") if rounded else "0.0") + " points"


def share_range(low: float, high: float) -> str:
    """``95 %: 18.9 … 24.0``"""
    return "95 %: " + " … ".join(f"{round(100 * bound, 1) + 0.0:.1f}".replace("-", "−") for bound in (low, high))


def duration(seconds: float) -> str:
    """``8 s``, ``2 min``, ``1 h 5 min``"""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def in_bytes(number: int) -> str:
    """``0.1 MB``, ``90 MB``, ``1.2 GB``"""
    megabytes = number / 1e6
    if megabytes >= 1000:
        return f"{megabytes / 1000:.1f} GB"
    return f"{megabytes:.0f} MB" if megabytes >= 10 else f"{max(megabytes, 0.1):.1f} MB"


def ago(moment: str) -> str:
    """An ISO time as ``just now``, ``5 min ago``, ``3 h ago`` or its date."""
    try:
        seconds = (datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds()
    except (TypeError, ValueError):
        return ""
    if seconds < 90:
        return "just now"
    return f"{duration(seconds)} ago" if seconds < 86_400 else moment[:10]
