"""Results of the pocket encoder at a setting: means over three seeds, computed once per corpus and then stored."""

from pathlib import Path

import numpy as np

from embedlab.config import validated, with_settings
from embedlab.learn.pocket import Pocket, PocketConfig, accuracy
from embedlab.learn.pocket_corpus import PocketCorpus
from embedlab.progress import Progress, silent
from embedlab.store_root import Json, read_json, store_root, write_json

SEEDS = (0, 1, 2)
POINTS = 15  # of a line
PACKAGED = Path(__file__).parent / "data" / "pocket.json"


class PocketFacts:
    """Numbers of 100 texts, and unscaled losses and cosines, for one pocket corpus."""

    def __init__(self, corpus: PocketCorpus, progress: Progress = silent):
        self.corpus, self.progress = corpus, progress

    def measured(self, key: str, config: PocketConfig) -> float | list:
        """One fact at one setting; a ``line`` is a list of (step, accuracy)."""
        corpus, is_counting = self.corpus, key == "counting"
        counts: dict[str, float] = {name: len(getattr(corpus, name)) for name in ("words", "texts", "classes")}
        counts |= {"guess": 100 / counts["classes"], "test_texts": int(corpus.is_test.sum())}
        if key in counts:
            return counts[key]
        stored, name = stored_facts(corpus), "counting" if is_counting else _name(config)
        if name not in stored:
            self.progress(f"Training the pocket encoder: {name or 'as it is'}")
            stored[name] = _counting(corpus) if is_counting else _trained(corpus, config)
            write_json(_file(corpus), stored)
        if key == "range":
            return max(stored[name]["each"]) - min(stored[name]["each"])
        if key == "below":
            return self.measured("counting", config) - stored[name]["after"]
        return stored[name] if is_counting else stored[name][key]


def stored_facts(corpus: PocketCorpus) -> Json:
    """Everything computed for this corpus, here or in the package, by setting."""
    stored = read_json(_file(corpus)) if _file(corpus).is_file() else {}
    return read_json(PACKAGED).get(corpus.fingerprint, {}) | stored


def _file(corpus: PocketCorpus) -> Path:
    return store_root() / "lessons" / "pocket" / f"{corpus.fingerprint}.json"


def setting_of(written: str, *, start: PocketConfig | None = None) -> PocketConfig:
    """``views=same, temperature=0.2`` as settings, merged over ``start``."""
    values = (start or PocketConfig()).model_dump(exclude_defaults=True)
    settings = filter(str.strip, written.split(","))
    return validated(PocketConfig, with_settings(values, settings), where="pocket")


def _name(config: PocketConfig) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(config.model_dump(exclude_defaults=True).items()))


def _trained(corpus: PocketCorpus, config: PocketConfig) -> Json:
    results = [_one(Pocket(corpus, config, seed)) for seed in SEEDS]
    lines = np.mean([each.pop("line") for each in results], axis=0)
    means = {key: float(np.mean([each[key] for each in results])) for key in results[0]}
    return means | {"each": [each["after"] for each in results], "line": lines.round(3).tolist()}


def _one(pocket: Pocket) -> Json:
    before, cosine = 100 * pocket.accuracy(), pocket.mean_cosine()
    total, line = pocket.config.total, [(0, before)]
    for step in np.unique(np.linspace(0, total, POINTS + 1).round().astype(int))[1:].tolist():
        pocket.train(step - pocket.step)
        line.append((step, 100 * pocket.accuracy()))
    losses = pocket.losses
    return {"before": before, "after": line[-1][1], "cosine_before": cosine, "cosine": pocket.mean_cosine(),
            "first_loss": losses[0], "last_loss": float(np.mean(losses[-10:])), "line": line}  # fmt: skip


def _counting(corpus: PocketCorpus) -> float:
    """kNN accuracy of TF-IDF with the same words, split and vote, of 100."""
    from embedlab.metrics.tfidf import tfidf_embeddings

    texts = [" ".join(corpus.words[word] for word in text) for text in corpus.whole]
    return 100 * accuracy(tfidf_embeddings(texts), corpus)
