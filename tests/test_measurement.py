"""One value by distance: what is written in a row is read again, and anything else is said as one sentence."""

import pytest
from builders import shares

from embedlab.distance import DISTANCES
from embedlab.errors import RunError
from embedlab.measurement import ByDistance, as_row, from_row


def test_a_share_stands_under_each_distance_with_its_error_and_its_texts():
    found = shares(0.36, 0.5, n=100)
    assert as_row(found) == {
        "euclidean": {"value": 0.36, "error": pytest.approx(0.048), "n": 100},  # √(.36·.64/100)
        "cosine": {"value": 0.5, "error": pytest.approx(0.05), "n": 100},
    }
    assert from_row(as_row(found)) == found and from_row(as_row(None)) is None
    assert [found.by(each).value for each in DISTANCES] == [0.5, 0.36]
    assert ByDistance.of(str.upper) == ByDistance("EUCLIDEAN", "COSINE")


@pytest.mark.parametrize("kept", [
    {"euclidean": {"value": 0.1}}, {"euclidean": {"value": 0.1}, "cosine": {"value": float("nan")}}, 0.4,
    {"euclidean": {"value": 0.1}, "cosine": {"value": 0.2}, "manhattan": {"value": 0.3}},
], ids=["one alone", "no number", "a bare value", "a third one"])  # fmt: skip
def test_what_is_not_by_both_distances_is_one_sentence(kept):
    with pytest.raises(RunError, match="A value for Euclidean distance and one for cosine are needed"):
        from_row(kept)
