"""User text on a page: corpus text as plain text, escaped labels, sentences without command-line options."""

import re

import streamlit as st

from embedlab.figures.text import shortened

_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$<>&=\"'])")
_OPTIONS = re.compile(r" \(--[^)]*\)")
_EMOJI = re.compile(r":(?=[\w+\-/])")
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_JOINER = "\u2060"  # seen by no reader; keeps ``:red[`` and ``:smile:`` from being read as markup


def show_text(text: str, *, characters: int = 4000) -> None:
    """Corpus text exactly as it is: never Markdown, HTML or LaTeX."""
    st.text(shortened(text, characters))


def escaped(text: object, characters: int = 120) -> str:
    """User text for labels, captions and other places where Streamlit reads Markdown: shown verbatim, on one line."""
    line = shortened(_BLANKS.sub(" ", str(text)).strip(), characters)
    return _EMOJI.sub(rf"\\:{_JOINER}", _MARKUP.sub(r"\\\1", line))


def without_options(sentence: str) -> str:
    """A sentence shared with the command line, without the options in parentheses."""
    return _OPTIONS.sub("", sentence)
