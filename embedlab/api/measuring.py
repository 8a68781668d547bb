"""Measurements of finished runs: further metrics, comparisons, layers, the length attack, embeddings of texts."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np

from embedlab.api.following import from_a_notebook, progress_bar, worked
from embedlab.api.run import Run, run_folder
from embedlab.api.tables import (
    ComparedRow,
    Comparison,
    Layers,
    LengthAttack,
    Scores,
    layers_of,
    length_attack_of,
    scores_of,
)
from embedlab.api.training import Source, load_corpus
from embedlab.comparison.best import compare_rows, known_metrics, measured_metrics
from embedlab.comparison.rows import compared_rows
from embedlab.corpora.base import Corpus
from embedlab.corpora.sets.reading import SetReading
from embedlab.distance import DISTANCES, EUCLIDEAN
from embedlab.errors import RunError, SettingsError
from embedlab.jobs.requests.corpora import AddedSet, ReadSet
from embedlab.jobs.requests.measuring import AttackLength, MeasureLayers
from embedlab.metrics import METRICS
from embedlab.metrics.layer_rows import LayerCurves
from embedlab.metrics.length_results import LengthFacts
from embedlab.report.evaluation_jobs import evaluation
from embedlab.runs.evaluations import CORPUS, measured_key
from embedlab.runs.store import embedding_precision_of, fingerprint_of


@from_a_notebook
def evaluate(
    run: Run | str,
    metrics: Sequence[str] = ("knn",),
    *,
    protocol: Literal["paper", "cv10"] = "paper",
    on: str | PathLike[str] | None = None,
    baselines: Sequence[str] = (),
    progress: bool = True,
) -> Scores:
    """Measure a run by these metrics, before and after, with the change and its 95 % interval; kept with the run.

    ``metrics``: keys such as knn, linear, clustering (``python -m embedlab metrics``). ``protocol``: the paper's
    split, or cv10, published folds in file order. ``on``: a file of pairs, queries or candidates instead of the run's
    corpus. ``baselines`` are measured too; ``compare`` returns them. Units: those of each metric, shares between 0 and
    1 for most.

    Raises
    ------
    UnknownPartError
        there is no such metric.
    UserError
        the corpus has no labels, titles or summaries for it.
    """
    folder = run_folder(run)
    keys = tuple(dict.fromkeys(METRICS[key].key for key in metrics))
    source = CORPUS
    if on is not None:
        request = ReadSet(path=str(on), reading=SetReading())
        source = worked(request, AddedSet, progress=progress).fingerprint
    worked(evaluation(folder.id, source, keys, protocol=protocol, baselines=tuple(baselines)), dict, progress=progress)
    return scores_of(folder, source, [measured_key(key, protocol) for key in keys], protocol)


@from_a_notebook
def compare(runs: Sequence[Run | str], *, metrics: Sequence[str] = ()) -> Comparison:
    """Runs with their untouched encoders and baselines, by every metric that was measured of any, or by ``metrics``.

    ``mark`` of a row says whether it is the best or not separable from the best, corpus by corpus at a family level of
    5 % (Bonett and Price 2012 for shares, else bootstrap). Runs trained on labels are not compared with others.

    Raises
    ------
    RunError
        a run does not exist, or none was measured.
    """
    rows = compared_rows([run_folder(run) for run in dict.fromkeys(runs)])
    keys = known_metrics(metrics) or measured_metrics(rows)
    if not keys:
        raise RunError("E-NOT-MEASURED", "None of these runs has been measured. Measure them first: evaluate(run).")
    by_key, lines = {row.key: row for row in rows}, []
    for metric, groups in compare_rows(rows, metrics=keys).items():
        for group in groups.values():
            for distance in DISTANCES if EUCLIDEAN in group else (None,):
                cells = (group if distance is None else group[distance])["rows"]
                lines += [_compared(by_key[key], metric, distance, cell) for key, cell in cells.items()]
    return Comparison(tuple(lines))


def _compared(row: Any, metric: str, distance: Any, cell: dict[str, Any]) -> ComparedRow:
    names = ("key", "name", "kind", "encoder", "recipe", "seed")
    to_best = cell["to_best"] or {}
    return ComparedRow(
        **{name: getattr(row, name) for name in names},
        corpus=row.corpus_name,
        metric=metric,
        distance=distance,
        value=cell["value"],
        standard_error=cell["error"],
        n=cell["n"],
        mark=cell["mark"],
        to_best=to_best.get("value"),
        low=to_best.get("low"),
        high=to_best.get("high"),
    )


@from_a_notebook
def layers(
    run: Run | str, *, linear: bool = False, token: int | None = None, maps: bool = False, progress: bool = True
) -> Layers:
    """kNN accuracy after every layer of a run's encoders, before and after (the crops paper's Figure 5).

    ``linear``: also train a linear probe after every layer; ``token``: also read this token, counted from 0; ``maps``:
    also draw a map of every layer, for the app. Shares between 0 and 1 of the test texts.

    Raises
    ------
    UserError
        the corpus has no labels, or the run no encoder.
    """
    settings = {"linear": linear} | ({} if token is None else {"token": token})
    request = MeasureLayers(run=run_folder(run).id, maps=maps, settings=settings)
    return layers_of(worked(request, LayerCurves, progress=progress))


@from_a_notebook
def length_attack(run: Run | str, *, copies: int = 100, progress: bool = True) -> LengthAttack:
    """The length attack of LA(SER)³: cosines of random pairs of short texts before and after one text is repeated.

    ``copies``: how often, as far as they fit into the encoder. Means and standard deviations over the pairs.

    Raises
    ------
    UserError
        copies are out of range, or the run has no encoder.
    """
    folder = run_folder(run)
    request = AttackLength(run=folder.id, settings={"copies": copies})
    return length_attack_of(folder, worked(request, LengthFacts, progress=progress))


@from_a_notebook
def embed(
    encoder: Run | str, texts: Corpus | Sequence[str], *, corpus: Source | None = None, progress: bool = True
) -> np.ndarray:
    """One vector per text: of a list of texts, or of every row of a corpus.  -> (texts, dim) float32

    ``encoder``: a run (its selected encoder) or what ``train`` takes; one made from a corpus (``token``, ``words``,
    ``scratch:…``) needs ``corpus``. Rows of a corpus without a text are zero; those of a run's own corpus are read
    as they were measured. What the encoder's folder requests and embedlab does not support is a warning.

    Raises
    ------
    EncoderError
        there is no such encoder, or it may not be loaded.
    RunError
        the run has no encoder.
    SettingsError
        a single string was given instead of a list.
    """
    from embedlab.encoders.load import load_encoder, remarks_on
    from embedlab.tasks.encoders import encoder_of_run
    from embedlab.tasks.fetch import fetch_encoder_first
    from embedlab.tasks.measure.embedded import load_embeddings
    from embedlab.tasks.measure.subjects import OneEncoder

    if isinstance(texts, str):
        raise SettingsError(
            "E-SETTING", f"A list of texts or a corpus is needed, but a string was given: {texts[:40]!r}."
        )
    with progress_bar(progress) as says:
        if isinstance(encoder, Run):
            folder = encoder.folder
            is_measured = isinstance(texts, Corpus) and fingerprint_of(folder) == texts.fingerprint
            if is_measured and folder.embeddings("after").exists():
                return np.array(load_embeddings(folder, "after"))
            subject = OneEncoder(encoder_of_run(folder, "after"), says, embedding_precision_of(folder))
        else:
            fetch_encoder_first(encoder, says)
            words_from = texts if corpus is None and isinstance(texts, Corpus) else corpus
            source = None if words_from is None else load_corpus(words_from, progress=False)
            subject = OneEncoder(load_encoder(encoder, corpus=source, progress=says), says)
            for remark in remarks_on(encoder):
                warnings.warn(remark.message, stacklevel=3)
        return subject.rows(texts) if isinstance(texts, Corpus) else subject.embed(list(texts))
