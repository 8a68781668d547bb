"""A linear-time sentence splitter, and the crops paper's own pieces between full stops.

None of the libraries in requirements.txt splits sentences.
"""

import re

_ENDS = ".!?。！？؟।॥…"
_CLOSERS = "\"'”’»)\\]}」』）"
_WIDE_ENDS = frozenset("。！？")  # scripts that put no blank after a sentence
_STOP = re.compile(f"[{_ENDS}]|\n(?=\n)")
_REST_OF_STOP = re.compile(f"[{_ENDS}{_CLOSERS}]*")
_BLANKS = re.compile(r"\s*")
_BEFORE_WORD = re.compile(r"[\s(\[{\"']")
_ABBREVIATIONS = frozenset(
    "e.g i.e cf vs etc al fig figs eq eqs sec ref refs no vol approx resp dr mr mrs ms prof st dept inc jr sr".split()
)
_LONGEST = 8  # characters of an abbreviation


def sentences(text: str) -> list[str]:
    """The sentences of a text, one pass over its characters; ``"".join(sentences(text)) == text``.

    A sentence ends at a line break followed by another one, or at ``. ! ?`` and their kin when a blank (or, in scripts
    without blanks, anything) follows and the stop does not belong to an abbreviation, an initial or a number.
    """
    found, start, i = [], 0, 0
    word = 0  # where the word that runs up to i began
    while match := _STOP.search(text, i):
        stop = match.start()
        if text[stop] == "\n":
            i = word = _BLANKS.match(text, stop).end()
            if text[start:i].strip():
                found.append(text[start:i])
                start = i
            continue
        word = _word_before(text, stop, i, word)
        i = _REST_OF_STOP.match(text, stop + 1).end()
        if _is_boundary(text, word, stop, i):
            i = word = _BLANKS.match(text, i).end()
            found.append(text[start:i])
            start = i
    if start < len(text):
        found.append(text[start:])
    return found


def _word_before(text: str, stop: int, since: int, word: int) -> int:
    """Where the word that ends at ``stop`` began, if it is short; ``word`` where none has begun ``since`` then."""
    for place in range(stop - 1, max(since, stop - _LONGEST - 1) - 1, -1):
        if _BEFORE_WORD.match(text, place):
            return place + 1
    return word


def _is_boundary(text: str, word: int, stop: int, end: int) -> bool:
    if end >= len(text) or text[stop] in _WIDE_ENDS:
        return True
    if not text[end].isspace():
        return False
    if text[stop] != "." or end > stop + 1:
        return True
    before = text[word:stop] if stop - word <= _LONGEST else ""
    if before.casefold() in _ABBREVIATIONS:
        return False
    return not (len(before) == 1 and before.isalpha() and before.isupper())


def pieces(text: str) -> list[str]:
    """The text between full stops, raw, as the crops authors' code splits it ("e.g." and "3.5" are split too)."""
    return text.split(".")
