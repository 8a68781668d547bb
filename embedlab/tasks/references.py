"""The reference lines of a corpus, TF-IDF and TF-IDF -> SVD-100, measured once and kept beside it."""

import hashlib

import numpy as np

from embedlab.metrics.distance import COSINE, EUCLIDEAN
from embedlab.metrics.split import Split
from embedlab.metrics.tfidf import reference_lines
from embedlab.metrics.votes import share
from embedlab.store_root import read_json, write_json
from embedlab.tasks.measure import split_of


def reference_lines_of(corpus, progress) -> dict:
    """``{"tfidf": {value, standard_error, cosine, …, correct_rows: [rows]}, "svd": …}``; empty where kNN is off.

    On all test texts of the paper's split; ``lines_on`` tells them on fewer. Rows of both have length one, so cosine
    orders texts as Euclidean distance does and its value is the same.
    """
    split, _ = split_of(corpus)
    if split is None:
        return {}
    file = corpus.folder / "references.json"
    known = read_json(file) if file.exists() else {}
    if known and all(COSINE in line for line in known.values()):  # older files have Euclidean alone
        return known
    progress("Measuring TF-IDF and SVD, the reference lines")
    lines = _as_lines(reference_lines(corpus.texts, corpus.labels, split))
    write_json(file, lines)
    return lines


def reference_folds_of(corpus, progress) -> dict[str, np.ndarray]:
    """Which labelled texts, in file order, each reference gets right by the ten shuffled folds.  -> (labelled,) bool

    Kept in the same file, as ``folds`` of each line; a file without them gets them.
    """
    lines = reference_lines_of(corpus, progress)
    if not all(COSINE in line.get("folds", {}) for line in lines.values()):
        progress(f"Measuring TF-IDF and SVD on all {len(corpus.labelled):,} labelled texts")
        split, _ = split_of(corpus)
        found = _as_lines(reference_lines(corpus.texts, corpus.labels, split, protocol="folds"))
        lines = {name: {**line, "folds": found[name]} for name, line in lines.items()}
        write_json(corpus.folder / "references.json", lines)
    return {name: np.isin(corpus.labelled, line["folds"]["correct_rows"]) for name, line in lines.items()}


def live_references_of(corpus, split: Split, progress) -> dict:
    """The same lines on the texts of a live curve, kept by which texts these are."""
    rows = np.concatenate([split.train, split.test, [len(split.test)]]).astype(np.int64)
    file = corpus.folder / f"references-{hashlib.sha256(rows.tobytes()).hexdigest()[:16]}.json"
    if not file.exists():
        progress("Measuring TF-IDF and SVD on the texts of the live curve")
        write_json(file, _as_lines(reference_lines(corpus.texts, corpus.labels, split)))
    return read_json(file)


def lines_on(references: dict, test_rows: np.ndarray) -> dict:
    """The lines on these of their test texts only, without the lists of rows: what stands beside a run's accuracy.

    test_rows: (texts,) -> ``{"tfidf": {value, standard_error, test_texts, …, cosine}, "svd": …}``
    """
    found = {}
    for name, right in right_by(references, test_rows).items():
        value, error = share(right)
        kept = {key: item for key, item in references[name].items() if key not in ("correct_rows", "folds")}
        found[name] = {**kept, "value": value, "standard_error": error, "test_texts": len(right), COSINE: value}
    return found


def right_by(references: dict, test_rows: np.ndarray) -> dict[str, np.ndarray]:
    """Which of these texts each reference gets right.  test_rows: (texts,) -> (texts,) bool each"""
    return {name: np.isin(test_rows, line["correct_rows"]) for name, line in references.items()}


def _as_lines(results: dict) -> dict:
    return {
        name: {
            **result.as_json(),
            "distance": EUCLIDEAN,
            COSINE: result.value,
            "correct_rows": result.test_rows[result.correct].tolist(),
        }
        for name, result in results.items()
    }
