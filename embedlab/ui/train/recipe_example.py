"""The example of four sentences that shows what a recipe makes of a text: the colors of the words of its views."""

import random
from types import SimpleNamespace
from typing import Any

from embedlab.augmentations.base import IGNORED, Augmentation, Vocabulary
from embedlab.config import Config
from embedlab.figures.recipe_pictures import HIDDEN, NOT_ASKED, Row

_MASK = -1
WORDS, LETTERS = 6, 19  # a sentence of 120 characters, as crops ask for
SENTENCES = 4
TITLE, SUMMARY, SECOND = 4, 5, 6  # colours after those of the four sentences; another text's sentences share one


def example_rows(augmentation: type[Augmentation], settings: Config) -> list[Row]:
    """The text, and its two views with these settings; two pairs if the position in the batch matters."""
    corpus, colours = _example()
    made = augmentation(corpus, [0, 1], settings)
    rows = [Row("Text", [colours[word] for word in _words(corpus.texts[0])])]
    if "summaries" in augmentation.needs:
        rows.append(Row("Its summaries", [SUMMARY] * 3 + [NOT_ASKED] + [SUMMARY + 2] * 3))
    for position in augmentation.example_positions:
        rng = random.Random(augmentation.example_seed)
        views = made.views(0, rng, position)
        if views is None:
            return rows
        for name, view in zip(augmentation.view_names, _colours_read(made, views, rng, colours), strict=True):
            rows.append(Row(name, view))
    return rows


def _colours_read(
    made: Augmentation, views: tuple[str, ...], rng: random.Random, colours: dict[str, int]
) -> list[list[int]]:
    """The colours of the words of both views, after operations on tokens (here: words)."""
    words = list(colours)
    tokens = tuple([words.index(word) for word in _words(view)] for view in views)
    vocabulary = Vocabulary(special=frozenset(), mask=_MASK, size=len(words), longest=3 * WORDS)
    changed = made.on_tokens(tokens, vocabulary, rng)
    special = {_MASK: HIDDEN, IGNORED: NOT_ASKED}
    return [[special[t] if t in special else colours[words[t]] for t in view] for view in changed]


def _example() -> tuple[Any, dict[str, int]]:
    """A stand-in corpus: two texts with titles, summaries, a label and pairs; and the colour of each word."""
    colours: dict[str, int] = {}

    def written(name: str, words: int, colour: int) -> str:
        made = [f"{name}{number}".ljust(LETTERS, "x") for number in range(words)]
        colours.update(dict.fromkeys(made, colour))
        return " ".join(made)

    texts = [
        ". ".join(written(f"{'ab'[text]}{n}w", WORDS, n if text == 0 else SECOND) for n in range(SENTENCES)) + "."
        for text in range(2)
    ]
    titles = [written(f"t{text}w", 3, TITLE) for text in range(2)]
    summaries = [[written(f"s{text}{n}w", 4, SUMMARY + 2 * n) for n in range(2)] for text in range(2)]
    sentences = [text.rstrip(".").split(". ") for text in texts]
    pairs = [(". ".join(each[:2]) + ".", ". ".join(each[2:]) + ".") for each in sentences]
    columns = {"titles": titles, "summaries": summaries, "labels": ["one", "one"], "pairs": pairs, "scores": [1.0, 1.0]}
    return SimpleNamespace(texts=texts, **columns), colours


def _words(text: str) -> list[str]:
    return [word.rstrip(".") for word in text.split() if word.rstrip(".")]
