"""The length attack: what repeating a text m times does to its similarity with another (LA(SER)³, §3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from embedlab.config import Config
from embedlab.diagnostics.base import LENGTH, Diagnostic, DiagnosticResult, EncoderView, shift_in_words
from embedlab.diagnostics.pairs import Pairs, pairs_of_view
from embedlab.encoder_catalog.names import REPEATS_CHANGE_NOTHING
from embedlab.encoders.embed import embed
from embedlab.metrics.base import MetricResult, ScoredPairs
from embedlab.metrics.length_results import (
    Bench,
    ChangedCorrelation,
    CopiesFit,
    CopiesRead,
    Correlation,
    Moments,
    PairsSummary,
    Robustness,
    ScoredEncoder,
)
from embedlab.metrics.pair_metrics import STS, area_under_curve
from embedlab.progress import Progress, silent
from embedlab.statistics.geometry import cosines

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder


class LengthConfig(Config):
    """The paper repeats every text a hundred times; how much an encoder reads depends on its maximum length."""

    copies: int = Field(100, ge=1, le=1000, description="How many times every text is repeated, m.")
    pairs: int = Field(
        1000, ge=1, le=20_000, description="Number of pairs of each kind: random, and with the same label."
    )
    truncate: bool = Field(
        False, description="Repeat m times as in the paper, even where the encoder truncates the rest."
    )
    seed: int = Field(0, ge=0, le=2**31 - 1, description="Seed for drawing the pairs.")


@dataclass(frozen=True)
class Similarities:
    """Cosines of the same pairs before and after elongation, and the number of copies read. each: (pairs,)"""

    before: np.ndarray
    after: np.ndarray
    effective_copies: np.ndarray

    def summary(self) -> PairsSummary | None:
        """Means and standard deviations, None without a pair."""
        if len(self.before) == 0:
            return None
        copies = self.effective_copies
        return PairsSummary(
            pairs=len(self.before),
            effective_copies=CopiesRead(mean=float(copies.mean()), min=float(copies.min()), max=float(copies.max())),
            before=_moments(self.before),
            after=_moments(self.after),
        )


def _moments(cosines: np.ndarray) -> Moments:
    return Moments(mean=float(cosines.mean()), std=float(cosines.std()))


@dataclass(frozen=True)
class LengthResult:
    """One encoder under the attack, over random pairs and pairs of one label."""

    random: Similarities
    same_label: Similarities
    copies: int
    texts: str  # what the short texts are: titles, sentences or given
    zero_vectors: int  # pairs left out because a text has no vector
    flat_because: str | None

    @property
    def robustness(self) -> Robustness:
        """What both kinds of pairs say of it; None without a pair, or where all cosines are equal."""
        measures, random, same_label = {}, self.random, self.same_label
        spread = float(random.before.std()) if len(random.before) else 0.0
        if spread > 0:
            measures["change"] = float(np.abs(random.after - random.before).mean() / spread)
        if len(random.before) and len(same_label.before):
            is_same = np.arange(len(same_label.before) + len(random.before)) < len(same_label.before)
            measures["auc_before"] = area_under_curve(np.concatenate([same_label.before, random.before]), is_same)
            measures["auc_after"] = area_under_curve(np.concatenate([same_label.after, random.after]), is_same)
        return Robustness(**measures)


class LengthAttack(Diagnostic):
    """A robust encoder gives the same similarity however often the texts are repeated."""

    key = "length"
    title = "Length attack"
    group = LENGTH
    question = "Do texts become more similar only because they get longer?"
    sentence = "Similarity of pairs of short texts before and after every text is repeated m times."
    paper = "LA(SER)³ paper, section 3 and Figure 2"
    unit = "cosine"
    cites = ("laser3",)
    config_class = LengthConfig

    @staticmethod
    def measure(view: EncoderView, config: LengthConfig) -> DiagnosticResult:
        """On the corpus's titles, or on one short sentence per text if it has no titles."""
        result = attacked(view, config)
        summaries = {"random": result.random.summary(), "same_label": result.same_label.summary()}
        plain = {kind: None if each is None else each.model_dump() for kind, each in summaries.items()}
        return DiagnosticResult({**vars(result), **plain, "robustness": result.robustness.model_dump()})

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """On random pairs."""
        summaries = {state: PairsSummary(**each["random"]) for state, each in results.items() if each["random"]}
        if not summaries:
            return "No pair of short texts was found."
        ends = {state: (each.before.mean, each.after.mean) for state, each in summaries.items()}
        copies = next(iter(results.values()))["copies"]
        return f"Repeating texts {copies:,} times moves the mean cosine of random pairs {shift_in_words(ends, 3)}."


def attacked(view: EncoderView, config: LengthConfig) -> LengthResult:
    """The attack, run once per encoder and settings and shared by all parts."""
    if (stored := view.cache.get(config.model_dump_json())) is not None:
        return stored
    view.progress("Choosing pairs of short texts", 0, 0)
    pairs = pairs_of_view(view, titles=view.titles, labels=view.labels, pairs=config.pairs, seed=config.seed)
    result = attack(
        view.encoder, pairs, copies=config.copies, truncate=config.truncate, device=view.device, progress=view.progress
    )
    view.cache[config.model_dump_json()] = result
    return result


def attack(
    encoder: Encoder,
    pairs: Pairs,
    *,
    copies: int,
    truncate: bool = False,
    device: str = "cpu",
    progress: Progress = silent,
) -> LengthResult:
    """Cosines of the pairs before and after m copies of each text.

    m is the largest number up to ``copies`` with which the encoder cuts neither text; ``truncate``: it is ``copies``.
    """
    fits = copies_that_fit(encoder, pairs.texts)  # (texts,), with fractions
    both = np.concatenate([pairs.random, pairs.same_label])  # (pairs, 2)
    read = np.minimum(fits[both].min(axis=1), copies)
    times = np.full(len(both), copies) if truncate else np.maximum(np.floor(read), 1).astype(int)
    embeddings = embed(encoder, pairs.texts, device=device, progress=progress)
    before = cosines(embeddings[both[:, 0]], embeddings[both[:, 1]])
    flat_because = repeats_change_nothing(encoder) if (times <= np.floor(read)).all() else None
    if flat_because is not None:
        after = before.copy()
    else:
        needed = sorted({(int(text), int(m)) for pair, m in zip(both, times, strict=True) for text in pair})
        position_of = {key: number for number, key in enumerate(needed)}
        longer = embed(encoder, [elongated(pairs.texts[t], m) for t, m in needed], device=device, progress=progress)
        first, second = (
            np.array([position_of[int(text), int(m)] for text, m in zip(side, times, strict=True)], int)
            for side in both.T
        )
        after = cosines(longer[first], longer[second])
    has_vectors = np.isfinite(before) & np.isfinite(after)
    is_random = np.arange(len(both)) < len(pairs.random)
    effective = read if truncate else times
    random, same_label = (
        Similarities(before[part], after[part], effective[part])
        for part in (has_vectors & is_random, has_vectors & ~is_random)
    )
    return LengthResult(random, same_label, copies, pairs.kind, int((~has_vectors).sum()), flat_because)


def bench(encoder: Encoder, a: str, b: str, copies: list[int], *, device: str = "cpu") -> Bench:
    """Two typed texts for each m: their cosine, and how many copies of the longer one were read."""
    embeddings, fit = repeated(encoder, [a, b], copies, device=device)
    values = [float(value) if np.isfinite(value) else None for value in cosines(*embeddings)]
    return Bench(**vars(fit), cosines=values)


def repeated(
    encoder: Encoder, texts: list[str], copies: list[int], *, device: str = "cpu"
) -> tuple[np.ndarray, CopiesFit]:
    """Each text repeated m times for each m, and how many copies of the longest are read.  -> (texts, copies, dim)"""
    fits = float(copies_that_fit(encoder, texts).min())
    flat = repeats_change_nothing(encoder) if max(copies, default=1) <= fits else None
    times = [1] * len(copies) if flat is not None else copies
    embeddings = embed(encoder, [elongated(text, m) for text in texts for m in times], device=device)
    fit = CopiesFit(
        copies=list(copies),
        effective_copies=[round(min(m, fits), 2) for m in copies],
        truncated_from=min((m for m in copies if m > fits), default=None),
        flat_because=flat,
    )
    return embeddings.reshape(len(texts), len(copies), -1), fit


def elongated(text: str, copies: int) -> str:
    """The text repeated, joined by a blank."""
    return " ".join([text] * copies)


def copies_that_fit(encoder: Encoder, texts: list[str]) -> np.ndarray:
    """How many copies of each text are read before truncation, with fractions, at least 1. -> (texts,)"""
    once = np.array([len(ids) for ids in encoder.tokenize(texts)], float)  # special tokens included
    twice = np.array([len(ids) for ids in encoder.tokenize([elongated(text, 2) for text in texts])], float)
    limit = encoder.max_length  # what truncation leaves of a long text
    special = len(encoder.tokenize([""])[0])
    one_more = np.where(twice < limit, twice - once, once - special)  # a copy in the midst of others, by its tokens
    with np.errstate(divide="ignore", invalid="ignore"):
        fits = 1 + (limit - once) / one_more
    return np.where(one_more > 0, fits, np.inf)


def repeats_change_nothing(encoder: Encoder) -> str | None:
    """Why elongation leaves this encoder's vectors as they are, or None."""
    why = REPEATS_CHANGE_NOTHING.get(encoder.pooling)
    if "context" in encoder.provides or why is None:
        return None
    return f"This encoder is a bare token-embedding layer: {why}, so elongation changes nothing."


def scored_attack(
    encoder: Encoder,
    *,
    first: list[str],
    second: list[str],
    scores: np.ndarray,
    copies: int,
    device: str = "cpu",
    progress: Progress = silent,
) -> tuple[ScoredEncoder, Similarities]:
    """Spearman of the cosine with the scores: with the texts unchanged, with the first repeated, with both repeated.

    m is the largest number up to ``copies`` with which the encoder cuts neither text of the pair.
    scores: (pairs,) -> the correlations, and the cosines of the pairs as they are and both repeated, without those of
    a text that has no vector
    """
    pairs = len(first)
    fits = copies_that_fit(encoder, [*first, *second]).reshape(2, pairs)
    read = np.minimum(fits.min(axis=0), copies)
    times = np.maximum(np.floor(read), 1).astype(int)  # (pairs,)
    plain = embed(encoder, [*first, *second], device=device, progress=progress).reshape(2, pairs, -1)
    flat_because = repeats_change_nothing(encoder) if (times <= np.floor(read)).all() else None
    longer = plain
    if flat_because is None:
        repeated = [elongated(text, m) for side in (first, second) for text, m in zip(side, times, strict=True)]
        longer = embed(encoder, repeated, device=device, progress=progress).reshape(2, pairs, -1)
    sides = [(plain, plain), (longer, plain), (longer, longer)]  # which texts of a pair are repeated
    none, first_repeated, both_repeated = (STS.measure(ScoredPairs(one[0], other[1], scores)) for one, other in sides)

    def changed(result: MetricResult) -> ChangedCorrelation:
        return ChangedCorrelation(value=result.value, change=STS.difference(before=none.units, after=result.units))

    both = [cosines(*plain), cosines(*longer)]
    has_vectors = np.isfinite(both).all(axis=0)
    similarities = Similarities(both[0][has_vectors], both[1][has_vectors], times[has_vectors])
    scored = ScoredEncoder(
        pairs=pairs,
        effective_copies=CopiesRead(mean=float(times.mean()), min=int(times.min()), max=int(times.max())),
        zero_vectors=none.facts["zero_vectors"],
        flat_because=flat_because,
        none=Correlation(value=none.value),
        first=changed(first_repeated),
        both=changed(both_repeated),
    )
    return scored, similarities
