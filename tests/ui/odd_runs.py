"""Corpora that are not as most are, each with a finished run and all that pages offer to measure of it."""

import random
from contextlib import suppress
from functools import reduce

from doing import do

from embedlab.corpora.base import Corpus, Draft, store_corpus
from embedlab.diagnostics import DIAGNOSTICS
from embedlab.errors import EmbedlabError
from embedlab.maps.lab import EXPERIMENTS
from embedlab.report.checkup import kept_checkup
from embedlab.runs.folder import RunFolder

LABELS = {
    "partly labelled": [("a", "b", None)[n % 3] for n in range(48)],
    "unlabelled": None,
    "one class": ["a"] * 48,
    "two texts": ["a", "b"],
    "300 classes": [f"class {n % 300}" for n in range(340)],
}
IN_BROWSER = {"line breaks and quotes": ["a", 'b\n"c"', "d, 'e'"], "repeated texts": ["a", "b", "c"]}  # its walk alone
ODD = {" star ": " “star”\n\n", " of ": ' "of",\t', " the ": " 'the'\r\n"}
WORDS = "star comet butter onion flour judge statute verdict anchor rudder keel the of and with near under".split()


def odd_corpus(name: str) -> Corpus:
    """Texts of three sentences of over a hundred characters, a column of years, and these labels."""
    labels, rng = [*IN_BROWSER[name] * 16] if name in IN_BROWSER else LABELS[name], random.Random(0)
    count = 48 if labels is None else len(labels)
    texts = [" ".join(f"{' '.join(rng.choices(WORDS, k=20)).capitalize()}." for _ in range(3)) for _ in range(count)]
    if name == "line breaks and quotes":
        texts = [reduce(lambda text, pair: text.replace(*pair), ODD.items(), text) for text in texts]
    if name == "repeated texts":
        texts = [texts[n // 3 % 4] for n in range(count)]
    columns = {"year": [2000 + n % 7 for n in range(count)]}
    corpus = store_corpus(Draft(name=name, source="toy", texts=texts, labels=labels, columns=columns))
    kept_checkup(corpus)
    return corpus


def finished_run(corpus: Corpus) -> RunFolder:
    """A run of four steps, measured in every way that the corpus allows."""
    settings = {"corpus": corpus.fingerprint, "encoder": "token", "recipe": "crops", "vocabulary_size": 300}
    settings |= {
        "batch_size": min(16, corpus.info.texts),
        "max_steps": 4,
        "evaluate_every": 2,
        "maps": False,
        "inside": False,
    }
    run = do("train", settings)
    do("map", {"run": run.id, "method": "tsne"})
    further = [("moves", {}), ("layers", {}), ("length", {"settings": {"copies": 3}}), ("folds", {})]
    further += [("lab", {"side": "after", "experiment": next(iter(EXPERIMENTS))})]
    untyped = [each.key for each in DIAGNOSTICS if not {"a-text", "two-texts"} & getattr(each, "needs", frozenset())]
    further += [("diagnose", {"keys": untyped})]
    further += [("evaluate", {"metrics": [key]}) for key in ("knn", "match-halves")]
    for task, asked in further:
        with suppress(EmbedlabError):  # too few texts, no labels: the pages say so
            do(task, {"run": run.id, **asked})
    return run


def partly_labelled() -> str:
    """The run on partly labelled texts, which several files need: its id."""
    return finished_run(odd_corpus("partly labelled")).id
