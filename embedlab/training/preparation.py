"""What is decided before the first step: how many steps, on which texts, and what judges them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
import torch

from embedlab.copies import normalised
from embedlab.corpora.base import Corpus
from embedlab.corpora.sets.stored import GivenPairs
from embedlab.encoder_catalog.names import is_made_here, kind_of
from embedlab.encoders.embed import embed
from embedlab.encoders.encoder import Encoder
from embedlab.errors import CorpusError, UnfitError
from embedlab.limits import LIMITS
from embedlab.metrics.split import Split, development_split
from embedlab.objectives.base import Objective
from embedlab.training.batches import Batches
from embedlab.training.loop import TrainingStep
from embedlab.training.settings import RunSettings


def planned_steps(settings: RunSettings, per_epoch: int, device: str = "cpu") -> int:
    """The total number of steps: the requested epochs or the fitted length, at most ``max_steps``."""
    if settings.schedule == "fitted":
        fitting = fitted_length(settings.encoder).steps(per_epoch, device)
        return min(fitting, settings.max_steps or fitting)
    if settings.epochs is None:
        assert settings.max_steps is not None, "settings without an end were let through"
        return settings.max_steps
    return min(settings.epochs * per_epoch, settings.max_steps or settings.epochs * per_epoch)


def judge_of(settings: RunSettings, *, has_development: bool, usable_texts: int) -> str:
    """What judges live points: as requested; a fitted length without labels is judged by the held-out loss."""
    is_unjudged = settings.schedule == "fitted" and settings.judged_by == "knn" and not has_development
    if settings.judged_by == "loss" and usable_texts < ENOUGH_TO_HOLD_OUT:
        raise CorpusError(
            "E-NO-USABLE-TEXTS",
            f"Setting 'judged_by' is loss, which holds out a tenth of at least {ENOUGH_TO_HOLD_OUT} usable texts, "
            f"but there are {usable_texts}. Set it to knn.",
        )
    return "loss" if is_unjudged and settings.live_texts and usable_texts >= ENOUGH_TO_HOLD_OUT else settings.judged_by


def rank_judge_of(
    settings: RunSettings, corpus: Corpus, rows: np.ndarray, device: str
) -> tuple[RankJudge | None, np.ndarray]:
    """The judge by ranks of summaries, if requested, and the rows left for training."""
    if settings.judged_by != "ranks":
        return None, rows
    if corpus.summaries is None:
        raise UnfitError(
            "E-UNFIT",
            f"Setting 'judged_by' is ranks, which needs summaries, but {corpus.info.name!r} has none. Make them on "
            f"the page Data, or set it to knn.",
        )
    held_out = held_out_rows(corpus.summaries, rows, seed=settings.seed)
    if len(held_out) == 0:
        raise CorpusError(
            "E-NO-SUMMARIES",
            "Setting 'judged_by' is ranks, which holds out a tenth of the texts with two summaries, but "
            f"{corpus.info.name!r} has fewer than ten of them. Set it to knn.",
        )
    return RankJudge(corpus, held_out, device=device), rows[~np.isin(rows, held_out)]


def require_judge(settings: RunSettings, *, is_judged: bool) -> None:
    """Refuse early stopping if nothing compares steps."""
    if settings.early_stopping is not None and not is_judged:
        raise UnfitError(
            "E-UNFIT",
            "Setting 'early_stopping' needs live points on labeled texts, judged_by=ranks with summaries or an "
            "evaluation set that judges, but there are none here. Leave it empty.",
        )


def require_usable_texts(batches: Batches, corpus: Corpus) -> None:
    """Refuse a corpus of which the augmentation can use fewer than two texts."""
    if batches.per_epoch > 0:
        return
    augmentation = batches.augmentation
    fields, ways = augmentation.config_class.model_fields, []
    if augmentation.needs & {"pairs"}:
        raise CorpusError(
            "E-NO-USABLE-TEXTS",
            f"Training needs at least two pairs, but {len(batches.rows)} of {augmentation.corpus.info.pairs:,} of "
            f"{augmentation.corpus.info.name!r} remain without test texts, judged pairs and scores below "
            "'augmentation.least_score'. Choose other pairs.",
        )
    if "unit" in fields and "text" in get_args(fields["unit"].annotation) and augmentation.config.unit != "text":
        ways.append("take whole texts (augmentation.unit=text)")
    if "min_characters" in fields and getattr(augmentation.config, "unit", "crop") != "text":
        ways.append("allow shorter sentences (augmentation.sentences, augmentation.min_characters)")
    advice = " or ".join([*ways, "choose another recipe"])
    advice = f"{advice[0].upper()}{advice[1:]}."
    raise CorpusError(
        "E-NO-USABLE-TEXTS",
        f"{augmentation.title} needs at least two texts that yield two views, but {len(batches.rows)} of the "
        f"{len(corpus.kept):,} texts of {corpus.info.name!r} do. {advice}",
    )


def pair_rows(pairs: GivenPairs, corpus: Corpus, split: Split | None, judged: set[frozenset[str]]) -> np.ndarray:
    """The pairs that may be trained on: none with a test text of the corpus or a text of the judge. -> (n,)

    ``judged``: both texts of a pair, or a query, as ``normalised``.
    """
    tested = set() if split is None else {normalised(corpus.texts[row]) for row in split.test}
    rows = pairs.rows_without(tested)
    pair_texts = [{normalised(text) for text in pairs.pairs[row][:2]} for row in rows]
    is_judged = [frozenset(each) in judged or any(frozenset([text]) in judged for text in each) for each in pair_texts]
    return rows[~np.array(is_judged, bool)] if len(rows) else rows


_DRAWN = 65_536  # keeps this drawing apart from the order of any epoch, which begins with the same seed


def training_rows(corpus: Corpus, split: Split | None, train_on: str, *, labels_train: bool = False) -> np.ndarray:
    """``labels_train``: training uses labels, so test and development texts are left out."""
    if split is None or (train_on == "all" and not labels_train):
        return corpus.kept
    left_out = split.test
    if labels_train:
        left_out = np.concatenate([left_out, development_split(split, corpus.copies).test])
    unseen = {normalised(corpus.texts[row]) for row in left_out}
    rows = split.train if labels_train else corpus.kept
    return np.array([row for row in rows if normalised(corpus.texts[row]) not in unseen], dtype=np.int64)


def drawn_rows(rows: np.ndarray, count: int | None, *, seed: int) -> np.ndarray:
    """``count`` random rows, sorted; all if there are no more. A smaller draw is a subset of a larger one.

    rows: (n,) -> (min(n, count),)
    """
    if count is None or count >= len(rows):
        return rows
    return np.sort(np.random.default_rng([seed, _DRAWN]).permutation(rows)[:count])


SHARE, MOST = 0.1, 256  # of the usable texts, and texts at most
ENOUGH_TO_HOLD_OUT = 20  # usable texts: a tenth of fewer is no batch


class HeldOutLoss:
    """The training loss on texts set aside."""

    def __init__(self, batches: Batches, objective: Objective, *, device: str):
        """Takes a tenth of the usable texts (at least ``ENOUGH_TO_HOLD_OUT``) out of ``batches``, by its seed."""
        rng, count = np.random.default_rng([batches.seed, MOST]), min(MOST, int(SHARE * len(batches.rows)))
        held = np.sort(rng.permutation(len(batches.rows))[:count])
        self.batch = batches.made_of(batches.rows[held])
        batches.rows = np.delete(batches.rows, held)
        self.objective, self.device = objective, device

    @torch.no_grad()
    def score(self, encoder: Encoder) -> float:
        """The negative loss; higher is better."""
        was_training = encoder.training
        encoder.eval()
        self.objective.eval()
        random = torch.random.get_rng_state()
        views = self.batch.collated(encoder, self.device)
        loss = float(self.objective(encoder, views, **self.batch.told(self.device))["loss"])
        torch.random.set_rng_state(random)
        encoder.train(was_training)
        self.objective.train(was_training)
        return -loss


HELD_OUT = 900  # texts in the paper; at most a tenth of those with two summaries here


def held_out_rows(summaries: Sequence[Sequence[str] | None], rows: np.ndarray, *, seed: int) -> np.ndarray:
    """Rows with two different summaries to hold out of training, at most ``HELD_OUT`` and a tenth of them."""
    able = [row for row in rows if len(set(filter(None, summaries[row] or ()))) > 1]
    size = min(HELD_OUT, len(able) // 10)
    return np.sort(np.random.default_rng(seed).choice(np.asarray(able, dtype=np.int64), size, replace=False))


def rank_of_own(queries: np.ndarray, candidates: np.ndarray) -> float:
    """Mean rank, from 1, of each query's own candidate by Euclidean distance; ties get their mean rank.

    (n, dim), (n, dim) -> 1 when every query finds its own first, (n + 1) / 2 when nothing is told apart.
    """
    squared = (queries**2).sum(1)[:, None] + (candidates**2).sum(1)[None] - 2 * queries @ candidates.T  # (n, n)
    own_squared = np.diag(squared)[:, None]
    tolerance = 1e-6 * np.maximum(1.0, np.abs(own_squared))
    nearer = (squared < own_squared - tolerance).sum(1)
    tied = (np.abs(squared - own_squared) <= tolerance).sum(1)  # itself included
    return float((nearer + (tied + 1) / 2).mean())


class RankJudge:
    """Two evaluations, summary to summary and the mean of two summaries to title and text, averaged (A.3)."""

    def __init__(self, corpus: Corpus, rows: np.ndarray, *, device: str):
        assert corpus.summaries is not None, "a corpus without summaries was let through"
        pairs = [list(dict.fromkeys(filter(None, corpus.summaries[row])))[:2] for row in rows]
        whole = [f"{corpus.title(row)} {corpus.texts[row]}".strip() for row in rows]
        self.texts = [first for first, _ in pairs] + [second for _, second in pairs] + whole
        self.device = device

    def score(self, encoder: Encoder) -> float:
        """The negative mean rank over both evaluations; higher is better, and -1 is best."""
        embeddings = embed(encoder, self.texts, device=self.device).astype(np.float64)
        first, second, whole = np.split(embeddings, 3)  # (n, dim) each
        return -(rank_of_own(first, second) + rank_of_own((first + second) / 2, whole)) / 2


POINTS = 10  # live points between the first and the last
PATIENCE = 3  # of them without a better one end the training


@dataclass(frozen=True)
class FittedLength:
    """Planned steps: a number of epochs between bounds; ``most`` applies to CPUs, where steps take longest.

    Chosen on the development parts of four corpora, never by test texts (tests/benchmarks/README.md).
    """

    epochs: int
    least: int
    most: int
    most_on_gpu: int

    def steps(self, per_epoch: int, device: str) -> int:
        """For a corpus with this many steps per epoch."""
        most = self.most if torch.device(device).type == "cpu" else self.most_on_gpu
        return max(self.least, min(self.epochs * per_epoch, most))


_LENGTHS = {
    "token": FittedLength(epochs=30, least=400, most=600, most_on_gpu=3_000),
    "words": FittedLength(epochs=10, least=100, most=1_000, most_on_gpu=3_000),
    "static": FittedLength(epochs=10, least=100, most=1_000, most_on_gpu=3_000),
    "scratch": FittedLength(epochs=10, least=200, most=600, most_on_gpu=20_000),
}
_TRAINED_BEFORE = FittedLength(epochs=3, least=1, most=2_000, most_on_gpu=20_000)


def patience_of(settings: RunSettings) -> int | None:
    """Live points without improvement that end a run: as requested, or by the fitted length; None for never."""
    return PATIENCE if settings.early_stopping is None and settings.schedule == "fitted" else settings.early_stopping


def fitted_length(reference: str) -> FittedLength:
    """The fitted length of this kind of encoder; a pretrained one has less to learn."""
    return _LENGTHS[kind_of(reference)] if is_made_here(reference) else _TRAINED_BEFORE


def steps_between_points(settings: RunSettings, planned: int) -> int | None:
    """As requested, or a tenth of a fitted length, so that patience means the same everywhere.

    None where the time decides.
    """
    if settings.evaluate_every is None and settings.schedule == "fitted":
        return max(1, planned // POINTS)
    return settings.evaluate_every


def steps_in_time_of(point: float, per_step: float) -> int:
    """Steps between live points that take this many seconds each, for at most a fifth of the time."""
    share = LIMITS.live_share_of_time
    return max(1, math.ceil(point * (1 - share) / share / max(per_step, 1e-6)))


@dataclass(frozen=True)
class Pace:
    """Live points every so many steps as requested, a fixed number for a fitted length, or in a fifth of the time."""

    settings: RunSettings
    planned: int
    is_watched: bool

    def next_after(self, done: TrainingStep, seconds_of_point: float) -> float:
        """The step of the next live point; infinity if there is none."""
        if not self.is_watched:
            return math.inf
        if (every := steps_between_points(self.settings, self.planned)) is not None:
            return (done.steps // every + 1) * every  # the same steps after a resume
        if done.steps == 0:
            return max(1, self.planned // 50)  # nothing is known yet of how long a step takes
        return done.steps + max(steps_in_time_of(seconds_of_point, done.seconds / done.steps), self.planned // 100, 1)
