"""The row of numbers above a picture."""

import streamlit as st


class number_row:  # noqa: N801 (used like a function)
    """Numbers side by side, each as wide as it needs; on a narrow screen they go on in a second line."""

    def __init__(self):
        self.place = st.container(horizontal=True, gap="large")

    def metric(self, label: str, value: str, change: str | None = None, **options) -> None:
        """One number, as ``st.metric`` takes it."""
        self.place.metric(label, value, change, width="content", **options)
