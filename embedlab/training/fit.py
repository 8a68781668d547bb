"""Which recipes fit which encoders and corpora, and the reason when they do not."""

from embedlab.errors import UnfitError

REASONS = {
    "dropout": "it shows the encoder the same text twice and tells the views apart by dropout alone, "
    "but this encoder has no dropout: the two views would be identical",
    "context": "it needs an encoder whose token vectors depend on their neighbors, and this one has none",
    "mlm_head": "it predicts masked tokens, and this encoder cannot",
    "decoder": "it needs a decoder of the encoder's own kind with cross-attention, and there is none for this encoder "
    "(there is for BERT, RoBERTa, XLM-RoBERTa, CamemBERT and ELECTRA)",
    "summaries": "it needs summaries of the texts, and this corpus has none; the Corpus page can make them",
    "title": "it needs titles, and this corpus has none",
    "labels": "it needs labels, and this corpus has none",
}


def unfit_reason(title: str, needs: frozenset[str], offered: frozenset[str]) -> str | None:
    """Why a recipe that needs this cannot be used with what encoder and corpus offer, or None."""
    missing = [need for need in REASONS if need in needs - offered]
    return f"{title} does not fit: {REASONS[missing[0]]}." if missing else None


def require_fit(title: str, needs: frozenset[str], offered: frozenset[str]) -> None:
    """Refuse parts that do not fit."""
    reason = unfit_reason(title, needs, offered)
    if reason is not None:
        raise UnfitError("E-UNFIT", f"{reason} Choose another recipe, encoder or corpus.")


def offered_by(corpus) -> frozenset[str]:
    """What a corpus brings: titles, summaries, labels."""
    has = {"labels": corpus.labels is not None, "title": corpus.titles is not None, "summaries": corpus.has_summaries}
    return frozenset(name for name, is_there in has.items() if is_there)
