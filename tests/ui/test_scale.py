"""Numbers as a continuous scale: steps in order, ends that a few far numbers do not stretch, ticks that are read."""

import numpy as np
import pytest
from drawn_maps import write_maps
from hypothesis import given
from hypothesis import strategies as st
from seen import sent

from embedlab.figures.colour_groups import NOWHERE, STEPS, scaled


def test_steps_are_equally_wide_and_ticks_are_round():
    members, names, bar = scaled(np.arange(0, 641.0), "n")
    assert members[[0, 9, 10, 639, 640]].tolist() == [0, 0, 1, 63, 63] and names[1] == "10 to 20"
    assert [text for _, text in bar.ticks] == ["0", "200", "400", "640"] and bar.title == "n"
    assert [place for place, _ in bar.ticks] == pytest.approx([0, 200 / 640, 400 / 640, 1])


def test_one_far_number_has_the_last_colour_and_the_bar_says_so():
    members, _, bar = scaled(np.array([*np.arange(1000.0), 1e9]), "n")
    assert members[-1] == STEPS - 1 and members[500] == pytest.approx(STEPS / 2, abs=1)
    assert bar.ticks[-1][1].startswith("≥ ") and float(bar.ticks[-1][1].removeprefix("≥ ")) < 1000
    assert not bar.ticks[0][1].startswith("≤")


def test_skewed_numbers_are_on_a_log_scale():
    numbers = np.round(np.random.default_rng(0).lognormal(2, 1.5, 5000))
    members, _, bar = scaled(numbers, "citations")
    assert bar.title == "citations (log scale)"
    assert 0.25 * STEPS < np.median(members) < 0.75 * STEPS
    assert "10" in [text for _, text in bar.ticks]


@given(st.lists(st.one_of(st.none(), st.floats(-1e9, 1e9)), min_size=2, max_size=60))
def test_every_number_has_a_step_and_steps_are_in_order(values):
    numbers = np.array([np.nan if value is None else value for value in values], float)
    known = numbers[np.isfinite(numbers)]
    if len(np.unique(known)) < 13:
        return  # such have a color each
    members, names, bar = scaled(numbers, "n")
    assert len(names) == STEPS and (members[~np.isfinite(numbers)] == NOWHERE).all()
    ranked = members[np.isfinite(numbers)][np.argsort(known, kind="stable")]
    assert (np.diff(ranked) >= 0).all() and ranked.min() >= 0 and ranked.max() < STEPS
    places = [place for place, _ in bar.ticks]
    assert places == sorted(places) and places[0] == 0 and places[-1] == 1


def test_length_colours_the_maps_by_a_bar_in_place_of_a_legend(open_page, made_run, toy_corpus):
    run = made_run()
    write_maps(run, toy_corpus)
    at = open_page("maps", run=run.id)
    assert [each["bar"] for each in sent(at) if "bar" in each] == [None, None]
    at.selectbox(key="maps.colour").set_value("length").run()
    bars = [each for each in sent(at) if "bar" in each]
    assert not at.exception and [each["bar"]["title"] for each in bars] == ["Characters"] * 2
    assert not any(each["legend"] for each in bars) and len(bars[0]["names"]) == STEPS
