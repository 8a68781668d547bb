"""Which kinds of words hold pairs together, against how often those kinds occur (TSDAE, section 7.2, Figure 4)."""

import re
from collections import Counter
from functools import cache

import numpy as np
from pydantic import Field

from embedlab.config import Config
from embedlab.diagnostics.base import WORDS, DiagnosticResult, EncoderView, told_of_each
from embedlab.diagnostics.pairs import worded_pairs
from embedlab.diagnostics.picture import Picture, Series, rounded
from embedlab.diagnostics.word_deletion import deletions
from embedlab.errors import CorpusError, UnfitError
from embedlab.numbers import percent

ALIKE = 4  # of 5: pairs with a higher score are relevant to each other
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


_LATIN = re.compile("[a-zA-Z\u00c0-\u024f]")


class PartsConfig(Config):
    """How many pairs are read."""

    pairs: int = Field(200, ge=10, le=5000, description="Number of pairs of texts whose words are deleted in turn.")
    seed: int = Field(0, ge=0, le=2**31 - 1, description="Seed of the random draw.")


class PartsOfSpeech:
    """The part of speech of each pair's telling word."""

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
        """The same pairs for every encoder."""
        pairs = _relevant(view, config)
        require_english([text for pair in pairs for text in pair])
        tags = [[kinds(text) for text in pair] for pair in pairs]
        _, drops = deletions(view, pairs)
        telling, prior = Counter(), Counter()
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
        return DiagnosticResult(values, (Picture("bars", "Part of speech of the decisive word", "", "share", series),))

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """Nouns, as in the paper."""
        shares = told_of_each({state: percent(each["noun"], 0) for state, each in results.items()})
        prior = next(iter(results.values()))["prior"]["noun"]
        return f"Of all words {percent(prior, 0)} are nouns; of the decisive words of a pair, {shares}."


def require_english(texts: list[str]) -> None:
    """Refuse texts that an English tagger would give meaningless kinds: of another script than the Latin one."""
    latin, letters = (sum(map(of, texts)) for of in (_latin_letters, _letters))
    if 2 * latin < letters:
        raise UnfitError(
            "E-NOT-ENGLISH",
            "Parts of speech come from an English tagger, and these texts are not English, so there is no number. "
            "Look at single words of two texts instead (word-deletion).",
        )


def _latin_letters(text: str) -> int:
    return len(_LATIN.findall(text))


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def kinds(text: str) -> list[str]:
    """The part of speech of each word of a text, words as ``str.split`` gives them."""
    words = text.split()
    plain = [re.sub(r"^\W+|\W+$", "", word) or word for word in words]
    tagged = _tagger().tag_sent(plain, taglevel=1) if plain else []
    return [_kind(tag) for _, _, tag in tagged]


def _kind(tag: str) -> str:
    return next((name for name, starts in KINDS.items() if tag.startswith(starts)), "other")


@cache
def _tagger():
    """HanTa, whose English model comes with the package."""
    try:
        from HanTa.HanoverTagger import HanoverTagger
    except ImportError:
        message = "Parts of speech need the package HanTa, which is not installed. Run: pip install HanTa==1.2.1"
        raise UnfitError("E-NO-TAGGER", message) from None
    return HanoverTagger("morphmodel_en.pgz")


def _relevant(view: EncoderView, config: PartsConfig) -> list[tuple[str, str]]:
    if view.pairs is not None and view.pairs.scores is not None:
        alike = np.flatnonzero(view.pairs.scores > ALIKE)[: config.pairs]
        matching = [(view.pairs.first[pair], view.pairs.second[pair]) for pair in alike]
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
