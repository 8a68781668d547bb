"""Tokens that training reads of a view: the corpus's 95th percentile where an encoder reads far longer texts."""

import numpy as np
import pytest

from embedlab.training.view_length import automatic_length, evenly_spread, proposed_length


@pytest.mark.parametrize(
    ("longest", "length"),
    [
        (8192, 104),  # 1 to 100 tokens and three of 4,000: 98.85 at the 95th percentile, rounded up to a multiple of 8
        (513, 104),
        (512, None),  # what BERT and its kin read stays as it was
    ],
)
def test_the_proposal_is_the_95th_percentile(longest, length):
    counts = [*range(1, 101), 4000, 4000, 4000]
    assert proposed_length(counts, longest) == length
    assert np.mean(np.array(counts) <= 104) >= 0.95


def test_it_is_never_above_the_encoders_own_nor_tiny():
    assert proposed_length([5000] * 10, 1024) == 1024
    assert proposed_length([3] * 10, 1024) == 32
    assert proposed_length([], 1024) is None


def test_a_loaded_encoder_counts_its_own_tokens():
    class Words:
        layers, max_length = 2, 1000

        def tokenize(self, texts):
            return [text.split() for text in texts]

    texts = ["word " * (40 if row % 10 else 400) for row in range(5000)]
    assert automatic_length(Words(), texts) == 400 and len(evenly_spread(texts)) == 2000
    Words.layers = 0  # a table of token vectors reads any length as fast
    assert automatic_length(Words(), texts) is None
