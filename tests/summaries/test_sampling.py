"""Sampling: values by hand, transformers' own warpers as the other implementation, and each row's own randomness."""

import pytest
import torch
from transformers import NoRepeatNGramLogitsProcessor, TopKLogitsWarper, TopPLogitsWarper

from embedlab.summaries.generation import NoRepeatedGrams, drawn

SCORES = torch.tensor([[0.2, 0.5, 0.3]]).log()


def draw(number: float, *, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0) -> int:
    return drawn(SCORES, torch.tensor([number]), temperature=temperature, top_k=top_k, top_p=top_p).item()


def test_a_number_falls_into_the_share_of_its_token():
    assert [draw(n) for n in (0.0, 0.49, 0.51, 0.79, 0.81, 0.999)] == [1, 1, 2, 2, 0, 0]


def test_top_k_and_top_p_leave_the_likeliest():
    assert {draw(n / 100, top_k=1) for n in range(100)} == {1}
    assert [draw(n, top_k=2) for n in (0.62, 0.63)] == [1, 2]  # 0.5 and 0.3 become 0.625 and 0.375
    assert {draw(n / 100, top_p=0.5) for n in range(100)} == {1}
    assert {draw(n / 100, top_p=0.51) for n in range(100)} == {1, 2}


def test_temperature_sharpens_and_flattens():
    # at 0.5 the shares are squared: 0.25, 0.09, 0.04 of 0.38
    assert [draw(n, temperature=0.5) for n in (0.65, 0.66, 0.88, 0.90)] == [1, 2, 2, 0]


@pytest.mark.parametrize(("top_k", "top_p"), [(3, 0.95), (5, 0.6), (20, 0.9), (0, 0.8)])
def test_the_shares_are_those_of_transformers_warpers(top_k, top_p):
    scores = torch.randn(1, 20, generator=torch.Generator().manual_seed(0)) * 2
    warped = TopKLogitsWarper(top_k)(None, scores) if top_k else scores
    expected = TopPLogitsWarper(top_p)(None, warped).softmax(dim=1)[0]
    numbers = (torch.arange(20_000) + 0.5) / 20_000
    found = drawn(scores.expand(20_000, -1), numbers, temperature=1.0, top_k=top_k, top_p=top_p)
    shares = torch.bincount(found, minlength=20) / 20_000
    torch.testing.assert_close(shares, expected, atol=1e-4, rtol=0)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_repeated_grams_are_those_of_transformers(size):
    random = torch.Generator().manual_seed(size)
    begun = torch.randint(0, 4, (3, 12), generator=random)
    ours, theirs = NoRepeatedGrams(size, begun.tolist()), NoRepeatNGramLogitsProcessor(size)
    for _ in range(30):
        scores = torch.randn(3, 4, generator=random)
        torch.testing.assert_close(ours(begun, scores), theirs(begun, scores))
        begun = torch.cat([begun, torch.randint(0, 4, (3, 1), generator=random)], dim=1)


def test_a_text_shorter_than_a_gram_bans_nothing():
    scores = torch.zeros(1, 4)
    assert torch.equal(NoRepeatedGrams(5, [[1, 2]])(torch.tensor([[1, 2]]), scores), scores)
