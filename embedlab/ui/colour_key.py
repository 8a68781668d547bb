"""What the colours of the maps mean, in one row below them: trust, length, right or wrong have no names on the map."""

from html import escape

import numpy as np
import streamlit as st

from embedlab.ui.colour_by import Colouring
from embedlab.ui.state import is_dark

MOST = 12  # groups; a column of more has its legend on the map


def colour_key(groups: Colouring) -> None:
    """A dot and a name for each group that the maps show; nothing where names stand on the maps."""
    shown = np.unique(np.concatenate([groups.on("before"), groups.on("after")]))
    known = [(groups.names[group], groups.colours[group]) for group in shown if group < len(groups.names)]
    if groups.names_on_map or not 1 < len(known) <= MOST:
        return
    dots = [
        f'<span style="white-space:nowrap"><span style="color:{shades["dark" if is_dark() else "light"]}">●</span> '
        f"{escape(name)}</span>"
        for name, shades in known
    ]
    st.html(f'<div class="colour-key" style="font-size:0.85rem">{"&ensp; ".join(dots)}</div>')
