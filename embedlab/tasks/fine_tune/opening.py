"""What a run works with, opened once: by the run itself, by its estimate, and by the other processes of a run."""

from dataclasses import dataclass

from embedlab.augmentations.fit import require_fit
from embedlab.copies import normalised
from embedlab.corpora.base import Corpus
from embedlab.corpora.sets.stored import EvaluationSet, GivenPairs, open_pairs, open_set
from embedlab.device import Device, choose_device
from embedlab.encoder_catalog.names import is_made_here
from embedlab.encoders.embed import embed, precision_of_embedding
from embedlab.encoders.encoder import Encoder
from embedlab.encoders.processes import Processes
from embedlab.measurement import Note
from embedlab.metrics.base import MetricResult
from embedlab.metrics.split import Split
from embedlab.progress import Progress, silent
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import LabelExposure, labels_read_by
from embedlab.runs.result import EvaluationSetResult
from embedlab.tasks.encoders import start_of_run
from embedlab.tasks.fetch import fetch_encoder_first
from embedlab.tasks.measure.embedded import development_of, split_of
from embedlab.tasks.measure.sources import SetSource
from embedlab.training.settings import RunSettings


class JudgeSet:
    """An evaluation set as the judge; its first metric decides: Spearman, average precision, nDCG …"""

    def __init__(self, judging: EvaluationSet, device: str):
        self.set, self.device = judging, device
        self.source = SetSource(judging)
        self.metric = self.source.judge

    def measure(self, encoder: Encoder) -> MetricResult:
        """Measure the current encoder."""
        return self.source.judged(lambda texts, role: embed(encoder, texts, device=self.device, role=role))

    def score(self, encoder: Encoder) -> float:
        """The score; higher is better."""
        value = self.measure(encoder).value
        return value if self.metric.higher_is_better else -value

    def result(self, before: MetricResult, after: MetricResult | None) -> EvaluationSetResult:
        """Before and after; ``after`` is None if nothing was trained: then there is no change.

        The change of a single query has no interval.
        """
        change = dict.fromkeys(("difference", "low", "high", "n"))
        if after is not None:
            change = self.metric.difference(before=before.units, after=after.units).as_json("difference")
        return EvaluationSetResult(
            set=self.set.name,
            fingerprint=self.set.fingerprint,
            reading=self.set.info.reading,
            metric=self.metric.key,
            title=self.metric.title,
            before=before.value,
            after=before.value if after is None else after.value,
            **change,
        )

    def asks(self) -> set[frozenset[str]]:
        """Texts that must not be trained on: both texts of a judged pair, or a query."""
        kind, column = self.set.info.kind, self.set.column
        if kind == "pairs":
            pairs = zip(column("sentence1"), column("sentence2"), strict=True)
            return {frozenset(map(normalised, pair)) for pair in pairs}
        return {frozenset([normalised(query)]) for query in column("query")}


@dataclass(frozen=True)
class OpenedRun:
    """``whole_split`` is the corpus's own; ``split`` is without texts whose labels the encoder's lineage read."""

    folder: RunFolder
    settings: RunSettings
    corpus: Corpus
    device: Device
    encoder: Encoder
    precision: str
    pairs: GivenPairs | None
    judge: JudgeSet | None
    read: LabelExposure
    whole_split: Split | None
    split: Split | None
    no_split: Note | None  # why nothing can be tested by kNN
    progress: Progress = silent
    processes: Processes | None = None

    @property
    def development(self) -> Split | None:
        """The texts that choose among steps and runs; None if there are none."""
        return development_of(self.corpus, self.whole_split, self.read)


def open_run(
    folder: RunFolder, settings: RunSettings, corpus: Corpus, progress: Progress, *, processes: Processes | None = None
) -> OpenedRun:
    """Open everything; raises an error if the settings do not fit this corpus, this encoder or this computer."""
    device = choose_device(settings.device)
    encoder = load_for(settings, corpus, progress).to(device.name)
    pairs = open_pairs(settings.pairs) if settings.pairs else None
    offered = encoder.provides | corpus.offers | (frozenset() if pairs is None else pairs.offers)
    require_fit(settings.recipe_part.title, settings.needs, offered)
    precision: str = settings.precision
    if precision == "auto":  # a token layer has no matrix products that would gain from bf16
        precision = "bf16" if device.supports_bf16 and encoder.layers > 0 else "fp32"
    read = labels_read_by(settings.encoder)
    split, no_split = split_of(corpus, read)
    return OpenedRun(
        folder=folder,
        settings=settings,
        corpus=corpus,
        device=device,
        encoder=encoder,
        precision=precision,
        pairs=pairs,
        judge=None if settings.judge is None else JudgeSet(open_set(settings.judge), device.name),
        read=read,
        whole_split=split_of(corpus)[0],
        split=split,
        no_split=no_split,
        progress=progress,
        processes=processes,
    )


def load_for(settings: RunSettings, corpus: Corpus, progress: Progress) -> Encoder:
    """The encoder that a run starts from, as it reads it; downloaded first, like its guide, where it is not here."""
    fetch_encoder_first(settings.encoder, progress)
    if settings.objective.get("guide") is not None:
        fetch_encoder_first(settings.objective["guide"], progress)
    return start_of_run(settings, corpus, progress)


def choose_embedding_precision(opened: OpenedRun) -> float | None:
    """Set the precision in which the encoder embeds from now on. -> the cosine to fp32 that decided, if any"""
    texts = opened.corpus.texts.at(opened.corpus.kept)
    precision = precision_of_embedding(opened.settings.asked_embedding_precision, opened.encoder, texts, opened.device)
    opened.encoder.embedding_precision = precision.name
    return precision.least_cosine


def keeps_untouched(settings: RunSettings) -> bool:
    """Whether the untouched encoder is saved, too: one made here, or from a run that may be deleted."""
    return is_made_here(settings.encoder) or settings.encoder.startswith("run:")
