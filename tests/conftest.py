"""Fixtures for all rooms: a store of one's own, a toy corpus made here, the folder of real corpora."""

import os
import random
from pathlib import Path

import pytest

from embedlab.corpora.base import Corpus, Draft, store_corpus

TOY_WORDS = {
    "astronomy": "star galaxy orbit telescope planet nebula comet eclipse gravity dust radiation dwarf cluster moon",
    "cooking": "butter onion oven flour pepper garlic sauce dough simmer roast spoon vinegar basil kettle crust",
    "law": "court judge contract statute appeal verdict witness clause defendant treaty evidence counsel tort bail",
    "sailing": "anchor rudder harbor keel mast rope tide sail wind deck buoy compass current hull captain",
}
TOY_LINKS = "the of and with near under before after this that every some while because over".split()


def toy_texts(per_class: int = 30, sentences: int = 4, seed: int = 0) -> tuple[list[str], list[str]]:
    """Texts of sentences of 100 to 160 characters, three words in four from their class; and their labels."""
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


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty store of this test's own."""
    home = tmp_path / "store"
    monkeypatch.setenv("EMBEDLAB_HOME", str(home))
    return home


@pytest.fixture
def toy_corpus(store: Path) -> Corpus:
    """120 texts of four sentences in four classes, with titles; stored."""
    texts, labels = toy_texts()
    titles = [" ".join(text.split()[:4]) for text in texts]
    return store_corpus(Draft(name="toy", source="toy", texts=texts, labels=labels, titles=titles))


@pytest.fixture
def summarised_corpus(store: Path) -> Corpus:
    """The toy corpus with three summaries a text."""
    texts, labels = toy_texts()
    titles = [" ".join(text.split()[:4]) for text in texts]
    summaries = [[" ".join(text.split()[start : start + 8]) for start in (4, 12, 20)] for text in texts]
    draft = Draft(name="summarised", source="toy", texts=texts, labels=labels, titles=titles, summaries=summaries)
    return store_corpus(draft)


@pytest.fixture
def corpora_folder() -> Path:
    """The folder of real corpora; tests that need it are skipped where there is none."""
    folder = os.environ.get("EMBEDLAB_TEST_CORPORA")
    if not folder:
        pytest.skip("EMBEDLAB_TEST_CORPORA names no folder of real corpora")
    return Path(folder)
