"""Numbers in a known range from arrays; the metrics in display order."""

from embedlab.metrics.clustering import Clustering
from embedlab.metrics.knn import KNN
from embedlab.metrics.linear_probe import LinearProbe
from embedlab.metrics.matching import MATCH_HALVES, MATCH_QUERY, MATCH_TITLE
from embedlab.metrics.paraphrase import Paraphrase
from embedlab.metrics.reranking import Reranking
from embedlab.metrics.retrieval import Retrieval
from embedlab.metrics.same_class import SameClassNeighbors
from embedlab.metrics.sts import STS
from embedlab.registry import Registry

METRICS = Registry(
    "metric",
    [
        KNN,
        LinearProbe,
        Clustering,
        SameClassNeighbors,
        MATCH_TITLE,
        MATCH_HALVES,
        MATCH_QUERY,
        Retrieval,
        Reranking,
        STS,
        Paraphrase,
    ],
)
