"""Suspicious labels: found where neighbors agree, in the order of their agreement, never the text's own label."""

import numpy as np

from embedlab.metrics.per_class import suspicious
from embedlab.metrics.ten_fold import fold_predictions
from embedlab.neighbors import neighbor_graph

#                 right       agree on b   only after   too few      none          two opinions
LABELS = np.array(["a",       "a",         "a",         "a",         "a",          "a"], object)  # fmt: skip
BEFORE = np.array(["a",       "b",         "a",         "b",         None,         "b"], object)  # fmt: skip
AFTER = np.array(["a",        "b",         "c",         "b",         None,         "c"], object)  # fmt: skip
BEFORE_VOTES, AFTER_VOTES = np.array([10, 9, 6, 7, 0, 10]), np.array([10, 8, 9, 7, 0, 9])


def found(**changed):
    arrays = {"labels": LABELS, "before": BEFORE, "before_votes": BEFORE_VOTES}
    return suspicious(**{**arrays, "after": AFTER, "after_votes": AFTER_VOTES, **changed})


def test_six_texts_by_hand():
    by_eight = found()
    assert by_eight.positions.tolist() == [1, 5, 2] and by_eight.suggested.tolist() == ["b", "b", "c"]
    assert by_eight.before_votes.tolist() == [9, 10, 0] and by_eight.after_votes.tolist() == [8, 0, 9]
    assert by_eight.both.tolist() == [True, False, False]


def test_more_votes_asked_for_finds_fewer_and_never_the_own_label():
    sizes = [len(found(at_least=votes).positions) for votes in range(1, 12)]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] == 4 and sizes[-1] == 0
    every = found(at_least=1)
    assert all(LABELS[position] != label for position, label in zip(every.positions, every.suggested, strict=True))


def test_labels_that_were_exchanged_on_purpose_are_found():
    rng = np.random.default_rng(0)
    true = np.array(list("ab") * 100, object)
    embeddings = np.where(true == "a", 0.0, 9.0)[:, None] + rng.normal(size=(200, 3))
    labels, wrong = true.copy(), rng.choice(200, 8, replace=False)
    labels[wrong] = np.where(true[wrong] == "a", "b", "a")
    said = fold_predictions(embeddings=embeddings, labels=labels, graph=neighbor_graph(embeddings))
    votes = {
        "before": said.predictions,
        "before_votes": said.votes,
        "after": said.predictions,
        "after_votes": said.votes,
    }
    suspects = suspicious(labels=labels, **votes)
    assert sorted(suspects.positions) == sorted(wrong) and (suspects.suggested == true[suspects.positions]).all()
    assert suspects.both.all()
