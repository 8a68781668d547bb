"""The reference lines of a corpus, TF-IDF and TF-IDF -> SVD-100, measured once and kept beside it."""

import hashlib
from dataclasses import replace

import numpy as np

from embedlab.counting import unit_of
from embedlab.metrics.split import Split
from embedlab.metrics.tfidf import reference_lines
from embedlab.metrics.votes import KNNResult
from embedlab.runs.reference_lines import REFERENCES_FILE, KeptLine, read_lines, write_lines
from embedlab.tasks.measure.embedded import fitted_rows, split_of


def reference_lines_of(corpus, progress) -> dict[str, KeptLine]:
    """``tfidf`` and ``svd`` on all test texts of the paper's split; empty where kNN is off."""
    split, _ = split_of(corpus)
    if split is None:
        return {}
    file = corpus.folder / REFERENCES_FILE
    if known := read_lines(file):
        return known
    progress("Measuring TF-IDF and SVD, the reference lines")
    return _measured(file, corpus, split)


def reference_folds_of(corpus, progress) -> dict[str, np.ndarray]:
    """Which labelled texts, in file order, each reference gets right by the ten shuffled folds.  -> (labelled,) bool

    Kept in the same file, as ``folds`` of each line; a file without them gets them.
    """
    lines = reference_lines_of(corpus, progress)
    if not all(line.folds is not None for line in lines.values()):
        progress(f"Measuring TF-IDF and SVD on all {len(corpus.labelled):,} labelled texts")
        split, _ = split_of(corpus)
        found = _found(corpus, split, protocol="folds")
        lines = {
            key: line.model_copy(update={"folds": KeptLine.of(found[key], line.counted)}) for key, line in lines.items()
        }
        write_lines(corpus.folder / REFERENCES_FILE, lines)
    return {key: line.folds.right(corpus.labelled) for key, line in lines.items()}


def live_references_of(corpus, split: Split, progress) -> dict[str, KeptLine]:
    """The same lines on the texts of a live curve, kept by which texts these are."""
    rows = np.concatenate([split.train, split.test, [len(split.test)]]).astype(np.int64)
    file = corpus.folder / f"references-{hashlib.sha256(rows.tobytes()).hexdigest()[:16]}.json"
    if known := read_lines(file):
        return known
    progress("Measuring TF-IDF and SVD on the texts of the live curve")
    return _measured(file, corpus, split)


def _measured(file, corpus, split: Split) -> dict[str, KeptLine]:
    found = _found(corpus, split)
    counted = unit_of(corpus.texts)
    lines = {key: KeptLine.of(result, counted) for key, result in found.items()}
    write_lines(file, lines)
    return lines


def _found(corpus, split: Split, *, protocol: str = "paper") -> dict[str, KNNResult]:
    """Fitted on all texts, or on those that are evaluated; by corpus rows."""
    rows = fitted_rows(corpus)
    if rows is None:
        return reference_lines(corpus.texts, corpus.labels, split, protocol=protocol)
    found = reference_lines(corpus.texts.at(rows), corpus.labels[rows], split.among(rows), protocol=protocol)
    return {key: replace(each, test_rows=rows[each.test_rows]) for key, each in found.items()}
