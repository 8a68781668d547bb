"""The strip: steps a reader would choose, what is sent, and what a brush means."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from embedlab.figures.colour_groups import NO_BIN, STEPS_AT_MOST, steps_of
from embedlab.ui.components import strip_view
from embedlab.ui.components.strip_view import _state


def test_whole_numbers_get_whole_steps():
    steps = steps_of(np.array([0, 1, 1, 3, np.nan]))
    assert steps.edges.tolist() == [0, 1, 2, 3, 4]
    assert steps.of.tolist() == [0, 1, 1, 3, NO_BIN]
    assert steps.counts.tolist() == [1, 2, 0, 1]


def test_a_long_tail_ends_in_an_open_step():
    steps = steps_of(np.array([*range(1000), 100_000.0]))
    assert steps.is_open and steps.edges[-1] < 1100
    assert steps.of[-1] == len(steps.edges) - 2


@pytest.mark.parametrize("values", [[], [np.nan], [5.0], [5.0, 5.0], [-0.5, 0.25]])
def test_few_values_still_have_a_step(values):
    steps = steps_of(np.array(values))
    assert len(steps.edges) >= 2 and steps.counts.sum() == np.isfinite(values).sum()


@given(st.lists(st.floats(-1e9, 1e9).map(lambda value: round(value, 3)), min_size=1, max_size=60))
def test_every_value_lies_in_its_step(values):
    steps = steps_of(np.array(values))
    assert len(steps.edges) - 1 <= STEPS_AT_MOST + 1
    width = steps.edges[1] - steps.edges[0]
    last = len(steps.edges) - 2
    for value, step in zip(values, steps.of, strict=True):
        slack = 1e-9 * max(abs(value), width)
        assert steps.edges[step] - slack <= value
        assert value < steps.edges[step + 1] + slack or (steps.is_open and step == last)


def sent(values: np.ndarray) -> tuple[dict, object]:
    """The part of what the browser gets that a brush is read with."""
    steps = steps_of(values)
    return dict(kind="histogram", bins="x", counts=steps.counts.tolist(), names=[]), steps


def test_a_brush_names_its_range_and_its_rows():
    data, steps = sent(np.array([0, 1, 1, 3, np.nan]))
    found = _state(dict(of="x", bins=[1, 2]), data, steps)
    assert found.words == "1 to below 3"
    assert found.inside.tolist() == [False, True, True, False, False]
    assert _state(dict(of="other", bins=[1]), data, steps).inside is None
    assert _state(dict(of="x", bins=[]), data, steps).inside is None
    assert _state(dict(of="x", bins=[99, -1]), data, steps).inside is None


def test_an_open_step_has_no_upper_end():
    data, steps = sent(np.array([*range(1000), 100_000.0]))
    found = _state(dict(of="x", bins=[len(steps.edges) - 2]), data, steps)
    assert found.words.endswith(" and more") and found.inside[-1]


def test_one_of_values_and_categories():
    with pytest.raises(ValueError, match="either values or categories"):
        strip_view.strip_view(key="a", group="", title="")


def test_a_page_reads_the_bars_that_were_clicked():
    def page():
        import numpy as np
        import streamlit as st

        from embedlab.ui.components.strip_view import strip_view

        state = strip_view(
            key="bars", categories=np.array([0, 1, 1, 65535]), names=["a", "b"], group="maps", title="Class"
        )
        st.text(f"{state.words} {None if state.inside is None else state.inside.tolist()}")

    at = AppTest.from_function(page).run()
    assert not at.exception and at.text[0].value.strip() == "None"
    steps = strip_view._as_steps(np.array([0, 1, 1, 65535]), 2)
    at.session_state["bars"] = {"brushed": {"of": strip_view.offer(steps.of), "bins": [1]}}
    assert at.run().text[0].value == "b [False, True, True, False]"


@pytest.mark.parametrize(("classes", "without"), [(3, "no value"), (300, "a rarer value or none")])
def test_texts_beyond_the_bars_are_not_called_without_a_value(classes, without):
    def page(classes):
        import numpy as np

        from embedlab.ui.components.strip_view import strip_view

        names = [f"class {number}" for number in range(classes)]
        strip_view(key="bars", categories=np.arange(classes), names=names, group="maps", title="Class")

    at = AppTest.from_function(page, args=(classes,)).run()
    sent = json.loads(at.get("bidi_component")[0].proto.json)
    assert not at.exception and sent["without"] == without and sent["missing"] == max(classes - NO_BIN, 0)


def test_no_script_can_turn_a_text_into_markup():
    source = "".join(path.read_text(encoding="utf-8") for path in strip_view._BROWSER.glob("*.js"))
    assert not any(door in source for door in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"))
