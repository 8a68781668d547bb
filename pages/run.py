"""Run: one run under five tabs: its result, its maps, scores, what happened inside the encoder, and its files."""

from embedlab.ui.frame.navigation import EXPORT, INSIDE, MAP, RESULT, SCORES, TAB
from embedlab.ui.frame.page import View, page_head, show_views
from embedlab.ui.frame.state import picked_run, tab_choice
from embedlab.ui.maps.export import show_figure, show_replay, show_tables
from embedlab.ui.maps.views import IN_MORE, MAP_VIEWS
from embedlab.ui.run.export_section import show_embeddings, show_encoder, show_settings
from embedlab.ui.run.result_view import RESULT_VIEW
from embedlab.ui.run.run_header import run_header
from embedlab.ui.run.views import INSIDE_VIEWS, SCORE_VIEWS

_FORMATS = "The file formats are described in the README."
EXPORT_VIEWS = {
    "Encoder": View(
        show_encoder,
        "The encoder loads with sentence-transformers and with transformers, without embedlab. Other formats are "
        "compared with it on the texts of this run. The methods paragraph is under Scores.",
        _FORMATS,
        needs_result=False,
    ),
    "Embeddings": View(show_embeddings, needs_result=False, needs_embeddings=True),
    "Figure": View(
        show_figure,
        "Figures are redrawn by matplotlib: points as one image, names and legend as text.",
        _FORMATS,
    ),
    "Replay": View(
        show_replay, "The replay is one HTML file that needs nothing else, not even a network.", _FORMATS
    ),
    "Tables": View(
        show_tables,
        "Coordinates, neighbors and what was read from them come as Parquet, one row per text, in the order of the "
        "corpus.",
        _FORMATS,
    ),
    "Result and settings": View(show_settings, needs_result=False),
}  # fmt: skip
TABS = {RESULT: {RESULT: RESULT_VIEW}, MAP: MAP_VIEWS, SCORES: SCORE_VIEWS, INSIDE: INSIDE_VIEWS, EXPORT: EXPORT_VIEWS}

picked = picked_run()
if picked is None:
    page_head("Run", "What one run achieved, what it changed, and what can be exported.")
else:
    run_header(picked)
tab, body = tab_choice(list(TABS), key=TAB)
with body:
    show_views(TABS[tab], key=f"{tab.lower()}.view", more=IN_MORE if tab == MAP else 0)
