"""A list into which something else may be typed: a part of an option's name takes that option."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from embedlab.ui.frame.layout import escaped
from embedlab.ui.frame.state import hold

Typed = Callable[[str], bool]  # whether a typed text stands for itself and is not a part of an option's name


def matching_option(typed: str, names: Mapping[str, str], is_new: Typed) -> str | None:
    """Return the option that a typed text means; None if it is in no option's name.

    A key, a whole name and whatever ``is_new`` accepts come before a part of a name. Several options may have that
    part: the first one is taken, which is also the first that the list shows below the typed text.
    """
    typed = typed.strip()
    if not typed or typed in names:
        return typed or None
    part = typed.casefold()
    for option, name in names.items():
        if part in (option.casefold(), name.casefold()):
            return option
    if is_new(typed):
        return typed
    in_names = (option for option, name in names.items() if part in name.casefold())
    in_keys = (option for option in names if part in option.casefold())
    return next(in_names, next(in_keys, None))


def one_or_typed(label: str, names: Mapping[str, str], *, key: str, is_new: Typed, **more: Any) -> str | None:
    """Draw a list of one choice; what is typed and means nothing leaves the choice as it was, with a sentence."""
    hold(key)
    before = f"{key}.before"

    def take_typed() -> None:
        typed = st.session_state[key]
        if typed is None:
            return
        option = matching_option(typed, names, is_new)
        st.session_state[key] = st.session_state.get(before) if option is None else option
        st.session_state[_unmatched(key)] = [typed] if option is None else []

    chosen = st.selectbox(
        label, list(names), key=key, format_func=lambda option: names.get(option, option), on_change=take_typed,
        accept_new_options=True, filter_mode="contains", **more,
    )  # fmt: skip
    st.session_state[before] = chosen
    return chosen


def several_or_typed(
    label: str, names: Mapping[str, str], first: list[str], *, key: str, is_new: Typed, **more: Any
) -> list[str]:
    """Draw a list of several choices; what is typed and means nothing is left out, with a sentence."""

    def take_typed() -> None:
        typed = st.session_state[key]
        options = {each: matching_option(each, names, is_new) for each in typed}
        st.session_state[key] = list(dict.fromkeys(option for option in options.values() if option is not None))
        st.session_state[_unmatched(key)] = [each for each, option in options.items() if option is None]

    return st.multiselect(
        label, list(names), first, key=key, format_func=lambda option: names.get(option, option), on_change=take_typed,
        accept_new_options=True, filter_mode="contains", **more,
    )  # fmt: skip


def say_unmatched(key: str, advice: str) -> None:
    """Say once what was typed into the list with this key and is in no name; ``advice``: what can be typed."""
    for typed in st.session_state.pop(_unmatched(key), []):
        st.warning(escaped(f"No name in the list has “{typed[:60]}” in it. {advice}", 300))


def _unmatched(key: str) -> str:
    return f"{key}.unmatched"
