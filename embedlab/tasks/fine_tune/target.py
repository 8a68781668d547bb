"""Another corpus that a run is watched on: what this phase already does to the corpus of a later one."""

from embedlab.corpora import load_corpus
from embedlab.errors import CorpusError
from embedlab.measurement import as_row
from embedlab.metrics.split import live_texts
from embedlab.progress import Progress, silent
from embedlab.runs.labels_read import NO_LABELS, LabelsRead
from embedlab.tasks.measure.embedded import split_of
from embedlab.training.live import LiveCurve
from embedlab.training.settings import RunSettings


class Target:
    """kNN accuracy of a sample of its labelled texts, the same in every phase of one seed."""

    def __init__(self, corpus, settings: RunSettings, device: str, read: LabelsRead = NO_LABELS):
        """Texts whose labels were ``read`` by the encoder's lineage are not asked."""
        split, why = split_of(corpus, read)
        if split is None:
            raise CorpusError(why[0], f"The target {corpus.info.name} cannot be measured. {why[1]}")
        texts = live_texts(split, None, corpus.labels, size=settings.live_texts, seed=settings.seed)
        self.curve = LiveCurve(corpus=corpus, texts=texts, device=device)

    def as_row(self, encoder) -> dict:
        """``target_knn``, and on how many texts; of the encoder as it is."""
        point, is_whole = self.curve.accuracy(encoder), self.curve.live.is_whole
        return {"target_texts": point.test_texts, "target_is_whole": is_whole, "target_knn": as_row(point.test)}


def target_of(
    settings: RunSettings, device: str, read: LabelsRead = NO_LABELS, progress: Progress = silent
) -> Target | None:
    """The corpus of a run's setting ``target``."""
    if settings.target is None or not settings.live_texts:
        return None
    return Target(load_corpus(settings.target, progress=progress), settings, device, read)
