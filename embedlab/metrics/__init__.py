"""Numbers in a known range from arrays; the metrics in display order."""

from collections.abc import Iterable

from embedlab.metrics.base import Metric
from embedlab.registry import Registry


def _parts() -> list[type[Metric]]:
    from embedlab.metrics.clustering import Clustering
    from embedlab.metrics.knn import KNN, SameClassNeighbors
    from embedlab.metrics.linear_probe import LinearProbe
    from embedlab.metrics.matching import HalvesMatching, QueryMatching, QueryToText, QueryToTitle, TitleMatching
    from embedlab.metrics.pair_metrics import STS, Paraphrase
    from embedlab.metrics.reranking import Reranking
    from embedlab.metrics.retrieval import RankedRetrieval

    return [
        KNN,
        LinearProbe,
        Clustering,
        SameClassNeighbors,
        TitleMatching,
        HalvesMatching,
        QueryMatching,
        QueryToTitle,
        QueryToText,
        RankedRetrieval,
        Reranking,
        STS,
        Paraphrase,
    ]


METRICS: Registry[type[Metric]] = Registry("metric", _parts)


def metrics_like(keys: Iterable[str]) -> list[str]:
    """Every metric that reads the same material as one of these."""
    read = {METRICS[key].reads for key in keys if key in METRICS}
    return [metric.key for metric in METRICS if metric.reads in read]
