"""Two steps of text crops with large batches, whole and in micro-batches: peak memory and seconds of a step.

EMBEDLAB_TEST_CORPORA=FOLDER python -m tests.benchmarks.gradient_caching
"""

import os
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.peak_memory import in_a_child, measured

ENCODER, LENGTH = "scratch:bert-mini", 64  # 4 layers of 256 dimensions
CASES = [(64, 0), (512, 0), (512, 64), (2048, 0), (2048, 64)]  # texts in a batch, in a micro-batch (0: the whole)


def main() -> None:
    """A line a case, each in a process of its own."""
    for batch, micro in CASES:
        found = in_a_child(__file__, batch, micro)
        how = f"micro-batches of {micro}" if micro else "whole"
        print(
            f"batch {batch}, {how}: {found['gigabytes']:.2f} GB, {found['step']:.1f} s a step, loss {found['loss']:.4f}"
        )


def steps(batch: int, micro: int) -> dict:
    """Two steps on real abstracts, without dropout so that the losses must agree."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["EMBEDLAB_HOME"] = home
        import torch

        from embedlab.config import validated
        from embedlab.corpora import load_corpus
        from embedlab.encoders.load import load_encoder
        from embedlab.encoders.parts import training_parts
        from embedlab.training.batches import Batches
        from embedlab.training.loop import train
        from embedlab.training.settings import RunSettings

        corpus = load_corpus(str(Path(os.environ["EMBEDLAB_TEST_CORPORA"]) / "iclr_2017_2021.parquet"))
        asked = {"corpus": "x", "encoder": ENCODER, "batch_size": batch, "training_length": LENGTH, "warmup": 0.0}
        settings = validated(RunSettings, asked)
        encoder = load_encoder(ENCODER, corpus=corpus)
        for module in encoder.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
        encoder.parts = training_parts("cpu", micro or None, batch, dim=encoder.dim)
        objective = settings.make_objective(encoder)
        optimiser = settings.make_optimiser(encoder, objective, per_epoch=2, steps=2)
        batches = Batches(
            augmentation=settings.make_augmentation(corpus, corpus.kept.tolist()), encoder=encoder, batch_size=batch,
            seed=0, max_length=LENGTH,
        )  # fmt: skip
        made = {"encoder": encoder, "objective": objective, "optimiser": optimiser, "batches": batches}
        *_, last = train(**made, first=0, last=2, device="cpu", precision="bf16")
        return {"step": last.seconds / 2, "loss": last.terms["loss"]}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        measured(lambda: steps(*map(int, sys.argv[2:])))
    else:
        main()
