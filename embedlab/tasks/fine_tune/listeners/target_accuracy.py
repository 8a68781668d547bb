"""The accuracy on another corpus during training: what this phase already does for the corpus of a later one."""

from typing import Self

from embedlab.corpora import load_corpus
from embedlab.errors import CorpusError
from embedlab.measurement import as_row
from embedlab.metrics.split import live_texts
from embedlab.tasks.fine_tune.listeners.base import CurveListener, LiveMoment, Training
from embedlab.tasks.fine_tune.opening import OpenedRun
from embedlab.tasks.measure.embedded import labels_of, split_of
from embedlab.training.live import LiveCurve


class TargetAccuracy(CurveListener):
    """kNN accuracy on a sample of its labelled texts, the same in every phase with one seed."""

    key, measures = "target", True

    @classmethod
    def of(cls, training: Training, opened: OpenedRun) -> Self | None:
        """For the corpus in the setting ``target``; texts whose labels the encoder's lineage read are not tested."""
        settings = opened.settings
        if settings.target is None or not settings.live_texts:
            return None
        corpus = load_corpus(settings.target, progress=opened.progress)
        split, why = split_of(corpus, opened.read)
        if split is None:
            assert why is not None
            raise CorpusError(why.code, f"The target {corpus.info.name} cannot be measured. {why.message}")
        texts = live_texts(split, None, labels_of(corpus), size=settings.live_texts, seed=settings.seed)
        return cls(training, LiveCurve(corpus=corpus, texts=texts, device=training.device))

    def at_live_point(self, moment: LiveMoment) -> None:
        """Adds ``target_knn``, and the number of texts."""
        point, live = self.curve.accuracy(self.training.encoder), self.curve.live
        is_whole = live is not None and live.is_whole
        moment.row |= {"target_texts": point.test_texts, "target_is_whole": is_whole, "target_knn": as_row(point.test)}
