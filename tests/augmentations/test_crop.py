"""Text crops, both constructions, against a slow reading of the authors' rule and by hand."""

import random

import pytest
from toy_corpora import over_texts

from embedlab.augmentations.crop import Crop, CropConfig, crops, drawn_crop, two_crops

A, B, C, D = ("a" * 120, "b" * 120, "c" * 120, "d" * 120)
SHORT = "x" * 20


def by_the_authors_rule(text: str, t: int, low: int, high: int) -> list[str]:
    """Walk from every valid piece, skip invalid ones, until t are found (details of the authors' data class)."""
    parts, found = text.split("."), []
    for start in range(len(parts)):
        if not low <= len(parts[start]) <= high:
            continue
        taken = [p for p in parts[start:] if low <= len(p) <= high][:t]
        if len(taken) == t:
            found.append("".join(p.strip() + ". " for p in taken))
    return found


def test_three_sentences_give_two_crops_of_two():
    assert crops(f"{A}. {B}. {C}.", CropConfig()) == [f"{A}. {B}. ", f"{B}. {C}. "]


def test_the_code_skips_an_unfit_sentence_and_the_paper_stops_at_it():
    text = f"{A}. {B}. {SHORT}. {C}. {D}."
    assert crops(text, CropConfig()) == [f"{A}. {B}. ", f"{B}. {C}. ", f"{C}. {D}. "]
    assert crops(text, CropConfig(construction="paper")) == [f"{A}. {B}. ", f"{C}. {D}. "]


def test_a_piece_is_counted_with_its_leading_blank():
    inside = "e" * 249
    assert crops(f"{A}. {inside}.", CropConfig(sentences=1)) == [f"{A}. ", f"{inside}. "]
    assert crops(f"{A}. {inside}e.", CropConfig(sentences=1)) == [f"{A}. "]  # blank + 250 characters are 251


@pytest.mark.parametrize("t", [1, 2, 3, 5])
def test_crops_equal_the_authors_rule_on_random_texts(t):
    rng = random.Random(t)
    for _ in range(50):
        text = ". ".join("w" * rng.choice([10, 90, 110, 200, 300]) for _ in range(rng.randint(0, 12)))
        assert crops(text, CropConfig(sentences=t)) == by_the_authors_rule(text, t, 100, 250)


def test_two_views_are_different_crops_and_a_single_crop_is_not_enough():
    text = f"{A}. {B}. {C}. {D}."
    augmentation = over_texts(Crop, [text, f"{A}. {B}."])
    for seed in range(20):
        anchor, positive = augmentation.views(0, random.Random(seed))
        assert anchor != positive and {anchor, positive} <= set(crops(text, CropConfig()))
    assert augmentation.views(1, random.Random(0)) is None and not augmentation.usable(1)


def test_two_crops_need_two_and_one_drawn_crop_too():
    settings = CropConfig(sentences=1)
    assert set(two_crops(f"{A}. {B}.", settings, random.Random(0))) == set(crops(f"{A}. {B}.", settings))
    assert (
        two_crops(f"{A}.", settings, random.Random(0)) is None
        and drawn_crop(f"{A}.", settings, random.Random(0)) is None
    )
    assert drawn_crop(f"{A}. {B}.", settings, random.Random(0)) in crops(f"{A}. {B}.", settings)
