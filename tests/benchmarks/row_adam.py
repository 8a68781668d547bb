"""RowAdam against torch's SparseAdam and dense Adam, in turns: ``[RECIPE, crops] [STEPS, 104] [TURNS, 5]``.

python -m tests.benchmarks.row_adam

The token layer on ``docs``, two threads: a step, the optimiser in it, mean loss of the last ten steps, kNN accuracy.
"""

import statistics
import sys
import time

import torch

from embedlab.config import validated
from embedlab.corpora import load_corpus
from embedlab.encoders.embed import embed
from embedlab.metrics.knn import knn_accuracy
from embedlab.tasks.fine_tune.opening import load_for
from embedlab.tasks.measure.embedded import split_of
from embedlab.training.batches import Batches
from embedlab.training.loop import train
from embedlab.training.optimiser import RowAdam
from embedlab.training.settings import RunSettings

KINDS = {"RowAdam": RowAdam, "SparseAdam": torch.optim.SparseAdam, "dense Adam": torch.optim.Adam}
WARM = 5  # steps that are not timed


class Timed:
    """An optimiser that counts the seconds of its steps."""

    def __init__(self, optimiser: torch.optim.Optimizer):
        self.optimiser, self.seconds = optimiser, []

    def __getattr__(self, name: str):
        return getattr(self.optimiser, name)

    def step(self) -> None:
        """One step, and how long it took."""
        began = time.perf_counter()
        self.optimiser.step()
        self.seconds.append(time.perf_counter() - began)


def trained(kind: str, settings: RunSettings, corpus) -> tuple[float, float, float, float]:
    """Milliseconds of a step and of its optimiser (medians), mean loss of the last ten steps, kNN accuracy in %."""
    encoder = load_for(settings, corpus, lambda *said: None)
    encoder.embedding.sparse = kind != "dense Adam"
    batches = Batches(
        augmentation=settings.make_augmentation(corpus, corpus.kept.tolist()),
        encoder=encoder,
        batch_size=settings.batch_size,
        seed=settings.seed,
        max_length=settings.training_length,
    )
    torch.manual_seed(settings.seed)
    objective = settings.make_objective(encoder)
    optimiser = settings.make_optimiser(encoder, objective, per_epoch=batches.per_epoch, steps=settings.max_steps)
    timed = Timed(KINDS[kind]([encoder.embedding.weight], lr=optimiser.learning_rate))
    optimiser.parts = [timed]
    common = {"encoder": encoder, "objective": objective, "optimiser": optimiser, "batches": batches}
    steps = list(train(**common, first=0, last=settings.max_steps, device="cpu", precision="fp32"))
    whole = [after.seconds - before.seconds for before, after in zip(steps, steps[1:], strict=False)]
    embeddings = embed(encoder, list(corpus.texts))
    accuracy = knn_accuracy(embeddings=embeddings, labels=corpus.labels, split=split_of(corpus)[0]).value
    loss = statistics.mean(step.terms["loss"] for step in steps[-10:])
    times = (1000 * statistics.median(seconds[WARM:]) for seconds in (whole, timed.seconds))
    return *times, loss, 100 * accuracy


def main(recipe: str = "crops", steps: str = "104", turns: str = "5") -> None:
    """A line for each optimiser in each turn, then the medians; ratios are taken within a turn."""
    torch.set_num_threads(2)
    asked = {"corpus": "docs", "encoder": "token", "recipe": recipe, "epochs": None, "max_steps": int(steps)}
    settings, corpus = validated(RunSettings, asked), load_corpus("docs")
    trained("RowAdam", settings, corpus)  # the first run of a process is the slowest, whichever it is
    found = {kind: [] for kind in KINDS}
    for turn in range(int(turns)):
        for kind, measured in found.items():
            measured.append(trained(kind, settings, corpus))
            print(f"turn {turn + 1}, {kind}: {measured[-1][0]:.1f} ms a step", flush=True)
    print("optimiser | step, ms | to RowAdam's | optimiser, ms | loss | kNN, %")
    for kind, measured in found.items():
        ratios = sorted(own[0] / first[0] for own, first in zip(measured, found["RowAdam"], strict=True))
        step, own, loss, accuracy = (statistics.median(each) for each in zip(*measured, strict=True))
        ratio = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} … {ratios[-1]:.2f})"
        print(f"{kind} | {step:.1f} | {ratio} | {own:.1f} | {loss:.4f} | {accuracy:.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
