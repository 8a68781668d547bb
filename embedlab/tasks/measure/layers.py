"""Accuracy after every layer of a run's encoder, before and after, and maps of the layers."""

import numpy as np

from embedlab.config import validated
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.diagnostics.layerwise import LayerCurve, LayerEmbeddings, LayerwiseConfig, curve_of, embedded_layers
from embedlab.disk_trouble import kept_if_possible
from embedlab.distance import EUCLIDEAN
from embedlab.errors import CorpusError
from embedlab.jobs.requests.measuring import MeasureLayers
from embedlab.maps.few_points import layer_maps
from embedlab.metrics.layer_rows import STATES, LayerCurves, LayerRow, LayerSettings
from embedlab.metrics.split import sampled_rows
from embedlab.progress import Progress, in_words
from embedlab.runs.drawn_map import LayerMaps, write_layer_maps
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import NO_LABELS, LabelExposure, labels_read_of_both
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import write_json
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.measure.diagnose import looked_at
from embedlab.tasks.measure.embedded import labels_of, split_of
from embedlab.tasks.measure.time_fit import fitted_to_views

LAYERS = "layers"  # the diagnostic
MAPPED = 1500  # labelled texts of a map of each layer


def run(folder: RunFolder, request: MeasureLayers, progress: Progress) -> None:
    """Writes ``layers.json`` into the run's folder, and ``maps/``."""
    measured = open_run(request.run)
    corpus = open_corpus(fingerprint_of(measured))
    config = validated(LayerwiseConfig, request.settings, where="layers")
    encoders = {name: encoder_of_run(measured, name) for name in ("before", "after")}
    onto = measured if request.maps else None
    result = layer_curves(encoders, corpus, progress, labels_read_of_both(measured), config=config, maps_of=onto)
    for file in (measured.layers, folder.result):
        write_json(file, result.model_dump(mode="json"))


def layer_curves(
    encoders: dict,
    corpus: Corpus,
    progress: Progress,
    read: LabelExposure = NO_LABELS,
    *,
    config: LayerwiseConfig | None = None,
    maps_of: RunFolder | None = None,
) -> LayerCurves:
    """One row per layer and pooling, with the results of each given encoder.

    ``read``: what any of them was trained by; texts with those labels are not tested. ``maps_of``: the run whose two
    encoders these are, into whose folder a map of every layer is drawn; from the same pass over the texts.
    """
    config = config or LayerwiseConfig()
    split, reason = split_of(corpus, read)
    if split is None:
        assert reason is not None, "without a split there is a reason"
        raise CorpusError(reason.code, reason.message)
    curves: dict[str, LayerCurve] = {}
    mapped: dict[str, tuple[str, np.ndarray, np.ndarray]] = {}
    views = looked_at({name: (lambda each=each: each, None) for name, each in encoders.items()}, corpus, progress, read)
    config, fit = fitted_to_views(LAYERS, config, views)
    for name, view in views.items():
        embedded = embedded_layers(view, config)
        curves[name] = curve_of(embedded, view, config)
        if maps_of is not None:
            mapped[name] = _mapped(embedded, corpus, encoders[name].pooling)
        del embedded  # of many texts by three poolings it is large
    no_maps = None
    if maps_of is not None:
        try:
            maps = _maps(mapped, next(iter(curves.values())), progress)
            with kept_if_possible(progress):
                write_layer_maps(maps_of, maps)
        except CorpusError as error:  # all texts are one vector: the curves stay
            no_maps = error.message
    first = next(iter(curves.values()))
    before, after = ([None] * len(first.rows) if curve is None else curve.rows for curve in map(curves.get, STATES))
    return LayerCurves(
        layers=tuple(
            LayerRow(layer=row.layer, pooling=row.pooling, before=one, after=other)
            for row, one, other in zip(first.rows, before, after, strict=True)
        ),
        settings=LayerSettings(token=config.token, linear=config.linear),
        no_maps=no_maps,
        texts=first.texts,
        test_texts=first.test_texts,
        sampled=first.sampled,
        fitted=fit,
        pooling=next(iter(encoders.values())).pooling,
        flat_because=first.flat_because,
    )


def _mapped(embedded: LayerEmbeddings, corpus: Corpus, pooling: str) -> tuple[str, np.ndarray, np.ndarray]:
    """The pooling, the corpus rows in increasing order, and their vectors after every layer."""
    pooling = pooling if pooling in embedded.by_pooling else next(iter(embedded.by_pooling))
    sample = sampled_rows(embedded.split, labels_of(corpus)[embedded.rows], size=MAPPED, seed=0)
    places = np.concatenate([sample.train, sample.test])
    places = places[np.argsort(embedded.rows[places])]
    return pooling, embedded.rows[places], embedded.by_pooling[pooling][:, places]


def _maps(mapped: dict, curve: LayerCurve, progress: Progress) -> LayerMaps:
    """Those after start from the final map of the last layer before."""
    pooling, rows, before = mapped["before"]
    drawn = layer_maps(before, progress=in_words(progress, "{}, before".format))
    tuned = layer_maps(mapped["after"][2], onto=drawn[-1], progress=in_words(progress, "{}, after".format))
    facts = {"pooling": pooling, "of": curve.texts, "distance": EUCLIDEAN}
    return LayerMaps(rows=rows, before=drawn, after=tuned, **facts)
