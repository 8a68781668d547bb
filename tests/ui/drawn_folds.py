"""Predictions by ten folds of a made run, written as its worker would."""

from builders import both

from embedlab.runs.folder import RunFolder
from embedlab.runs.predictions import write_predictions


def write_folds(run: RunFolder, corpus) -> dict[str, list]:
    """Rows turn over in fours: gained, lost, right twice, and, with nine votes of ten twice, another class's label.

    By cosine the lost ones are gained too, and no text is lost.
    """
    rows = corpus.labelled
    labels = [str(corpus.labels[row]) for row in rows]
    other = dict(zip(sorted(set(labels)), [*sorted(set(labels))[1:], min(labels)], strict=True))
    group = [(row // 4) % 4 for row in rows]  # the toy corpus's labels turn over in fours too
    texts = {
        "row": rows.tolist(),
        "label": labels,
        "fold": [row % 10 for row in rows],
        "tfidf": [True] * len(rows),
        "svd": [False] * len(rows),
    }
    euclidean = {
        "before": [other[label] if kind in (0, 3) else label for label, kind in zip(labels, group, strict=True)],
        "before_votes": [9 if kind == 3 else 5 for kind in group],
        "after": [other[label] if kind in (1, 3) else label for label, kind in zip(labels, group, strict=True)],
        "after_votes": [9 if kind == 3 else 6 for kind in group],
    }
    wrong = [kind in (0, 1, 3) for kind in group]
    cosine = {
        "before": [other[label] if is_wrong else label for label, is_wrong in zip(labels, wrong, strict=True)],
        "before_votes": euclidean["before_votes"],
        "after": [other[label] if kind == 3 else label for label, kind in zip(labels, group, strict=True)],
        "after_votes": [10 if kind == 3 else 6 for kind in group],
    }
    write_predictions(run.predictions_by_folds, texts, both(euclidean, cosine))
    return texts | euclidean
