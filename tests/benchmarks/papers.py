"""The crops paper on its own subject: ICLR abstracts, token layer and MiniLM.

EMBEDLAB_TEST_CORPORA=FOLDER python -m tests.benchmarks.papers
"""

import hashlib
import os
import tempfile
from pathlib import Path

from tests.benchmarks.speed_28500 import command

BF16 = ["--set", "embedding_precision=bf16"]
RUNS = [
    ("token, text crops, 10 epochs", ["--encoder", "token", "--epochs", "10"]),
    ("MiniLM, text crops, 1 epoch, bf16", ["--encoder", "minilm", *BF16]),
]


def main() -> None:
    """Print before and after of each run."""
    file = Path(os.environ["EMBEDLAB_TEST_CORPORA"]) / "iclr_2017_2021.parquet"
    print(f"{file.name}, SHA-256 {hashlib.sha256(file.read_bytes()).hexdigest()[:16]}…")
    with tempfile.TemporaryDirectory() as home:
        os.environ["EMBEDLAB_HOME"] = home
        for name, options in RUNS:
            result = command("train", "--corpus", str(file), *options, "--set", "maps=false", "--set", "inside=false")
            knn, lines = result["knn"], result["references"]
            print(
                f"{name}: {100 * knn['before']:.1f} % -> {100 * knn['after']:.1f} % ± {100 * knn['standard_error']:.1f}"
            )
            print(f"  cosine {100 * knn['cosine']['before']:.1f} % -> {100 * knn['cosine']['after']:.1f} %")
            print(f"  {result['steps']} steps, {result['usable_texts']:,} usable texts, {knn['test_texts']} test texts")
            print(f"  {result['training_seconds']:.0f} s of training, {result['seconds']:.0f} s in all")
            print(f"  TF-IDF {100 * lines['tfidf']['value']:.1f} %, SVD-100 {100 * lines['svd']['value']:.1f} %")


if __name__ == "__main__":
    main()
