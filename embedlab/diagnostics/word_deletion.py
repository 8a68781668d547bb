"""The word whose deletion lowers the similarity of two texts most, and its part of speech (TSDAE, §7.2)."""

import re
from collections import Counter
from functools import cache, lru_cache
from typing import Any

import numpy as np
from pydantic import Field

from embedlab.config import Config, NoSettings
from embedlab.counting import pieces_of
from embedlab.diagnostics.base import WORDS, Diagnostic, DiagnosticResult, EncoderView, phrases_of_states
from embedlab.diagnostics.pairs import worded_pairs
from embedlab.errors import CorpusError, UnfitError
from embedlab.numbers import percent
from embedlab.picture import Picture, Series, rounded
from embedlab.statistics.geometry import cosines


class WordDeletion(Diagnostic):
    """Every word of both texts is deleted in turn."""

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

    @staticmethod
    def measure(view: EncoderView, config: NoSettings) -> DiagnosticResult:
        """On the first two typed texts."""
        whole, drops = deletions(view, [(view.typed[0], view.typed[1])])
        words = [pieces_of(text)[0] for text in view.typed[:2]]
        first, second = drops[0][: len(words[0])], drops[0][len(words[0]) :]
        telling = int(np.nanargmax(drops[0])) if np.isfinite(drops[0]).any() else None
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
            values, Picture("words", "What each word adds to the similarity", "", "drop of the cosine", series)
        )

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """The word that contributes most to the similarity."""
        if any(each["word"] is None for each in results.values()):
            return "No word can be deleted: a text of one word has no vector without it."
        phrases = {s: f"“{each['word']}” ({each['drop']:.2f} of {each['cosine']:.2f})" for s, each in results.items()}
        return f"Without it the cosine falls most: {phrases_of_states(phrases)}."


def deletions(view: EncoderView, pairs: list[tuple[str, str]]) -> tuple[np.ndarray, list[np.ndarray]]:
    """The cosine of each pair, and its decrease without each word of either text.

    Not a number where what remains has no vector.  -> (pairs,), a (words,) a pair
    """
    texts: list[str] = []
    places = []
    for one, other in pairs:
        (of_one, one_blank), (of_other, other_blank) = pieces_of(one), pieces_of(other)
        places.append((len(texts), len(of_one), len(of_other)))
        texts += [one, other]
        texts += [one_blank.join(of_one[:at] + of_one[at + 1 :]) for at in range(len(of_one))]
        texts += [other_blank.join(of_other[:at] + of_other[at + 1 :]) for at in range(len(of_other))]
    vectors = view.embed(texts)
    whole, drops = np.zeros(len(pairs)), []
    for number, (start, one_words, other_words) in enumerate(places):
        one_vector, other_vector = vectors[start], vectors[start + 1]
        shorter = vectors[start + 2 : start + 2 + one_words + other_words]
        against = np.concatenate(
            [np.tile(vector, (words, 1)) for vector, words in ((other_vector, one_words), (one_vector, other_words))]
        )
        whole[number] = cosines(one_vector[None], other_vector[None])[0]
        drops.append(whole[number] - cosines(shorter, against))
    return whole, drops


KINDS = {  # of the tagger's C5 tags, by how they begin
    "noun": ("NN", "NP"),
    "verb": ("VV",),
    "auxiliary": ("VB", "VD", "VH", "VM"),
    "adjective": ("AJ",),
    "adverb": ("AV",),
    "preposition": ("PR", "TO"),
    "determiner": ("AT", "DT", "DPS"),
    "pronoun": ("PN", "EX"),
    "conjunction": ("CJ",),
    "number": ("CRD", "ORD"),
}


class PartsConfig(Config):
    """How many pairs to read."""

    pairs: int = Field(200, ge=10, le=5000, description="Number of pairs of texts whose words are deleted in turn.")
    seed: int = Field(0, ge=0, le=2**31 - 1, description="Seed of the random draw.")


class PartsOfSpeech(Diagnostic):
    """The part of speech of each pair's decisive word."""

    key = "parts-of-speech"
    title = "Decisive words by part of speech"
    group = WORDS
    question = "Which kinds of words does the encoder read?"
    sentence = (
        "For each matching pair of texts, the word whose deletion lowers their cosine most, and its part of speech: "
        "how often each is decisive, next to how often it occurs. Pairs are scored ones above 4 of 5 if a "
        "file is given, else texts with the same label. English only; the tagger is wrong for one word in about thirty."
    )
    paper = "TSDAE paper, section 7.2 and Figures 4 and 7"
    printed = "TSDAE reports that nouns are decisive far more often than their share, in all of its encoders."
    cites = ("wang2021tsdae",)
    unit = "share of pairs"
    number = ("noun", "Nouns among decisive words")
    config_class = PartsConfig

    @staticmethod
    def measure(view: EncoderView, config: PartsConfig) -> DiagnosticResult:
        """On the same pairs for every encoder."""
        pairs = _relevant(view, config)
        require_english([text for pair in pairs for text in pair])
        tags = [[kinds(text) for text in pair] for pair in pairs]
        _, drops = deletions(view, pairs)
        telling: Counter[str] = Counter()
        prior: Counter[str] = Counter()
        for of_pair, drop in zip(tags, drops, strict=True):
            both = [*of_pair[0], *of_pair[1]]
            prior.update(both)
            if np.isfinite(drop).any():
                telling[both[int(np.nanargmax(drop))]] += 1
        names = [*KINDS, "other"]
        counted = {"telling": telling, "prior": prior}
        shares = {
            kind: {name: count[name] / max(count.total(), 1) for name in names} for kind, count in counted.items()
        }
        values = {**shares, "noun": shares["telling"]["noun"], "pairs": telling.total(), "words": prior.total()}
        series = tuple(
            Series(title, names, rounded([shares[kind][name] for name in names]))
            for kind, title in (("telling", "decisive word"), ("prior", "all words"))
        )
        return DiagnosticResult(values, Picture("bars", "Part of speech of the decisive word", "", "share", series))

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """The share of nouns, as in the paper."""
        shares = phrases_of_states({state: f"{percent(each['noun'], 0)}" for state, each in results.items()})
        prior = next(iter(results.values()))["prior"]["noun"]
        return f"Of all words {percent(prior, 0)} are nouns; of the decisive words of a pair, {shares}."


def require_english(texts: list[str]) -> None:
    """Refuse texts in a script other than Latin, for which an English tagger is meaningless."""
    together = "".join(texts)
    if 2 * len(re.findall("[a-zA-Z\u00c0-\u024f]", together)) < sum(map(str.isalpha, together)):
        raise UnfitError(
            "E-NOT-ENGLISH",
            "Parts of speech come from an English tagger, and these texts are not English, so there is no number. "
            "Look at single words of two texts instead (word-deletion).",
        )


@lru_cache(maxsize=1024)  # a text is in several pairs, and in those of each encoder
def kinds(text: str) -> tuple[str, ...]:
    """The part of speech of each word of a text, split as by ``str.split``."""
    plain = [re.sub(r"^\W+|\W+$", "", word) or word for word in text.split()]
    tagged = _tagger().tag_sent(plain, taglevel=1) if plain else []
    return tuple(
        next((name for name, starts in KINDS.items() if tag.startswith(starts)), "other") for _, _, tag in tagged
    )


@cache
def _tagger() -> Any:
    """HanTa with the English model that comes with the package."""
    try:
        from HanTa.HanoverTagger import HanoverTagger
    except ImportError:
        message = "Parts of speech need the package HanTa, which is not installed. Run: pip install HanTa==1.2.1"
        raise UnfitError("E-NO-TAGGER", message) from None
    return HanoverTagger("morphmodel_en.pgz")


def _relevant(view: EncoderView, config: PartsConfig) -> list[tuple[str, str]]:
    if view.alike is not None:
        matching = view.alike[: config.pairs]
    else:
        short = worded_pairs(view, labels=view.labels, pairs=config.pairs, seed=config.seed)
        matching = [(short.texts[one], short.texts[other]) for one, other in short.same_label]
    if not matching:
        raise CorpusError(
            "E-NO-PAIRS",
            "Matching pairs of texts are needed, but this corpus has no two texts with the same label. Give a file "
            "of scored pairs (--pairs FILE), or choose a label column.",
        )
    return matching
