"""The frame: page list, run picker, device line, and what is running."""

import sys
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:  # the script's own folder is on the path, the package's is not
    sys.path.insert(0, str(ROOT))

from embedlab.disk_trouble import trouble_said  # noqa: E402
from embedlab.errors import EmbedlabError  # noqa: E402
from embedlab.ui.components.chart import prepare_charts  # noqa: E402
from embedlab.ui.frame.background import warm  # noqa: E402
from embedlab.ui.frame.distance import distance_switch, take_distance  # noqa: E402
from embedlab.ui.frame.navigation import all_pages  # noqa: E402
from embedlab.ui.frame.page import show_error  # noqa: E402
from embedlab.ui.frame.pickers import run_picker, unknown_run  # noqa: E402
from embedlab.ui.frame.sidebar import fold_sidebar, foot  # noqa: E402
from embedlab.ui.frame.size import size_switch, take_size  # noqa: E402

st.set_page_config(page_icon="🧭", layout="wide")  # first: else the tab's picture is fetched from elsewhere
page = st.navigation(all_pages())
st.set_page_config(page_title=f"{page.title} · embedlab")
st.logo(ROOT / "embedlab" / "ui" / "logo.svg", size="large")
take_distance()
take_size()
with st.sidebar:
    run_picker()
    distance_switch()
    foot()
    size_switch()
    prepare_charts()
    fold_sidebar()
unknown_run()
try:
    page.run()
except EmbedlabError as error:
    show_error(error)
except OSError as error:
    if (refused := trouble_said(error)) is None:
        raise
    show_error(refused)
finally:
    warm()
