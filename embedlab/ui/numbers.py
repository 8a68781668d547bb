"""The row of numbers above a picture."""

import streamlit as st

from embedlab.ui.size import shown_size
from embedlab.ui.text import points

_HEIGHT, _WITH_CHANGE = 60, 86  # pixels


class number_row:  # noqa: N801 (used like a function)
    """Numbers side by side, each as wide as it needs; on a narrow screen they go on in a second line."""

    def __init__(self):
        self.place = st.container(horizontal=True, gap="medium")

    def metric(self, label: str, value: str, change: float | None = None, *, help: str | None = None) -> None:  # noqa: A002
        """One number; ``change``: by how much a share differs from the one before."""
        said = None if change is None else points(change).replace("−", "-")  # a hyphen turns the arrow round
        height = round((_HEIGHT if said is None else _WITH_CHANGE) * shown_size())  # so that nothing below it jumps
        self.place.metric(label, value, said, width="content", height=height, delta_color="blue", help=help)
