"""Which recipes fit which encoders and corpora, why others do not, and which one is proposed for a corpus."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from pydantic import Field

from embedlab.config import Config
from embedlab.encoder_catalog.names import is_token_layer
from embedlab.errors import UnfitError
from embedlab.numbers import percent

ENCODER = "words"  # where nobody names one
ENOUGH = 0.6  # of the texts; below, crops leave too much of a corpus unused
ENOUGH_PAIRS = 0.1  # of the texts with two sentences; below, training sees too little of a corpus to be worth it
CROPS, SENTENCES, UNTOUCHED = "crops", "sentences", "untouched"
SIMCSE, CONTRASTIVE_TENSION = "simcse", "contrastive-tension"  # read whole texts, with dropout and without

REASONS = {
    "dropout": "it shows the encoder the same text twice and only dropout makes the views differ, but this encoder "
    "has no dropout: the two views would be identical",
    "context": "it needs an encoder whose token vectors depend on their neighbors, and this one has none",
    "mlm_head": "it predicts masked tokens, and this encoder cannot",
    "decoder": "it needs a decoder of the encoder's own kind with cross-attention, and there is none for this encoder "
    "(there is for BERT, RoBERTa, XLM-RoBERTa, CamemBERT and ELECTRA, where a text's vector is as wide as a token's)",
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


class TwoViews(Config):
    """Of which share of a corpus's texts two views can be made."""

    crops: float = Field(description="Of two crops by the paper's settings.")
    sentences: float = Field(description="Of two different sentences.")

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """Counted in these texts, or in a sample of them."""
        from embedlab.augmentations.crop import number_of_crops  # these take longer to import than a list of runs
        from embedlab.augmentations.sentence_pairs import different_sentences

        counts = [(number_of_crops(text) > 1, len(different_sentences(text)) > 1) for text in texts]
        crops, sentences = (sum(each) / len(counts) for each in zip(*counts, strict=True)) if counts else (0.0, 0.0)
        return cls(crops=crops, sentences=sentences)


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


def proposed_recipe(shares: TwoViews, encoder: str = ENCODER) -> ProposedRecipe:
    """The recipe that suits a corpus's texts.

    Token layers take pairs of sentences, or with hardly any nothing but their start. Others take text crops, unless
    pairs of sentences use far more texts, or with hardly any of both whole texts.
    """
    some = f"Only {percent(shares.sentences, 0)} of these texts have" if shares.sentences else "No text has"
    if is_token_layer(encoder):
        if shares.sentences >= ENOUGH_PAIRS:
            return ProposedRecipe(SENTENCES)
        reason = (
            f"{some} two different sentences to train on, so the encoder is measured with its word statistics alone."
        )
        return ProposedRecipe(UNTOUCHED, reason)
    if max(shares.crops, shares.sentences) < ENOUGH_PAIRS:
        return ProposedRecipe(_of_whole_texts(encoder), f"{some} two different sentences, so whole texts are read.")
    if shares.crops >= ENOUGH or shares.sentences <= shares.crops:
        return ProposedRecipe(CROPS)
    from embedlab.augmentations.crop import CropConfig

    defaults = CropConfig()
    return ProposedRecipe(
        SENTENCES,
        f"Text crops could use {percent(shares.crops, 0)} of these texts (two crops of {defaults.sentences} sentences "
        f"of {defaults.min_characters} to {defaults.max_characters} characters), pairs of sentences "
        f"{percent(shares.sentences, 0)}.",
    )


def _of_whole_texts(encoder: str) -> str:
    """Return the recipe that needs a single sentence; an encoder of which nothing is known has dropout, as a BERT."""
    from embedlab.encoder_catalog.catalog import provided_by

    provided = provided_by(encoder)
    return SIMCSE if provided is None or "dropout" in provided else CONTRASTIVE_TENSION
