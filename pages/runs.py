"""Runs: all of them in a table, and what distinguishes the chosen ones: metrics, maps, curves, recipes, studies."""

from embedlab.runs.store import list_runs
from embedlab.ui.compare.curves_view import VIEW_KEY, VIEWS
from embedlab.ui.compare.runs_list import chosen_runs, example_compared, recipes_by_corpus, runs_list
from embedlab.ui.frame.navigation import VIEW
from embedlab.ui.frame.page import no_run_yet, page_head, what_am_i_looking_at
from embedlab.ui.frame.pickers import SHOWN_RUNS
from embedlab.ui.frame.state import view_choice
from embedlab.ui.train.find_view import finds_list
from embedlab.ui.train.studies_view import any_sweep_or_search, show_studies

page_head("Runs", "Which run sorts the texts better, and how do its settings differ?")
runs = list_runs()[:SHOWN_RUNS]
if not runs and not any_sweep_or_search():
    no_run_yet()
    example_compared()
else:
    view = view_choice(VIEWS, key=VIEW_KEY, address=VIEW)
    if view == "studies":
        show_studies()
    elif not runs:
        no_run_yet()
        finds_list()
    elif view == "table":
        runs_list(runs)
        finds_list()
    elif view == "recipes":
        recipes_by_corpus(runs)
    else:
        chosen_runs(view, runs)
what_am_i_looking_at(
    "One row is one run; above the runs are the encoders they started from and baselines that need no training. The "
    "best run (●) and all that are not separable from it (○) are marked: differences are paired over the same texts, "
    "and with m runs each is judged at level 5 %/(m − 1). ★ is a reference that beats the best run. kNN accuracy is "
    "given for both distances, the one chosen at the left first. Diamonds in the curves use all test texts where a "
    "line uses a sample. Side by side shows everything measured for the runs in columns, each with its change by "
    "training and a paired interval. Recipe × corpus is the mean over seeds; the papers' values (Euclidean distance) "
    "appear in gray where corpus, encoder and recipe match.",
    "Crops paper, section 4.1, Tables 1 and S2.",
)
