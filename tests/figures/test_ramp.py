"""Ordered colours: seen on both grounds, going one way, clear of the reserved hues."""

import pytest

from embedlab.palette import GROUND, contrast, is_free, oklch, ramp


@pytest.mark.parametrize("ground", ["light", "dark"])
def test_every_colour_can_be_seen_and_is_free(ground):
    colours = [shades[ground] for shades in ramp(12)]
    assert all(contrast(colour, GROUND[ground]) >= 3 for colour in colours)
    assert all(is_free(colour) for colour in colours)
    lightness = [oklch(colour)[0] for colour in colours]
    assert lightness == sorted(lightness, reverse=True)


def test_one_group_has_a_colour_too():
    assert len(ramp(1)) == 1
