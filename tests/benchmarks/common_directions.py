"""Why Contrastive Tension harms a token layer: how far all texts share one direction, and kNN without the strongest.

python -m tests.benchmarks.common_directions [learning rate, 1e-3]

One epoch of ``contrastive-tension`` on ``docs`` with the token layer, in a store of its own.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from embedlab.corpora.base import open_corpus
from embedlab.metrics.knn import knn_accuracy
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.tasks.measure.embedded import load_embeddings, split_of
from tests.training_options import RESULT_ALONE

ROOT = Path(__file__).resolve().parents[2]
REMOVED = (0, 1, 2, 5, 10)


def main(learning_rate: str = "1e-3") -> None:
    """A line for the encoder before and after, and for each number of directions that are taken away."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["EMBEDLAB_HOME"] = home
        asked = ["--corpus", "docs", "--encoder", "token", "--recipe", "contrastive-tension", "--json", "--quiet"]
        sets = ["--set", f"learning_rate={learning_rate}", *RESULT_ALONE]
        command = [sys.executable, "-m", "embedlab", "train", *asked, *sets]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
        run = open_run(json.loads(done.stdout)["run"])
        corpus = open_corpus(fingerprint_of(run))
        split, _ = split_of(corpus)
        for name in ("before", "after"):
            embeddings = np.asarray(load_embeddings(run, name), np.float64)
            good = (embeddings != 0).any(axis=1)
            mean = embeddings[good].mean(axis=0)
            share = np.linalg.norm(mean) / np.sqrt((embeddings[good] ** 2).sum(axis=1).mean())
            print(f"{name}: the common direction is {100 * share:.0f} % of a vector's length")
            centred = np.where(good[:, None], embeddings - mean, 0)
            directions = np.linalg.svd(centred[good], full_matrices=False)[2]
            for removed in REMOVED:
                left = centred - centred @ directions[:removed].T @ directions[:removed]
                found = {
                    distance: knn_accuracy(embeddings=left, labels=corpus.labels, split=split, distance=distance).value
                    for distance in ("euclidean", "cosine")
                }
                shown = ", ".join(f"{distance} {100 * value:.1f} %" for distance, value in found.items())
                print(f"  centred, without the {removed} strongest directions: kNN {shown}")


if __name__ == "__main__":
    main(*sys.argv[1:])
