"""Linear probe: how well a linear classifier on the embeddings tells the classes (crops paper, Table S2)."""

import warnings

import numpy as np

from embedlab.metrics.base import Labelled, Measured, paired
from embedlab.metrics.exact import is_sparse, usable
from embedlab.metrics.intervals import LEVEL, Difference, paired_shares
from embedlab.metrics.split import Split
from embedlab.metrics.votes import share


class LinearProbe:
    """A logistic regression on standardised embeddings."""

    key = "linear"
    title = "Linear probe"
    sentence = "How often a linear classifier trained on the labelled texts is right on the others."
    range = (0.0, 1.0)
    higher_is_better = True
    paper = "crops"
    reads = Labelled

    @staticmethod
    def measure(material: Labelled) -> Measured:
        """One fit on the train rows, or ten.  1 when every text is told right, 0 for zero vectors."""
        splits = material.splits
        correct = [
            linear_accuracy(embeddings=material.embeddings, labels=material.labels, split=part) for part in splits
        ]
        right, tested = np.concatenate(correct), np.concatenate([part.test for part in splits])
        value, standard_error = share(right)
        used = np.union1d(tested, splits[0].train)
        facts = {
            "standard_error": standard_error,
            "test_texts": len(tested),
            "zero_vectors": int((~usable(material.embeddings[used])).sum()),
            "protocol": material.protocol,
        }
        order = np.argsort(tested)
        return Measured(value, facts, {"rows": tested[order], "correct": right[order]})

    @staticmethod
    def difference(*, before: dict, after: dict, level: float = LEVEL) -> Difference:
        """The change of the share of right texts (Bonett–Price)."""
        one, other = paired(before, after, "correct")
        return paired_shares(before=one, after=other, level=level)


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
        return np.full(test.shape[0], train_labels[0], object)
    scaler = StandardScaler(with_mean=not is_sparse(train)).fit(train)  # the intercept stands in for the mean
    probe = LogisticRegression(C=np.inf, solver="saga", tol=0.01, max_iter=1000, random_state=42)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the authors' limits are the definition
        probe.fit(scaler.transform(train), train_labels)
    return probe.predict(scaler.transform(test))
