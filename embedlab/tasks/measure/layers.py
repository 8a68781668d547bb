"""Accuracy after every layer of a run's encoder, before and after, and maps of the layers."""

from collections.abc import Callable, Mapping

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
from embedlab.metrics.split import rows_of_splits, sampled_splits
from embedlab.progress import Progress, in_words
from embedlab.runs.drawn_map import LayerMaps, write_layer_maps
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import NO_LABELS, LabelExposure, labels_read_of_both
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import write_json
from embedlab.tasks.measure.diagnose import encoder_loaders, looked_at
from embedlab.tasks.measure.embedded import labels_of, split_of

MAPPED = 1500  # labelled texts of a map of each layer
Mapped = tuple[str, np.ndarray, list[np.ndarray]]  # the pooling, corpus rows, and their vectors after every layer


def run(folder: RunFolder, request: MeasureLayers, progress: Progress) -> None:
    """Writes ``layers.json`` into the run's folder, and ``maps/``."""
    config = validated(LayerwiseConfig, request.settings, where="layers")
    result = layers_of_run(open_run(request.run), progress, config=config, maps=request.maps)
    write_json(folder.result, result.model_dump(mode="json"))


def layers_of_run(
    measured: RunFolder, progress: Progress, *, config: LayerwiseConfig | None = None, maps: bool = False
) -> LayerCurves:
    """Measure both encoders of a run on its corpus, and keep the curves in its folder; ``maps``: also draw maps."""
    corpus, read = open_corpus(fingerprint_of(measured)), labels_read_of_both(measured)
    loaders = encoder_loaders(measured)
    result = layer_curves(loaders, corpus, progress, read, of=measured, config=config, draws_maps=maps)
    with kept_if_possible(progress):
        write_json(measured.layers, result.model_dump(mode="json"))
    return result


def layer_curves(
    loaders: Mapping[str, tuple[Callable, Callable | None]],
    corpus: Corpus,
    progress: Progress,
    read: LabelExposure = NO_LABELS,
    *,
    of: RunFolder | None = None,
    config: LayerwiseConfig | None = None,
    draws_maps: bool = False,
) -> LayerCurves:
    """Return one row per layer and pooling, with the results of each given encoder.

    ``loaders``: of ``before`` and ``after`` a function that loads the encoder, and one that opens its vectors of this
    corpus where there are some. ``read``: what any of them was trained by; texts with those labels are not tested.
    ``of``: the run whose encoders and corpus these are. ``draws_maps``: into its folder, from the same pass.
    """
    config = config or LayerwiseConfig()
    split, reason = split_of(corpus, read)
    if split is None:
        assert reason is not None, "without a split there is a reason"
        raise CorpusError(reason.code, reason.message)
    curves: dict[str, LayerCurve] = {}
    mapped: dict[str, Mapped] = {}
    for name, view in looked_at(loaders, corpus, progress, read, of=of).items():
        embedded = embedded_layers(view, config)
        curves[name] = curve_of(embedded, view, config)
        if draws_maps:
            mapped[name] = _mapped(embedded, corpus, view.encoder.pooling)
        del embedded  # of many texts by three poolings it is large
    no_maps = None
    if draws_maps:
        assert of is not None, "maps are kept in a run"
        try:
            maps = _maps(mapped, next(iter(curves.values())), progress)
            with kept_if_possible(progress):
                write_layer_maps(of, maps)
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
        **first.model_dump(exclude={"rows"}),
    )


def _mapped(embedded: LayerEmbeddings, corpus: Corpus, pooling: str) -> Mapped:
    """The pooling, the corpus rows in increasing order, and their vectors after every layer."""
    pooling = pooling if pooling in embedded.by_pooling else next(iter(embedded.by_pooling))
    sample = sampled_splits(embedded.splits, labels_of(corpus)[embedded.rows], size=MAPPED, seed=0)
    places = rows_of_splits(sample)
    return pooling, embedded.rows[places], [each[places] for each in embedded.by_pooling[pooling]]


def _maps(mapped: dict[str, Mapped], curve: LayerCurve, progress: Progress) -> LayerMaps:
    """Those after start from the final map of the last layer before."""
    pooling, rows, before = mapped["before"]
    drawn = layer_maps(before, progress=in_words(progress, "{}, before".format))
    tuned = layer_maps(mapped["after"][2], onto=drawn[-1], progress=in_words(progress, "{}, after".format))
    return LayerMaps(rows=rows, before=drawn, after=tuned, pooling=pooling, of=curve.texts, distance=EUCLIDEAN)
