"""How the memory of a longer run is read from a few timed steps: it grows with the logarithm of the steps."""

import math

import pytest

from embedlab.tasks.fine_tune.estimate import growth

GROWS = [(1, 900), *((step, round(1000 + 100 * math.log2(step))) for step in range(2, 17))]  # 100 with each doubling


def test_as_many_doublings_as_are_still_to_come():
    assert growth(GROWS, 64) == pytest.approx(200, abs=1)
    assert growth(GROWS, 512) == pytest.approx(500, abs=1)
    assert growth(GROWS, 10**6) == growth(GROWS, 1000)  # every shape was met by then


def test_nothing_is_added_where_nothing_grew_or_too_little_was_seen():
    assert growth([(step, 1000) for step in range(1, 20)], 500) == 0
    assert growth([(step, 1000 - step) for step in range(1, 20)], 500) == 0
    assert growth(GROWS[:3], 500) == 0 and growth([], 500) == 0
    assert growth(GROWS, 16) == 0
