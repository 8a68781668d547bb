"""Masking hides exactly the share it is told, never a special token, and identity shows the same string twice."""

import random

from embedlab.augmentations.crop import CropConfig, crops
from embedlab.augmentations.identity import Identity, IdentityConfig
from embedlab.augmentations.masking import Masking, MaskingConfig, masked

TEXT = ". ".join(letter * 120 for letter in "abcd")


def test_three_of_ten_tokens_are_masked_and_special_ones_stay():
    tokens = [101, *range(1000, 1010), 102]
    found = masked(tokens, 0.3, special={101, 102}, mask_token=103, rng=random.Random(0))
    assert found.count(103) == 3 and found[0] == 101 and found[-1] == 102
    assert all(a == b for a, b in zip(tokens, found, strict=True) if b != 103)


def test_masking_hides_different_tokens_in_the_two_views():
    augmentation, tokens, rng = Masking(MaskingConfig(masking_rate=0.5)), list(range(1000, 1100)), random.Random(0)
    first, second = (augmentation.mask(tokens, special=set(), mask_token=103, rng=rng) for _ in range(2))
    assert first != second and first.count(103) == second.count(103) == 50


def test_identity_shows_one_crop_twice_or_the_whole_text():
    anchor, positive = Identity().views(TEXT, random.Random(0))
    assert anchor == positive and anchor in crops(TEXT, CropConfig())
    assert Identity(IdentityConfig(unit="text")).views(TEXT, random.Random(0)) == (TEXT, TEXT)
    assert Identity().views("a" * 120, random.Random(0)) is None
