"""kNN accuracy after every layer of a run's encoder, before and after."""

from embedlab.corpora.base import open_corpus
from embedlab.diagnostics.base import Looked
from embedlab.diagnostics.layerwise import Layerwise, LayerwiseConfig
from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN, Distance, at_distance
from embedlab.encoders.device import choose_device
from embedlab.errors import CorpusError
from embedlab.metrics.best_layer import best_layer, best_layers_told
from embedlab.progress import in_words
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import labels_read_of_both
from embedlab.runs.labels_read import NO_LABELS, LabelsRead
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import write_json
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.measure.embedded import split_of


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

    ``before`` and ``after`` are by Euclidean distance; ``cosine`` holds the same by cosine. ``gained_after`` texts are
    right there and wrong after the last layer.
    ``read``: what any of them was trained by; texts with those labels are not tested.
    """
    (split, reason), device = split_of(corpus, read), choose_device("auto").name
    if split is None:
        raise CorpusError(*reason)
    curves = {}
    for name, encoder in encoders.items():
        looked = Looked(
            load=lambda encoder=encoder: encoder.to(device),
            texts=corpus.texts,
            labels=corpus.labels,
            split=split,
            device=device,
            progress=in_words(progress, f"{{}}, {name}".format),
        )
        curves[name] = Layerwise.measure(looked, LayerwiseConfig())
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
    facts |= {"pooling": next(iter(encoders.values())).pooling, "flat_because": first.flat_because}
    return {"layers": rows, **facts}


def best_layers(found: dict) -> dict:
    """By each distance the best layer of the encoder's own pooling, and the sentence that says so."""
    measured = [row["pooling"] for row in found["layers"]]
    pooling = found["pooling"] if found["pooling"] in measured else measured[0]
    states = [state for state in ("after", "before") if found["layers"][0][state] is not None]
    best = {}
    for distance in DISTANCES:
        sentence = best_layers_told(found, pooling=pooling, distance=distance, states=states)
        best[distance] = {"sentence": sentence}
        for state in states:
            asked = {"pooling": pooling, "state": state, "distance": distance, "test_texts": found["test_texts"]}
            best[distance][state] = best_layer(found["layers"], **asked).as_json()
    return best


def _values(curves: dict, place: int, distance: Distance) -> dict:
    values = {"before": None, "after": None}
    for name, curve in curves.items():
        values[name] = curve.rows[place][at_distance("value", distance)]
        for part in ("standard_error", "gained", "lost"):
            values[f"{part}_{name}"] = curve.rows[place][at_distance(part, distance)]
    return values
