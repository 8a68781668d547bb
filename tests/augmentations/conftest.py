"""A small vocabulary: 100 tokens, of which 0 pads, 1 begins, 2 ends and 3 masks; 4 is the unknown word."""

import pytest

from embedlab.augmentations.base import Vocabulary


@pytest.fixture
def vocabulary() -> Vocabulary:
    return Vocabulary(special=frozenset({0, 1, 2, 3}), mask=3, size=100, longest=64, unknown=4)
