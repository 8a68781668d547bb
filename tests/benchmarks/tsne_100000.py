"""t-SNE of 100,000 × 768 with the exact graph: seconds and peak memory.  ``[FILE.npy] [TEXTS]``

Without a file: abstracts of ``arxiv_100k.parquet`` in the folder EMBEDLAB_TEST_CORPORA, by TF-IDF → SVD-768.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from tests.benchmarks.peak_memory import in_a_child, measured


def abstracts(name: str, texts: int | None = None) -> np.ndarray:
    """TF-IDF → SVD-768 of abstracts, of length one.  -> (texts, 768)"""
    import pandas as pd
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    read = pd.read_parquet(Path(os.environ["EMBEDLAB_TEST_CORPORA"]) / f"{name}.parquet", columns=["text"])
    made = TfidfVectorizer(sublinear_tf=True, min_df=3, max_features=50_000, dtype=np.float32)
    words = made.fit_transform(read["text"].tolist()[:texts])
    return normalize(TruncatedSVD(768, n_iter=2, random_state=0).fit_transform(words)).astype(np.float32)


def child(path: str) -> dict:
    """Exact graph and layout, as the map task makes them."""
    from embedlab.maps.tsne import TSNE, TSNEConfig
    from embedlab.neighbors import neighbor_graph

    vectors = np.load(path, mmap_mode="r")
    began = time.perf_counter()
    graph = neighbor_graph(vectors)
    graph_seconds = round(time.perf_counter() - began, 1)
    used = TSNE.lay_out(vectors, graph, TSNEConfig(), threads=2).used
    return {"texts": len(vectors), "graph_seconds": graph_seconds, **graph.how, "kl_divergence": used.kl_divergence}


def main(file: str | None = None, texts: str | None = None) -> None:
    """Make the vectors, measure the child."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.npy"
        np.save(
            path, abstracts("arxiv_100k") if file is None else np.load(file)[: None if texts is None else int(texts)]
        )
        found = in_a_child(__file__, path)
    print(
        f"t-SNE of {found['texts']:,} texts: {found['seconds'] / 60:.1f} min ({found['graph_seconds'] / 60:.1f} the "
        f"exact graph), KL divergence {found['kl_divergence']:.3f}, peak {found['gigabytes']:.1f} GB"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        measured(lambda: child(*sys.argv[2:]))
    else:
        main(*sys.argv[1:])
