"""Layers and length attack of a finished run without a click: measured while the device is idle, within a minute."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from embedlab.config import validated
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.device import choose_device
from embedlab.diagnostics.layerwise import ONE_LAYER, POOLINGS, LayerwiseConfig
from embedlab.diagnostics.length import LengthConfig
from embedlab.encoders.encoder import Encoder
from embedlab.errors import CorpusError, UserError
from embedlab.jobs.requests.measuring import AttackLength, MeasuredInside, MeasureInside, MeasureLayers
from embedlab.metrics.knn import knn_by_both
from embedlab.metrics.split import Split, rows_of_splits, sampled_splits
from embedlab.numbers import duration
from embedlab.progress import Progress
from embedlab.runs.evaluations import read_layers, read_length
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import LabelExposure, labels_read_of_both
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import write_json
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.measure import layers, length
from embedlab.tasks.measure.embedded import labels_of, split_of
from embedlab.tasks.measure.tested import folds_to_test
from embedlab.tasks.measure.time_fit import SECONDS, Pace, fitted, pace_of, work_of_attack
from embedlab.training.view_length import evenly_spread

ENCODERS = 2  # of a run: untouched and fine-tuned


def run(folder: RunFolder, request: MeasureInside, progress: Progress) -> None:
    """Write ``layers.json`` and ``length.json`` of the run as their own tasks do, as far as a minute allows.

    What is there already is not measured again: the work may have begun before and given way.
    """
    measured = open_run(request.run)
    budget = _Budget(measured, progress)
    no_layers = no_length = None
    if read_layers(measured) is None:
        ask_layers = MeasureLayers(run=measured.id)
        no_layers = budget.spend(budget.seconds_of_layers, lambda: layers.run(folder, ask_layers, progress))
    if read_length(measured) is None:
        ask_length = AttackLength(run=measured.id, within=budget.left)
        no_length = budget.spend(budget.seconds_of_length, lambda: length.run(folder, ask_length, progress))
    write_json(folder.result, MeasuredInside(no_layers=no_layers, no_length=no_length).model_dump(mode="json"))


@dataclass
class _Budget:
    """How much of the minute is left, and what each of the two is expected to take."""

    measured: RunFolder
    progress: Progress
    left: float = SECONDS
    corpus: Corpus = field(init=False)
    read: LabelExposure = field(init=False)
    texts: list[str] = field(init=False)  # some of the corpus
    encoder: Encoder = field(init=False)
    device: str = field(init=False)
    pace: Pace = field(init=False)  # of one encoder

    def __post_init__(self) -> None:
        self.progress("Timing a few texts")
        self.corpus = open_corpus(fingerprint_of(self.measured))
        self.read = labels_read_of_both(self.measured)
        self.texts = evenly_spread(self.corpus.texts.at(self.corpus.kept))
        self.device = choose_device("auto").name
        self.encoder = encoder_of_run(self.measured, "after").to(self.device)
        self.pace = pace_of(self.encoder, self.device)

    def spend(self, expected: Callable[[], float], measure: Callable[[], None]) -> str | None:
        """Measure if the expected time is left; return the reason if it was not measured."""
        try:
            seconds = expected()
            if seconds > self.left:
                return (
                    f"It would take about {duration(seconds)} here, and at most {duration(SECONDS)} are spent on it "
                    "without a click."
                )
            measure()
        except UserError as error:  # no labels, no texts: the other one may be measured all the same
            return error.message
        self.left -= seconds
        return None

    def seconds_of_layers(self) -> float:
        """Return the expected time of reading the labelled texts and of kNN accuracy after every layer."""
        split, reason = split_of(self.corpus, self.read)
        if split is None:
            assert reason is not None, "without a split there is a reason"
            raise CorpusError(reason.code, reason.message)
        if not self.encoder.layers:
            raise CorpusError("E-ONE-LAYER", ONE_LAYER)
        config = validated(LayerwiseConfig, {}, where="layers")
        tested = folds_to_test(self.corpus, split, self.read, self.measured) or (split,)
        sample = sampled_splits(tested, labels_of(self.corpus), size=config.at_most, seed=config.seed)
        rows = rows_of_splits(sample)
        lengths = np.array([len(ids) for ids in self.encoder.tokenize(self.texts)], float)
        reading = self.pace.seconds(lengths) * len(rows) / len(lengths)
        accuracies = (self.encoder.layers + 1) * len(POOLINGS) * self._seconds_of_accuracy(sample, rows)
        return ENCODERS * (reading + accuracies)

    def seconds_of_length(self) -> float:
        """Return the expected time of reading the pairs of short texts, once and repeated.

        As many pairs and copies are counted as what is left of the minute allows, and the fewest if it allows none.
        """
        pairs = length.pairs_of(self.encoder, self.corpus, LengthConfig(), self.read)
        work = work_of_attack(self.encoder, pairs)
        config, _ = fitted(LengthConfig(), work, self.pace, encoders=ENCODERS, within=self.left)
        return ENCODERS * self.pace.seconds(work.tokens(config))

    def _seconds_of_accuracy(self, sample: Sequence[Split], rows: np.ndarray) -> float:
        """Return the time of kNN accuracy by both distances on the splits of these rows, with random vectors."""
        random_vectors = np.random.default_rng(0).standard_normal((len(rows), self.encoder.dim), np.float32)
        splits = [split.among(rows) for split in sample]
        taken = []
        for _ in range(2):  # the first time, what it needs is still being imported
            began = time.perf_counter()
            knn_by_both(embeddings=random_vectors, labels=labels_of(self.corpus)[rows], splits=splits)
            taken.append(time.perf_counter() - began)
        return min(taken)
