"""How much attention tokens gain when their text is repeated, measured and as derived (LA(SER)³, Eq. 5–10)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from embedlab.config import Config
from embedlab.diagnostics.base import LENGTH, Diagnostic, DiagnosticResult, EncoderView, value_in_words
from embedlab.errors import EncoderError, SettingsError, UnfitError
from embedlab.later import torch
from embedlab.picture import Picture, Series, rounded

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder

FEWEST = 3  # tokens: two always lie on a line
MOST_BYTES = 2**29  # of the attention of all layers and heads, unless copies are given; no encoder of 512 has more


class AttentionGainConfig(Config):
    """How often the text is repeated."""

    copies: int = Field(
        100, ge=2, le=1000, description="Maximum number of copies; fewer if the encoder cannot read as many."
    )


class AttentionGain(Diagnostic):
    """Measured against predicted, token by token and layer by layer."""

    key = "attention-gain"
    title = "Attention gain"
    group = LENGTH
    question = "Which words gain attention when a text is repeated?"
    sentence = (
        "A token's share of attention grows when its text is repeated, because [CLS] and [SEP] are not repeated; the "
        "larger the share, the more it grows. Each point is a token in a layer: the gain that the derivation "
        "predicts from the original text, and the measured one. The derivation ignores positions; the distance of "
        "the points from the diagonal is the effect of positions and context. Attention is not importance."
    )
    paper = "LA(SER)³ paper, section 2, Eq. 5–10"
    cites = ("laser3",)
    needs = frozenset({"a-text", "context"})
    unit = "share of attention"
    config_class = AttentionGainConfig

    @staticmethod
    def measure(view: EncoderView, config: AttentionGainConfig) -> DiagnosticResult:
        """On the first typed text."""
        encoder, text = view.encoder, view.typed[0]
        ids, empty = (encoder.tokenize([each], role="none")[0] for each in (text, ""))
        if getattr(encoder, "is_causal", False) or len(empty) != 2:
            raise UnfitError(
                "E-ATTENTION-GAIN",
                "The derivation holds where each token sees the whole text and one token before and one after the text "
                f"are not repeated ([CLS] and [SEP]), which is not so for {encoder.reference}. Choose another encoder.",
            )
        body = ids[1 : len(ids) - len(empty) + 1]
        if len(body) < FEWEST:
            message = f"A correlation needs a text of {FEWEST} tokens, but this one has {len(body)}. Type a longer one."
            raise SettingsError("E-FEW-TOKENS", message)
        copies = min(config.copies, (encoder.max_length - len(empty)) // len(body))
        if "copies" not in config.model_fields_set:
            copies = min(copies, max(tokens_that_fit(encoder) // len(body), 2))
        if copies < 2:
            raise SettingsError(
                "E-TOO-LONG",
                f"The text has {len(body)} tokens and the encoder reads {encoder.max_length}, so it cannot be "
                "repeated. Type a shorter one.",
            )
        once = attentions(encoder, [empty[0], *body, *empty[1:]], view.device)
        longer = attentions(encoder, [empty[0], *body * copies, *empty[1:]], view.device)
        predicted, measured = gains(once, longer, tokens=len(body), copies=copies)  # (layers, tokens)
        words = [encoder.tokenizer.id_to_token(token) for token in body]
        values = {
            "words": words,
            "copies": copies,
            "predicted": [rounded(row, 6) for row in predicted],
            "measured": [rounded(row, 6) for row in measured],
            "correlation": _correlation(predicted.ravel(), measured.ravel()),
            "by_layer": [_correlation(*each) for each in zip(predicted, measured, strict=True)],
        }
        points = tuple(
            Series(f"layer {layer + 1}", rounded(predicted[layer], 6), rounded(measured[layer], 6))
            for layer in range(len(predicted))
        )
        clouds = Picture("points", f"Gain of attention, m = {copies}", "predicted gain", "measured gain", points)
        rows = tuple(Series(f"layer {layer + 1}", words, rounded(row, 6)) for layer, row in enumerate(measured))
        return DiagnosticResult(values, clouds, Picture("heat", "Measured gain of each token", "token", "gain", rows))

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """The correlation, and the token that gains most."""
        last = next(reversed(results.values()))
        most = last["words"][int(np.argmax(np.mean(last["measured"], axis=0)))]
        return (
            f"Predicted and measured gain correlate by {value_in_words(results, 'correlation')}. “{most}” gains most."
        )


def predicted_gain(attention: np.ndarray, unrepeated: np.ndarray, copies: int) -> np.ndarray:
    """What each share of attention gains from m copies: a·c·s / (1 − c·s) with c = (m − 1)/m.

    ``unrepeated``: s, the share of the tokens that are not repeated; in the paper [CLS] alone, which is the same where
    there is no [SEP].  attention: (..., tokens), unrepeated: (...)
    """
    lost = (copies - 1) / copies * unrepeated[..., None]
    return attention * lost / (1 - lost)


def gains(once: np.ndarray, longer: np.ndarray, *, tokens: int, copies: int) -> tuple[np.ndarray, np.ndarray]:
    """Predicted and measured gain of each token, the mean over heads and over the tokens that attend.

    once, longer: (layers, heads, positions, positions) of a text and of its copies; the first position is [CLS], the
    text's tokens follow.  -> (layers, tokens), (layers, tokens)
    """
    body = slice(1, 1 + tokens)
    shares = once[:, :, body, body]  # (layers, heads, tokens, tokens)
    predicted = predicted_gain(shares, 1 - shares.sum(axis=-1), copies)
    repeated = longer[:, :, 1 : 1 + tokens * copies, 1 : 1 + tokens * copies]
    split = repeated.reshape(*repeated.shape[:2], copies, tokens, copies, tokens)
    measured = split.mean(axis=2).sum(axis=3) - shares  # over copies that attend, and those attended to
    return predicted.mean(axis=(1, 2)), measured.mean(axis=(1, 2))


def tokens_that_fit(encoder: Encoder) -> int:
    """Tokens of a text whose attention weights take at most ``MOST_BYTES``: layers · heads · tokens² numbers."""
    heads = int(getattr(getattr(getattr(encoder, "model", None), "config", None), "num_attention_heads", 1) or 1)
    return max(isqrt(MOST_BYTES // (4 * max(encoder.layers, 1) * heads)), 512)


def attentions(encoder: Encoder, ids: list[int], device: str) -> np.ndarray:
    """The attention of one text, by eager attention, because faster kinds do not keep it. -> (layers, heads, tokens,
    tokens)
    """
    by_layer, was_training, model = None, encoder.training, getattr(encoder, "model", None)
    if model is not None:
        encoder.to(device).eval()
        with torch.inference_mode(), _plain_attention(model, encoder.reference):
            by_layer = model(**encoder.collate([ids], device, role="none"), output_attentions=True).attentions
        encoder.train(was_training)
    if not by_layer or by_layer[0] is None:
        raise EncoderError(
            "E-NO-ATTENTION", f"{encoder.reference} gives no attention weights. Choose an encoder of the BERT family."
        )
    return np.stack([layer[0].float().cpu().numpy() for layer in by_layer])


@contextmanager
def _plain_attention(model: Any, reference: str) -> Iterator[None]:
    was = model.config._attn_implementation
    try:
        model.set_attn_implementation("eager")
    except ValueError as error:  # what transformers raises for a model without it
        raise EncoderError(
            "E-NO-ATTENTION", f"{reference} cannot show its attention: {error}. Choose another encoder."
        ) from None
    try:
        yield
    finally:
        model.set_attn_implementation(was)


def _correlation(one: np.ndarray, other: np.ndarray) -> float | None:
    if len(one) < 2 or not one.std() or not other.std():
        return None
    return float(np.corrcoef(one, other)[0, 1])
