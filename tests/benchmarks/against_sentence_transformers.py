"""Embedding and an epoch of text crops, by embedlab and by sentence-transformers, on the same texts in one process.

EMBEDLAB_TEST_CORPORA=FOLDER python -m tests.benchmarks.against_sentence_transformers embed [--device cuda]
EMBEDLAB_TEST_CORPORA=FOLDER python -m tests.benchmarks.against_sentence_transformers train minilm [--device cuda]
    also scratch:bert-tiny and token in place of minilm; wants `pip install accelerate`

Both sides in turns; medians and ratios. Embedding: ICLR abstracts, MiniLM. Training: batches of 64 pairs of
crops, MultipleNegativesRankingLoss (scale 20) beside InfoNCE (temperature 0.05), Adam of both, the same pairs in the
same order. The losses are those of one step without dropout, where both sides must agree; the seconds are those of
steps as they are trained, with the encoder's own dropout.
"""

import argparse
import logging
import os
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

import embedlab  # noqa: F401 - says how threads wait, which numpy reads when it is imported

TURNS = 3
WARM, STEPS = 1, 4  # of training, in each turn
BATCH = 64


def main() -> None:
    """One table of the two."""
    asked = argparse.ArgumentParser()
    asked.add_argument("what", choices=["embed", "train"])
    asked.add_argument("encoder", nargs="?", default="minilm")
    asked.add_argument("--device", default="cpu")
    asked.add_argument("--texts", type=int, default=2_000, help="to embed")
    asked.add_argument("--turns", type=int, default=TURNS, help="of each way")
    asked.add_argument("--bf16-alone", action="store_true", help="leave both ways in fp32 out of training")
    asked = asked.parse_args()
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as home:
        os.environ["EMBEDLAB_HOME"] = home
        from embedlab.corpora import load_corpus
        from embedlab.device import choose_device

        corpus = load_corpus(str(Path(os.environ["EMBEDLAB_TEST_CORPORA"]) / "iclr_2017_2021.parquet"))
        print(f"{choose_device(asked.device).line}, torch {torch.__version__}, {torch.get_num_threads()} threads")
        (embedding if asked.what == "embed" else training)(asked, corpus, Path(home))


def embedding(asked, corpus, home: Path) -> None:
    """Seconds for all texts, and how near the vectors are."""
    from embedlab.encoders.embed import embed
    from embedlab.encoders.load import load_encoder

    texts = corpus.texts[: asked.texts]
    ours = load_encoder(asked.encoder, corpus=corpus)
    ours.save(home / "encoder")
    theirs = opened(home / "encoder", asked.device)
    small = opened(home / "encoder", asked.device, torch.bfloat16)
    ways = {
        "sentence-transformers": lambda: theirs.encode(texts, show_progress_bar=False),
        "sentence-transformers in bf16": lambda: small.encode(texts, show_progress_bar=False),
        "embedlab in fp32": lambda: embed(ours, texts, device=asked.device),
        "embedlab in bf16": lambda: embed(ours, texts, device=asked.device, precision="bf16"),
    }
    found, seconds, processor = {}, {way: [] for way in ways}, {way: [] for way in ways}
    for _ in range(asked.turns):
        for way, work in ways.items():
            began, used = time.perf_counter(), time.process_time()
            found[way] = work()
            seconds[way].append(time.perf_counter() - began)
            processor[way].append(time.process_time() - used)
    truth = found["sentence-transformers"].astype(np.float64)
    for way in ways:
        vectors = np.asarray(found[way], np.float64)
        cosine = (vectors * truth).sum(1) / np.linalg.norm(vectors, axis=1) / np.linalg.norm(truth, axis=1)
        walls, first = seconds[way], seconds["sentence-transformers"]
        print(
            f"{way}: {statistics.median(walls):.2f} s, {statistics.median(first) / statistics.median(walls):.2f} ×; "
            f"least {min(walls):.2f} s, {min(first) / min(walls):.2f} ×; processor {min(processor[way]):.2f} s, "
            f"{min(processor['sentence-transformers']) / min(processor[way]):.2f} ×; least cosine {cosine.min():.6f}"
        )


def opened(folder: Path, device: str, dtype=None):
    """The same encoder as a SentenceTransformer."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), device=device, model_kwargs={"torch_dtype": dtype} if dtype else None)


def training(asked, corpus, home: Path) -> None:
    """Seconds of a step, and the losses of both."""
    from embedlab.config import validated
    from embedlab.encoders.load import load_encoder
    from embedlab.encoders.parts import training_parts
    from embedlab.training.batches import Batches
    from embedlab.training.settings import RunSettings

    encoder = load_encoder(asked.encoder, corpus=corpus)
    encoder.save(home / "start")
    settings = validated(RunSettings, {"corpus": "x", "encoder": asked.encoder, "batch_size": BATCH})
    batches = Batches(
        augmentation=settings.make_augmentation(corpus, corpus.kept.tolist()), encoder=encoder, batch_size=BATCH, seed=0
    )
    if encoder.layers and (parts := training_parts(asked.device, None, BATCH, dim=encoder.dim)):
        print(told_padding(batches, parts))
    pairs = crops_of(batches)
    rate = settings.learning_rate_for(encoder)

    def by_them(bf16: bool):
        return lambda **check: theirs(asked, home, pairs, rate, bf16=bf16, **check)

    def by_us(precision: str):
        return lambda **check: ours(asked, home, batches, settings, precision, **check)

    ways = {} if asked.bf16_alone else {"sentence-transformers": by_them(False), "embedlab in fp32": by_us("fp32")}
    if encoder.layers:
        ways |= {"sentence-transformers, bf16=True": by_them(True), "embedlab in bf16": by_us("bf16")}
    losses = {way: work(check=True)[1] for way, work in ways.items()}
    seconds, processor = {way: [] for way in ways}, {way: [] for way in ways}
    for _ in range(asked.turns):
        for way, work in ways.items():
            used = time.process_time()
            seconds[way] += work(check=False)[0]
            processor[way].append((time.process_time() - used) / (WARM + STEPS))
    for way in ways:
        step = statistics.median(seconds[way])
        print(f"{way}: {step:.3f} s a step, {BATCH / step:.0f} texts a second; least {min(seconds[way]):.3f} s", end="")
        print(f", processor {min(processor[way]):.3f} s, preparing included; loss {losses[way][0]:.4f}")
    for there, here in zip(*[iter(ways)] * 2, strict=True):
        print(f"{here}: {statistics.median(seconds[there]) / statistics.median(seconds[here]):.2f} × {there}")


def told_padding(batches, parts) -> str:
    """The share of tokens that are padding, where a view is padded whole and where both are read in parts."""
    whole = divided = real = 0
    for views in (batches.at(step).views for step in range(WARM + STEPS)):
        lengths = [len(tokens) for view in views for tokens in view]
        real += sum(lengths)
        whole += sum(len(view) * max(len(tokens) for tokens in view) for view in views)
        divided += sum(len(rows) * max(lengths[row] for row in rows) for rows in parts.of(lengths))
    return f"padding: {1 - real / whole:.0%} of views padded whole, {1 - real / divided:.0%} of both in parts"


def crops_of(batches) -> list[tuple[str, str]]:
    """The very pairs that embedlab's batches are made of, as strings."""
    import random

    rows = batches.order(0)[: (WARM + STEPS) * BATCH].tolist()
    views = batches.augmentation.views
    return [tuple(views(row, random.Random(f"0.0.{row}"), place % BATCH)) for place, row in enumerate(rows)]


def without_dropout(module: torch.nn.Module) -> None:
    """So that both sides compute the same."""
    for part in module.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
        if hasattr(part, "dropout_prob"):
            part.dropout_prob = 0.0


def ours(asked, home: Path, batches, settings, precision: str, *, check: bool) -> tuple[list[float], list[float]]:
    """Seconds of each step after the warm ones, losses of all."""
    from embedlab.encoders.load import load_encoder
    from embedlab.encoders.parts import training_parts
    from embedlab.training.loop import train

    encoder = load_encoder(str(home / "start")).to(asked.device)
    if check:
        without_dropout(encoder)
    encoder.parts = training_parts(asked.device, None, BATCH, dim=encoder.dim)
    objective = settings.make_objective(encoder).to(asked.device)
    optimiser = settings.make_optimiser(encoder, objective, per_epoch=batches.per_epoch, steps=10**9)
    optimiser.warmup_steps = 0
    made, losses, last = [], [], time.perf_counter()
    last_step = 1 if check else WARM + STEPS
    steps = train(
        encoder=encoder, objective=objective, optimiser=optimiser, batches=batches, first=0, last=last_step,
        device=asked.device, precision=precision,
    )  # fmt: skip
    for step in steps:
        made.append(time.perf_counter() - last)
        last = time.perf_counter()
        losses.append(step.terms["loss"])
    return made[WARM:], losses


def theirs(asked, home: Path, pairs, rate: float, *, bf16: bool, check: bool) -> tuple[list[float], list[float]]:
    """The same of the trainer, as its documentation uses it."""
    from datasets import Dataset
    from sentence_transformers import SentenceTransformerTrainer, SentenceTransformerTrainingArguments
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
    from transformers import TrainerCallback

    class Clock(TrainerCallback):
        def __init__(self):
            self.made, self.losses, self.last = [], [], None

        def on_step_begin(self, *args, **kwargs):
            if self.last is None:
                self.last = time.perf_counter()

        def on_step_end(self, *args, **kwargs):
            now = time.perf_counter()
            self.made.append(now - self.last)
            self.last = now

        def on_log(self, args, state, control, logs=None, **kwargs):
            if "loss" in logs:
                self.losses.append(logs["loss"])

    if check:  # its first batch is another: the trainer shuffles
        pairs = pairs[:BATCH]
    model = opened(home / "start", asked.device)
    if check:
        without_dropout(model)
    clock = Clock()
    trainer = SentenceTransformerTrainer(
        model=model,
        args=SentenceTransformerTrainingArguments(
            output_dir=str(home / "out"), per_device_train_batch_size=BATCH, num_train_epochs=1, learning_rate=rate,
            lr_scheduler_type="constant", warmup_steps=0, bf16=bf16, use_cpu=asked.device == "cpu",
            logging_steps=1 if check else 500,  # its default
            save_strategy="no", report_to=[], disable_tqdm=True, adam_beta2=0.999, max_grad_norm=0.0, weight_decay=0.0,
            dataloader_drop_last=True,
        ),  # fmt: skip
        train_dataset=Dataset.from_dict({"anchor": [a for a, _ in pairs], "positive": [b for _, b in pairs]}),
        loss=MultipleNegativesRankingLoss(model),
        callbacks=[clock],
    )  # fmt: skip
    trainer.train()
    return clock.made[WARM:], clock.losses


if __name__ == "__main__":
    main()
