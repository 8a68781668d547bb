"""Files that come and go: uploads lie on the disk at once, downloads are made only when their button is pressed."""

import hashlib
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from embedlab.store_root import atomic_write, store_root
from embedlab.ui.frame.text import in_bytes

_CALLED = "uploads.called"
_ENDING = re.compile(r"(\.[a-z0-9]{1,8}){1,2}$")


def keep_upload(uploaded) -> Path:
    """The upload's place in the store: its content's hash and its ending; looked at once in a session."""
    kept = st.session_state.setdefault("uploads", {})
    if uploaded.file_id not in kept:
        kept[uploaded.file_id] = str(_kept(uploaded))
        st.session_state.setdefault(_CALLED, {})[kept[uploaded.file_id]] = uploaded.name
    return Path(kept[uploaded.file_id])


def called(path: Path) -> str:
    """What the user calls a file: an upload by its own name, not by the one under which it is kept."""
    return st.session_state.get(_CALLED, {}).get(str(path), path.name)


def stem(name: str) -> str:
    """The file's name without its ending: what the corpus is called."""
    name = Path(name).name
    ending = _ENDING.search(name.casefold())
    return name[: -len(ending.group())] if ending and len(ending.group()) < len(name) else name


def _kept(uploaded) -> Path:
    digest = hashlib.file_digest(uploaded, "sha256").hexdigest()[:16]
    ending = _ENDING.search(uploaded.name.casefold())
    path = store_root() / "uploads" / f"{digest}{ending.group() if ending else ''}"
    if not path.exists():
        uploaded.seek(0)
        with atomic_write(path) as temporary, open(temporary, "wb") as file:
            shutil.copyfileobj(uploaded, file)
    return path


SENT_BYTES = 200 * 2**20  # a larger file is not sent through the browser: the page says where it lies
PARQUET = "application/vnd.apache.parquet"


def offer_file(label: str, path: Path, name: str, kind: str = PARQUET) -> None:
    """A file that lies on the disk, with its size."""
    offer_made(label, path.read_bytes, name, kind, size=path.stat().st_size, path=path)


def offer_made(label: str, make: Callable[[], bytes], name: str, kind: str, *, size: int, path: Path,
               most: int = SENT_BYTES) -> None:  # fmt: skip
    """A file that ``make`` gives, of about ``size`` bytes; above ``most`` the place of what it is made of is said."""
    said = in_bytes(size)
    if size > most:
        line = f"{label}, {said}, is here:"
        st.caption(line)
        st.code(str(path), language=None)
        return
    st.download_button(f"{label} ({said})", make, name, kind, key=f"files.{name}", on_click="ignore")
