"""The app and its routes: start it with ``streamlit run app.py``."""

import streamlit as st

from embedlab.ui.routes import ROUTES

app = st.App("embedlab/ui/main.py", routes=ROUTES)
