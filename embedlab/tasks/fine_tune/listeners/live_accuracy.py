"""kNN accuracy, spread and geometry of the same live texts at every live point, and the choice of those texts."""

from collections.abc import Sequence
from functools import partial
from typing import Self

from embedlab.corpora.base import Corpus
from embedlab.encoders.embed import tokens_of
from embedlab.metrics.split import LiveTexts, Split, is_sampled, live_texts
from embedlab.runs.curve import live_facts
from embedlab.runs.folder import RunFolder
from embedlab.tasks.fine_tune.listeners.base import CurveListener, LiveMoment, Training
from embedlab.tasks.fine_tune.opening import OpenedRun
from embedlab.tasks.measure.embedded import labels_of
from embedlab.training.live import STEP_TO_EMBED, LiveCurve, fits_in_its_share, mean_tokens
from embedlab.training.settings import RunSettings


class LiveAccuracy(CurveListener):
    """Measures the live point, on which all other listeners depend."""

    key, measures = "live-accuracy", True

    @classmethod
    def of(cls, training: Training, opened: OpenedRun) -> Self | None:
        """None if no live texts are requested."""
        settings = opened.settings
        if not settings.live_texts:
            return None
        choice = LiveChoice(folder=opened.folder, settings=settings, corpus=opened.corpus, training=training)
        texts = None if opened.split is None else choice.among(opened.split, opened.development)
        curve = LiveCurve(
            corpus=opened.corpus,
            texts=texts,
            device=training.device,
            probe=(settings.live_map_texts, settings.seed) if settings.live_map else None,
            tokens=None if texts is None else tokens_of(training.encoder, opened.corpus, texts.rows),
        )
        return cls(training, curve)

    def at_live_point(self, moment: LiveMoment) -> None:
        """Measure the current encoder."""
        moment.point = self.curve.measure(self.training.encoder)


class LiveChoice:
    """The live texts of one run, chosen once; a resumed run keeps its own.

    All test texts among all train texts where that is quick enough, else a sample.
    """

    def __init__(self, *, folder: RunFolder, settings: RunSettings, corpus: Corpus, training: Training):
        """``training``: its steps and batches determine how long a live point may take."""
        self.folder, self.settings, self.corpus, self.training = folder, settings, corpus, training
        self.tokens: Sequence[Sequence[int]] | None = None  # of the texts that were tried

    def among(self, tested: Split, development: Split | None) -> LiveTexts:
        """The live texts, from those ``tested`` and those that choose the best step."""
        size, seed = self.settings.live_texts, self.settings.seed
        drawn = partial(live_texts, tested, development, labels_of(self.corpus), size=size, seed=seed)
        stored = live_facts(self.folder)
        if stored is not None:
            return drawn(whole=stored.is_whole)
        sample = drawn()
        if sample.is_whole or is_sampled(len(self.corpus.labelled)):  # a sample's sample: the whole is large as it is
            return sample
        return whole if self.fits(whole := drawn(whole=True)) else sample

    def fits(self, texts: LiveTexts) -> bool:
        """A transformer's work is counted in tokens, a token layer's is timed because search dominates it."""
        encoder, planned = self.training.encoder, self.training.planned
        if encoder.layers:
            per_text = mean_tokens(encoder, [self.corpus.texts[row] for row in texts.rows])
            batch = self.training.batches.at(0)
            per_step = sum(len(tokens) for view in batch.views for tokens in view)
            return fits_in_its_share(
                of_point=per_text * len(texts.rows), of_training=STEP_TO_EMBED * per_step * planned
            )
        self.tokens = tokens_of(encoder, self.corpus, texts.rows)
        trial = LiveCurve(corpus=self.corpus, texts=texts, device=self.training.device, tokens=self.tokens)
        of_training = self.training.trial_seconds_a_step() * planned
        for _ in range(2):  # the first call also prepares: what fits then fits, else the second one says
            trial.measure(encoder)
            if fits_in_its_share(of_point=trial.seconds, of_training=of_training):
                return True
        return False
