"""Linear probe: how well a linear classifier on the embeddings tells the classes (crops paper, Table S2)."""

import warnings

import numpy as np

from embedlab.metrics.exact import usable
from embedlab.metrics.split import Split


def linear_accuracy(*, embeddings: np.ndarray, labels: np.ndarray, split: Split) -> np.ndarray:
    """Which test texts a logistic regression without penalty gets right.  embeddings: (rows, dim) -> (test,) bool

    Zero and non-finite vectors are not trained on and count as wrong.
    """
    good = usable(embeddings)
    train, test = split.train[good[split.train]], good[split.test]
    correct = np.zeros(len(split.test), bool)
    if test.any() and len(train):
        predicted = _predictions(embeddings[train], labels[train], embeddings[split.test[test]])
        correct[test] = predicted == labels[split.test[test]]
    return correct


def _predictions(train: np.ndarray, train_labels: np.ndarray, test: np.ndarray) -> np.ndarray:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    if len(np.unique(train_labels)) == 1:
        return np.full(len(test), train_labels[0], object)
    scaler = StandardScaler().fit(train)
    probe = LogisticRegression(C=np.inf, solver="saga", tol=0.01, max_iter=1000, random_state=42)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the authors' limits are the definition
        probe.fit(scaler.transform(train), train_labels)
    return probe.predict(scaler.transform(test))
