"""The height kept for a table is what a browser was measured to draw: 200 pixels for five lines, 296 enlarged."""

from pathlib import Path

import pytest
import streamlit as st
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df
from streamlit.testing.v1 import AppTest

from embedlab.ui.frame.layout import table_height, with_signs
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


def changes_shown() -> None:
    import pyarrow as pa
    import streamlit as st

    from embedlab.ui.frame.layout import with_signs

    st.dataframe(with_signs(pa.table({"change": [0.0, -0.04, 1.25, None], "class": list("abcd")}),
                            {"change": (1, " points"), "not there": (0, "")}))  # fmt: skip


def test_a_change_of_zero_has_no_sign_and_the_cells_stay_numbers():
    sent = AppTest.from_function(changes_shown).run().dataframe[0]
    written = convert_arrow_bytes_to_pandas_df(sent.proto.arrow_data.styler.display_values)
    assert list(written["change"]) == ["0.0 points", "0.0 points", "+1.2 points", "–"]
    assert sent.value["change"].dtype == float


def test_no_table_leaves_signs_to_streamlit_which_writes_plus_zero():
    folders = (Path(with_signs.__code__.co_filename).parents[1], Path(__file__).parents[2] / "pages")
    assert not [path for folder in folders for path in folder.rglob("*.py") if 'format="%+' in path.read_text()]
