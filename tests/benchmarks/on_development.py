"""Settings tried on development texts: trained as a run trains, judged by texts of the train part, test texts unseen.

python -m tests.benchmarks.on_development docs,iclr,arxiv token sentences objective.temperature=0.05,0.1,0.2
python -m tests.benchmarks.on_development docs token crops learning_rate=0.001,0.003,0.01,0.03 --seeds 0,1

python -m tests.benchmarks.on_development docs token sentences epochs=1,6 --idf
python -m tests.benchmarks.on_development posts,docs,iclr,arxiv words sentences epochs=10 objective.temperature=0.05,0.1

``--device cuda`` trains there. ``--idf`` multiplies the start rows of a token layer by their token's inverse document
frequency (mean 1) and is not in the product. Every combination of the values that stand after a setting; one line
each. Where no length is named, one epoch, of ``sentences`` six. ``posts``, ``iclr`` and ``arxiv`` (5,000 rows drawn by
seed 0) are read from EMBEDLAB_TEST_CORPORA. TF-IDF and TF-IDF → SVD-100 are measured on the same texts.
"""

import itertools
import json
import os
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import torch

from embedlab.config import validated
from embedlab.corpora import load_corpus
from embedlab.corpora.base import Draft, store_corpus
from embedlab.corpora.proposal import Reading
from embedlab.encoders.embed import embed
from embedlab.metrics.knn import knn_accuracy
from embedlab.metrics.split import development_split, paper_split
from embedlab.metrics.tfidf import svd_embeddings, tfidf_embeddings
from embedlab.tasks.fine_tune.opening import load_for
from embedlab.training.batches import Batches
from embedlab.training.loop import train
from embedlab.training.preparation import planned_steps
from embedlab.training.settings import RunSettings

ARXIV_ROWS = 5_000
_FILES = {"iclr": "iclr_2017_2021.parquet", "posts": "posts_25x200.parquet"}


def epochs_of(recipe: str) -> dict:
    """As long as the tables of tests/benchmarks/README.md train where they name no length."""
    return {"schedule": "epochs", "epochs": 6 if recipe == "sentences" else 1}


def corpus_named(name: str, *, arxiv_rows: int = ARXIV_ROWS):
    """``docs``, ``posts``, ``iclr``, ``arxiv`` or whatever the command line takes."""
    folder = Path(os.environ.get("EMBEDLAB_TEST_CORPORA", "."))
    if name in _FILES:
        return load_corpus(str(folder / _FILES[name]), Reading())
    if name != "arxiv":
        return load_corpus(name)
    table = pq.read_table(folder / "arxiv_balanced.parquet", columns=["text", "label", "title"])
    rows = np.sort(np.random.default_rng(0).permutation(table.num_rows)[:arxiv_rows])
    drawn = table.take(rows)
    columns = {name: drawn.column(name).to_pylist() for name in ("text", "label", "title")}
    return store_corpus(Draft("arxiv", "arxiv_balanced", columns["text"], columns["label"], columns["title"]))


def measured(embeddings, corpus, split) -> dict:
    """kNN accuracy by both distances."""
    return {
        distance: knn_accuracy(embeddings=embeddings, labels=corpus.labels, split=split, distance=distance).value
        for distance in ("euclidean", "cosine")
    }


def weigh_by_idf(encoder, corpus) -> None:
    """Rare tokens begin with long vectors, as words do in TF-IDF."""
    texts = [set(encoder.tokenize([corpus.texts[row]])[0]) for row in corpus.kept]
    counts = np.ones(len(encoder.embedding.weight))
    for tokens in texts:
        counts[list(tokens)] += 1
    idf = np.log((1 + len(texts)) / counts) + 1
    with torch.no_grad():
        encoder.embedding.weight *= torch.from_numpy(idf / idf.mean()).float()[:, None]


def trained(corpus, settings: RunSettings, *, idf: bool = False, device: str = "cpu"):
    """The encoder after the run's last step, the steps, and the seconds inside them."""
    encoder = load_for(settings, corpus, lambda *_: None).to(device)
    if idf:
        weigh_by_idf(encoder, corpus)
    if settings.recipe_part.objective is None:
        return encoder, 0, 0, 0.0
    batches = Batches(
        augmentation=settings.make_augmentation(corpus, corpus.kept.tolist()),
        encoder=encoder,
        batch_size=settings.batch_size,
        seed=settings.seed,
        max_length=settings.training_length,
    )
    steps = planned_steps(settings, batches.per_epoch)
    torch.manual_seed(settings.seed)
    objective = settings.make_objective(encoder).to(device)
    optimiser = settings.make_optimiser(encoder, objective, per_epoch=batches.per_epoch, steps=steps)
    seconds = 0.0
    for step in train(
        encoder=encoder,
        objective=objective,
        optimiser=optimiser,
        batches=batches,
        first=0,
        last=steps,
        device=device,
        precision="fp32",
    ):
        seconds = step.seconds
    return encoder, steps, len(batches.rows), seconds


def nested(settings: dict) -> dict:
    """``objective.temperature`` becomes ``{"objective": {"temperature": …}}``."""
    found: dict = {}
    for name, value in settings.items():
        part, _, rest = name.rpartition(".")
        (found.setdefault(part, {}) if part else found)[rest] = value
    return found


def value_of(word: str):
    """A number, true, false, none, or the word itself."""
    try:
        return json.loads({"none": "null"}.get(word, word))
    except ValueError:
        return word


def main(
    names: str, encoder: str, recipe: str, *settings: str, seeds: str = "0", idf: bool = False, device: str = "cpu"
) -> None:
    """One line a corpus, combination and seed."""
    asked = {
        name: [value_of(word) for word in words.split(",")] for name, _, words in (s.partition("=") for s in settings)
    }
    combinations = [dict(zip(asked, values, strict=True)) for values in itertools.product(*asked.values())]
    for name in names.split(","):
        corpus = corpus_named(name)
        split = paper_split(corpus.texts, corpus.labels, corpus.kept)
        development = development_split(split, corpus.copies)
        words = tfidf_embeddings(corpus.texts)
        lines = {"TF-IDF": words, "SVD-100": svd_embeddings(words)}
        told = [f"{key} {_told(measured(value, corpus, development))}" for key, value in lines.items()]
        print(f"{name}: {len(development.test)} development texts; {'; '.join(told)}", flush=True)
        for combination in combinations:
            for seed in seeds.split(","):
                began = time.perf_counter()
                settings_ = validated(
                    RunSettings,
                    {"corpus": corpus.fingerprint, "encoder": encoder, "recipe": recipe, "seed": int(seed)}
                    | epochs_of(recipe)
                    | nested(combination),
                )
                tuned, steps, usable, seconds = trained(corpus, settings_, idf=idf, device=device)
                vectors = np.zeros((corpus.info.rows, tuned.dim), np.float32)
                vectors[corpus.labelled] = embed(tuned, [corpus.texts[row] for row in corpus.labelled], device=device)
                said = " ".join(f"{key}={value}" for key, value in combination.items())
                print(
                    f"{name} {encoder} {recipe} {said} seed={seed}: {_told(measured(vectors, corpus, development))}, "
                    f"{steps} steps on {usable} texts, {seconds:.0f} s of {time.perf_counter() - began:.0f} s",
                    flush=True,
                )


def _told(found: dict) -> str:
    return f"cosine {100 * found['cosine']:.1f}, Euclidean {100 * found['euclidean']:.1f}"


if __name__ == "__main__":
    given = sys.argv[1:]
    drawn = given.pop(given.index("--seeds") + 1) if "--seeds" in given else "0"
    on = given.pop(given.index("--device") + 1) if "--device" in given else "cpu"
    flags = ("--seeds", "--device", "--idf")
    main(*[word for word in given if word not in flags], seeds=drawn, idf="--idf" in given, device=on)
