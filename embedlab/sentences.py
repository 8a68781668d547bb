"""A linear-time sentence splitter, and the crops paper's own pieces between full stops.

None of the libraries in requirements.txt splits sentences.
"""

import re

# Sentence_Terminal of Unicode 17 (PropList.txt), every script
_TERMINALS = (
    "!.?\u0589\u061d-\u061f\u06d4\u0700-\u0702\u07f9\u0837\u0839\u083d\u083e\u0964\u0965\u104a\u104b\u1362\u1367\u1368"
    "\u166e\u1735\u1736\u17d4\u17d5\u1803\u1809\u1944\u1945\u1aa8-\u1aab\u1b4e\u1b4f\u1b5a\u1b5b\u1b5e\u1b5f"
    "\u1b7d-\u1b7f\u1c3b\u1c3c\u1c7e\u1c7f\u2024\u203c\u203d\u2047-\u2049\u2cf9-\u2cfb\u2e2e\u2e3c\u2e53\u2e54\u2e60"
    "\u2e61\u3002\ua4ff\ua60e\ua60f\ua6f3\ua6f7\ua876\ua877\ua8ce\ua8cf\ua92f\ua9c8\ua9c9\uaa5d-\uaa5f\uaaf0\uaaf1"
    "\uabeb\ufe12\ufe15\ufe16\ufe52\ufe56\ufe57\uff01\uff0e\uff1f\uff61\U00010a56\U00010a57\U00010f55-\U00010f59"
    "\U00010f86-\U00010f89\U00011047\U00011048\U000110be-\U000110c1\U00011141-\U00011143\U000111c5\U000111c6"
    "\U000111cd\U000111de\U000111df\U00011238\U00011239\U0001123b\U0001123c\U000112a9\U000113d4\U000113d5\U0001144b"
    "\U0001144c\U000115c2\U000115c3\U000115c9-\U000115d7\U00011641\U00011642\U0001173c-\U0001173e\U00011944\U00011946"
    "\U00011a42\U00011a43\U00011a9b\U00011a9c\U00011c41\U00011c42\U00011ef7\U00011ef8\U00011f43\U00011f44\U00016a6e"
    "\U00016a6f\U00016af5\U00016b37\U00016b38\U00016b44\U00016d6e\U00016d6f\U00016e98\U0001bc9f\U0001da88"
)
_ENDS = _TERMINALS + "…"
_CLOSERS = "\"'”’»)\\]}」』）〉》】］｣"
_BEFORE_BLANK = frozenset(".!?…\u06d4\u0589")  # stand within abbreviations and numbers too: a blank must follow
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f]")
_STOP = re.compile(f"[{_ENDS}]|\n(?=\n)")
_REST_OF_STOP = re.compile(f"[{_ENDS}{_CLOSERS}]*")
_BLANKS = re.compile(r"\s*")
_BEFORE_WORD = re.compile(r"[\s(\[{\"']")
_ABBREVIATIONS = frozenset(
    "e.g i.e cf vs etc al fig figs eq eqs sec ref refs no vol approx resp dr mr mrs ms prof st dept inc jr sr".split()
)
_LONGEST = 8  # characters of an abbreviation


def sentences(text: str) -> list[str]:
    """The sentences of a text, in one pass over its characters; ``"".join(sentences(text)) == text``.

    A sentence ends at a line break followed by another one, or at a sign that Unicode calls a sentence terminal. After
    ``. ! ?`` a blank must follow, or a letter of a script without blanks, and the stop may not belong to an
    abbreviation, an initial or a number.
    """
    parts, start, i = [], 0, 0
    word = 0  # where the word that runs up to i began
    while match := _STOP.search(text, i):
        stop = match.start()
        if text[stop] == "\n":
            i = word = _end_of(_BLANKS, text, stop)
            if text[start:i].strip():
                parts.append(text[start:i])
                start = i
            continue
        word = _word_before(text, stop, i, word)
        i = _end_of(_REST_OF_STOP, text, stop + 1)
        if _is_boundary(text, word, stop, i):
            i = word = _end_of(_BLANKS, text, i)
            parts.append(text[start:i])
            start = i
    if start < len(text):
        parts.append(text[start:])
    return parts


def _end_of(run: re.Pattern[str], text: str, start: int) -> int:
    """The end of the run of characters that begins at ``start``; ``start`` if there is none."""
    match = run.match(text, start)
    return start if match is None else match.end()


def _word_before(text: str, stop: int, since: int, word: int) -> int:
    """The start of the short word that ends at ``stop``; ``word`` if none has begun ``since``."""
    for index in range(stop - 1, max(since, stop - _LONGEST - 1) - 1, -1):
        if _BEFORE_WORD.match(text, index):
            return index + 1
    return word


def _is_boundary(text: str, word: int, stop: int, end: int) -> bool:
    """Whether the stop ends a sentence: ``3．5`` does not, and a Latin one only before a space or a script without
    spaces.
    """
    if end >= len(text):
        return True
    if text[stop] not in _BEFORE_BLANK:
        return not (text[end].isdecimal() and stop and text[stop - 1].isdecimal())
    if not text[end].isspace():
        return bool(stop and (_UNSPACED.match(text[stop - 1]) or _UNSPACED.match(text[end])))
    if text[stop] != "." or end > stop + 1:
        return True
    before = text[word:stop] if stop - word <= _LONGEST else ""
    if before.casefold() in _ABBREVIATIONS:
        return False
    return not (len(before) == 1 and before.isalpha() and before.isupper())


def pieces(text: str) -> list[str]:
    """The text between full stops, raw, as the crops authors' code splits it ("e.g." and "3.5" are split too)."""
    return text.split(".")
