"""The frame: page list, the picked run, device line, and running work."""

import os
import sys
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException

ROOT = Path(__file__).resolve().parents[3]
if str(ROOT) not in sys.path:  # the script's own folder is on the path, the package's is not
    sys.path.insert(0, str(ROOT))

from embedlab.disk_trouble import not_writable  # noqa: E402
from embedlab.errors import StoreError  # noqa: E402
from embedlab.store_root import store_root  # noqa: E402
from embedlab.ui.frame import navigation, state  # noqa: E402
from embedlab.ui.frame.background import warm  # noqa: E402
from embedlab.ui.frame.guard import require_sign_in  # noqa: E402
from embedlab.ui.frame.layout import errors_shown, prepare_charts, show_error  # noqa: E402
from embedlab.ui.frame.pickers import take_run, unknown_run  # noqa: E402
from embedlab.ui.frame.sidebar import sidebar_status  # noqa: E402

st.set_page_config(page_icon="🧭", layout="wide")  # first: else the tab's picture is fetched from elsewhere
page = st.navigation([navigation.page(key) for key in navigation.TITLES])
st.set_page_config(page_title=f"{page.title} · embedlab")
st.logo(ROOT / "embedlab" / "ui" / "logo.svg", size="large")
require_sign_in()
try:
    store_root()
except StoreError as error:
    show_error(error)
    st.stop()
if not os.access(store_root(), os.W_OK):  # said at once: what a button starts would fail out of sight
    show_error(not_writable())
state.forget_switches()
state.take_distance()
state.take_size()
with errors_shown():
    take_run()
with st.sidebar, errors_shown():
    state.distance_switch()
    sidebar_status()
    state.size_switch()
    prepare_charts()
unknown_run()
is_leaving = False
try:
    with errors_shown():
        page.run()
except RerunException:  # another page opens: its address stands already
    is_leaving = True
    raise
finally:
    if not is_leaving:
        state.tidy_address()
    with errors_shown():
        warm()
