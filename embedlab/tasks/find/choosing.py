"""What chooses among encoders: development texts by their labels, or half of an evaluation set."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial

import numpy as np
from scipy.sparse import csr_matrix

from embedlab.corpora.base import Corpus
from embedlab.corpora.sets.stored import EvaluationSet, open_set
from embedlab.distance import Distance
from embedlab.encoders.embed import embed, embed_tokens, tokens_of
from embedlab.encoders.encoder import Encoder
from embedlab.errors import CorpusError
from embedlab.finds.judging import WAYS_OUT, is_of_labels
from embedlab.finds.look import Measured, Units
from embedlab.measurement import ByDistance, Measurement
from embedlab.metrics.base import Metric
from embedlab.metrics.knn import KNN, knn_accuracy
from embedlab.metrics.tfidf import svd_embeddings, tfidf_embeddings
from embedlab.metrics.votes import KNNResult
from embedlab.progress import Progress, silent
from embedlab.prompts import Role
from embedlab.statistics.intervals import LEVEL, normal
from embedlab.tasks.measure.embedded import development_of, labels_of, measured_on, split_of
from embedlab.tasks.measure.sources import SetSource
from embedlab.tasks.measure.subjects import OfTexts, ReadOnce, Vectors
from embedlab.vectors.dimensions import first_dimensions

SEED = 47  # of the halves of a judging file
BLANK = {"cosines": -np.inf, "ndcg@10": 0.0, "ap": 0.0}  # of an encoder that finds nothing, by what metrics keep
REFERENCES = {"tfidf": "TF-IDF", "svd": "SVD of TF-IDF"}


class ByLabels:
    """kNN accuracy of the development texts among the other train texts; test labels are never read."""

    metric: type[Metric] = KNN
    own_texts: Sequence[str] | None = None  # those of the corpus

    def __init__(self, corpus: Corpus, device: str):
        split, reason = split_of(corpus)
        development = development_of(corpus, split)
        if development is None:
            why = reason.message if reason is not None else f"{corpus.info.name!r} has too few labeled texts."
            raise CorpusError(
                "E-FIND-UNJUDGED", f"Find needs labels of two classes, or pairs or queries that judge. {why} {WAYS_OUT}"
            )
        self.corpus, self.device = corpus, device
        self.rows = development.rows
        self.split = development.among(self.rows)
        self.labels = labels_of(corpus)[self.rows]
        self.texts = len(self.rows)

    def tokens(self, encoder: Encoder) -> list:
        """Those of the labelled train texts, which all encoders with one tokenizer share."""
        return tokens_of(encoder, self.corpus, self.rows)

    def cuts(
        self, encoder: Encoder, tokens: list | None, counts: Sequence[int], progress: Progress = silent
    ) -> dict[int, Measured]:
        """Measure an encoder by the first so many dimensions of each vector, for each of these counts."""
        assert tokens is not None, "the texts were read as tokens"
        vectors = embed_tokens(encoder, tokens, device=self.device, progress=progress)
        return {
            count: self._judged(measured_on(first_dimensions(vectors, count), self.labels, self.split))
            for count in counts
        }

    def reference(self, key: str) -> Measured:
        """Measure TF-IDF or its SVD, fitted on the labelled train texts."""
        vectors = self._counted if key == "tfidf" else svd_embeddings(self._counted)
        knn = knn_accuracy(embeddings=vectors, labels=self.labels, split=self.split)
        return self._judged(ByDistance(knn, knn))  # rows of length one: both distances order texts alike

    @cached_property
    def _counted(self) -> csr_matrix:
        return tfidf_embeddings([self.corpus.texts[row] for row in self.rows])

    def _judged(self, knn: ByDistance[KNNResult]) -> Measured:
        def units(distance: Distance) -> Units:
            result = knn.by(distance)
            return {"rows": self.rows[result.test_rows], "correct": result.correct}

        return ByDistance.of(lambda distance: knn.by(distance).measurement), ByDistance.of(units)


class HalfOfSet(EvaluationSet):
    """Half of a stored evaluation set: the first half chooses, the other judges at the end.

    Drawn by a fixed seed, because a file may hold equal and unequal pairs in turns; labels come as halves in turns.
    """

    def __init__(self, whole: EvaluationSet, half: int):
        super().__init__(whole.folder)
        self.half = half

    def column(self, name: str) -> list:
        """The column restricted to this half's rows."""
        values = super().column(name)
        whole = np.arange(len(values))
        dealt = whole if is_of_labels(self.info) else np.random.default_rng(SEED).permutation(whole)
        return [values[row] for row in np.sort(dealt[self.half :: 2])]


class BySet:
    """The first metric that half of an evaluation set serves."""

    def __init__(self, fingerprint: str, device: str, half: int = 0):
        whole = open_set(fingerprint)
        if len(whole.first_texts) < 4:
            raise CorpusError(
                "E-FIND-UNJUDGED",
                f"A judging file is split into two halves, so it needs at least four rows, but {whole.name!r} has "
                f"{len(whole.first_texts)}. Give more pairs or queries.",
            )
        self.source = SetSource(HalfOfSet(whole, half))
        self.metric = self.source.judge
        self.device = device
        self.own_texts = self.source.texts
        self.texts = len(self.own_texts)

    def tokens(self, encoder: Encoder) -> None:
        """Not shared: the texts of a set are few."""

    def cuts(
        self, encoder: Encoder, tokens: list | None, counts: Sequence[int], progress: Progress = silent
    ) -> dict[int, Measured]:
        """Measure an encoder by the first so many dimensions of each vector, for each count."""

        def embedded(texts: list[str], role: Role) -> Vectors:
            return embed(encoder, texts, device=self.device, role=role, progress=progress)

        once = ReadOnce(OfTexts(embedded))

        def cut(count: int, texts: list[str], role: Role) -> Vectors:
            return first_dimensions(once.embed(texts, role), count)

        return {count: self._measured(partial(cut, count)) for count in counts}

    def reference(self, key: str) -> Measured:
        """Measure TF-IDF or its SVD, fitted on the texts of this half."""
        counted = tfidf_embeddings(self.source.texts)
        vectors = counted if key == "tfidf" else svd_embeddings(counted)
        row_of = {text: row for row, text in enumerate(self.source.texts)}
        return self._measured(lambda texts, _: vectors[[row_of[text] for text in texts]])

    def _measured(self, embedded: Callable[[list[str], Role], Vectors]) -> Measured:
        result = self.source.judged(embedded)
        count = len(next(iter(result.units.values()), ()))
        value = result.value if self.metric.higher_is_better else -result.value
        measured = Measurement(value=value, error=_error(self.metric, result.units), n=count)
        return ByDistance(measured, measured), ByDistance(result.units, result.units)


Chooser = ByLabels | BySet  # it embeds ``texts`` for each measurement: of the corpus, or its ``own_texts``


def _error(metric: type[Metric], units: Units) -> float | None:
    """The standard error of a value: that of its difference to an encoder that finds nothing, by the metric's own
    interval.

    Where so few units tell nothing it is 1, as wide as values can lie; None of a metric that keeps something else.
    """
    if not units.keys() & BLANK.keys():
        return None
    nothing = {name: np.full(len(array), BLANK[name]) if name in BLANK else array for name, array in units.items()}
    change = metric.difference(before=nothing, after=dict(units))
    half = (change.high - change.low) / 2
    return half / normal(LEVEL) if np.isfinite(half) else 1.0
