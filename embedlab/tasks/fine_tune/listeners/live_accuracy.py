"""kNN accuracy, spread and geometry of the same live texts at every live point."""

from typing import Self

from embedlab.tasks.fine_tune.listeners.base import CurveListener, LiveMoment
from embedlab.tasks.fine_tune.live_choice import LiveChoice
from embedlab.training.live import LiveCurve


class LiveAccuracy(CurveListener):
    """Gives a live moment its point, without which no other listener has anything to say of it."""

    key, measures = "live-accuracy", True

    @classmethod
    def of(cls, training, opened) -> Self | None:
        """None where no live texts are asked for."""
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
            tokens=choice.tokens if texts is not None and texts.is_whole else None,
        )
        return cls(training, curve)

    def at_live_point(self, moment: LiveMoment) -> None:
        """Measure the encoder as it is."""
        moment.point = self.curve.measure(self.training.encoder)
