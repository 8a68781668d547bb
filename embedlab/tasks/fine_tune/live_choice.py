"""Which texts a run is watched on: all test texts among all train texts where that is quick enough, else a sample."""

from functools import partial

from embedlab.corpora.base import Corpus
from embedlab.metrics.split import LiveTexts, Split, is_sampled, live_texts
from embedlab.runs.folder import RunFolder
from embedlab.runs.live import live_facts
from embedlab.tasks.measure.corpus_tokens import tokens_of
from embedlab.training.live import STEP_TO_EMBED, LiveCurve, fits_in_its_share, mean_tokens
from embedlab.training.settings import RunSettings


class LiveChoice:
    """The live texts of one run, chosen once: a resumed run goes on with its own."""

    def __init__(self, *, folder: RunFolder, settings: RunSettings, corpus: Corpus, training):
        """``training``: whose steps and batches say how long a live point may take."""
        self.folder, self.settings, self.corpus, self.training = folder, settings, corpus, training
        self.tokens: list[list[int]] | None = None  # of the texts that were tried

    def among(self, tested: Split, development: Split | None) -> LiveTexts:
        """The texts, of those that are ``tested`` and those that choose the best step."""
        asked = {"size": self.settings.live_texts, "seed": self.settings.seed}
        drawn = partial(live_texts, tested, development, self.corpus.labels, **asked)
        known = live_facts(self.folder)
        if known is not None:
            return drawn(whole=known.is_whole)
        sample = drawn()
        if sample.is_whole or is_sampled(len(self.corpus.labelled)):  # a sample's sample: the whole is large as it is
            return sample
        return whole if self.fits(whole := drawn(whole=True)) else sample

    def fits(self, texts: LiveTexts) -> bool:
        """A transformer's work is counted in tokens, that of a token layer is timed: searching is most of it."""
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
        trial.accuracy(encoder)  # the first call also prepares
        trial.measure(encoder)
        return fits_in_its_share(of_point=trial.seconds, of_training=self.training.trial_seconds_a_step() * planned)
