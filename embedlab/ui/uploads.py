"""Uploaded files: on the disk at once, under a name of ours."""

import hashlib
import re
import shutil
from pathlib import Path

import streamlit as st

from embedlab.store_root import store_root, whole_file

_ENDING = re.compile(r"(\.[a-z0-9]{1,8}){1,2}$")


def keep_upload(uploaded) -> Path:
    """The upload's place in the store: its content's hash and its ending; looked at once in a session."""
    kept = st.session_state.setdefault("uploads", {})
    if uploaded.file_id not in kept:
        kept[uploaded.file_id] = str(_kept(uploaded))
    return Path(kept[uploaded.file_id])


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
        with whole_file(path) as beside, open(beside, "wb") as file:
            shutil.copyfileobj(uploaded, file)
    return path
