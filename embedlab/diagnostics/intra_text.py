"""How similar the tokens of one text are, and how repetition changes that (LA(SER)³, Figure 3)."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field

from embedlab.config import Config
from embedlab.diagnostics.base import LENGTH, Diagnostic, DiagnosticResult, EncoderView, shift_in_words
from embedlab.diagnostics.length import copies_that_fit, elongated
from embedlab.diagnostics.pairs import corpus_pairs
from embedlab.encoders.embed import hidden_batches
from embedlab.later import F, torch
from embedlab.picture import Picture, Series, rounded
from embedlab.statistics.geometry import mean_cosine


class IntraTextConfig(Config):
    """Which texts to read."""

    texts: int = Field(1000, ge=10, le=10_000, description="Number of short texts; fewer if there are fewer.")
    copies: int = Field(100, ge=1, le=1000, description="Maximum number of repetitions; fewer if they do not fit.")
    seed: int = Field(0, ge=0, le=2**31 - 1, description="Seed for drawing texts and a token of each.")


class IntraText(Diagnostic):
    """Mean cosine of a text's tokens with their mean, minus the anisotropy shared by any two tokens."""

    key = "intra-text"
    title = "Similarity within a text"
    group = LENGTH
    question = "Are the tokens of a text alike?"
    sentence = (
        "Mean cosine of each token's vector with the mean of its text, minus the mean cosine of tokens of different "
        "texts (anisotropy), after every layer; for the original texts and for repeated ones. It rises where "
        "attention pulls all tokens towards the dominant ones. It does not show which ones these are: see the "
        "attention gain."
    )
    paper = "LA(SER)³ paper, section 5 and Figure 3; measures of Ethayarajh 2019"
    cites = ("laser3", "ethayarajh2019")
    needs = frozenset({"context"})
    unit = "cosine"
    number = ("last", "Similarity within a text, last layer")
    config_class = IntraTextConfig

    @staticmethod
    def measure(view: EncoderView, config: IntraTextConfig) -> DiagnosticResult:
        """On the same texts, and the same token of each, for every encoder."""
        short_pairs = corpus_pairs(
            view.reader, texts=view.texts, titles=view.titles, labels=None, pairs=config.texts, seed=config.seed
        )
        texts = short_pairs.texts[: config.texts]
        times = np.minimum(np.floor(copies_that_fit(view.reader, texts)), config.copies).astype(int)
        at = np.random.default_rng(config.seed).random(len(texts))  # how far into its text the chosen token stands
        longer = [elongated(text, max(int(m), 1)) for text, m in zip(texts, times, strict=True)]
        once, repeated = (adjusted(view, some, at) for some in (texts, longer))
        layers = list(range(len(once["adjusted"])))
        values: dict[str, Any] = {
            "once": rounded(once["adjusted"]),
            "repeated": rounded(repeated["adjusted"]),
            "anisotropy_once": rounded(once["anisotropy"]),
            "anisotropy_repeated": rounded(repeated["anisotropy"]),
            "texts": len(texts),
            "mean_copies": float(times.mean()),
        }
        values["last"] = values["once"][-1]
        lines = tuple(
            Series(name, layers, values[key]) for name, key in (("as they are", "once"), ("repeated", "repeated"))
        )
        title = "Similarity of a text's tokens, adjusted for anisotropy"
        return DiagnosticResult(
            values, Picture("lines", title, "layer (0 = token embeddings)", "adjusted cosine", lines)
        )

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """After the last layer."""
        ends = {state: (each["once"][-1], each["repeated"][-1]) for state, each in results.items()}
        return f"Repeating a text moves the similarity of its tokens after the last layer {shift_in_words(ends)}."


def adjusted(view: EncoderView, texts: list[str], at: np.ndarray) -> dict[str, np.ndarray]:
    """``intra``, ``anisotropy`` and ``adjusted`` = intra − anisotropy.  at: (texts,) in [0, 1) -> each (layers + 1,)"""
    layers = view.encoder.layers + 1
    intra, seen = np.zeros(layers), 0
    chosen: list[list[np.ndarray]] = [[] for _ in range(layers)]
    for rows, tokens, hidden in hidden_batches(view.encoder, texts, device=view.device, progress=view.progress):
        mask = tokens["attention_mask"].bool()  # (batch, tokens)
        lengths = mask.sum(dim=1)
        token = (torch.from_numpy(at[rows]) * lengths.cpu()).long().to(lengths.device)  # MPS has no float64
        seen += len(rows)
        for layer, states in enumerate(hidden):  # (batch, tokens, dim)
            states = states.float()
            mean = (states * mask[..., None]).sum(dim=1) / lengths[:, None]
            cosine = F.cosine_similarity(states, mean[:, None], dim=-1) * mask
            intra[layer] += float((cosine.sum(dim=1) / lengths).sum())
            chosen[layer].append(states[torch.arange(len(rows), device=lengths.device), token].cpu().numpy())
    intra /= max(seen, 1)
    anisotropy = np.array([mean_cosine(np.concatenate(each)) for each in chosen])
    return {"intra": intra, "anisotropy": anisotropy, "adjusted": intra - anisotropy}
