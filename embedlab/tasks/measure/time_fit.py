"""Defaults of an instrument lowered until it takes about a minute here: what long contexts cost, from a few texts."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from embedlab.config import Config
from embedlab.diagnostics.base import EncoderView
from embedlab.diagnostics.length import LengthConfig, copies_that_fit
from embedlab.diagnostics.pairs import Pairs, corpus_pairs, pairs_of_view, token_counts
from embedlab.encoders.embed import embed
from embedlab.encoders.encoder import Encoder
from embedlab.limits import LIMITS
from embedlab.numbers import counted, duration

SECONDS = 60.0  # of an instrument, all of its encoders together
TIMED = (256, 512, 1024, 2048)  # tokens of a timed text: the first, and the longest that is read soon enough
SOON = 3.0  # seconds
BATCH = 16  # texts of a short context that are timed together
SAMPLE = 200  # texts of the corpus whose tokens are counted
NOUNS = {"pairs": "pair", "copies": "copy", "texts": "text", "at_most": "text"}
_LADDER = sorted((round(step * 10**power) for step in (1, 1.5, 2, 3, 4, 5, 6, 8) for power in range(6)), reverse=True)
C = TypeVar("C", bound=Config)


@dataclass(frozen=True)
class Pace:
    """Seconds for a text of n tokens: linear · n + quadratic · n², the second being attention."""

    linear: float
    quadratic: float = 0.0

    def seconds(self, tokens: np.ndarray) -> float:
        """For all texts together.  tokens: (texts,)"""
        return float((tokens * (self.linear + self.quadratic * tokens)).sum())


@dataclass(frozen=True)
class Work:
    """What an instrument reads: the lowest value of each setting that may be lowered, in that order, and the tokens."""

    lowest: Mapping[str, int]
    tokens: Callable[[Any], np.ndarray]  # settings -> (texts,)


def fitted(config: C, work: Work, pace: Pace, *, encoders: int = 1, within: float = SECONDS) -> tuple[C, str | None]:
    """The settings with lower defaults where these take more than so many seconds, and a sentence; given ones stay."""
    chosen, expected = config, encoders * pace.seconds(work.tokens(config))
    lowered, seconds = [], expected
    for name, lowest in work.lowest.items():
        value = getattr(config, name)
        if seconds <= within or name in config.model_fields_set or value <= lowest:
            continue
        for smaller in (step for step in _LADDER if lowest <= step < value):
            chosen = chosen.model_copy(update={name: smaller})
            seconds = encoders * pace.seconds(work.tokens(chosen))
            if seconds <= within:
                break
        lowered.append(name)
    if not lowered:
        return config, None
    before, after = (_settings_in_words(each, lowered) for each in (config, chosen))
    return chosen, (
        f"With {before} this would take about {duration(expected)} here, so it uses {after} "
        f"(about {duration(seconds)})."
    )


def _settings_in_words(config: Config, names: list[str]) -> str:
    plurals = {"copy": "copies"}
    return " and ".join(counted(getattr(config, name), noun := NOUNS[name], plurals.get(noun, "")) for name in names)


def pace_of(encoder: Encoder, device: str) -> Pace:
    """From one text of 256 tokens and a longer one, each read twice; for a short context from a batch."""
    if not has_long_context(encoder):
        tokens = min(encoder.max_length, LIMITS.short_context)
        return Pace(_seconds_to_read(encoder, tokens, device, texts=BATCH) / (BATCH * tokens))
    _seconds_to_read(encoder, 16, device, texts=1)  # the first call also prepares
    first = TIMED[0]
    each = _seconds_to_read(encoder, first, device, texts=1) / first
    longer = max((n for n in TIMED[1:] if n <= encoder.max_length and n * each <= SOON), default=TIMED[1])
    each_of_longer = _seconds_to_read(encoder, longer, device, texts=1) / longer
    quadratic = max((each_of_longer - each) / (longer - first), 0.0)
    return Pace(each_of_longer - quadratic * longer, quadratic)


def _seconds_to_read(encoder: Encoder, tokens: int, device: str, *, texts: int) -> float:
    taken = []
    for _ in range(2):
        began = time.perf_counter()
        embed(encoder, ["a " * tokens] * texts, device=device, max_length=tokens, role="none")
        taken.append(time.perf_counter() - began)
    return min(taken)


def has_long_context(encoder: Encoder) -> bool:
    """Whether defaults are fitted: a transformer that reads more than 512 tokens."""
    return bool(encoder.layers) and encoder.max_length > LIMITS.short_context


def fitted_attack(
    config: LengthConfig, encoder: Encoder, pairs: Pairs, *, encoders: int, device: str, within: float | None = None
) -> tuple[LengthConfig, str | None]:
    """The length attack's settings on these pairs.

    ``within``: seconds that it may take with any encoder; None: a minute, and only with a long context.
    """
    if within is None and not has_long_context(encoder):
        return config, None
    seconds, pace = SECONDS if within is None else within, pace_of(encoder, device)
    return fitted(config, work_of_attack(encoder, pairs), pace, encoders=encoders, within=seconds)


def fitted_to_views(key: str, config: C, views: Mapping[str, EncoderView]) -> tuple[C, str | None]:
    """The settings of a diagnostic for these encoders, by the pace of the first."""
    first = next(iter(views.values()))
    if key not in WORKS or not has_long_context(first.encoder):
        return config, None
    if "pace" not in first.cache:
        first.progress("Timing a few texts", 0, 0)
        first.cache["pace"] = pace_of(first.encoder, first.device)
    return fitted(config, WORKS[key](first, config), first.cache["pace"], encoders=len(views))


def work_of_attack(encoder: Encoder, pairs: Pairs) -> Work:
    """Each text of the pairs as it is and repeated."""
    once, fits = token_counts(encoder, pairs.texts), copies_that_fit(encoder, pairs.texts)
    is_given = pairs.kind == "given"

    def tokens(config: LengthConfig) -> np.ndarray:
        kinds = (pairs.random, pairs.same_label)
        both = np.concatenate(kinds if is_given else [each[: config.pairs] for each in kinds])  # (pairs, 2)
        times = np.floor(np.minimum(fits[both].min(axis=1), config.copies))
        times = np.full(len(both), config.copies) if config.truncate else np.maximum(times, 1)
        longer = np.unique(np.stack([both.T.ravel(), np.tile(times, 2)], axis=1), axis=0)  # (texts, 2)
        repeated = once[longer[:, 0].astype(int)] * longer[:, 1]
        return np.minimum(np.concatenate([once, repeated]), encoder.max_length)

    return Work({"copies": 20} if is_given else {"pairs": 200, "copies": 20}, tokens)


def _work_of_attack(view: EncoderView, config: LengthConfig) -> Work:
    pairs = pairs_of_view(view, titles=view.titles, labels=view.labels, pairs=config.pairs, seed=config.seed)
    return work_of_attack(view.encoder, pairs)


def _work_within_texts(view: EncoderView, config: Any) -> Work:
    short = corpus_pairs(
        view.reader, texts=view.texts, titles=view.titles, labels=None, pairs=config.texts, seed=config.seed
    ).texts
    once, fits = token_counts(view.encoder, short), copies_that_fit(view.encoder, short)

    def tokens(config: Any) -> np.ndarray:
        copies = np.maximum(np.floor(np.minimum(fits, config.copies)), 1)
        return np.concatenate([once[: config.texts], (copies * once)[: config.texts]])

    return Work({"texts": 200, "copies": 20}, tokens)


def _work_on_corpus(setting: str) -> Callable[[EncoderView, Any], Work]:
    def work(view: EncoderView, config: Any) -> Work:
        rows = view.sample(SAMPLE, seed=0)
        lengths = np.array([len(ids) for ids in view.encoder.tokenize([view.texts[row] for row in rows])], float)
        return Work({setting: 200}, lambda config: np.resize(lengths, min(getattr(config, setting), len(view.rows))))

    return work


WORKS: dict[str, Callable[[EncoderView, Any], Work]] = {
    "length": _work_of_attack,
    "isotropy": _work_of_attack,
    "intra-text": _work_within_texts,
    "readout": _work_on_corpus("at_most"),
    "cka": _work_on_corpus("texts"),
}
