"""kNN accuracy of post-processed embeddings, before and after fine-tuning, beside the raw ones."""

from collections.abc import Mapping

import numpy as np

from embedlab.errors import CorpusError, NonFiniteError
from embedlab.measurement import as_row, of_each
from embedlab.metrics.split import Split
from embedlab.metrics.votes import KNNResult
from embedlab.postprocessing import POSTPROCESSING
from embedlab.postprocessing.base import Processed
from embedlab.progress import in_words
from embedlab.statistics.intervals import paired_shares
from embedlab.tasks.measure.embedded import Measured, measure


def measured_post(
    keys: list[str],
    embeddings: dict[str, np.ndarray],
    corpus,
    split: Split,
    progress,
    fitted: Mapping[str, Processed] | None = None,
) -> dict:
    """``raw`` and each step: one entry per name (``before``, ``after``), fitted without labels on all texts.

    Each has ``knn`` and, but for ``raw``, ``against_raw`` by distance, ``k``, and what the step used and remarked.

    A step that these embeddings do not allow has ``{"refused": sentence}`` in place of numbers. ``fitted``: what is
    there already of the steps after.
    """
    raw = {name: measure(vectors, corpus, split) for name, vectors in embeddings.items()}
    found = {"raw": {name: _numbers(measured) for name, measured in raw.items()}}
    is_untouched = np.array_equal(*embeddings.values())
    for key in keys:
        found[key] = {}
        for name, vectors in embeddings.items():
            if is_untouched and found[key]:
                found[key][name] = next(iter(found[key].values()))
                continue
            of_side = in_words(progress, f"{{}}, {name}".format)
            done = (fitted or {}).get(key) if name == "after" or is_untouched else None
            found[key][name] = _measured_step(key, vectors, corpus, split, raw[name], of_side, done)
    return found


def _measured_step(
    key: str, vectors: np.ndarray, corpus, split: Split, raw: Measured, progress, done: Processed | None
) -> dict:
    step = POSTPROCESSING[key]
    try:
        processed = done or step.fit_transform(vectors, corpus.kept, step.config_class(), progress)
    except (CorpusError, NonFiniteError) as error:
        return {"refused": error.message}
    measured = measure(processed.embeddings, corpus, split)
    return {**_numbers(measured), "against_raw": vars(of_each(_change, raw, measured)), **processed.used}


def _numbers(measured: Measured) -> dict:
    shared = {name: getattr(measured.euclidean, name) for name in ("k", "zero_vectors", "protocol")}
    return {"knn": as_row(of_each(lambda found: found.measurement, measured)), **shared}


def _change(raw: KNNResult, changed: KNNResult) -> dict:
    """Over the same test texts: how much more of them are right, with its 95 % interval."""
    return paired_shares(before=raw.correct, after=changed.correct).change.model_dump()
