"""Corpora for the browser tests: short to train on, with class names that would like to be code."""

import csv
import random
from pathlib import Path

HOSTILE = [
    "<script>window.struck=1</script>",
    "<img src=x onerror=window.struck=1>",
    "$\\href{javascript:alert(1)}{x}$ :smile: **b**",
    "=cmd|' /C calc'!A0",
]
WORDS = [
    "star galaxy orbit telescope planet nebula comet eclipse gravity dust",
    "butter onion oven flour pepper garlic sauce dough simmer roast",
    "court judge contract statute appeal verdict witness clause treaty evidence",
    "anchor rudder harbor keel mast rope tide sail wind deck",
]


def written_corpus(path: Path, *, per_class: int = 40) -> Path:
    """Texts of four sentences of 100 to 160 characters in four classes."""
    rng = random.Random(0)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "label", "year"])
        for _ in range(per_class):
            for label, words in zip(HOSTILE, WORDS, strict=True):
                text = " ".join(_sentence(rng, words.split()) for _ in range(4))
                writer.writerow(
                    [f"{label[:20]} {text}" if rng.random() < 0.2 else text, label, rng.randint(2001, 2020)]
                )
    return path


def _sentence(rng: random.Random, words: list[str]) -> str:
    sentence = ""
    while len(sentence) < 105:
        sentence += f"{rng.choice(words)} "
    return f"{sentence.strip().capitalize()}."
