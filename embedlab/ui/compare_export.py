"""A table to take away: CSV with every digit, LaTeX and Markdown as it is shown."""

import streamlit as st

from embedlab.runs.tables import ENDINGS, FORMATS, Sheet

_FILES = {
    "csv": ("CSV", "text/csv", "Every digit; a name that would run as a formula gets an apostrophe in front."),
    "latex": ("LaTeX", "application/x-tex", "A booktabs table: the best bold, not separable underlined."),
    "markdown": ("Markdown", "text/markdown", "A pipe table: the best bold, not separable in italics."),
}


def export_button(sheet: Sheet, name: str, *, key: str) -> None:
    """One button that opens three; a file is made when its button is pressed."""
    with st.popover("Export the table"):
        for written, (label, mime, explained) in _FILES.items():
            st.download_button(
                f"Download {label}",
                lambda written=written: exported(sheet, written),
                file_name=f"{name}{ENDINGS[written]}",
                mime=mime,
                key=f"{key}.{written}",
                help=explained,
                on_click="ignore",
            )


def exported(sheet: Sheet, written: str) -> bytes:
    """The file; a CSV begins with the mark that tells spreadsheets that it is UTF-8."""
    return (("\ufeff" if written == "csv" else "") + FORMATS[written](sheet)).encode("utf-8", "replace")
