"""An evaluation set of the user's that judges a run: before and after training, and at each live point."""

from embedlab.copies import normalised
from embedlab.corpora.evaluation_sets import EvaluationSet, open_set
from embedlab.encoders.embed import embed
from embedlab.metrics import METRICS, metrics_like
from embedlab.metrics.base import MetricResult
from embedlab.tasks.measure.set_source import SetSource
from embedlab.tasks.measure.subjects import Remembered


class JudgeSet:
    """Its first metric is the one that judges: Spearman of scored pairs, average precision, nDCG of queries …"""

    def __init__(self, found: EvaluationSet, device: str):
        self.set, self.device = found, device
        self.source = SetSource(found)
        self.metric = METRICS[metrics_like(found.info.serves)[0]]

    def measure(self, encoder) -> MetricResult:
        """By the encoder as it is now."""
        subject = _Embedding(encoder, self.device)
        return self.metric.measure(self.source.material(self.metric, subject, Remembered(subject), "paper"))

    def score(self, encoder) -> float:
        """More is better."""
        value = self.measure(encoder).value
        return value if self.metric.higher_is_better else -value

    def facts(self, before: MetricResult, after: MetricResult | None) -> dict:
        """``metric before after low high``, the last two of the change; ``after`` is None where nothing was trained."""
        told = {
            "set": self.set.name,
            "fingerprint": self.set.fingerprint,
            "reading": self.set.info.reading and self.set.info.reading.model_dump(mode="json"),
            "metric": self.metric.key,
            "title": self.metric.title,
            "before": before.value,
            "after": before.value if after is None else after.value,
        }
        if after is None:
            return told | {"difference": None, "low": None, "high": None, "n": None}
        change = self.metric.difference(before=before.units, after=after.units)
        return told | {"difference": change.value, "low": change.low, "high": change.high, "n": change.n}

    def asks(self) -> set[frozenset[str]]:
        """What must not be trained on: both texts of a judged pair, or a query."""
        kind, column = self.set.info.kind, self.set.column
        if kind == "pairs":
            pairs = zip(column("sentence1"), column("sentence2"), strict=True)
            return {frozenset(map(normalised, pair)) for pair in pairs}
        return {frozenset([normalised(query)]) for query in column("query")}


class _Embedding:
    """Texts as this encoder reads them now, on the device it stands on."""

    gives_vectors = True

    def __init__(self, encoder, device: str):
        self.encoder, self.device = encoder, device

    def embed(self, texts: list[str]):
        return embed(self.encoder, texts, device=self.device)


def judge_set(fingerprint: str | None, device: str) -> JudgeSet | None:
    """The stored set of a run's setting ``judge``."""
    return None if fingerprint is None else JudgeSet(open_set(fingerprint), device)
