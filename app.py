"""The app and its routes: start it with ``streamlit run app.py``."""

import streamlit as st
from starlette.middleware import Middleware

from embedlab.ui.frame.routes import ROUTES, EarlyStyle

app = st.App("embedlab/ui/main.py", routes=ROUTES, middleware=[Middleware(EarlyStyle)])
