"""Results of the pocket encoder at a setting: means over three seeds, computed once per corpus and then stored."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic_core import to_jsonable_python

from embedlab.config import validated, with_settings
from embedlab.damage import as_model
from embedlab.learn.pocket import Pocket, PocketConfig, accuracy
from embedlab.learn.pocket_corpus import PocketCorpus
from embedlab.progress import Progress, silent
from embedlab.store_root import read_json, store_root
from embedlab.update import update_json

SEEDS = (0, 1, 2)
COUNTING = "counting"
POINTS = 15  # of a line
PACKAGED = Path(__file__).parent / "data" / "pocket.json"


@dataclass(frozen=True)
class PocketResult:
    """Means over the seeds, of 100 test texts except for cosines and losses."""

    before: float
    after: float
    cosine_before: float
    cosine: float
    first_loss: float
    last_loss: float
    each: list[float]  # of ``after``, by seed
    line: list[tuple[float, float]]  # step and accuracy


Stored = dict[str, PocketResult | float]  # by setting; ``COUNTING`` is the accuracy of TF-IDF


class PocketFacts:
    """Numbers of 100 texts, and unscaled losses and cosines, for one pocket corpus."""

    def __init__(self, corpus: PocketCorpus, progress: Progress = silent):
        self.corpus, self.progress = corpus, progress

    def measured(self, key: str, config: PocketConfig) -> float | list:
        """One fact at one setting; a ``line`` is a list of (step, accuracy)."""
        corpus, is_counting = self.corpus, key == COUNTING
        counts: dict[str, float] = {name: len(getattr(corpus, name)) for name in ("words", "texts", "classes")}
        counts |= {"guess": 100 / counts["classes"], "test_texts": int(corpus.is_test.sum())}
        if key in counts:
            return counts[key]
        changed = sorted(config.model_dump(exclude_defaults=True).items())
        name = COUNTING if is_counting else ", ".join(f"{field}={value}" for field, value in changed)
        stored = stored_facts(corpus)
        if name not in stored:
            self.progress(f"Training the pocket encoder: {name or 'as it is'}")
            if is_counting:  # kNN accuracy of TF-IDF with the same words, split and vote, of 100
                from embedlab.metrics.tfidf import tfidf_embeddings

                texts = [" ".join(corpus.words[word] for word in text) for text in corpus.whole]
                stored[name] = 100 * accuracy(tfidf_embeddings(texts), corpus)
            else:
                stored[name] = _trained(corpus, config)
            new = to_jsonable_python({name: stored[name]})
            update_json(_file(corpus), lambda content: content | new)
        result = stored[name]
        if not isinstance(result, PocketResult):
            return result
        if key == "range":
            return max(result.each) - min(result.each)
        if key == "below":
            counting = self.measured(COUNTING, config)
            assert isinstance(counting, float)
            return counting - result.after
        return getattr(result, key)


def stored_facts(corpus: PocketCorpus) -> Stored:
    """Everything computed for this corpus, here or in the package, by setting."""
    stored = read_json(_file(corpus)) if _file(corpus).is_file() else {}
    return as_model(read_json(PACKAGED).get(corpus.fingerprint, {}) | stored, Stored)


def _file(corpus: PocketCorpus) -> Path:
    return store_root() / "lessons" / "pocket" / f"{corpus.fingerprint}.json"


def setting_of(written: str, *, start: PocketConfig | None = None) -> PocketConfig:
    """``views=same, temperature=0.2`` as settings, merged over ``start``."""
    values = (start or PocketConfig()).model_dump(exclude_defaults=True)
    return validated(PocketConfig, with_settings(values, filter(str.strip, written.split(","))), where="pocket")


def _trained(corpus: PocketCorpus, config: PocketConfig) -> PocketResult:
    results = [_one(Pocket(corpus, config, seed)) for seed in SEEDS]
    line = np.mean([each.line for each in results], axis=0).round(3).tolist()
    numbers = ("before", "after", "cosine_before", "cosine", "first_loss", "last_loss")
    means = {name: float(np.mean([getattr(each, name) for each in results])) for name in numbers}
    return PocketResult(**means, each=[each.after for each in results], line=line)


def _one(pocket: Pocket) -> PocketResult:
    before, cosine_before = 100 * pocket.accuracy(), pocket.mean_cosine()
    total, line = pocket.config.total, [(0.0, before)]
    for step in np.unique(np.linspace(0, total, POINTS + 1).round().astype(int))[1:].tolist():
        pocket.train(step - pocket.step)
        line.append((step, 100 * pocket.accuracy()))
    after, losses = line[-1][1], pocket.losses
    return PocketResult(
        before=before,
        after=after,
        cosine_before=cosine_before,
        cosine=pocket.mean_cosine(),
        first_loss=losses[0],
        last_loss=float(np.mean(losses[-10:])),
        each=[after],
        line=line,
    )
