"""Which recipes fit which encoders and corpora, and the reason when they do not."""

from collections.abc import Iterable

from embedlab.errors import UnfitError

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


def unfit_reason(needs: Iterable[str], offered: Iterable[str]) -> str | None:
    """Why what needs this does not fit what encoder and corpus offer, the first reason; None where it does."""
    offered = set(offered)
    missing = set(needs) - offered
    reasons = REASONS | ({"scores": _NLI} if "nli" in offered else {})
    return next((f"{reason}." for need, reason in reasons.items() if need in missing), None)


def require_fit(title: str, needs: frozenset[str], offered: frozenset[str]) -> None:
    """Refuse parts that do not fit."""
    reason = unfit_reason(needs, offered)
    if reason is not None:
        code = "E-NLI" if _NLI in reason else "E-UNFIT"
        raise UnfitError(code, f"{title} does not fit: {reason} Choose another recipe, encoder or corpus.")


def offered_by(corpus, pairs=None) -> frozenset[str]:
    """What a corpus brings (titles, summaries, labels), and chosen ``GivenPairs`` do (negatives, scores, NLI)."""
    has = {"labels": corpus.labels is not None, "title": corpus.titles is not None, "summaries": corpus.has_summaries}
    if pairs is not None:
        info = pairs.info
        has |= {"pairs": True, "negatives": info.negatives > 0, "scores": info.has_scores, "nli": info.is_nli}
    return frozenset(name for name, is_there in has.items() if is_there)
