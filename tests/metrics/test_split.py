"""Splits: the paper's own where nothing is copied, and what its rules move elsewhere."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, train_test_split

from embedlab.copies import normalised, numbered_copies
from embedlab.corpora.base import Draft, store_corpus
from embedlab.errors import CorpusError
from embedlab.metrics.split import (
    cv10_folds,
    development_split,
    fold_splits,
    live_texts,
    paper_split,
    sampled_rows,
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
        copies = numbered_copies(texts)
        assert len(development_split(split, copies).test) == (len(split.train) > 1 and -(-len(split.train) // 10))
        assert set(cv10_folds(labels)) <= set(range(10))
        live = live_texts(split, development_split(split, copies), labels, size=5)
        assert len(live.neighbors) + len(live.test) == min(5, len(split.train) + len(split.test))
    else:
        with pytest.raises(CorpusError) as error:
            paper_split(texts, labels)
        assert error.value.code == reason.code and error.value.code.startswith("W-")


def test_the_reasons_against_knn_have_their_codes():
    assert why_no_knn(None).code == "W-NO-LABELS"
    assert why_no_knn(np.array([None, None], object)).code == "W-NO-LABELS"
    assert why_no_knn(np.array(["a"] * 10, object)).code == "W-ONE-CLASS"
    assert why_no_knn(np.array(["a", "a", "a", "b"], object)).code == "W-FEW-LABELS"
    assert why_no_knn(np.array(["a", "a", "b", "b"], object)) is None


def test_ten_copies_of_two_texts_leave_nothing_to_test():
    with pytest.raises(CorpusError) as error:
        paper_split(["x", "y"] * 10, np.array(["a", "b"] * 10, object))
    assert error.value.code == "W-NO-TEST-TEXTS"


def test_the_development_part_is_a_tenth_of_the_whole_train_part_and_never_meets_test():
    texts, labels = labelled_corpus(500)
    split = paper_split(texts, labels)
    development = development_split(split, numbered_copies(texts))
    _, expected = train_test_split(split.train, test_size=0.1, random_state=43)
    assert development.test.tolist() == sorted(expected)
    assert development.train.tolist() == split.train.tolist()  # the neighbors of the test texts; itself is left out


def test_cv10_is_stratified_k_fold_in_file_order():
    labels = np.array(list("abbcccdddd") * 30, object)
    folds = cv10_folds(labels)
    for fold, (_, test) in enumerate(StratifiedKFold(10).split(np.zeros(len(labels)), labels.astype(str))):
        assert np.flatnonzero(folds == fold).tolist() == test.tolist()
    tested = np.concatenate([split.test for split in fold_splits(labels)])
    assert sorted(tested) == list(range(len(labels)))


def test_a_live_sample_keeps_class_shares_and_its_test_part_lies_in_test():
    texts, labels = labelled_corpus(3000, "aaabbc")
    split, copies = paper_split(texts, labels), numbered_copies(texts)
    live = live_texts(split, development_split(split, copies), labels, size=600, seed=1)
    rows = np.concatenate([live.neighbors, live.test])
    assert not live.is_whole and len(np.unique(rows)) == 600
    assert [int((labels[rows] == name).sum()) for name in "abc"] == pytest.approx([300, 200, 100], abs=1)
    assert set(live.test) <= set(split.test) and set(live.neighbors) <= set(split.train)
    again = live_texts(split, development_split(split, copies), labels, size=600, seed=1)
    assert again.neighbors.tolist() == live.neighbors.tolist()
    other = live_texts(split, development_split(split, copies), labels, size=600, seed=2)
    assert other.neighbors.tolist() != live.neighbors.tolist()
    layers = sampled_rows(split, labels, size=600, seed=1)
    assert set(layers.test) <= set(split.test) and len(layers.train) + len(layers.test) == 600


def test_live_development_texts_are_drawn_from_the_whole_development_part_not_from_the_sample():
    texts, labels = labelled_corpus(3000, "aaabbc")
    split, copies = paper_split(texts, labels), numbered_copies(texts)
    whole = development_split(split, copies).test
    live = live_texts(split, development_split(split, copies), labels, size=600, seed=1)
    assert live.development.tolist() == whole.tolist()  # 270 of them, where a tenth of the sample would be 54
    few = live_texts(split, development_split(split, copies), labels, size=100, seed=1)
    assert len(few.development) == 100 and set(few.development) <= set(whole)
    assert [int((labels[few.development] == name).sum()) for name in "abc"] == pytest.approx([50, 33, 17], abs=4)


def test_of_a_small_sample_up_to_half_is_tested_and_its_neighbors_are_first_of_all_development_texts():
    texts, labels = labelled_corpus(3000, "aaabbc")  # 300 test texts, 270 development texts
    split = paper_split(texts, labels)
    development = development_split(split, numbered_copies(texts))
    for size, tested in ((100, 50), (200, 100), (900, 100), (2000, 200)):
        live = live_texts(split, development, labels, size=size)
        assert (len(live.test), len(live.neighbors)) == (tested, size - tested)
        both = len(np.intersect1d(live.neighbors, live.development))
        assert both >= 0.95 * min(len(live.neighbors), len(live.development))  # a class may have fewer than its share
        assert not set(live.test) & set(live.neighbors)


def test_the_whole_protocol_is_the_final_one_and_a_small_corpus_has_no_other():
    texts, labels = labelled_corpus(3000)
    split, copies = paper_split(texts, labels), numbered_copies(texts)
    live = live_texts(split, development_split(split, copies), labels, size=600, whole=True)
    assert (
        live.is_whole and live.test.tolist() == split.test.tolist() and live.neighbors.tolist() == split.train.tolist()
    )
    texts, labels = labelled_corpus(100)
    split = paper_split(texts, labels)
    live = live_texts(split, development_split(split, numbered_copies(texts)), labels)
    assert live.is_whole and live.test.tolist() == split.test.tolist()


def test_normalised_texts_are_equal_up_to_form_case_and_blanks():
    assert normalised("ﬁne  Straße\n") == normalised("FINE STRASSE") == "fine strasse"


def test_one_class_left_among_the_train_texts_is_said():
    texts, labels = labelled_corpus(60)
    plain = paper_split(texts, labels)
    labels[:] = "a"
    labels[plain.test[:2]] = "b"  # both texts of b are tested
    with pytest.raises(CorpusError, match="after the split all 54 are 'a'"):
        paper_split(texts, labels)


@pytest.mark.parametrize("labels", ["", "aa", "ab", "aab", "aabb", "aab b", "aabbc", "a b"])
def test_what_a_corpus_says_of_itself_is_what_its_labels_allow(store, labels):
    given = [None if label == " " else label for label in labels] or [None, None]
    corpus = store_corpus(Draft(name="c", source="x", texts=[f"Text {n}." for n in range(len(given))], labels=given))
    assert corpus.info.has_knn == (why_no_knn(corpus.labels, corpus.kept) is None)
