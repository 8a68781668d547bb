"""The app and its routes: start it with ``streamlit run app.py``."""

import streamlit as st
from starlette.middleware import Middleware

from embedlab.ui.frame.guard import Guard, refuse_open_network
from embedlab.ui.frame.routes import ROUTES, EarlyStyle

refuse_open_network()
app = st.App("embedlab/ui/frame/main.py", routes=ROUTES, middleware=[Middleware(Guard), Middleware(EarlyStyle)])
