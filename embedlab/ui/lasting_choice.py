"""A box whose lines change with the time (``5 min ago``): what is chosen is told by its key, never by its line.

A browser sends the chosen line, and Streamlit forgets a choice whose line it does not know: a click from a page that
shows an earlier drawing would pick the first one. So the choice itself stands elsewhere in the session.
"""

import streamlit as st

REMEMBERED = 3  # drawings that a click may come from


def lasting_choice(label: str, lines: dict[str, str], chosen: str, *, key: str, on_change, **more) -> None:
    """``lines``: what each choice is called now. ``on_change`` asks ``choice_of(key)`` and keeps that."""
    drawn = [*st.session_state.get(_drawn(key), []), {line: choice for choice, line in lines.items()}]
    st.session_state[_drawn(key)] = drawn[-REMEMBERED:]
    st.session_state[key] = chosen
    called = {"format_func": lambda choice: lines.get(choice, choice)}  # a line of an earlier drawing stays that line
    st.selectbox(label, list(lines), key=key, on_change=on_change, **called, **more)


def choice_of(key: str) -> str | None:
    """What the box of this key says, also where it said so in an earlier drawing; None of a line nobody drew."""
    said = st.session_state[key]
    known = {line: choice for lines in st.session_state[_drawn(key)] for line, choice in lines.items()}
    chosen = known.get(said, said)
    return chosen if chosen in known.values() else None


def _drawn(key: str) -> str:
    return f"{key}.lines"
