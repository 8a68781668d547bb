"""The height kept for a table is what a browser was measured to draw: 200 pixels for five lines, 296 enlarged."""

import pytest
import streamlit as st

from embedlab.ui.frame.layout import table_height
from embedlab.ui.frame.state import PROJECTOR


@pytest.fixture
def projector(monkeypatch):
    monkeypatch.setattr(st, "session_state", {PROJECTOR: True})


def test_as_high_as_five_lines_were_in_the_browser():
    assert table_height(5) == 200


def test_larger_letters_make_it_higher(projector):
    assert table_height(5) == 296


def test_a_long_table_is_scrolled_and_an_empty_one_has_a_line():
    assert table_height(10_000) == table_height(10) > table_height(9)
    assert table_height(30, most=6) == table_height(6)
    assert table_height(0) == table_height(1)
