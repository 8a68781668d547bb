"""Run: one run under five tabs: its result, its maps, scores, what happened inside the encoder, and its files."""

from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.ui.components.run_maps import corpus_needed
from embedlab.ui.evaluate.views import SCORE_VIEWS
from embedlab.ui.frame.navigation import EXPORT, INSIDE, MAP, RESULT, SCORES, TAB
from embedlab.ui.frame.page import View, page_head, show_views
from embedlab.ui.frame.state import picked_run, tab_choice
from embedlab.ui.inside.views import INSIDE_VIEWS
from embedlab.ui.maps.views import IN_MORE, MAP_VIEWS, compared_with, export_maps
from embedlab.ui.result.export_section import export_section
from embedlab.ui.result.result_view import RESULT_VIEW
from embedlab.ui.result.run_header import run_header


def export(run: RunFolder) -> None:
    """Encoder, embeddings, result and settings; then figures, the replay and the files of the maps."""
    export_section(run)
    if read_result(run) is not None:
        export_maps(compared_with(run), corpus_needed(run))


EXPORT_VIEW = View(
    export,
    "The encoder loads with sentence-transformers and with transformers, without embedlab. Figures are redrawn by "
    "matplotlib: points as one image, names and legend as text. Coordinates and neighbors come as Parquet, one row "
    "per text, in the order of the corpus. The replay is one HTML file that needs nothing else, not even a network. "
    "The methods paragraph is under Scores.",
    "The file formats are described in the README.",
    needs_result=False,
)
TABS = {
    RESULT: {RESULT: RESULT_VIEW},
    MAP: MAP_VIEWS,
    SCORES: SCORE_VIEWS,
    INSIDE: INSIDE_VIEWS,
    EXPORT: {EXPORT: EXPORT_VIEW},
}

picked = picked_run()
if picked is None:
    page_head("Run", "What one run achieved, what it changed, and what can be exported.")
else:
    run_header(picked)
tab, body = tab_choice(list(TABS), key=TAB)
with body:
    show_views(TABS[tab], key=f"{tab.lower()}.view", more=IN_MORE if tab == MAP else 0)
