"""Pooling by hand: one text of three tokens, the last of them padding."""

import pytest
import torch

from embedlab.encoders.pooling import BY_COUNT, POOLINGS, checked_pooling, pool, token_position
from embedlab.errors import SettingsError

HIDDEN = torch.tensor([[[1.0, -4.0], [3.0, -2.0], [100.0, 100.0]]])  # (1, 3, 2)
MASK = torch.tensor([[1, 1, 0]])


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ("mean", [2.0, -3.0]),
        ("cls", [1.0, -4.0]),
        ("last", [3.0, -2.0]),
        ("max", [3.0, -2.0]),
        ("token-0", [1.0, -4.0]),
        ("token-1", [3.0, -2.0]),
        ("token-7", [3.0, -2.0]),  # the text is shorter: its last real token
    ],
)
def test_pooling_by_hand(pooling, expected):
    assert pool(HIDDEN, MASK, pooling).tolist() == [expected]


@pytest.mark.parametrize("pooling", sorted({*POOLINGS} - {*BY_COUNT}))
def test_padding_changes_nothing(pooling):
    hidden = torch.randn(4, 9, 3, generator=torch.Generator().manual_seed(0))
    padded = torch.cat([hidden, torch.full((4, 5, 3), 7.0)], dim=1)
    mask = torch.ones(4, 9, dtype=torch.int64)
    padded_mask = torch.cat([mask, torch.zeros(4, 5, dtype=torch.int64)], dim=1)
    torch.testing.assert_close(pool(padded, padded_mask, pooling), pool(hidden, mask, pooling))


def test_the_seventh_token_is_counted_from_zero():
    hidden = torch.arange(10.0).reshape(1, 10, 1)
    assert pool(hidden, torch.ones(1, 10, dtype=torch.int64), "token-7").item() == 7


def test_mean_of_bf16_is_summed_in_float32():
    hidden = torch.full((1, 1000, 1), 1.01, dtype=torch.bfloat16)
    assert pool(hidden, torch.ones(1, 1000, dtype=torch.int64), "mean").item() == hidden[0, 0, 0].item()


def test_a_text_without_tokens_has_a_finite_mean():
    assert pool(HIDDEN, torch.zeros(1, 3, dtype=torch.int64), "mean").tolist() == [[0.0, 0.0]]


def test_names_of_the_paper_are_understood_and_others_listed():
    assert (checked_pooling("sep"), checked_pooling("average"), checked_pooling("token-12")) == (
        "last",
        "mean",
        "token-12",
    )
    assert token_position("token-12") == 12
    with pytest.raises(SettingsError, match="mean, cls, last"):
        checked_pooling("average-ish")
