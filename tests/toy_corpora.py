"""Small corpora and pairs, written here: four classes, each with words of its own."""

import os
import random
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from embedlab.augmentations.base import Augmentation
from embedlab.config import Config
from embedlab.corpora.base import Corpus, Draft, open_corpus, store_corpus
from embedlab.corpora.sets.stored import GivenPairs, PairsInfo, pairs_table, store_pairs
from embedlab.store_root import make_folder, store_root

TOY_WORDS = {
    "astronomy": "star galaxy orbit telescope planet nebula comet eclipse gravity dust radiation dwarf cluster moon",
    "cooking": "butter onion oven flour pepper garlic sauce dough simmer roast spoon vinegar basil kettle crust",
    "law": "court judge contract statute appeal verdict witness clause defendant treaty evidence counsel tort bail",
    "sailing": "anchor rudder harbor keel mast rope tide sail wind deck buoy compass current hull captain",
}
TOY_LINKS = "the of and with near under before after this that every some while because over".split()


def toy_texts(per_class: int = 30, sentences: int = 4, seed: int = 0) -> tuple[list[str], list[str]]:
    """Texts of sentences of 100 to 160 characters, three words in four from their class; and their labels."""
    texts, labels = _drawn_texts(per_class, sentences, seed)
    return [*texts], [*labels]


@cache
def _drawn_texts(per_class: int, sentences: int, seed: int) -> tuple[list[str], list[str]]:
    rng = random.Random(seed)
    texts, labels = [], []
    for _ in range(per_class):
        for label, words in TOY_WORDS.items():
            own = words.split()
            written = []
            for _ in range(sentences):
                sentence = ""
                while len(sentence) < 105:
                    sentence += f"{rng.choice(own if rng.random() < 0.75 else TOY_LINKS)} "
                written.append(f"{sentence.strip().capitalize()}.")
            texts.append(" ".join(written))
            labels.append(label)
    return texts, labels


def store_toy() -> Corpus:
    """120 texts of four sentences in four classes, with titles."""
    return _stored(_toy)


def store_summarised() -> Corpus:
    """The same with three summaries a text."""
    return _stored(_summarised)


def write_once() -> None:
    """What these two store, kept in memory before any test's own patches."""
    for build in (_toy, _summarised):
        _files_of(build)


def _toy() -> Corpus:
    texts, labels = toy_texts()
    titles = [" ".join(text.split()[:4]) for text in texts]
    return store_corpus(Draft(name="toy", source="toy", texts=texts, labels=labels, titles=titles))


def _summarised() -> Corpus:
    texts, labels = toy_texts()
    titles = [" ".join(text.split()[:4]) for text in texts]
    summaries = [[" ".join(text.split()[start : start + 8]) for start in (4, 12, 20)] for text in texts]
    draft = Draft(name="summarised", source="toy", texts=texts, labels=labels, titles=titles, summaries=summaries)
    return store_corpus(draft)


def _stored(build: Callable[[], Corpus]) -> Corpus:
    """The corpus in the store of now, where its files are written as they were the first time: in a tenth of it."""
    fingerprint, files = _files_of(build)
    for name, content in files.items():
        file = store_root() / name
        if not file.exists():
            make_folder(file.parent)
            file.write_bytes(content)
    return open_corpus(fingerprint)


@cache
def _files_of(build: Callable[[], Corpus]) -> tuple[str, dict[str, bytes]]:
    with tempfile.TemporaryDirectory() as home, patch.dict(os.environ, EMBEDLAB_HOME=home):
        corpus = build()
        files = [file for file in corpus.folder.rglob("*") if file.is_file()]
        return corpus.fingerprint, {str(file.relative_to(Path(home).resolve())): file.read_bytes() for file in files}


def toy_pairs() -> GivenPairs:
    """60 pairs of halves of the toy texts, each with a sentence of another class and a score from 0.8 to 1; stored."""
    texts, _ = toy_texts()
    halves = [text.split(". ") for text in texts]
    pairs = pairs_table(
        anchors=[each[0] for each in halves[:60]],
        positives=[each[1] for each in halves[:60]],
        negatives=[[each[2]] for each in halves[1:61]],
        scores=[0.8 + (row % 5) / 20 for row in range(60)],
    )
    roles = {"anchor": "one", "positive": "other", "negative": "no", "score": "score"}
    described = {"name": "toy pairs", "source": "toy.csv", "rows": 62, "roles": roles}
    return store_pairs(pairs, PairsInfo(fingerprint="", pairs=60, negatives=1, has_scores=True, **described))


def over_texts(
    part: type[Augmentation], texts: list[str], config: Config | None = None, **columns: Any
) -> Augmentation:
    """An augmentation of bare texts, with further columns (``titles``, ``labels``, ``pairs`` …) where needed."""
    every = {**dict.fromkeys(("titles", "summaries", "labels", "pairs", "scores")), **columns}
    return part(SimpleNamespace(texts=texts, **every), range(len(texts)), config)
