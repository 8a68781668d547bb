"""A run without kNN accuracy says why: no label, one class, too few texts; one class is not "without labels"."""

import numpy as np
import pytest
from builders import leave_result

from embedlab.metrics.split import why_no_knn
from embedlab.report.run_rows import outcome
from embedlab.runs.label_lineage import words_without_knn
from embedlab.runs.list_rows import summary
from embedlab.runs.store import create_run


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["a", "a", "a"], "Trained. kNN accuracy needs two classes, but all 3 labeled texts are 'a'. The maps"),
        (
            ["a", "b"],
            "Trained. kNN accuracy needs two classes of at least two texts, but none of the 2 classes has as many. ",
        ),
        (["", ""], "Trained. kNN accuracy needs labels, but no text has one. The maps show what changed."),
    ],
)
def test_the_reason_is_the_one_that_was_found_when_it_was_measured(store, labels, said):
    run = create_run("train", {"encoder": "token", "recipe": "crops"})
    reason = why_no_knn(np.array([label or None for label in labels], dtype=object))
    leave_result(run, steps=3, warnings=[reason.model_dump()])
    assert words_without_knn(run).startswith(said)
    short = {"W-ONE-CLASS": "One class", "W-FEW-LABELS": "Too few labels", "W-NO-LABELS": "No labels"}[reason.code]
    assert outcome(summary(run)) == short


def test_without_a_reason_it_is_said_that_there_are_no_labels(store):
    run = create_run("train", {"encoder": "token", "recipe": "crops"})
    leave_result(run, steps=3)
    assert words_without_knn(run) == "Trained. Without labels there is no kNN accuracy. The maps show what changed."
