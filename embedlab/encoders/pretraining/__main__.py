"""``python -m embedlab.encoders.pretraining``: make ``mini`` and ``tiny`` again, from texts to a folder of weights."""

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from embedlab.encoders.from_corpus import train_vocabulary
from embedlab.encoders.pretraining.packing import Special, split, stream
from embedlab.encoders.pretraining.pretrain import SHAPES, Plan, new_model, pretrain
from embedlab.encoders.pretraining.word_vectors import ppmi, vectors_of

VOCABULARY = 8_704  # a multiple of 64, which matrix products like


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--arxiv", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--shape", choices=SHAPES, default="mini")
    parser.add_argument("--tokens", type=float, default=60e6)
    arguments = parser.parse_args()
    import pyarrow.parquet as pq

    documentation = json.loads(arguments.texts.read_text())
    np.random.default_rng(0).shuffle(documentation)
    abstracts = pq.read_table(arguments.arxiv, columns=["text"])["text"].to_pylist()
    sources = {"abstracts": split(abstracts), "documentation": split(documentation)}
    arguments.work.mkdir(parents=True, exist_ok=True)
    vocabulary = arguments.work / "tokenizer.json"
    if not vocabulary.exists():
        as_many = sum(map(len, documentation)) // 870
        train_vocabulary([*sources["documentation"][0], *sources["abstracts"][0][:as_many]], VOCABULARY).save(str(vocabulary))
    tokenizer = Tokenizer.from_file(str(vocabulary))
    streams = {}
    for name, (learned, measured) in sources.items():
        file = arguments.work / f"{name}.npz"
        if not file.exists():
            np.savez(file, learned=stream(learned, tokenizer), measured=stream(measured, tokenizer))
        streams[name] = dict(np.load(file))
        print(name, {part: len(tokens) for part, tokens in streams[name].items()}, flush=True)
    special, shape = Special.of(tokenizer), SHAPES[arguments.shape]
    size = tokenizer.get_vocab_size()
    learned = [each["learned"] for each in streams.values()]
    plan = Plan(tokens=int(arguments.tokens))
    torch.manual_seed(plan.seed)
    folder = arguments.work / arguments.shape
    folder.mkdir(exist_ok=True)
    sample = [tokens[: min(map(len, learned))] for tokens in learned]  # as much of each
    table = folder / "start.npy"
    if not table.exists():
        np.save(table, vectors_of(ppmi(sample, size), shape.dim, seed=plan.seed))
    frequencies = sum(np.bincount(tokens, minlength=size) for tokens in sample)
    model = new_model(shape, tokenizer, np.load(table), frequencies)
    print(sum(each.numel() for each in model.parameters()), "parameters", plan.steps, "steps", flush=True)
    pretrain(model, learned, {name: each["measured"] for name, each in streams.items()}, plan, special, folder)


if __name__ == "__main__":
    main()
