"""The linear probe on 28,500 × 768 vectors against the same model in float64.

EMBEDLAB_TEST_CORPORA=FOLDER python -m tests.benchmarks.linear_probe
"""

import os
import tempfile
import time
from pathlib import Path

import numpy as np

import embedlab  # noqa: F401 - says how threads wait, which numpy reads when it is imported


def main() -> None:
    """Vectors of an untouched token layer; print seconds, accuracy and the length of the gradient of both."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    from embedlab.corpora import load_corpus
    from embedlab.encoders.embed import embed
    from embedlab.encoders.load import load_encoder
    from embedlab.metrics.linear_probe import probe
    from embedlab.tasks.measure.embedded import split_of

    with tempfile.TemporaryDirectory() as home:
        os.environ["EMBEDLAB_HOME"] = home
        corpus = load_corpus(str(Path(os.environ["EMBEDLAB_TEST_CORPORA"]) / "arxiv_balanced.parquet"))
        vectors = embed(load_encoder("token", corpus=corpus), corpus.texts)
        split, _ = split_of(corpus)
        print(f"{vectors.shape[0]:,} × {vectors.shape[1]}, {len(set(corpus.labels))} classes, {os.cpu_count()} cores")
        began = time.perf_counter()
        found = probe(embeddings=vectors, labels=corpus.labels, split=split)
        print(f"embedlab: {time.perf_counter() - began:.1f} s, {found.correct.mean():.2%}, {found.gradient_norm:.1e}")
        began = time.perf_counter()
        scaler = StandardScaler().fit(vectors[split.train].astype(np.float64))
        train, test = (scaler.transform(vectors[rows].astype(np.float64)) for rows in (split.train, split.test))
        model = LogisticRegression(C=100 / vectors.shape[1], solver="lbfgs", tol=1e-5, max_iter=5000)
        told = model.fit(train, corpus.labels[split.train]).predict(test)
        right = (told == corpus.labels[split.test]).mean()
        print(f"in float64: {time.perf_counter() - began:.1f} s, {right:.2%}")
        print(f"predictions that are the same: {(told == found.predictions).mean():.2%}")


if __name__ == "__main__":
    main()
