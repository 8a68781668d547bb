"""A small app for looking at maps: the routes of the real one, and texts made here."""

import sys
from pathlib import Path
from types import SimpleNamespace

import streamlit as st

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from embedlab.ui.frame import routes

TEXTS = [f"text number {row}" for row in range(500_000)]
routes.opened = lambda fingerprint: SimpleNamespace(title=lambda row: "", texts=TEXTS)

app = st.App("map_pages.py", routes=routes.ROUTES)
