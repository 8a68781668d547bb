"""Does TSDAE's decoder read the vector? Its loss with a text's own vector and with another text's, as steps go by.

python -m tests.benchmarks.tsdae_start [steps, 3000] [steps between two lines, 250]

BERT tiny from random weights on ``docs``, 5,000 word pieces; also kNN accuracy and the effective rank of 2,000 texts.
"""

import sys

import numpy as np
import torch

from embedlab.config import validated
from embedlab.corpora import load_corpus
from embedlab.encoders.embed import embed
from embedlab.metrics.knn import knn_accuracy
from embedlab.statistics.geometry import effective_rank
from embedlab.tasks.fine_tune.opening import load_for
from embedlab.tasks.measure.embedded import split_of
from embedlab.training.batches import Batches
from embedlab.training.loop import train
from embedlab.training.settings import RunSettings

ASKED = {
    "corpus": "docs",
    "encoder": "scratch:bert-tiny",
    "recipe": "tsdae",
    "epochs": None,
    "learning_rate": 1e-3,
    "batch_size": 32,
    "max_length": 64,
    "training_length": 32,
    "vocabulary_size": 5000,
}
LOOKED_AT = range(10_000, 10_004)  # batches far beyond those that are trained on


def losses(objective, encoder, batches: Batches) -> tuple[float, float]:
    """The mean loss with each text's own vector, and with that of the text before it."""
    encoder.eval()
    objective.eval()
    own, others = [], []
    with torch.no_grad():
        for step in LOOKED_AT:
            damaged, texts = batches.at(step).views
            for found, vectors_of in ((own, damaged), (others, damaged[-1:] + damaged[:-1])):
                views = [encoder.collate(tokens, "cpu") for tokens in (vectors_of, texts)]
                found.append(float(objective(encoder, views)["loss"]))
    return float(np.mean(own)), float(np.mean(others))


def main(steps: int = 3000, every: int = 250) -> None:
    """A line every so many steps."""
    settings = validated(RunSettings, {**ASKED, "max_steps": steps})
    corpus = load_corpus("docs")
    encoder = load_for(settings, corpus, lambda *said: None)
    split, _ = split_of(corpus)
    rows = corpus.kept.tolist()
    batches = Batches(
        augmentation=settings.make_augmentation(corpus, rows),
        encoder=encoder,
        batch_size=settings.batch_size,
        seed=settings.seed,
        max_length=settings.training_length,
    )
    torch.manual_seed(settings.seed)
    objective = settings.make_objective(encoder)
    optimiser = settings.make_optimiser(encoder, objective, per_epoch=batches.per_epoch, steps=steps)
    print("step | loss, own vector | another text's | effective rank | kNN, %")
    for first in range(0, steps + 1, every):
        embeddings = embed(encoder, list(corpus.texts))
        accuracy = knn_accuracy(embeddings=embeddings, labels=corpus.labels, split=split).value
        own, others = losses(objective, encoder, batches)
        print(f"{first:,} | {own:.2f} | {others:.2f} | {effective_rank(embeddings[:2000]):.0f} | {100 * accuracy:.1f}")
        sys.stdout.flush()
        last = min(first + every, steps)
        common = {"encoder": encoder, "objective": objective, "optimiser": optimiser, "batches": batches}
        for _ in train(**common, first=first, last=last, device="cpu", precision="fp32"):
            pass


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
