"""Which word, when it is deleted, lowers the likeness of two texts most (TSDAE, section 7.2)."""

import numpy as np

from embedlab.config import NoSettings
from embedlab.counting import pieces_of
from embedlab.diagnostics.base import WORDS, DiagnosticResult, EncoderView, told_of_each
from embedlab.diagnostics.picture import Picture, Series, rounded
from embedlab.statistics.geometry import cosines


class WordDeletion:
    """Every word of both texts is left out in turn."""

    key = "word-deletion"
    title = "Which word matters"
    group = WORDS
    question = "Which word makes these two texts similar?"
    sentence = (
        "Every word of both texts (every character, in scripts without spaces) is deleted in turn; its number is how "
        "much the cosine of the two falls. Dark words bring the two together; a word below zero keeps them apart. It "
        "misses words that only matter together."
    )
    paper = "TSDAE paper, section 7.2"
    cites = ("wang2021tsdae",)
    needs = frozenset({"two-texts"})
    unit = "change of the cosine"
    config_class = NoSettings

    @staticmethod
    def measure(view: EncoderView, config: NoSettings) -> DiagnosticResult:
        """The first two typed texts."""
        whole, drops = deletions(view, [view.typed[:2]])
        words = [pieces_of(text)[0] for text in view.typed[:2]]
        first, second = drops[0][: len(words[0])], drops[0][len(words[0]) :]
        telling = _largest(drops[0])
        values = {
            "cosine": rounded([whole[0]])[0],
            "first": [{"word": word, "drop": drop} for word, drop in zip(words[0], rounded(first), strict=True)],
            "second": [{"word": word, "drop": drop} for word, drop in zip(words[1], rounded(second), strict=True)],
            "word": None if telling is None else [*words[0], *words[1]][telling],
            "drop": None if telling is None else float(drops[0][telling]),
        }
        series = tuple(
            Series(name, words_of, rounded(falls))
            for name, words_of, falls in (("first text", words[0], first), ("second text", words[1], second))
        )
        return DiagnosticResult(
            values, (Picture("words", "What each word adds to the similarity", "", "drop of the cosine", series),)
        )

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """The word that holds the two together most."""
        if any(each["word"] is None for each in results.values()):
            return "No word can be deleted: a text of one word has no vector without it."
        phrases = {s: f"“{each['word']}” ({each['drop']:.2f} of {each['cosine']:.2f})" for s, each in results.items()}
        return f"Without it the cosine falls most: {told_of_each(phrases)}."


def deletions(view: EncoderView, pairs: list[tuple[str, str]]) -> tuple[np.ndarray, list[np.ndarray]]:
    """The cosine of each pair, and by how much it falls without each word of the one and of the other text.

    Not a number where what remains has no vector.  -> (pairs,), a (words,) a pair
    """
    texts, places = [], []
    for one, other in pairs:
        (of_one, one_blank), (of_other, other_blank) = pieces_of(one), pieces_of(other)
        places.append((len(texts), len(of_one), len(of_other)))
        texts += [one, other]
        texts += [one_blank.join(of_one[:at] + of_one[at + 1 :]) for at in range(len(of_one))]
        texts += [other_blank.join(of_other[:at] + of_other[at + 1 :]) for at in range(len(of_other))]
    vectors = view.embed(texts)
    whole, drops = np.zeros(len(pairs)), []
    for number, (start, of_one, of_other) in enumerate(places):
        one, other = vectors[start], vectors[start + 1]
        shorter = vectors[start + 2 : start + 2 + of_one + of_other]
        against = np.concatenate([np.tile(other, (of_one, 1)), np.tile(one, (of_other, 1))])
        whole[number] = cosines(one[None], other[None])[0]
        drops.append(whole[number] - cosines(shorter, against))
    return whole, drops


def _largest(drops: np.ndarray) -> int | None:
    return None if not np.isfinite(drops).any() else int(np.nanargmax(drops))
