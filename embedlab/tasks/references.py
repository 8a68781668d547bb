"""The reference lines of a corpus, TF-IDF and TF-IDF -> SVD-100, measured once and kept beside it."""

import numpy as np

from embedlab.metrics.split import Split
from embedlab.metrics.tfidf import reference_lines
from embedlab.store_root import read_json, write_json

_ROWS = ("correct_rows", "folds")


def reference_lines_of(corpus, split: Split | None, progress) -> dict:
    """``{"tfidf": {value, standard_error, …, correct_rows: [rows]}, "svd": …}``; empty where kNN is off."""
    if split is None:
        return {}
    file = corpus.folder / "references.json"
    if file.exists():
        return read_json(file)
    progress("Measuring TF-IDF and SVD, the reference lines")
    lines = _as_lines(reference_lines(corpus.texts, corpus.labels, split))
    write_json(file, lines)
    return lines


def reference_folds_of(corpus, split: Split, progress) -> dict[str, np.ndarray]:
    """Which labelled texts, in file order, each reference gets right by the ten shuffled folds.  -> (labelled,) bool

    Kept in the same file, as ``folds`` of each line; a file without them gets them.
    """
    lines = reference_lines_of(corpus, split, progress)
    if not all("folds" in line for line in lines.values()):
        progress(f"Measuring TF-IDF and SVD on all {len(corpus.labelled):,} labelled texts")
        found = _as_lines(reference_lines(corpus.texts, corpus.labels, split, protocol="folds"))
        lines = {name: {**line, "folds": found[name]} for name, line in lines.items()}
        write_json(corpus.folder / "references.json", lines)
    return {name: np.isin(corpus.labelled, line["folds"]["correct_rows"]) for name, line in lines.items()}


def plain_line(line: dict) -> dict:
    """The numbers of a line without its lists of rows."""
    return {name: value for name, value in line.items() if name not in _ROWS}


def _as_lines(results: dict) -> dict:
    return {
        name: {**result.as_json(), "correct_rows": result.test_rows[result.correct].tolist()}
        for name, result in results.items()
    }
