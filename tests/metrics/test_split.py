"""Splits: the paper's own where nothing is copied, and what its rules move elsewhere."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, train_test_split

from embedlab.errors import CorpusError
from embedlab.metrics.split import (
    cv10_folds,
    development_split,
    fold_splits,
    live_sample,
    normalised,
    paper_split,
    why_no_knn,
)


def labelled_corpus(count: int, classes: str = "abc"):
    return [f"text {i}" for i in range(count)], np.array([classes[i % len(classes)] for i in range(count)], object)


def test_without_copies_it_is_exactly_the_papers_split_of_the_labelled_texts_in_file_order():
    texts, labels = labelled_corpus(200)
    labels[::3] = None
    labelled = np.flatnonzero([label is not None for label in labels])
    train, test = train_test_split(labelled, test_size=0.1, random_state=42)
    split = paper_split(texts, labels)
    assert split.train.tolist() == sorted(train) and split.test.tolist() == sorted(test)
    assert len(split.moved) == len(split.dropped) == 0 and split.singletons == ()


def test_only_the_given_rows_take_part():
    texts, labels = labelled_corpus(50)
    split = paper_split(texts, labels, np.arange(10, 50))
    assert sorted([*split.train, *split.test]) == list(range(10, 50))


def test_a_test_text_with_a_copy_in_train_moves_there():
    texts, labels = labelled_corpus(60)
    plain = paper_split(texts, labels)
    copied, source = plain.test[0], plain.train[0]
    texts[copied] = "  TEXT\u00a0" + str(source) + "\n"  # the same but for case, blanks and a no-break space
    split = paper_split(texts, labels)
    assert split.moved.tolist() == [copied]
    assert copied in split.train and copied not in split.test


def test_of_copies_within_test_the_first_stays_and_the_others_are_in_neither_part():
    texts, labels = labelled_corpus(60)
    first, second, *_ = paper_split(texts, labels).test
    texts[second] = texts[first]
    split = paper_split(texts, labels)
    assert first in split.test and split.dropped.tolist() == [second]
    assert second not in np.concatenate([split.train, split.test])


def test_a_class_with_one_member_goes_to_train_and_is_named():
    texts, labels = labelled_corpus(60)
    alone = paper_split(texts, labels).test[0]
    labels[alone] = "lonely"
    split = paper_split(texts, labels)
    assert split.singletons == ("lonely",) and alone in split.train


def test_two_copies_in_test_leave_one_member_which_goes_to_train():
    texts, labels = labelled_corpus(60)
    first, second, *_ = paper_split(texts, labels).test
    texts[second] = texts[first]
    labels[[first, second]] = "twice"
    split = paper_split(texts, labels)
    assert split.singletons == ("twice",) and first in split.train and second not in split.train


@pytest.mark.parametrize("count", range(13))
@pytest.mark.parametrize("classes", ["a", "ab", "abcdefghijklm"])
def test_tiny_corpora_are_split_or_refused_with_a_code(count, classes):
    texts, labels = labelled_corpus(count, classes)
    reason = why_no_knn(labels)
    if reason is None:
        split = paper_split(texts, labels)
        assert len(split.test) >= 1 and len(np.unique(labels[split.train])) >= 1
        assert len(development_split(split).test) >= 1
        assert set(cv10_folds(labels)) <= set(range(10))
        sample = live_sample(split, labels, size=5)
        assert sample.texts == min(5, len(split.train) + len(split.test))
    else:
        with pytest.raises(CorpusError) as error:
            paper_split(texts, labels)
        assert error.value.code == reason[0] and error.value.code.startswith("W-")


def test_the_reasons_against_knn_have_their_codes():
    assert why_no_knn(None)[0] == "W-NO-LABELS"
    assert why_no_knn(np.array([None, None], object))[0] == "W-NO-LABELS"
    assert why_no_knn(np.array(["a"] * 10, object))[0] == "W-ONE-CLASS"
    assert why_no_knn(np.array(["a", "a", "a", "b"], object))[0] == "W-FEW-LABELS"
    assert why_no_knn(np.array(["a", "a", "b", "b"], object)) is None


def test_ten_copies_of_two_texts_leave_nothing_to_test():
    with pytest.raises(CorpusError) as error:
        paper_split(["x", "y"] * 10, np.array(["a", "b"] * 10, object))
    assert error.value.code == "W-NO-TEST-TEXTS"


def test_the_development_part_is_a_tenth_of_train_and_never_meets_test():
    texts, labels = labelled_corpus(500)
    split = paper_split(texts, labels)
    development = development_split(split)
    _, expected = train_test_split(split.train, test_size=0.1, random_state=43)
    assert development.test.tolist() == sorted(expected)
    assert sorted([*development.train, *development.test]) == split.train.tolist()


def test_cv10_is_stratified_k_fold_in_file_order():
    labels = np.array(list("abbcccdddd") * 30, object)
    folds = cv10_folds(labels)
    for fold, (_, test) in enumerate(StratifiedKFold(10).split(np.zeros(len(labels)), labels.astype(str))):
        assert np.flatnonzero(folds == fold).tolist() == test.tolist()
    tested = np.concatenate([split.test for split in fold_splits(labels)])
    assert sorted(tested) == list(range(len(labels)))


def test_a_live_sample_keeps_class_shares_and_its_test_part_lies_in_test():
    texts, labels = labelled_corpus(3000, "aaabbc")
    split = paper_split(texts, labels)
    sample = live_sample(split, labels, size=600, seed=1)
    rows = np.concatenate([sample.train, sample.development, sample.test])
    assert sample.texts == len(np.unique(rows)) == 600
    assert [int((labels[rows] == name).sum()) for name in "abc"] == [300, 200, 100]
    assert set(sample.test) <= set(split.test) and not set(sample.development) & set(split.test)
    again = live_sample(split, labels, size=600, seed=1)
    assert again.train.tolist() == sample.train.tolist()
    assert live_sample(split, labels, size=600, seed=2).train.tolist() != sample.train.tolist()


def test_a_small_corpus_is_its_own_live_sample():
    texts, labels = labelled_corpus(100)
    split = paper_split(texts, labels)
    sample = live_sample(split, labels)
    assert sample.texts == 100 and sample.test.tolist() == split.test.tolist()


def test_normalised_texts_are_equal_up_to_form_case_and_blanks():
    assert normalised("ﬁne  Straße\n") == normalised("FINE STRASSE") == "fine strasse"


def test_one_class_left_among_the_train_texts_is_said():
    texts, labels = labelled_corpus(60)
    plain = paper_split(texts, labels)
    labels[:] = "a"
    labels[plain.test[:2]] = "b"  # both texts of b are tested
    with pytest.raises(CorpusError, match="after the split all 54 are 'a'"):
        paper_split(texts, labels)
