"""The deletion rate is the share deleted; every other noise touches the same share and loses nothing."""

import random
from dataclasses import replace

import pytest
from toy_corpora import over_texts

from embedlab.augmentations.deletion import Deletion, DeletionConfig, damaged

WORDS = [f"w{number}" for number in range(20_000)]
FOUR_ERRORS = 4 * (0.25 / len(WORDS)) ** 0.5


def fresh() -> str:
    return "new"


@pytest.mark.parametrize("rate", [0.1, 0.4, 0.6, 0.9])
def test_the_deletion_rate_is_the_share_that_is_deleted(rate):
    kept = damaged(WORDS, "delete", rate, random.Random(0), fresh)
    assert abs(1 - len(kept) / len(WORDS) - rate) < FOUR_ERRORS
    left = set(kept)
    assert kept == [word for word in WORDS if word in left], "in order"


def test_the_default_deletes_six_words_in_ten_of_a_text():
    text = " ".join(WORDS)
    damaged_text, whole = over_texts(Deletion, [text]).views(0, random.Random(1))
    assert whole == text and abs(len(damaged_text.split()) / len(WORDS) - 0.4) < FOUR_ERRORS


def test_one_word_is_kept_where_all_would_go():
    for seed in range(50):
        assert len(damaged(["a", "b", "c"], "delete", 0.95, random.Random(seed), fresh)) >= 1
    assert damaged([], "delete", 0.5, random.Random(0), fresh) == []


def test_swap_moves_the_chosen_share_and_keeps_every_word():
    moved = damaged(WORDS, "swap", 0.3, random.Random(0), fresh)
    assert sorted(moved) == sorted(WORDS)
    assert abs(sum(a != b for a, b in zip(moved, WORDS, strict=True)) / len(WORDS) - 0.3) < FOUR_ERRORS
    assert damaged(["a", "b"], "swap", 0.95, random.Random(0), fresh) == ["b", "a"]


def test_replace_and_add_put_fresh_words():
    replaced = damaged(WORDS, "replace", 0.3, random.Random(0), fresh)
    assert len(replaced) == len(WORDS) and abs(replaced.count("new") / len(WORDS) - 0.3) < FOUR_ERRORS
    added = damaged(WORDS, "add", 0.3, random.Random(0), fresh)
    assert [word for word in added if word != "new"] == WORDS
    assert abs(added.count("new") / len(WORDS) - 0.3) < FOUR_ERRORS


def test_a_replacement_is_a_word_of_the_corpus():
    augmentation = over_texts(Deletion, ["one two three", "four five"], DeletionConfig(noise="replace"))
    seen = {word for seed in range(60) for word in augmentation.views(0, random.Random(seed))[0].split()}
    assert seen == {"one", "two", "three", "four", "five"}


def test_masks_and_tokens_are_treated_after_tokenising_and_special_tokens_stay(vocabulary):
    tokens = [1, *range(10, 60), 2]
    masked = over_texts(Deletion, ["some text"], DeletionConfig(noise="mask", deletion_rate=0.4))
    assert masked.mask_is_needed and masked.views(0, random.Random(0)) == ("some text", "some text")
    read, whole = masked.on_tokens((tokens, tokens), vocabulary, random.Random(0))
    assert read.count(3) == 20 and whole == tokens and (read[0], read[-1]) == (1, 2)
    deleted = over_texts(Deletion, ["some text"], DeletionConfig(unit="token"))
    read, whole = deleted.on_tokens((tokens, tokens), vocabulary, random.Random(0))
    assert set(read) < set(tokens) and (read[0], read[-1]) == (1, 2) and whole == tokens and not deleted.mask_is_needed
    words = over_texts(Deletion, ["some text"])
    assert words.on_tokens((tokens, tokens), vocabulary, random.Random(0)) == (tokens, tokens)


def test_an_unknown_word_is_deleted_as_often_as_any_other(vocabulary):
    unknown, known = vocabulary.unknown, 50
    tokens = [1, *([unknown, known] * 10_000), 2]
    config = DeletionConfig(unit="token", deletion_rate=0.3)
    read, _ = over_texts(Deletion, ["x"], config).on_tokens(
        (tokens, tokens), replace(vocabulary, longest=30_000), random.Random(0)
    )
    for token in (unknown, known):
        assert abs(1 - read.count(token) / 10_000 - 0.3) < 4 * (0.3 * 0.7 / 10_000) ** 0.5


def test_added_tokens_never_exceed_what_is_read(vocabulary):
    tokens = [1, *([50] * 62), 2]
    config = DeletionConfig(noise="add", unit="token", deletion_rate=0.9)
    read, _ = over_texts(Deletion, ["x"], config).on_tokens((tokens, tokens), vocabulary, random.Random(0))
    assert len(read) <= vocabulary.longest


def test_a_single_item_stays_and_of_two_none_is_lost():
    assert damaged(["a"], "swap", 1.0, random.Random(0), fresh) == ["a"]
    for seed in range(60):
        assert sorted(damaged(["a", "b"], "swap", 0.5, random.Random(seed), fresh)) == ["a", "b"]
