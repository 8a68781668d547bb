"""The most copies that fit, m uniform among them, special tokens single; a sentence and its rest share nothing."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from toy_corpora import over_texts

from embedlab.augmentations.elongation import (
    Elongation,
    ElongationConfig,
    SentenceRest,
    SentenceRestConfig,
    drawn_copies,
    elongated,
    most_copies,
)

TEXT = "The first sentence. The second one! A third? The last."
BODY = list(range(10, 20))
TABLE = [(10, 256, 25), (50, 256, 5), (64, 256, 3), (127, 256, 2), (200, 256, 1)]


@pytest.mark.parametrize(("tokens", "longest", "most"), TABLE)
def test_the_most_copies_are_those_of_the_paper_and_leave_room_for_cls_and_sep(vocabulary, tokens, longest, most):
    wide = replace(vocabulary, longest=longest)
    whole = [1, *([50] * tokens), 2]
    assert most_copies(whole, wide) == most == max(1, (longest - 2) // tokens)
    assert len(elongated(whole, most, wide)) <= longest


def test_three_copies_between_one_cls_and_one_sep(vocabulary):
    assert elongated([1, 10, 11, 2], 3, vocabulary) == [1, 10, 11, 10, 11, 10, 11, 2]
    assert elongated([10, 11], 2, vocabulary) == [10, 11, 10, 11]
    assert elongated([1, 2], 5, vocabulary) == [1, 2], "nothing lies between"


def test_an_unknown_word_is_repeated_with_its_text(vocabulary):
    unknown = vocabulary.unknown
    assert elongated([1, unknown, 10, unknown, 2], 2, vocabulary) == [1, unknown, 10, unknown, unknown, 10, unknown, 2]
    assert elongated([1, unknown, 2], 3, vocabulary) == [1, unknown, unknown, unknown, 2]
    assert most_copies([1, unknown, 10, 2], vocabulary) == 31  # ⌊62 / 2⌋


def test_m_is_uniform_from_one_to_the_most(vocabulary):
    rng, tokens = random.Random(0), [1, *BODY, 2]  # 64 tokens: ⌊62 / 10⌋ = 6 copies
    drawn = Counter(drawn_copies(tokens, "random", vocabulary, rng) for _ in range(6000))
    assert set(drawn) == {1, 2, 3, 4, 5, 6}
    assert sum((count - 1000) ** 2 / 1000 for count in drawn.values()) < 20.5  # chi-square, 5 degrees, 99.9 %
    assert {drawn_copies(tokens, "twice", vocabulary, rng), drawn_copies(tokens, "none", vocabulary, rng)} == {2, 1}
    assert drawn_copies([1, *([50] * 60), 2], "twice", vocabulary, rng) == 1, "a second copy does not fit"


def test_self_reference_repeats_the_positive_alone(vocabulary):
    augmentation = over_texts(Elongation, [TEXT], ElongationConfig(elongation="twice"))
    assert augmentation.views(0, random.Random(0)) == ("The first sentence.", "The first sentence.")
    anchor, positive = augmentation.on_tokens(([1, *BODY, 2], [1, *BODY, 2]), vocabulary, random.Random(0))
    assert anchor == [1, *BODY, 2] and positive == [1, *BODY, *BODY, 2]


def test_intra_reference_repeats_the_anchor_alone(vocabulary):
    augmentation = over_texts(SentenceRest, [TEXT], SentenceRestConfig(elongation="twice"))
    rest = [1, 90, 91, 2]
    anchor, positive = augmentation.on_tokens(([1, *BODY, 2], rest), vocabulary, random.Random(0))
    assert anchor == [1, *BODY, *BODY, 2] and positive == rest


def test_first_or_random_sentence_and_a_rest_that_shares_nothing_with_it():
    first = over_texts(SentenceRest, [TEXT, "One sentence only."])
    assert first.views(0, random.Random(3)) == ("The first sentence.", "The second one! A third? The last.")
    assert first.views(1, random.Random(0)) is None and not first.usable(1)
    drawn = over_texts(SentenceRest, [TEXT], SentenceRestConfig(anchor="random"))
    found = {drawn.views(0, random.Random(seed)) for seed in range(40)}
    assert {anchor for anchor, _ in found} == {"The first sentence.", "The second one!", "A third?", "The last."}
    assert all(anchor not in rest for anchor, rest in found)


def test_without_elongation_the_pair_of_self_reference_needs_dropout_and_that_of_coco_dr_nothing():
    assert Elongation.needs_of(ElongationConfig(elongation="none")) == {"context", "dropout"}
    assert Elongation.needs_of(ElongationConfig()) == {"context"}
    assert SentenceRest.needs_of(SentenceRestConfig(elongation="none")) == frozenset()
    assert SentenceRest.needs_of(SentenceRestConfig()) == {"context"}
