"""The unit for counting a text: words if it is written with spaces, otherwise characters.

One rule for every counter: TF-IDF, BM25, keywords, lengths, word deletion and word order.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex

WORDS, CHARACTERS, BOTH = "words", "characters", "words and characters"
TOKENS_PER_WORD = 1.3  # WordPiece on English prose; of scripts without blanks BERT makes a token of each character
_SAMPLED_TEXTS = 2_000  # texts, spread over a corpus, that tell its unit
_ALMOST_ALL = 0.9
_ASCII_WORD = re.compile(r"\b\w\w+\b")


def units(text: str, *, bigrams_only: bool = False) -> list[str]:
    """Its terms in lower case: words of at least two letters; for scripts without spaces characters and bigrams.

    A word is a run of letters, marks and digits (``\\w`` loses the vowel signs of Hindi). ``bigrams_only``: of a run of
    such characters only its bigrams, or the character where it stands alone.
    """
    text = text.lower()
    if text.isascii():
        return _ASCII_WORD.findall(text)
    terms = []
    for run in _patterns()[0].finditer(text):
        run_text = run.group()
        if run.lastgroup is None:
            terms.append(run_text)
            continue
        bigrams = [run_text[start : start + 2] for start in range(len(run_text) - 1)]
        terms += bigrams or [run_text] if bigrams_only else [*run_text, *bigrams]
    return terms


def unit_of(texts: Sequence[str]) -> str:
    """The unit for these texts: ``WORDS``, ``CHARACTERS``, or ``BOTH`` if neither covers nine in ten."""
    some = texts[:: max(1, len(texts) // _SAMPLED_TEXTS)]
    without = [not has_blanks(text) for text in some if text.strip()]
    share = sum(without) / max(1, len(without))
    return CHARACTERS if share >= _ALMOST_ALL else WORDS if share <= 1 - _ALMOST_ALL else BOTH


def has_blanks(text: str) -> bool:
    """Whether it is written with spaces: it has more such words than characters of other scripts."""
    if text.isascii():
        return True
    runs, start = _patterns()[1], text[:2_000]
    return sum(map(len, runs.findall(start))) <= len(_patterns()[3].findall(runs.sub(" ", start)))


def pieces_of(text: str) -> tuple[list[str], str]:
    """The words of a text and the space that joins them; for a script without spaces its characters with their marks
    and following spaces, joined by nothing.
    """
    if has_blanks(text):
        return text.split(), " "
    return _patterns()[2].findall(text.strip()), ""


def estimated_tokens(text: str) -> float:
    """An estimate of its WordPiece tokens: 1.3 per word, one per character of a script without spaces."""
    if text.isascii():
        return TOKENS_PER_WORD * len(text.split())
    runs = _patterns()[1]
    return TOKENS_PER_WORD * len(runs.sub(" ", text).split()) + sum(map(len, runs.findall(text)))


@cache
def _patterns() -> tuple["regex.Pattern[str]", ...]:
    """Terms, runs of scripts without spaces, characters with their marks, words; compiled on first use."""
    import regex  # knows scripts and marks, which ``re`` does not

    scripts = "Han Hiragana Katakana Bopomofo Thai Lao Khmer Myanmar Tibetan Javanese Balinese Tai_Le New_Tai_Lue"
    scripts += " Tai_Tham Tai_Viet Yi"
    named = "".join(rf"\p{{Script={name}}}" for name in scripts.split())
    unspaced = rf"[[\p{{L}}\p{{M}}\p{{N}}]&&[{named}ー々〆]]"
    word = rf"[[\p{{L}}\p{{M}}\p{{N}}_\u200c\u200d]--{unspaced}]"  # joiners stand within words of Persian and Hindi
    one_is_enough = r"[[\p{Script=Hangul}\p{Script=Ethiopic}]&&\p{L}]"  # a syllable can be a word
    terms = rf"(?P<unspaced>{unspaced}+)|{word}{{2,}}|{one_is_enough}"
    return tuple(
        regex.compile(pattern, regex.V1) for pattern in (terms, f"{unspaced}+", r"\S\p{M}*\s*", r"[\p{L}\p{M}]+")
    )
