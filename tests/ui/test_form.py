"""A form from any schema: each type by its own widget, empty where optional, wrong values said and not taken."""

from typing import Literal

from pydantic import Field
from streamlit.testing.v1 import AppTest

from embedlab.config import Config


class Example(Config):
    """One field of each type."""

    whole: int = Field(2, ge=1, le=9, description="A whole number.")
    small: float = Field(2e-5, gt=0, le=1, description="A number over decades.")
    switch: bool = Field(True, description="On or off.")
    choice: Literal["one", "two"] = Field("one", description="One of two.")
    word: str | None = Field(None, description="Perhaps a word.")
    perhaps: int | None = Field(None, ge=1, description="Perhaps a number.")


def drawn(values: dict | None = None) -> AppTest:
    """A page that is nothing but the form."""

    def page(schema, values):
        import streamlit as st

        from embedlab.ui.components.form import config_form

        filled = config_form(schema, key="f", values=values)
        st.session_state["found"], st.session_state["wrong"] = filled.values, filled.wrong
        st.session_state["changed"] = filled.changed

    return AppTest.from_function(page, args=(Example.model_json_schema(), values or {})).run()


def test_untouched_it_gives_the_defaults_and_nothing_changed():
    at = drawn()
    assert not at.exception
    assert Example.model_validate(at.session_state["found"]) == Example()
    assert at.session_state["changed"] == {}


def test_it_starts_from_a_recipes_own_values():
    at = drawn({"whole": 7, "choice": "two"})
    assert at.number_input(key="f.whole").value == 7
    assert at.session_state["found"]["choice"] == "two"
    assert at.session_state["changed"] == {}


def test_each_type_is_read_back():
    at = drawn()
    at.number_input(key="f.whole").set_value(5)
    at.text_input(key="f.small").set_value("1e-3")
    at.toggle(key="f.switch").set_value(False)
    at.selectbox(key="f.choice").set_value("two")
    at.text_input(key="f.word").set_value(" mean ")
    at.number_input(key="f.perhaps").set_value(3)
    at.run()
    expected = {"whole": 5, "small": 1e-3, "switch": False, "choice": "two", "word": "mean", "perhaps": 3}
    assert at.session_state["changed"] == expected  # False is a value


def test_a_wrong_number_is_named_so_that_what_the_form_starts_can_wait():
    for typed, said in (("x", "is not a number"), ("2", "is out of range"), ("0", "is out of range"), ("", "empty")):
        at = drawn()
        at.text_input(key="f.small").set_value(typed).run()
        assert said in at.error[0].value
        assert at.session_state["wrong"] == ("Small",)
        for right in ("0.5", "1"):
            at.text_input(key="f.small").set_value(right).run()
            assert at.session_state["wrong"] == () and at.session_state["found"]["small"] == float(right)


def test_every_field_has_its_sentence_as_help():
    at = drawn()
    assert at.number_input(key="f.whole").help == "A whole number."
    assert at.text_input(key="f.small").help == "A number over decades."


def test_a_form_is_filled_with_what_another_one_held():
    def page(schema, held):
        import streamlit as st

        from embedlab.ui.components.form import config_form, fill_form

        st.button("Fill", on_click=fill_form, args=(schema,), kwargs={"key": "f", "values": held})
        st.session_state["found"] = config_form(schema, key="f").values

    held = {"whole": 5, "small": 1e-3, "switch": False, "choice": "two", "word": None, "perhaps": 3}
    at = AppTest.from_function(page, args=(Example.model_json_schema(), held)).run()
    assert at.session_state["found"] != held
    at.button[0].click().run()
    assert not at.exception and at.session_state["found"] == held
