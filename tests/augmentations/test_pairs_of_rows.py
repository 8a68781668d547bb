"""Pairs made of more than one text or column: summaries, sampled pairs, texts of one class."""

import random
from collections import Counter

import pytest
from toy_corpora import over_texts

from embedlab.augmentations.given_pairs import GivenPairs
from embedlab.augmentations.pairs_of_rows import SameClass, SampledPairs, SampledPairsConfig
from embedlab.augmentations.summary_pairs import SummaryPairs, SummaryPairsConfig

TEXT = "First sentence. Second sentence."
SUMMARIES = ["short a", "short b", "short c"]


def summary_pairs(config=None, *, titles=("The title",), summaries=(SUMMARIES,)):
    return over_texts(SummaryPairs, [TEXT], config, titles=titles, summaries=summaries)


def kind_of(positive: str) -> str:
    return "title" if positive == "The title" else "summary" if positive in SUMMARIES else "sentence"


def test_fifteen_percent_titles_thirty_five_percent_sentences_and_the_rest_other_summaries():
    augmentation, rng = summary_pairs(), random.Random(0)
    pairs = [augmentation.views(0, rng) for _ in range(8000)]
    shares = Counter(kind_of(positive) for _, positive in pairs)
    for kind, share in (("title", 0.15), ("sentence", 0.35), ("summary", 0.5)):
        assert abs(shares[kind] / 8000 - share) < 4 * (share * (1 - share) / 8000) ** 0.5
    assert all(anchor in SUMMARIES and anchor != positive for anchor, positive in pairs)


def test_the_ablations_of_table_3():
    rng = random.Random(1)
    only = summary_pairs(SummaryPairsConfig(positives="just summaries"))
    assert all(kind_of(only.views(0, rng)[1]) == "summary" for _ in range(50))
    same = summary_pairs(SummaryPairsConfig(positives="same input"))
    assert all(len(set(same.views(0, rng))) == 1 for _ in range(10))
    assert SummaryPairs.needs_of(same.config) == {"summaries", "dropout"}


def test_what_a_text_lacks_is_drawn_from_the_other_kinds():
    rng = random.Random(2)
    one = summary_pairs(titles=None, summaries=(["short a"],))
    assert {kind_of(one.views(0, rng)[1]) for _ in range(50)} == {"sentence"}
    assert summary_pairs(SummaryPairsConfig(positives="just summaries"), summaries=(["short a"],)).views(0, rng) is None
    assert summary_pairs(summaries=([],)).views(0, rng) is None and not summary_pairs(summaries=(None,)).usable(0)


def test_a_batch_holds_one_pair_of_equal_texts_in_eight():
    texts = [f"text {number}" for number in range(40)]
    augmentation = over_texts(SampledPairs, texts)
    pairs = [augmentation.views(place, random.Random(place), place) for place in range(40)]
    assert [place for place, (a, b) in enumerate(pairs) if a == b] == [0, 8, 16, 24, 32]
    assert all(a == b for a, b in (over_texts(SampledPairs, texts, SampledPairsConfig(negatives=0)).views(
        place, random.Random(0), place) for place in range(9)))  # fmt: skip


def test_a_negative_is_never_a_copy():
    augmentation = over_texts(SampledPairs, ["same", "same", "same", "other"])
    assert {augmentation.views(0, random.Random(seed), 1)[1] for seed in range(20)} == {"other"}


def test_supervised_pairs_share_their_label_and_differ_in_text():
    texts = ["a1", "a2", "a2", "b1", "b2", "c1", "none"]
    labels = ["a", "a", "a", "b", "b", "c", None]
    augmentation = over_texts(SameClass, texts, labels=labels)
    for row in range(5):
        for seed in range(10):
            anchor, positive = augmentation.views(row, random.Random(seed))
            assert anchor == texts[row] != positive and positive[0] == anchor[0]
    assert not augmentation.usable(5) and not augmentation.usable(6), "a class of one, and no label"
    assert not over_texts(SameClass, ["x", "x"], labels=["a", "a"]).usable(0), "copies are one text"
    assert SameClass.needs == {"labels"}


def test_only_rows_that_may_be_trained_on_are_partners():
    from types import SimpleNamespace

    corpus = SimpleNamespace(texts=["a1", "a2", "a3"], labels=["a", "a", "a"])
    augmentation = SameClass(corpus, [0, 2])
    assert {augmentation.views(0, random.Random(seed))[1] for seed in range(20)} == {"a3"}


@pytest.mark.parametrize(("score", "is_used"), [(0.79, False), (0.8, True), (None, True)])
def test_a_given_pair_of_the_least_score_is_used(score, is_used):
    pair = over_texts(GivenPairs, ["A text."], pairs=[["One text.", "Another text."]], scores=[score])
    assert (pair.views(0, random.Random(0)) is not None) == is_used
