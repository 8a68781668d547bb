"""Linear probe: how well a linear classifier separates the classes (crops paper, Table S2)."""

import hashlib
import warnings
from typing import Any, NamedTuple

import numpy as np

from embedlab.metrics.base import Labelled, Metric, MetricResult, change_of_right
from embedlab.metrics.split import Split
from embedlab.metrics.votes import share
from embedlab.vectors.exact import Matrix, is_sparse, usable

# The authors' code asks for no penalty (C=inf), but ends saga after 30 to 60 passes (tol=0.01): its small steps act as
# a penalty that grows with the dimensions. On ICLR over ten folds theirs and ours are right on 57.7 and 57.7 % by
# TF-IDF → SVD (100 dimensions), 55.9 and 55.9 % by a trained token layer (768), 57.5 and 58.2 % by MiniLM (384); on
# the paper's split on 56.4 to 56.6 and 56.4, 56.4 and 56.9, 59.7 to 60.7 (by the order of the rows) and 60.0 %.
_C_TIMES_DIMENSIONS = 100
_STEEPEST = 1e-5  # the solver ends when no derivative of the loss is larger
_MAX_STEPS = 5000


class LinearProbe(Metric):
    """A logistic regression on standardised embeddings."""

    key = "linear"
    title = "Linear probe"
    sentence = "How often a linear classifier trained on the labeled texts is right on the others."
    paper = "crops"
    reads = Labelled
    wants_dense = True

    @staticmethod
    def measure(material: Labelled) -> MetricResult:
        """One fit on the train rows, or ten. 1 if every text is classified correctly, 0 for zero vectors.

        ``gradient_norm`` says how far the fit (the worst of ten) is from its end: 0 there.
        """
        splits = material.splits
        probed = [probe(embeddings=material.embeddings, labels=material.known_labels, split=part) for part in splits]
        right, tested = np.concatenate([each.correct for each in probed]), np.concatenate([s.test for s in splits])
        value, standard_error = share(right)
        facts = {
            "zero_vectors": int((~usable(material.embeddings[np.union1d(tested, splits[0].train)])).sum()),
            "protocol": material.protocol,
            "gradient_norm": max(each.gradient_norm for each in probed),
        }
        order = np.argsort(tested)
        units = {"rows": tested[order], "correct": right[order]}
        return MetricResult(value=value, error=standard_error, n=len(tested), facts=facts, units=units)

    difference = staticmethod(change_of_right)


class ProbeResult(NamedTuple):
    """Which test texts are right, the predictions (None without a vector), and how far the fit converged."""

    correct: np.ndarray  # (test,) bool
    predictions: np.ndarray  # (test,) of str or None
    gradient_norm: float


def probe(*, embeddings: Matrix, labels: np.ndarray, split: Split) -> ProbeResult:
    """A logistic regression fitted on the train rows, independent of their order. embeddings: (rows, dim)

    Zero and non-finite vectors are not trained on and count as wrong; copies of a test text are not trained on.
    """
    good = usable(embeddings)
    train, test = split.train[good[split.train]], good[split.test]
    if split.copies is not None:
        train = train[~np.isin(split.copies[train], split.copies[split.test])]
    predictions, gradient_norm = np.full(len(split.test), None, object), 0.0
    if test.any() and len(train):
        train = train[_canonical_order(embeddings[train], labels[train])]
        predictions[test], gradient_norm = _fitted(embeddings[train], labels[train], embeddings[split.test[test]])
    return ProbeResult(predictions == labels[split.test], predictions, gradient_norm)


def _canonical_order(embeddings: Matrix, labels: np.ndarray) -> np.ndarray:
    """An order of the rows that does not depend on how they came, so that sums round alike. (rows, dim) -> (rows,)"""
    if is_sparse(embeddings):
        rows = embeddings.tocsr().sorted_indices()
        ends = zip(rows.indptr, rows.indptr[1:], strict=False)
        written = [rows.indices[start:end].tobytes() + rows.data[start:end].tobytes() for start, end in ends]
    else:
        written = [row.tobytes() for row in embeddings]
    digests = [hashlib.sha256(row).digest() for row in written]
    return np.array(sorted(range(len(digests)), key=lambda row: (digests[row], labels[row])))


def _fitted(train: Matrix, train_labels: np.ndarray, test: Matrix) -> tuple[np.ndarray, float]:
    """Predictions of the test rows, and the gradient norm at which the solver stopped."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    if len(np.unique(train_labels)) == 1:
        return np.full(test.shape[0], train_labels[0], object), 0.0
    train, test = train.astype(np.float64), test.astype(np.float64)
    scaler = StandardScaler(with_mean=not is_sparse(train)).fit(train)  # the intercept stands in for the mean
    train, test = (scaler.transform(rows).astype(np.float32) for rows in (train, test))  # half the time, the same end
    model = LogisticRegression(
        C=_C_TIMES_DIMENSIONS / train.shape[1], solver="lbfgs", tol=_STEEPEST, max_iter=_MAX_STEPS
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the length of the gradient says it
        model.fit(train, train_labels)
    return model.predict(test), _gradient_norm(model, train, train_labels)


def _gradient_norm(model: Any, rows: Matrix, labels: np.ndarray) -> float:
    """Length of the gradient of the mean loss with its penalty, |w|² / (2·C·rows)."""
    errors = model.predict_proba(rows) - (labels[:, None] == model.classes_)  # (rows, classes)
    errors = errors[:, -len(model.coef_) :]  # of two classes the second alone has weights
    count = rows.shape[0]
    weights = (rows.T @ errors).T / count + model.coef_ / (model.C * count)  # (classes, dim)
    return float(np.sqrt((weights**2).sum() + (errors.mean(axis=0) ** 2).sum()))
