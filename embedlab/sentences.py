"""A linear-time sentence splitter, and the crops paper's own pieces between full stops."""

_ENDS = frozenset(".!?。！？؟।॥…")
_CLOSERS = frozenset("\"'”’»)]}」』）")
_WIDE_ENDS = frozenset("。！？")  # scripts that put no blank after a sentence
_ABBREVIATIONS = frozenset(
    "e.g i.e cf vs etc al fig figs eq eqs sec ref refs no vol approx resp dr mr mrs ms prof st dept inc jr sr".split()
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, one pass over its characters; ``"".join(sentences(text)) == text``.

    A sentence ends at a line break followed by another one, or at ``. ! ?`` and their kin when a blank (or, in scripts
    without blanks, anything) follows and the stop does not belong to an abbreviation, an initial or a number.
    """
    found, start, i, n = [], 0, 0, len(text)
    word = 0  # where the word that runs up to i began
    while i < n:
        character = text[i]
        if character in _ENDS:
            end = i + 1
            while end < n and (text[end] in _ENDS or text[end] in _CLOSERS):
                end += 1
            if _is_boundary(text, word, i, end):
                while end < n and text[end].isspace():
                    end += 1
                found.append(text[start:end])
                start = word = end
            i = end
        elif character == "\n" and i + 1 < n and text[i + 1] == "\n":
            end = i
            while end < n and text[end].isspace():
                end += 1
            if text[start:end].strip():
                found.append(text[start:end])
                start = end
            i = word = end
        else:
            i += 1
            if character.isspace() or character in "([{\"'":
                word = i
    if start < n:
        found.append(text[start:])
    return found


def _is_boundary(text: str, word: int, stop: int, end: int) -> bool:
    if end >= len(text) or text[stop] in _WIDE_ENDS:
        return True
    if not text[end].isspace():
        return False
    if text[stop] != "." or end > stop + 1:
        return True
    before = text[word:stop] if stop - word <= 8 else ""
    if before.casefold() in _ABBREVIATIONS:
        return False
    return not (len(before) == 1 and before.isalpha() and before.isupper())


def pieces(text: str) -> list[str]:
    """The text between full stops, raw, as the crops authors' code splits it ("e.g." and "3.5" are split too)."""
    return text.split(".")
