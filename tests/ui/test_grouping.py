"""Columns as groups: years one by one, numbers in readable ranges, words by size."""

from datetime import date

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from embedlab.ui.maps.grouping import NOWHERE, OWN_GROUPS, grouped


def test_years_are_groups_of_their_own_in_order():
    found = grouped(["2021", "2019", None, 2020, date(2019, 5, 1)])
    assert found.names == ["2019", "2020", "2021"]
    assert found.members.tolist() == [2, 0, NOWHERE, 1, 0]
    assert found.ordered
    assert grouped(["2021-03-04", "2019-05", "2021-01-01T10:00:00Z"]).names == ["2019", "2021"]


def test_numbers_fall_into_readable_ranges():
    found = grouped(list(range(1000)))
    assert found.names == ["under 200", "200 to 400", "400 to 600", "600 to 800", "800 and more"]
    assert [found.members[number] for number in (0, 199, 200, 999)] == [0, 0, 1, 4]


def test_crowded_numbers_are_shared_out():
    numbers = [*range(1, 100), 1_000_000]
    found = grouped(numbers)
    sizes = np.bincount(found.members)
    assert len(sizes) > 4 and sizes.max() < 30


def test_one_word_among_numbers_makes_them_words():
    found = grouped(["1", "2", "two", "2"])
    assert found.names == ["2", "1", "two"] and not found.ordered


def test_rare_words_share_the_last_group():
    values = [f"v{number:03}" for number in range(80)] + ["v079"] * 3
    found = grouped(values)
    assert len(found.names) == OWN_GROUPS
    assert found.names[0] == "v079" and found.names[-1] == "31 other values"
    assert found.members[-1] == 0


@given(st.lists(st.one_of(st.none(), st.integers(-(10**6), 10**6), st.floats(-1e9, 1e9)), min_size=1, max_size=60))
def test_every_number_has_a_group_and_groups_are_in_order(values):
    found = grouped(values)
    known = [(value, member) for value, member in zip(values, found.members, strict=True) if value is not None]
    assert all(0 <= member < len(found.names) for _, member in known)
    assert all((member == NOWHERE) == (value is None) for value, member in zip(values, found.members, strict=True))
    ranked = [member for _, member in sorted(known, key=lambda pair: pair[0])]
    assert ranked == sorted(ranked)
