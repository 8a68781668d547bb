"""The reference lines of a corpus, TF-IDF and TF-IDF -> SVD-100, measured once and kept beside it."""

from embedlab.metrics.split import Split
from embedlab.metrics.tfidf import reference_lines
from embedlab.store_root import read_json, write_json


def reference_lines_of(corpus, split: Split | None, progress) -> dict:
    """``{"tfidf": {value, standard_error, …, correct: [rows]}, "svd": …}``; empty where kNN is off."""
    if split is None:
        return {}
    file = corpus.folder / "references.json"
    if file.exists():
        return read_json(file)
    progress("Measuring TF-IDF and SVD, the reference lines")
    lines = {
        name: {**result.as_json(), "correct_rows": [int(row) for row in result.test_rows[result.correct]]}
        for name, result in reference_lines(corpus.texts, corpus.labels, split).items()
    }
    write_json(file, lines)
    return lines
