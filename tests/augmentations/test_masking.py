"""Masking hides exactly the share it is told, never a special token, and identity shows the same string twice."""

import random

from toy_corpora import over_texts

from embedlab.augmentations.base import IGNORED
from embedlab.augmentations.crop import CropConfig, Identity, IdentityConfig, crops
from embedlab.augmentations.masking import Masking, MaskingConfig, MLMMasking, MLMMaskingConfig, masked

TEXT = ". ".join(letter * 120 for letter in "abcd")


def test_three_of_ten_tokens_are_masked_and_special_ones_stay(vocabulary):
    tokens = [1, *range(10, 20), 2]
    found = masked(tokens, 0.3, vocabulary, random.Random(0))
    assert found.count(3) == 3 and found[0] == 1 and found[-1] == 2
    assert all(a == b for a, b in zip(tokens, found, strict=True) if b != 3)


def test_masking_hides_different_tokens_in_the_two_views(vocabulary):
    augmentation, tokens = over_texts(Masking, [TEXT], MaskingConfig(masking_rate=0.5)), list(range(10, 90))
    first, second = augmentation.on_tokens((tokens, tokens), vocabulary, random.Random(0))
    assert first != second and first.count(3) == second.count(3) == 40


def test_a_whole_text_masked_twice_needs_no_second_crop():
    short = "One sentence only"
    augmentation = over_texts(Masking, [short], MaskingConfig(unit="text"))
    assert augmentation.views(0, random.Random(0)) == (short, short)
    assert over_texts(Masking, [short]).views(0, random.Random(0)) is None
    assert Masking.needs_of(MaskingConfig(unit="text", masking_rate=0)) == {"dropout"}, "nothing hidden: the same twice"
    assert not Masking.needs_of(MaskingConfig(unit="text"))


def test_identity_shows_one_crop_twice_or_the_whole_text():
    anchor, positive = over_texts(Identity, [TEXT]).views(0, random.Random(0))
    assert anchor == positive and anchor in crops(TEXT, CropConfig())
    whole = over_texts(Identity, [TEXT, " "], IdentityConfig(unit="text"))
    assert whole.views(0, random.Random(0)) == (TEXT, TEXT) and whole.views(1, random.Random(0)) is None
    assert over_texts(Identity, ["a" * 120]).views(0, random.Random(0)) is None


def test_of_the_chosen_tokens_eight_in_ten_are_hidden_one_is_another_and_one_stays(vocabulary):
    augmentation, tokens = over_texts(MLMMasking, ["x"]), [1, *([50] * 40_000), 2]
    read, guessed = augmentation.on_tokens((tokens, tokens), vocabulary, random.Random(0))
    chosen = [place for place, token in enumerate(guessed) if token != IGNORED]
    assert abs(len(chosen) / 40_000 - 0.15) < 0.007  # four standard errors
    assert all(guessed[place] == 50 for place in chosen) and guessed[0] == guessed[-1] == IGNORED
    hidden = sum(read[place] == 3 for place in chosen) / len(chosen)
    another = sum(read[place] not in (3, 50) for place in chosen) / len(chosen)
    assert abs(hidden - 0.8) < 0.021 and abs(another - 0.1) < 0.016
    assert all(read[place] == tokens[place] for place in range(len(tokens)) if guessed[place] == IGNORED)


def test_an_unknown_word_is_hidden_as_any_other(vocabulary):
    assert masked([1, *([vocabulary.unknown] * 10), 2], 0.5, vocabulary, random.Random(0)).count(3) == 5
    tokens = [1, *([vocabulary.unknown] * 10_000), 2]
    _, guessed = over_texts(MLMMasking, ["x"]).on_tokens((tokens, tokens), vocabulary, random.Random(0))
    assert abs(guessed.count(vocabulary.unknown) / 10_000 - 0.15) < 0.015  # four standard errors


def test_another_token_is_never_a_special_one(vocabulary):
    config = MLMMaskingConfig(masking_rate=0.9, masked_share=0.0, random_share=0.5)
    read, _ = over_texts(MLMMasking, ["x"], config).on_tokens(([50] * 5000,) * 2, vocabulary, random.Random(1))
    assert not set(read) & {*vocabulary.special, vocabulary.unknown} and len(set(read)) > 50
