"""MiniLM trained on the scored pairs of STS-b for one epoch, by embedlab and by sentence-transformers.

EMBEDLAB_TEST_CORPORA=FOLDER python -m tests.benchmarks.stsb_pairs [cosent|cosine-mse] [--seeds 0,1]

Both train on the same pairs (those of the train split that the development part does not ask) in the same order, in
batches of 64 by AdamW at 2e-5, a tenth of warmup, linear decay, in fp32, with the encoder's own dropout. Told is
Spearman's correlation on the test split, before and after, with the 95 % interval of the change and of ours to theirs.
"""

import argparse
import logging
import os
import tempfile
from pathlib import Path

import numpy as np

import embedlab  # noqa: F401 - says how threads wait, which numpy reads when it is imported

BATCH, RATE = 64, 2e-5


def main() -> None:
    """One line a seed and side."""
    asked = argparse.ArgumentParser()
    asked.add_argument("recipe", nargs="?", default="cosent", choices=["cosent", "cosine-mse"])
    asked.add_argument("--seeds", default="0")
    asked = asked.parse_args()
    file = Path(os.environ["EMBEDLAB_TEST_CORPORA"]) / "stsb.parquet"
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as home:
        os.environ["EMBEDLAB_HOME"] = home
        for seed in map(int, asked.seeds.split(",")):
            compared(file, asked.recipe, seed)


def compared(file: Path, recipe: str, seed: int) -> None:
    """Both sides of one seed."""
    from embedlab.corpora.sets.pairs import read_pairs
    from embedlab.corpora.sets.reading import SetReading, read_set
    from embedlab.encoders.load import load_encoder
    from embedlab.tasks.fine_tune.opening import JudgeSet

    pairs, test = read_pairs(file), JudgeSet(read_set(str(file), SetReading(split="test")), "cpu")
    dev = JudgeSet(read_set(str(file), SetReading(split="dev")), "cpu")
    before = test.measure(load_encoder("minilm"))
    ours, order = by_embedlab(pairs, dev, recipe, seed)
    theirs = by_sentence_transformers(pairs, order, recipe, seed)
    after = {"embedlab": test.measure(ours), "sentence-transformers": test.measure(theirs)}
    print(f"{recipe}, seed {seed}: {len(order):,} pairs; STS-b test before {100 * before.value:.2f}")
    for name, found in after.items():
        print(f"  {name:22s} {100 * found.value:.2f}, {_change(test, before, found)}")
    print(f"  embedlab minus theirs  {_change(test, after['sentence-transformers'], after['embedlab'])}", flush=True)


def _change(judge, before, after) -> str:
    found = judge.result(before, after)
    return f"{100 * found.difference:+.2f} (95 %: {100 * found.low:.2f} … {100 * found.high:.2f})"


def by_embedlab(pairs, dev, recipe: str, seed: int):
    """The trained encoder, and the rows in the order in which they were trained on."""
    import torch

    from embedlab.config import validated
    from embedlab.encoders.load import load_encoder
    from embedlab.training.batches import Batches
    from embedlab.training.loop import train
    from embedlab.training.preparation import pair_rows
    from embedlab.training.settings import RunSettings

    asked = {"corpus": "x", "pairs": "x", "recipe": recipe, "batch_size": BATCH, "learning_rate": RATE, "seed": seed}
    settings = validated(RunSettings, asked)
    torch.manual_seed(seed)
    encoder = load_encoder("minilm")
    rows = pair_rows(pairs, None, None, dev.asks())
    batches = Batches(
        augmentation=settings.make_augmentation(pairs, rows.tolist()), encoder=encoder, batch_size=BATCH, seed=seed
    )
    objective = settings.make_objective(encoder)
    steps = batches.per_epoch
    optimiser = settings.make_optimiser(encoder, objective, per_epoch=steps, steps=steps)
    told = dict(encoder=encoder, objective=objective, optimiser=optimiser, batches=batches, first=0, last=steps)
    for _ in train(**told, device="cpu", precision="fp32"):
        pass
    return encoder, np.concatenate([batches.at(step).rows for step in range(steps)])


def by_sentence_transformers(pairs, order, recipe: str, seed: int):
    """The same pairs in the same order, by its own trainer and loss; as one of our encoders."""
    from datasets import Dataset
    from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer
    from sentence_transformers import SentenceTransformerTrainingArguments as Arguments
    from sentence_transformers.sentence_transformer import losses
    from torch.utils.data import SequentialSampler

    from embedlab.encoders.load import load_encoder

    class InOrder(SentenceTransformerTrainer):
        def get_batch_sampler(self, dataset, batch_size, drop_last, **_):
            from torch.utils.data import BatchSampler

            return BatchSampler(SequentialSampler(dataset), batch_size, drop_last)

    with tempfile.TemporaryDirectory() as folder:
        start = load_encoder("minilm")
        start.save(Path(folder) / "start")
        model = SentenceTransformer(str(Path(folder) / "start"), device="cpu")
        data = Dataset.from_dict(
            {
                "sentence1": [pairs.anchors[row] for row in order],
                "sentence2": [pairs.positives[row] for row in order],
                "score": [pairs.scores[row] for row in order],
            }
        )
        loss = {"cosent": losses.CoSENTLoss, "cosine-mse": losses.CosineSimilarityLoss}[recipe](model)
        arguments = Arguments(
            output_dir=f"{folder}/out", num_train_epochs=1, per_device_train_batch_size=BATCH, learning_rate=RATE,
            warmup_ratio=0.1, lr_scheduler_type="linear", weight_decay=0.0, max_grad_norm=0.0, seed=seed,
            report_to="none", save_strategy="no", logging_strategy="no", use_cpu=True, disable_tqdm=True,
        )  # fmt: skip
        InOrder(model=model, args=arguments, train_dataset=data, loss=loss).train()
        model.save(f"{folder}/end")
        return load_encoder(f"{folder}/end")


if __name__ == "__main__":
    main()
