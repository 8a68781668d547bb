"""A box whose lines change keeps what was chosen; a late click is taken for the choice whose line it was."""

from streamlit.testing.v1 import AppTest


def page() -> None:
    import streamlit as st

    from embedlab.ui.frame.pickers import choice_of, lasting_choice

    def take() -> None:
        st.session_state["chosen"] = choice_of("box") or st.session_state["chosen"]

    st.session_state.setdefault("chosen", "b")
    minutes = st.session_state["minutes"] = st.session_state.get("minutes", 0) + 1
    lines = {key: f"{key}, {minutes} min ago" for key in ("a", "b", "c")}
    lasting_choice("Box", lines, st.session_state["chosen"], key="box", on_change=take)


def clicked(line: str) -> str:
    """What is chosen after the page was drawn three times and a click brings this line."""
    at = AppTest.from_function(page).run()
    states = at._tree.get_widget_states()
    at.run().run()
    (box,) = states.widgets
    box.string_value = line
    at._run(widget_state=states)
    assert not at.exception and at.selectbox(key="box").value == at.session_state["chosen"]
    return at.session_state["chosen"]


def test_the_line_of_any_late_drawing_is_its_choice():
    assert [clicked(f"b, {minutes} min ago") for minutes in (1, 2, 3)] == ["b"] * 3
    assert clicked("c, 1 min ago") == clicked("c, 3 min ago") == "c"


def test_a_line_that_nobody_drew_changes_nothing():
    assert clicked("c, an hour ago") == "b"


def several() -> None:
    import streamlit as st

    from embedlab.ui.frame.state import optional_of, several_of

    offered = [each for each in "abc" if each not in st.session_state.get("gone", "")]
    some = several_of("Some", offered, key="some", first=["b"])
    least = several_of("Least", offered, key="least", first=["a"], at_least_one=True)
    one = optional_of("One", {"x": "The letter x"}, key="one", none="nothing")
    st.session_state["chosen"] = (some, least, one)


def test_a_choice_of_several_forgets_what_is_gone_and_one_of_them_never_stays_empty():
    at = AppTest.from_function(several).run()
    assert at.session_state["chosen"] == (["b"], ["a"], None)
    assert at.selectbox(key="one").options == ["nothing", "The letter x"]
    at.multiselect(key="some").set_value(["c", "a"])
    at.multiselect(key="least").set_value([]).run()
    assert at.session_state["chosen"][0] == ["c", "a"], "in the reader's order"
    at.session_state["gone"] = "c"
    at.run()
    assert not at.exception and at.session_state["chosen"][:2] == (["a"], ["a"])
