"""``python -m embedlab.encoders.pretraining``: make ``mini`` and ``tiny`` again, from texts to folders of weights.

A second call with the same ``--work`` goes on where the first one ended, from what that folder holds.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from embedlab.corpora import load_corpus
from embedlab.encoders.from_corpus import train_vocabulary
from embedlab.encoders.pretraining.folder import write_folder
from embedlab.encoders.pretraining.packing import Special, split, stream
from embedlab.encoders.pretraining.pretrain import SHAPES, Plan, Shape, new_model, pretrain
from embedlab.encoders.pretraining.texts import documentation, packages, without_copies
from embedlab.encoders.pretraining.word_vectors import ppmi, vectors_of
from embedlab.store_root import atomic_write, write_json

DEMO = "docs-topics"
VOCABULARY = 8_704  # a multiple of 64, which matrix products like
_CHARACTERS_OF_AN_ABSTRACT = 870  # on average
REQUIREMENTS = "embedlab/encoders/pretraining/requirements.txt"


def main() -> None:
    """Read the command line, and make both encoders."""
    parser = argparse.ArgumentParser(prog="python -m embedlab.encoders.pretraining", description=__doc__)
    parser.add_argument("--arxiv", type=Path, required=True, help="a Parquet file with abstracts in its column text")
    parser.add_argument("--work", type=Path, required=True, help="a folder for checkpoints and for what is made")
    help_of_extra = f"a folder of further packages: pip install --target FOLDER --no-deps -r {REQUIREMENTS}"
    parser.add_argument("--extra", type=Path, help=help_of_extra)
    parser.add_argument("--tokens", type=float, default=20e6, help="that each encoder reads (default: 20 million)")
    arguments = parser.parse_args()
    work: Path = arguments.work
    work.mkdir(parents=True, exist_ok=True)
    abstracts, documented = _abstracts(arguments.arxiv), _documentation(work, arguments.extra)
    tokenizer = _tokenizer(work / "tokenizer.json", abstracts, documented)
    both = {
        "abstracts": _streams(work / "abstracts.npz", abstracts, tokenizer),
        "documentation": _streams(work / "documentation.npz", documented, tokenizer),
    }
    streams = [each["learned"] for each in both.values()]
    held_out = {name: each["measured"] for name, each in both.items()}
    for name, shape in SHAPES.items():
        _make(work / name, shape, tokenizer, streams, held_out, Plan(tokens=int(arguments.tokens)))
        print(f"{name} is in {work / name / 'encoder'}", flush=True)


def _abstracts(file: Path) -> list[str]:
    import pyarrow.parquet as pq

    return pq.read_table(file, columns=["text"])["text"].to_pylist()


def _documentation(work: Path, extra: Path | None) -> list[str]:
    """Return the documentation texts in a fixed random order, without the demo's texts and copies of them.

    Kept in ``documentation.json``; ``packages.json`` tells where they come from.
    """
    file = work / "documentation.json"
    if not file.exists():
        gathered, read = documentation(extra)
        absent = {row["package"] for row in packages()} - {package.name for package in read}
        print("Not installed, so not read:", ", ".join(sorted(absent)) or "none", flush=True)
        write_json(work / "packages.json", [package._asdict() for package in read])
        write_json(file, without_copies(gathered, list(load_corpus(DEMO).texts)))
    texts = json.loads(file.read_text(encoding="utf-8"))
    np.random.default_rng(0).shuffle(texts)
    return texts


def _tokenizer(file: Path, abstracts: Sequence[str], documented: Sequence[str]) -> Tokenizer:
    """Return a vocabulary learned from all documentation and about as much of the abstracts."""
    if not file.exists():
        as_many = sum(map(len, documented)) // _CHARACTERS_OF_AN_ABSTRACT
        texts = [*split(documented)[0], *split(abstracts)[0][:as_many]]
        with atomic_write(file) as temporary:
            train_vocabulary(texts, VOCABULARY).save(str(temporary))
    return Tokenizer.from_file(str(file))


def _streams(file: Path, texts: Sequence[str], tokenizer: Tokenizer) -> dict[str, np.ndarray]:
    """Return the tokens to learn from and those that are only measured, which are kept in a file.  -> 2 x (tokens,)"""
    if not file.exists():
        learned, measured = split(texts)
        with atomic_write(file) as temporary, temporary.open("wb") as opened:
            np.savez(opened, learned=stream(learned, tokenizer), measured=stream(measured, tokenizer))
    return dict(np.load(file))


def _make(
    folder: Path,
    shape: Shape,
    tokenizer: Tokenizer,
    streams: Sequence[np.ndarray],
    held_out: dict[str, np.ndarray],
    plan: Plan,
) -> None:
    """Pretrain one encoder, from token vectors by counting, and write its folder."""
    folder.mkdir(exist_ok=True)
    torch.manual_seed(plan.seed)
    size = tokenizer.get_vocab_size()
    as_much_of_each = min(map(len, streams))
    counted = [tokens[:as_much_of_each] for tokens in streams]
    start = folder / "start.npy"
    if not start.exists():
        with atomic_write(start) as temporary, temporary.open("wb") as opened:
            np.save(opened, vectors_of(ppmi(counted[1:], size), shape.dim, seed=plan.seed))  # of documentation alone
    frequencies = np.bincount(np.concatenate(counted), minlength=size)
    model = new_model(shape, tokenizer, np.load(start), frequencies)
    pretrain(model, streams, held_out, plan, Special.of(tokenizer), folder)
    write_folder(model, tokenizer, folder / "encoder")


if __name__ == "__main__":
    main()
