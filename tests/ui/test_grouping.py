"""Columns as groups: years one by one, words by size."""

from datetime import date
from types import SimpleNamespace

import numpy as np
import pytest

from embedlab.figures.colour_groups import NOWHERE, OWN_GROUPS, as_numbers, grouped, grouped_numbers
from embedlab.ui.maps.colour_by import _by_column


def test_years_are_groups_of_their_own_in_order():
    found = grouped_numbers(as_numbers(["2021", "2019", None, 2020, date(2019, 5, 1)]))
    assert found.names == ["2019", "2020", "2021"]
    assert found.members.tolist() == [2, 0, NOWHERE, 1, 0]
    dates = as_numbers(["2021-03-04", "2019-05", "2021-01-01T10:00:00Z"])
    assert grouped_numbers(dates).names == ["2019", "2021"]


def test_one_word_among_numbers_makes_them_words():
    assert as_numbers(["1", "2", "two", "2"]) is None
    assert grouped(["1", "2", "two", "2"]).names == ["2", "1", "two"]


def test_rare_words_share_the_last_group():
    values = [f"v{number:03}" for number in range(80)] + ["v079"] * 3
    found = grouped(values)
    assert len(found.names) == OWN_GROUPS
    assert found.names[0] == "v079" and found.names[-1] == "31 other values"
    assert found.members[-1] == 0


@pytest.mark.parametrize(("different", "note"), [(50, ""), (51, "Of 51 different values, the 49 most frequent have a")])
def test_what_has_no_color_of_its_own_is_said(different, note):
    values = [f"value {number}" for number in range(different)]
    corpus = SimpleNamespace(column=lambda _: values, excluded=np.zeros(different, bool))
    found = _by_column.__wrapped__(corpus, "f", "place")
    assert found.note.startswith(note) and bool(found.note) == bool(note) and len(found.names) == 50
