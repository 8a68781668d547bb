"""Which recipes fit which encoders and corpora, why others do not, and which one is proposed for a corpus."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from embedlab.augmentations.crop import CropConfig, number_of_crops
from embedlab.augmentations.sentence_pairs import different_sentences
from embedlab.encoder_catalog.names import is_token_layer
from embedlab.errors import UnfitError
from embedlab.numbers import percent

ENCODER = "words"  # where nobody names one
ENOUGH = 0.6  # of the texts; below, crops leave too much of a corpus unused
ENOUGH_PAIRS = 0.1  # of the texts with two sentences; below, training sees too little of a corpus to be worth it
SAMPLED_TEXTS = 2_000  # texts; a share of so many is known to two points
CROPS, SENTENCES, UNTOUCHED = "crops", "sentences", "untouched"

REASONS = {
    "dropout": "it shows the encoder the same text twice and only dropout makes the views differ, but this encoder "
    "has no dropout: the two views would be identical",
    "context": "it needs an encoder whose token vectors depend on their neighbors, and this one has none",
    "mlm_head": "it predicts masked tokens, and this encoder cannot",
    "decoder": "it needs a decoder of the encoder's own kind with cross-attention, and there is none for this encoder "
    "(there is for BERT, RoBERTa, XLM-RoBERTa, CamemBERT and ELECTRA)",
    "summaries": "it needs summaries of the texts, and this corpus has none; the page Data can make them",
    "title": "it needs titles, and this corpus has none",
    "labels": "it needs labels, and this corpus has none",
    "pairs": "it trains on given pairs, and none are chosen; choose some on Train, or give a file (--pairs)",
    "negatives": "it needs a negative text with each pair, and these have none",
    "scores": "it needs a score of each pair, and these have none",
}
_NLI = (
    "it needs a score of each pair, but NLI labels (entailment, neutral, contradiction) are not scores; train on "
    "them with ranking or triplet"
)


class TextRows(Protocol):
    """A corpus or given pairs, as far as the fit of a recipe depends on it."""

    @property
    def texts(self) -> Sequence[str]:
        """One text per row."""

    @property
    def kept(self) -> np.ndarray:
        """The rows with a text  (texts,)."""


def unfit_reason(needs: Iterable[str], offered: Iterable[str]) -> str | None:
    """The first reason why this encoder and corpus do not meet these needs, or None."""
    offered = set(offered)
    missing = set(needs) - offered
    reasons = REASONS | ({"scores": _NLI} if "nli" in offered else {})
    return next((f"{reason}." for need, reason in reasons.items() if need in missing), None)


def require_fit(title: str, needs: frozenset[str], offered: frozenset[str]) -> None:
    """Raise an error for parts that do not fit."""
    reason = unfit_reason(needs, offered)
    if reason is not None:
        code = "E-NLI" if _NLI in reason else "E-UNFIT"
        raise UnfitError(code, f"{title} does not fit: {reason} Choose another recipe, encoder or corpus.")


@dataclass(frozen=True)
class ProposedRecipe:
    """A recipe's key, and why it is proposed; no reason for the encoder's usual one."""

    recipe: str
    reason: str = ""


def proposed_recipe(corpus: TextRows, encoder: str = ENCODER) -> ProposedRecipe:
    """The recipe that suits a corpus's texts, judged on at most 2,000 of them drawn with a fixed seed.

    Token layers take pairs of sentences, or with hardly any nothing but their start; others text crops, unless pairs of
    sentences use far more texts.
    """
    every = range(len(corpus.kept))
    sample = random.Random(0).sample(every, min(len(every), SAMPLED_TEXTS))
    texts = [corpus.texts[corpus.kept[index]] for index in sample]
    two_sentences = _share(len(different_sentences(text)) > 1 for text in texts)
    if is_token_layer(encoder):
        if two_sentences >= ENOUGH_PAIRS:
            return ProposedRecipe(SENTENCES)
        return ProposedRecipe(
            UNTOUCHED,
            f"Only {percent(two_sentences, 0)} of these texts have two different sentences to train on, so the "
            f"encoder is measured with its word statistics alone.",
        )
    two_crops = _share(number_of_crops(text) > 1 for text in texts)
    if two_crops >= ENOUGH or two_sentences <= two_crops:
        return ProposedRecipe(CROPS)
    defaults = CropConfig()
    return ProposedRecipe(
        SENTENCES,
        f"Text crops could use {percent(two_crops, 0)} of these texts (two crops of {defaults.sentences} sentences of "
        f"{defaults.min_characters} to {defaults.max_characters} characters), pairs of sentences "
        f"{percent(two_sentences, 0)}.",
    )


def _share(flags: Iterable[bool]) -> float:
    values = list(flags)
    return sum(values) / max(len(values), 1)
