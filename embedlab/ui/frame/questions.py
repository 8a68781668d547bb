"""A question to the resident encoder process: asked once, and waited for without holding the page."""

import time

import streamlit as st

from embedlab.jobs.questions import answer, ask
from embedlab.ui.frame.page import show_error

FIRST_WAIT_SECONDS = 0.3  # a warm process answers within it
PATIENCE_SECONDS = 90
WAITING = "Embedding with both encoders. The first answer takes a few seconds, because they are loaded first."


def answered(question: dict, *, key: str, waiting: str = WAITING) -> dict | None:
    """The answer, kept while the question stays the same; None while it is on its way, and the page says so."""
    asked = st.session_state.get(key)
    if asked is None or asked["question"] != question:
        asked = {"question": question, "number": ask(question), "since": time.monotonic(), "answer": None}
        st.session_state[key] = asked
        asked["answer"] = answer(asked["number"], wait_seconds=FIRST_WAIT_SECONDS)
    found = asked["answer"]
    if found is None:
        st.fragment(_wait, run_every=0.5, key=f"{key}-wait")(key, waiting)
        return None
    if "error" in found:
        show_error(found["error"]["message"])
        return None
    return found


def ask_again(key: str) -> None:
    """Forget the answer; for callbacks, and where what it named is gone."""
    st.session_state.pop(key, None)


def _wait(key: str, waiting: str) -> None:
    asked = st.session_state.get(key)
    if asked is None:
        return
    asked["answer"] = asked["answer"] or answer(asked["number"])
    if asked["answer"] is not None:
        st.rerun()
    if time.monotonic() - asked["since"] < PATIENCE_SECONDS:
        st.caption(waiting)
        return
    st.warning("There is no answer yet. The computer may be busy, or the answering process has ended.")
    st.button("Ask again", key=f"{key}-again", on_click=ask_again, args=(key,))
