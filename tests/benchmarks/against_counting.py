"""Recipes against counting words: kNN accuracy on the test texts by both distances, beside TF-IDF and SVD.

python -m tests.benchmarks.against_counting docs,iclr,arxiv token crops,coco-dr,sentences --seeds 0,1,2
python -m tests.benchmarks.against_counting docs scratch:bert-mini sentences
python -m tests.benchmarks.against_counting iclr minilm crops,coco-dr,sentences max_steps=100

Every recipe at its defaults but for the settings named, one epoch (``sentences`` six); a row of a Markdown table each.
The interval is that of the difference to TF-IDF on the same texts: several seeds pooled (texts and seeds are samples),
else Bonett and Price. ``iclr`` and ``arxiv`` as in on_development.py, whose training this uses.
"""

import sys

import numpy as np

from embedlab.config import validated
from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN
from embedlab.encoders.embed import embed
from embedlab.metrics.knn import knn_accuracy
from embedlab.metrics.split import paper_split
from embedlab.metrics.tfidf import reference_lines
from embedlab.statistics.seeds import pooled_seeds
from embedlab.training.settings import RunSettings
from tests.benchmarks.on_development import corpus_named, epochs_of, nested, trained, value_of


def right_texts(corpus, encoder, split) -> dict[str, np.ndarray]:
    """Which test texts are right by each distance.  -> (test,) bool each"""
    vectors = np.zeros((corpus.info.rows, encoder.dim), np.float32)
    vectors[corpus.labelled] = embed(encoder, [corpus.texts[row] for row in corpus.labelled])
    given = {"embeddings": vectors, "labels": corpus.labels, "split": split}
    return {distance: knn_accuracy(**given, distance=distance).correct for distance in DISTANCES}


def main(names: str, encoder: str, recipes: str, *settings: str, seeds: str = "0") -> None:
    """A table for each corpus."""
    asked = nested({name: value_of(value) for name, _, value in (each.partition("=") for each in settings)})
    for name in names.split(","):
        corpus = corpus_named(name)
        split = paper_split(corpus.texts, corpus.labels, corpus.kept)
        lines = {key: found.correct for key, found in reference_lines(corpus.texts, corpus.labels, split).items()}
        told = ", ".join(f"{key} {100 * right.mean():.1f}" for key, right in lines.items())
        print(f"\n{corpus.name}, {len(split.test):,} test texts: {told}\n", flush=True)
        print(
            "| recipe | Euclidean | to TF-IDF | cosine | to TF-IDF | to SVD | steps | texts | s |\n" + "|---" * 9 + "|"
        )
        for recipe in recipes.split(","):
            found, seconds = [], []
            for seed in map(int, seeds.split(",")):
                given = {"corpus": corpus.fingerprint, "encoder": encoder, "recipe": recipe, "seed": seed}
                tuned, steps, usable, took = trained(corpus, validated(RunSettings, given | epochs_of(recipe) | asked))
                found.append(right_texts(corpus, tuned, split))
                seconds.append(took)
            print(
                f"| `{recipe}` | {_row(found, lines)} | {steps:,} | {usable:,} | {np.mean(seconds):.0f} |", flush=True
            )


def _row(found: list[dict], lines: dict[str, np.ndarray]) -> str:
    cells = []
    for distance, against in ((EUCLIDEAN, ("tfidf",)), (COSINE, ("tfidf", "svd"))):
        right = np.stack([each[distance] for each in found]).astype(int)  # (seeds, test)
        cells.append(", ".join(f"{100 * each.mean():.1f}" for each in right))
        for line in against:
            change = pooled_seeds(right - lines[line].astype(int))
            cells.append(f"{100 * change.value:+.1f} ({100 * change.low:.1f} … {100 * change.high:.1f})")
    return " | ".join(cells).replace("-", "−")


if __name__ == "__main__":
    given = sys.argv[1:]
    drawn = given.pop(given.index("--seeds") + 1) if "--seeds" in given else "0"
    main(*[word for word in given if word != "--seeds"], seeds=drawn)
