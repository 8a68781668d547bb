"""A finished run made of nothing: its corpus, its film and its maps, as a worker would leave them."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.corpora.base import Corpus, Draft, store_corpus
from embedlab.runs.film_files import append_frame, begin_film
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import append_row, create_run
from embedlab.store_root import write_json

HOSTILE = '</script><img src=x onerror="window.struck=1"><!-- \u2028 \u202eנסיון\u2029 ${alert(1)}'


def made_run(
    *,
    texts: int = 60,
    frames: int = 4,
    probe: int = 20,
    maps: bool = True,
    is_whole: bool = False,
    is_old: bool = False,
) -> tuple[RunFolder, Corpus]:
    """Text 0 and class 0 would like to be code; row i lies on a circle that grows from frame to frame.

    Cosine finds a tenth more than Euclidean distance. ``is_old``: from before cosine and the live texts were kept.
    """
    words = "orbit galaxy oven flour court verdict anchor sail".split()
    written = [f"{row} " + " ".join(words[(row + step) % 8] for step in range(60)) for row in range(texts)]
    written[0] = HOSTILE + written[0]
    labels = [f"{HOSTILE[:30]}" if row % 3 == 0 else f"class {row % 3}" for row in range(texts)]
    corpus = store_corpus(Draft(name=f"made {HOSTILE[:9]}", source="x", texts=written, labels=labels))
    run = create_run("train", {"corpus": corpus.fingerprint, "encoder": "token", "recipe": "crops"}, name=HOSTILE)
    write_json(
        run.state, {"state": "finished", "since": "2026-01-01T00:00:00+00:00", "fingerprint": corpus.fingerprint}
    )
    knn = {"before": 0.4, "after": 0.6, "best": 0.6, "standard_error": 0.05, "test_texts": 100}
    change = {"difference": 0.2, "low": 0.1, "high": 0.3}
    against = "against TF-IDF −10.0 points"
    if not is_old:
        by_cosine = "Helped: kNN accuracy by cosine +20.0 points (95 %: 10.0 … 30.0) against the untouched encoder"
        verdict = f"{by_cosine}, on 100 test texts; by Euclidean distance +20.0 points (95 %: 10.0 … 30.0); {against}."
        knn["cosine"] = {
            "before": 0.5,
            "after": 0.7,
            "best": 0.7,
            "standard_error": 0.045,
            **change,
            "verdict": verdict,
        }
        line = {"value": 0.55, "standard_error": 0.07, "cosine": 0.55}
        write_json(run.live, {
            "is_whole": is_whole, "neighbors": 300, "test_texts": 50, "development_texts": 20,
            "references": {"tfidf": line, "svd": {**line, "value": 0.5, "cosine": 0.5}},
        })  # fmt: skip
    write_json(run.result, {
        "run": run.id, "name": HOSTILE, "corpus": {"name": corpus.name, "texts": texts, "classes": 3},
        "encoder": "token", "recipe": "crops", "steps": 30, "stopped": False, "knn": knn, "learning_rate": 0.01,
        "references": {"tfidf": {"value": 0.7, "standard_error": 0.05}, "svd": {"value": 0.65, "standard_error": 0.05}},
        "verdict": f"Helped: kNN accuracy +20.0 points against the untouched encoder; {against}.", **change,
        "warnings": [],
    })  # fmt: skip
    for step in (0, 10, 20, 30):
        place = {"step": step, "texts": 64 * step, "seconds": step / 2}
        append_row(run.metrics, {**place, **_both(0.3 + step / 100, is_old), "test_texts": 50, "full": False})
        append_row(run.terms, {**place, "loss": 3 - step / 20})
    for step, value in ((0, 0.4), (30, 0.6)):
        append_row(run.metrics, {"step": step, **_both(value, is_old), "test_texts": 100, "full": True})
    angles = np.linspace(0, 2 * np.pi, texts, endpoint=False)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    if frames:
        begin_film(run, np.arange(probe))
    for frame in range(frames):
        append_frame(run, circle[:probe] * (1 + frame), step=10 * frame, knn=0.3 + frame / 10)
    for side, size in (("before", 1.0), ("after", 3.0)) if maps else ():
        run.map(side, "tsne").parent.mkdir(exist_ok=True)
        x, y = (circle * size).T
        pq.write_table(pa.table({"id": np.arange(texts), "x": x, "y": y}), run.map(side, "tsne"))
    return run, corpus


def _both(knn: float, is_old: bool) -> dict:
    return {"knn": knn} if is_old else {"knn": knn, "knn_cosine": knn + 0.1}
