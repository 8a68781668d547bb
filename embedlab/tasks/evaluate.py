"""Further measuring of a finished run, before and after: other metrics, and post-processed embeddings."""

import numpy as np
from filelock import FileLock

from embedlab.corpora.base import open_corpus
from embedlab.errors import CorpusError
from embedlab.metrics import METRICS
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import read_json, store_root, write_json
from embedlab.tasks.measure import load_embeddings, split_of
from embedlab.tasks.post import measured_post


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``run``, ``metrics`` (keys) and ``post`` (keys of steps) -> ``evaluations.json`` in that run's folder."""
    measured = open_run(asked["run"])
    corpus = open_corpus(fingerprint_of(measured))
    split, no_knn = split_of(corpus)
    found: dict = {}
    for key in asked.get("metrics", ()):
        metric = METRICS[key]
        for name in ("before", "after"):
            progress(f"{metric.title}, {name}")
            values = metric.measure(
                embeddings=load_embeddings(measured, name), labels=corpus.labels, split=split, texts=corpus.texts
            )
            found.setdefault(key, {})[name] = values
    if asked.get("post"):
        if split is None:
            raise CorpusError(*no_knn)
        embeddings = {name: np.asarray(load_embeddings(measured, name)) for name in ("before", "after")}
        progress("Measuring the embeddings as they are")
        found["post"] = measured_post(asked["post"], embeddings, corpus, split, progress)
    write_json(folder.result, _kept(measured, found))


def _kept(measured: RunFolder, found: dict) -> dict:
    """What was found, laid beside what other jobs found in the meantime."""
    locks = store_root() / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    with FileLock(locks / "evaluations.lock", timeout=30):
        known = read_json(measured.evaluations) if measured.evaluations.exists() else {}
        steps = {**known.get("post", {}), **found.get("post", {})}
        kept = {**known, **found, **({"post": steps} if steps else {})}
        write_json(measured.evaluations, kept)
    return kept
