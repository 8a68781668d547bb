"""kNN accuracy after every layer of a run's encoder, before and after."""

from embedlab.corpora.base import open_corpus
from embedlab.diagnostics.layerwise import Layerwise, LayerwiseConfig
from embedlab.encoders.device import choose_device
from embedlab.errors import CorpusError
from embedlab.metrics.distance import COSINE, EUCLIDEAN, Distance, at_distance
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import labels_read_of_both
from embedlab.runs.labels_read import NO_LABELS, LabelsRead
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import write_json
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.measure import split_of


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``run`` -> ``layers.json`` in that run's folder."""
    measured = open_run(asked["run"])
    corpus = open_corpus(fingerprint_of(measured))
    encoders = {name: encoder_of_run(measured, name) for name in ("before", "after")}
    found = layer_curves(encoders, corpus, progress, labels_read_of_both(measured))
    write_json(measured.layers, found)
    write_json(folder.result, found)


def layer_curves(encoders: dict, corpus, progress, read: LabelsRead = NO_LABELS) -> dict:
    """``layers``: one row per layer and pooling, with the values of each encoder that was given (else None).

    ``before`` and ``after`` are by Euclidean distance; ``cosine`` holds the same by cosine.
    ``read``: what any of them was trained by; texts with those labels are not tested.
    """
    (split, reason), device = split_of(corpus, read), choose_device("auto").name
    if split is None:
        raise CorpusError(*reason)
    curves = {}
    for name, encoder in encoders.items():

        def said(stage: str, done: int = 0, total: int = 0, name: str = name) -> None:
            progress(f"{stage}, {name}", done, total)

        curves[name] = Layerwise.measure(
            encoder.to(device),
            texts=corpus.texts,
            labels=corpus.labels,
            config=LayerwiseConfig(),
            split=split,
            device=device,
            progress=said,
        )
    first = next(iter(curves.values()))
    rows = [
        {
            "layer": row["layer"],
            "pooling": row["pooling"],
            **_values(curves, place, EUCLIDEAN),
            COSINE: _values(curves, place, COSINE),
        }
        for place, row in enumerate(first.rows)
    ]
    facts = {"texts": first.texts, "test_texts": first.test_texts, "sampled": first.sampled}
    return {"layers": rows, **facts, "flat_because": first.flat_because}


def _values(curves: dict, place: int, distance: Distance) -> dict:
    values = {"before": None, "after": None}
    for name, curve in curves.items():
        values[name] = curve.rows[place][at_distance("value", distance)]
        values[f"standard_error_{name}"] = curve.rows[place][at_distance("standard_error", distance)]
    return values
