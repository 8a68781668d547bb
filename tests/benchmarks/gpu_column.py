"""Everything that the tables leave open for a GPU, by one command: embedding, training, and an epoch of MPNet's size.

EMBEDLAB_TEST_CORPORA=FOLDER python -m tests.benchmarks.gpu_column [--device cuda] [--pairs 24000]

The first two are ``against_sentence_transformers.py``. The third trains twelve layers of 768 dimensions with random
weights on text crops of ICLR, batches of 64 pairs (the crops paper: 100 batches a minute on an A6000), and says which
share of the device's matrix product of bf16 numbers, measured here, the layers' arithmetic is.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

import embedlab  # noqa: F401 - says how threads wait, which numpy reads when it is imported

ROOT = Path(__file__).resolve().parents[2]
BATCH, WARM = 64, 5


def main() -> None:
    """One section each."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--device", default="cuda")
    asked.add_argument("--pairs", type=int, default=24_000)
    asked = asked.parse_args()
    beside = [sys.executable, "-m", "tests.benchmarks.against_sentence_transformers"]
    for what in (["embed"], ["train", "minilm"]):
        print(" ".join(what), flush=True)
        subprocess.run([*beside, *what, "--device", asked.device], cwd=ROOT, check=False)
    print(f"an epoch of {asked.pairs:,} pairs, 12 × 768", flush=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ["EMBEDLAB_HOME"] = home
        epoch(asked)


def epoch(asked) -> None:
    """Seconds, batches a minute, and the share of the peak."""
    from embedlab.config import validated
    from embedlab.corpora import load_corpus
    from embedlab.encoders.load import load_encoder
    from embedlab.encoders.parts import training_parts
    from embedlab.training.batches import Batches
    from embedlab.training.loop import train
    from embedlab.training.settings import RunSettings

    corpus = load_corpus(str(Path(os.environ["EMBEDLAB_TEST_CORPORA"]) / "iclr_2017_2021.parquet"))
    encoder = load_encoder("scratch:bert-base", corpus=corpus).to(asked.device)
    settings = validated(RunSettings, {"corpus": "x", "encoder": "scratch:bert-base", "batch_size": BATCH})
    rows = corpus.kept.tolist()
    batches = Batches(augmentation=settings.make_augmentation(corpus, rows), encoder=encoder, batch_size=BATCH, seed=0)
    encoder.parts = training_parts(asked.device, None, BATCH, dim=encoder.dim)
    objective = settings.make_objective(encoder).to(asked.device)
    steps = asked.pairs // BATCH
    optimiser = settings.make_optimiser(encoder, objective, per_epoch=batches.per_epoch, steps=WARM + steps)
    common = {"encoder": encoder, "objective": objective, "optimiser": optimiser, "batches": batches}
    common |= {"device": asked.device, "precision": "bf16"}
    for _ in train(**common, first=0, last=WARM):
        pass
    began = time.perf_counter()
    for step in train(**common, first=WARM, last=WARM + steps):
        loss = step.terms["loss"]
    seconds = time.perf_counter() - began
    tokens = sum(len(ids) for step in range(WARM, WARM + steps) for view in batches.at(step).views for ids in view)
    weights = sum(value.numel() for name, value in encoder.named_parameters() if "embeddings" not in name)
    done = (
        6 * weights * tokens / seconds
    )  # two operations a weight and token forward, four backward; attention left out
    peak = matrix_peak(asked.device)
    print(f"{seconds:.1f} s, {60 * steps / seconds:.0f} batches a minute, last loss {loss:.3f}")
    print(f"{done / 1e12:.2f} of {peak / 1e12:.2f} TFLOP a second: {done / peak:.0%} of the peak, {tokens:,} tokens")


def matrix_peak(device: str, size: int = 4096) -> float:
    """Operations a second of one product of two square matrices, the best of ten."""
    one = torch.randn(size, size, dtype=torch.bfloat16, device=device)
    best = 0.0
    for _ in range(10):
        _synchronised(device)
        began = time.perf_counter()
        one @ one
        _synchronised(device)
        best = max(best, 2 * size**3 / (time.perf_counter() - began))
    return best


def _synchronised(device: str) -> None:
    if torch.device(device).type == "cuda":
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
