"""Per class: counts by hand, sums that must fit, equality with scikit-learn's confusion matrix."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from embedlab.metrics.per_class import confusions, gained, lost, per_class
from embedlab.metrics.ten_fold import few_difference

LABELS = np.array(list("aaaabbc"), object)
BEFORE = np.array(["a", "b", "b", "c", "b", "a", None], object)
AFTER = np.array(["a", "a", "b", "b", "a", "a", "c"], object)


def many(seed: int = 0, n: int = 400) -> dict:
    rng = np.random.default_rng(seed)
    labels, before, after = (rng.choice(list("abcde"), n).astype(object) for _ in range(3))
    return {"labels": labels, "before": before, "after": after}


def test_three_classes_by_hand():
    a, b, c = per_class(labels=LABELS, before=BEFORE, after=AFTER)
    assert (a.label, a.texts, a.before, a.after, a.gained, a.lost) == ("a", 4, 0.25, 0.5, 1, 0)
    assert (b.label, b.texts, b.before, b.after, b.gained, b.lost) == ("b", 2, 0.5, 0.0, 0, 1)
    assert (c.before, c.after) == (0.0, 1.0)  # without a prediction it was wrong
    assert a.difference == few_difference(before=BEFORE[:4] == "a", after=AFTER[:4] == "a")


def test_the_most_frequent_mistakes_by_hand():
    found = confusions(labels=LABELS, before=BEFORE, after=AFTER)
    counts = {(each.label, each.taken_for): (each.before, each.after) for each in found}
    assert counts == {("a", "b"): (2, 2), ("a", "c"): (1, 0), ("b", "a"): (1, 2)}
    assert [(each.label, each.taken_for) for each in found] == [("a", "b"), ("b", "a"), ("a", "c")]
    assert found[1].difference.value == pytest.approx(0.5) and found[1].texts == 2


def test_confusions_are_the_matrix_of_scikit_learn_off_its_diagonal():
    arrays, names = many(), list("abcde")
    found = {(c.label, c.taken_for): c for c in confusions(**arrays)}
    for side in ("before", "after"):
        matrix = confusion_matrix(arrays["labels"].astype(str), arrays[side].astype(str), labels=names)
        for row, label in enumerate(names):
            for column, other in enumerate(names):
                if row != column:
                    assert getattr(found[label, other], side) == matrix[row, column]
    assert len(confusions(**arrays, most=3)) == 3


def test_gained_and_lost_add_up_class_by_class_and_to_the_whole_change():
    arrays = many(1)
    classes = per_class(**arrays)
    assert sum(each.texts for each in classes) == 400
    assert sum(each.gained for each in classes) == len(gained(**arrays))
    assert sum(each.lost for each in classes) == len(lost(**arrays))
    change = (arrays["after"] == arrays["labels"]).mean() - (arrays["before"] == arrays["labels"]).mean()
    assert sum(each.difference.value * each.texts for each in classes) / 400 == pytest.approx(change)
    swapped = per_class(labels=arrays["labels"], before=arrays["after"], after=arrays["before"])
    assert [each.difference.value for each in swapped] == pytest.approx([-each.difference.value for each in classes])


def test_the_texts_gained_and_lost_by_hand():
    assert gained(labels=LABELS, before=BEFORE, after=AFTER).tolist() == [1, 6]
    assert lost(labels=LABELS, before=BEFORE, after=AFTER).tolist() == [4]
