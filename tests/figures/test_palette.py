"""Colours: known contrasts, readable on both grounds, clear of the reserved hues, the same in every run."""

import tomllib
from pathlib import Path

import pytest
from colour_vision import VISIONS, lab, least_difference

from embedlab import palette
from embedlab.palette import (
    GROUND,
    categorical,
    class_colours,
    contrast,
    distance,
    from_oklch,
    is_free,
    oklch,
    text_shade,
)

CONFIG = Path(__file__).parents[2] / ".streamlit" / "config.toml"
GROUNDS = ["light", "dark"]


def test_contrast_of_black_on_white_is_21_and_of_equal_colours_1():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#1f5fd0", "#1f5fd0") == 1


def test_contrast_is_symmetric():
    assert contrast("#336699", "#ffeecc") == contrast("#ffeecc", "#336699")


def test_black_and_white_are_one_apart():
    assert distance("#000000", "#ffffff") == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("colour", ["#0072b2", "#d55e00", "#cc79a7", "#12ab9f"])
def test_a_colour_survives_the_way_through_oklch(colour):
    assert from_oklch(*oklch(colour)) == colour


@pytest.mark.parametrize("ground", GROUNDS)
def test_class_colours_can_be_seen_as_points(ground):
    assert min(contrast(shades[ground], GROUND[ground]) for shades in categorical(256)) >= 3


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("name", ["INK", "QUIET_INK", "ACCENT", "UNTOUCHED", "REFERENCE", "FAILURE"])
def test_named_colours_can_be_read_as_text(name, ground):
    assert contrast(getattr(palette, name)[ground], GROUND[ground]) >= 4.5


@pytest.mark.parametrize("dark", [False, True])
def test_class_colours_can_be_written_in(dark):
    assert (
        min(contrast(text_shade(shades, dark), GROUND["dark" if dark else "light"]) for shades in categorical(60))
        >= 4.5
    )


def test_reserved_colours_black_and_grey_are_no_class_colours():
    reserved = [palette.REFERENCE, palette.FAILURE, palette.UNTOUCHED]
    assert not any(is_free(shades[ground]) for shades in reserved for ground in GROUNDS)
    assert not is_free("#000000")
    assert all(is_free(shades[ground]) for shades in categorical(256) for ground in GROUNDS)


def test_hues_of_okabe_and_ito_come_first():
    for ground in GROUNDS:
        for shades, wanted in zip(categorical(4), ["#0072b2", "#d55e00", "#009e73", "#cc79a7"], strict=True):
            away = (oklch(shades[ground])[2] - oklch(wanted)[2] + 180) % 360 - 180
            assert abs(away) <= 12, (ground, shades, wanted)


def test_black_and_white_are_a_hundred_apart_and_red_and_green_alike_to_who_sees_no_green():
    assert least_difference(["#000000", "#ffffff"]) == pytest.approx(100, abs=0.01)
    assert lab("#808080", "deuteranopia") == pytest.approx(lab("#808080"), abs=0.1)  # grey stays grey
    pair = ["#b08000", "#78a000"]
    assert least_difference(pair, "deuteranopia") < least_difference(pair) / 2


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("vision", VISIONS)
def test_the_first_ten_classes_are_told_apart_by_every_eye(vision, ground):
    assert least_difference([shades[ground] for shades in categorical(10)], vision) >= 25


def test_the_first_fifty_classes_look_different():
    for ground in GROUNDS:
        colours = [shades[ground] for shades in categorical(50)]
        assert min(distance(a, b) for i, a in enumerate(colours) for b in colours[:i]) >= 0.05


def test_a_class_keeps_its_colour_when_smaller_ones_follow():
    few, many = class_colours(["a", "b"]), class_colours(["a", "b", *map(str, range(400))])
    assert few["b"] == many["b"]
    assert len(many) == 402


def test_the_theme_uses_the_palette():
    theme = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"]
    for ground in GROUNDS:
        assert theme[ground]["backgroundColor"] == GROUND[ground]
        assert theme[ground]["textColor"] == palette.INK[ground]
        assert theme[ground]["primaryColor"] == palette.ACCENT[ground]
        assert theme[ground]["chartCategoricalColors"] == [shades[ground] for shades in categorical(10)]


def test_the_server_listens_here_only_and_tells_nobody():
    config = tomllib.loads(CONFIG.read_text(encoding="utf-8"))
    assert config["server"]["address"] == "127.0.0.1"
    assert config["server"]["enableCORS"] and config["server"]["enableXsrfProtection"]
    assert config["server"]["showEmailPrompt"] is False
    assert config["browser"]["gatherUsageStats"] is False


def test_what_stands_beside_the_accent_is_of_another_hue():
    for shades in palette.beside_accent(8):
        for ground in ("light", "dark"):
            turn = palette.oklch(shades[ground])[2] - palette.oklch(palette.ACCENT[ground])[2]
            assert abs((turn + 180) % 360 - 180) > 45
    assert len({each["light"] for each in palette.beside_accent(8)}) == 8
