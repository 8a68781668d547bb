"""A finished run made of nothing: its corpus, its film and its maps, as a worker would leave them."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from builders import both, judged, knn, knn_row, leave_live, leave_point, leave_result, leave_state, lines

from embedlab.corpora.base import Corpus, Draft, store_corpus
from embedlab.runs.film_files import append_frame, begin_film
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import append_row, create_run

HOSTILE = '</script><img src=x onerror="window.struck=1"><!-- \u2028 \u202eנסיון\u2029 ${alert(1)}'


def made_run(
    *, texts: int = 60, frames: int = 4, probe: int = 20, maps: bool = True, is_whole: bool = False
) -> tuple[RunFolder, Corpus]:
    """Text 0 and class 0 would like to be code; row i lies on a circle that grows from frame to frame.

    Cosine finds a tenth more than Euclidean distance.
    """
    words = "orbit galaxy oven flour court verdict anchor sail".split()
    written = [f"{row} " + " ".join(words[(row + step) % 8] for step in range(60)) for row in range(texts)]
    written[0] = HOSTILE + written[0]
    labels = [f"{HOSTILE[:30]}" if row % 3 == 0 else f"class {row % 3}" for row in range(texts)]
    corpus = store_corpus(Draft(name=f"made {HOSTILE[:9]}", source="x", texts=written, labels=labels))
    run = create_run("train", {"corpus": corpus.fingerprint, "encoder": "token", "recipe": "crops"}, name=HOSTILE)
    leave_state(run, corpus=corpus)
    on = {"neighbors": 300, "test_texts": 50, "development_texts": 20}
    leave_live(run, is_whole=is_whole, **on, tfidf=0.55, svd=0.5)
    leave_result(
        run, corpus, steps=30, stopped=False, knn=knn((0.4, 0.6), (0.5, 0.7), n=100), learning_rate=0.01,
        references=lines(n=100, tfidf=0.7, svd=0.65),
        judged=both(judged()),
    )  # fmt: skip
    for step in (0, 10, 20, 30):
        place, value = {"texts": 64 * step, "seconds": step / 2}, 0.3 + step / 100
        leave_point(run, step, value, value + 0.1, **place, test_texts=50)
        append_row(run.terms, {"step": step, **place, "loss": 3 - step / 20})
    for step, value in ((0, 0.4), (30, 0.6)):
        leave_point(run, step, value, value + 0.1, test_texts=100, full=True)
    angles = np.linspace(0, 2 * np.pi, texts, endpoint=False)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    if frames:
        begin_film(run, np.arange(probe))
    for frame in range(frames):
        append_frame(run, circle[:probe] * (1 + frame), step=10 * frame, knn=knn_row(0.3 + frame / 10))
    for side, size in (("before", 1.0), ("after", 3.0)) if maps else ():
        run.map(side, "tsne").parent.mkdir(exist_ok=True)
        x, y = (circle * size).T
        pq.write_table(pa.table({"id": np.arange(texts), "x": x, "y": y}), run.map(side, "tsne"))
    return run, corpus
