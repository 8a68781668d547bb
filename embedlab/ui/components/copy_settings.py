"""Settings to take along: as a command to paste, and as a file for ``train --settings``; nothing until it is opened."""

import streamlit as st

from embedlab.report.settings_file import command_line, settings_file

FILE = "settings.json"


def copy_settings(settings: dict, *, key: str, name: str = "") -> None:
    """One button; behind it the command line and the file of these settings."""
    with st.popover("Copy these settings", key=f"{key}.copy", on_change="rerun") as opened:
        if opened.open:
            _both(settings, key=key, name=name)


def _both(settings: dict, *, key: str, name: str) -> None:
    st.caption("As a command; anything it leaves out has the recipe's default.")
    st.code(command_line(settings, name=name), language="bash", wrap_lines=True)
    written = settings_file(settings)
    line = f"As a settings file, for `python -m embedlab train --settings {FILE}`; other flags override it."
    st.caption(line)
    st.code(written, language="json", wrap_lines=True)
    st.download_button("Download the settings file", written, FILE, "application/json", key=f"{key}.copy-file",
                       on_click="ignore")  # fmt: skip
    st.caption("The corpus is named by its fingerprint in this store. On another computer, give its file instead.")
