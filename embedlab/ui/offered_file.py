"""A file to download: made or read only when its button is pressed, and not sent at all where it is too large."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

SENT_BYTES = 200 * 2**20  # a larger file is not sent through the browser: the page says where it lies
PARQUET = "application/vnd.apache.parquet"


def offer_file(label: str, path: Path, name: str, kind: str = PARQUET) -> None:
    """A file that lies on the disk, with its size."""
    offer_made(label, path.read_bytes, name, kind, size=path.stat().st_size, path=path)


def offer_made(label: str, make: Callable[[], bytes], name: str, kind: str, *, size: int, path: Path,
               most: int = SENT_BYTES) -> None:  # fmt: skip
    """A file that ``make`` gives, of about ``size`` bytes; above ``most`` the place of what it is made of is said."""
    said = f"{max(size / 1e6, 0.1):,.1f} MB"
    if size > most:
        line = f"{label}, {said}, lies here:"
        st.caption(line)
        st.code(str(path), language=None)
        return
    st.download_button(f"{label} ({said})", make, name, kind, key=f"files.{name}", on_click="ignore")
