"""Further metrics of a finished run, before and after: the linear probe and what else is registered."""

from embedlab.corpora.base import open_corpus
from embedlab.metrics import METRICS
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import read_json, write_json
from embedlab.tasks.measure import load_embeddings, split_of


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``run`` and ``metrics`` (keys) -> ``evaluations.json`` in that run's folder."""
    measured = open_run(asked["run"])
    corpus = open_corpus(fingerprint_of(measured))
    split, no_knn = split_of(corpus)
    found = read_json(measured.evaluations) if measured.evaluations.exists() else {}
    for key in asked["metrics"]:
        metric = METRICS[key]
        for name in ("before", "after"):
            progress(f"{metric.title}, {name}")
            values = metric.measure(
                embeddings=load_embeddings(measured, name), labels=corpus.labels, split=split, texts=corpus.texts
            )
            found.setdefault(key, {})[name] = values
    write_json(measured.evaluations, found)
    write_json(folder.result, found)
