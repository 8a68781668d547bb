"""kNN accuracy, spread and geometry of the same live texts at every live point, and the choice of those texts."""

from functools import partial
from typing import Self

import numpy as np

from embedlab.encoders.embed import tokens_of
from embedlab.metrics.split import LiveTexts, is_sampled, live_texts
from embedlab.runs.curve import live_facts
from embedlab.tasks.fine_tune.listeners.base import CurveListener, LiveMoment, Training
from embedlab.tasks.fine_tune.opening import OpenedRun
from embedlab.tasks.measure.embedded import embed_aside, labels_of
from embedlab.training.live import (
    STEP_TO_EMBED,
    LiveCurve,
    LivePoint,
    fits_in_its_share,
    mean_tokens,
    texts_in_their_share,
)
from embedlab.training.step_vectors import TextVectors

READ_AT_END = 2_000  # texts: as many as other live points usually read


class LiveAccuracy(CurveListener):
    """Measures the live point, on which all other listeners depend."""

    key, measures = "live-accuracy", True

    def __init__(self, training: Training, opened: OpenedRun, curve: LiveCurve, first: LivePoint | None = None):
        """``first``: the point of the untouched encoder, where it was measured already."""
        super().__init__(training, curve)
        self.opened = opened
        self.first = first

    @classmethod
    def of(cls, training: Training, opened: OpenedRun) -> Self | None:
        """None if no live texts are requested."""
        if not opened.settings.live_texts:
            return None
        choice = LiveChoice(opened, training)
        return cls(training, opened, choice.curve(), choice.first)

    def at_live_point(self, moment: LiveMoment) -> None:
        """Measure the current encoder, with the vectors that there are of it."""
        training, step = self.training, moment.done.steps
        if moment.ends and self._may_read_all():
            training.step_vectors.keep(step, TextVectors(self._embed_all()))
        stored = training.step_vectors.of(step, self.curve.all_rows)
        moment.point = self.first or self.curve.measure(training.encoder, stored)
        self.first = None
        if stored is None and self.curve.newest is not None:
            training.step_vectors.keep(step, self.curve.newest)

    def _may_read_all(self) -> bool:
        """Whether the last point may read every text of the corpus, which is measured next: not if a live point is much
        shorter, because whoever presses Stop waits for it.
        """
        return len(self.opened.corpus.kept) <= max(READ_AT_END, 2 * len(self.curve.rows))

    def _embed_all(self) -> np.ndarray:
        """The vectors that the result will be measured on.  -> (rows, dim)"""
        opened = self.opened
        return embed_aside(
            self.training.encoder,
            opened.corpus,
            device=self.training.device,
            progress=opened.progress,
            name="fine-tuned",
        )


class LiveChoice:
    """The live texts of one run, chosen once; a resumed run keeps its own.

    All test texts among all train texts where that is quick enough, else a sample. ``first``: the live point of the
    untouched encoder, if that had to be measured to tell.
    """

    def __init__(self, opened: OpenedRun, training: Training):
        """``training``: its steps and batches determine how long a live point may take."""
        self.opened, self.training = opened, training
        self.first: LivePoint | None = None

    def curve(self) -> LiveCurve:
        """Over the live texts, from those tested and those that choose the best step."""
        settings, corpus, split = self.opened.settings, self.opened.corpus, self.opened.split
        if split is None:
            return self._over(None)
        drawn = partial(live_texts, split, self.opened.development, labels_of(corpus), seed=settings.seed)
        stored = live_facts(self.opened.folder)
        if stored is not None:
            return self._over(drawn(whole=stored.is_whole, size=stored.neighbors + stored.test_texts))
        size = settings.live_texts
        if is_sampled(len(corpus.labelled)):  # a sample's sample: the whole is large as it is
            return self._over(drawn(size=size))
        whole = self._over(drawn(whole=True))
        is_small = len(split.train) + len(split.test) <= size
        if is_small and settings.evaluate_every is not None:  # who sets the steps does not limit their time
            return whole
        if self.training.encoder.layers == 0:
            return whole if is_small or self.fits_by_time(whole) else self._over(drawn(size=size))
        of_training = self._tokens_trained()
        of_text = mean_tokens(self.training.encoder, whole.texts)
        if fits_in_its_share(of_point=of_text * len(whole.texts), of_training=of_training):
            return whole
        return self._over(drawn(size=min(size, texts_in_their_share(of_text=of_text, of_training=of_training))))

    def _over(self, texts: LiveTexts | None) -> LiveCurve:
        corpus, settings, training = self.opened.corpus, self.opened.settings, self.training
        on_map = settings.live_map_texts
        if texts is not None and not texts.is_whole and training.encoder.layers:
            on_map = min(on_map, len(texts.rows))  # more texts would take longer than the live point itself
        return LiveCurve(
            corpus=corpus,
            texts=texts,
            device=training.device,
            probe=(on_map, settings.seed) if settings.live_map else None,
            tokens=None if texts is None else tokens_of(training.encoder, corpus, texts.rows),
        )

    def _tokens_trained(self) -> float:
        """The work of the whole training, as tokens that are only read."""
        per_step = sum(len(tokens) for view in self.training.batches.at(0).views for tokens in view)
        return STEP_TO_EMBED * per_step * self.training.planned

    def fits_by_time(self, curve: LiveCurve) -> bool:
        """Whether a token layer's curve fits; its points are timed, because the search takes most of their time."""
        of_training = self.training.trial_seconds_a_step() * self.training.planned
        for _ in range(2):  # the first call also prepares: what fits then fits, else the second one says
            first = curve.measure(self.training.encoder)
            if fits_in_its_share(of_point=curve.seconds, of_training=of_training):
                self.first = first
                return True
        return False
