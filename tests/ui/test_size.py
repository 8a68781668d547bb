"""The projector's size: a switch that the address keeps, and what everything is multiplied by."""

import pytest
from streamlit.testing.v1 import AppTest


def page() -> None:
    import streamlit as st

    from embedlab.ui.frame.state import shown_size, size_switch, take_size

    take_size()
    size_switch()
    st.caption(f"{shown_size()}")


def test_the_switch_enlarges_and_stands_in_the_address():
    at = AppTest.from_function(page).run()
    assert at.caption[0].value == "1.0" and "size" not in at.query_params
    at.toggle[0].set_value(True).run()
    assert not at.exception and at.caption[0].value == "1.5" and at.query_params["size"] == "projector"
    at.toggle[0].set_value(False).run()
    assert at.caption[0].value == "1.0" and "size" not in at.query_params


def test_the_address_asks_for_it():
    at = AppTest.from_function(page)
    at.query_params["size"] = "projector"
    assert at.run().toggle[0].value is True and at.caption[0].value == "1.5"


def test_its_letters_are_those_of_the_theme():
    import tomllib
    from pathlib import Path

    from embedlab.ui.frame import state as switches

    config = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["theme"]["baseFontSize"] == switches.LETTERS


@pytest.mark.parametrize(("is_dark", "scheme"), [(True, "dark"), (False, "light")])
def test_the_color_scheme_holds_in_popovers_too(monkeypatch, is_dark, scheme):
    monkeypatch.setattr("embedlab.ui.frame.state.is_dark", lambda: is_dark)
    style = AppTest.from_function(page).run().get("html")[0].proto.body
    assert f":root {{ --embedlab-size: 1.0; color-scheme: {scheme}; }}" in style
