"""Evaluate: how good a run's embeddings are, by which measure, against what, and for which classes."""

from embedlab.ui.evaluate.benchmarks_view import show_benchmarks
from embedlab.ui.evaluate.classes_view import example_classes, show_classes
from embedlab.ui.evaluate.methods_view import show_methods
from embedlab.ui.evaluate.metrics_view import show_metrics
from embedlab.ui.frame.page import embeddings_needed, encoder_needed, page_head, run_needed, what_am_i_looking_at
from embedlab.ui.frame.view_choice import view_choice

VIEWS = {"Metrics": show_metrics, "Classes": show_classes, "Benchmarks": show_benchmarks, "Methods": show_methods}

page_head("Evaluate", "How good are these embeddings, by which measure, against what, and for which classes?")
run = run_needed(lambda: example_classes())
view = view_choice(list(VIEWS), key="evaluate.view")
if view != "Methods":
    embeddings_needed(run)
if view == "Benchmarks":
    encoder_needed(run)
VIEWS[view](run)
what_am_i_looking_at(
    "The same vectors are measured in several ways: by neighbors of one label, by a linear classifier, by clustering, "
    "by search, and by how well two parts of a text find each other. The test texts are a fixed tenth of the labelled "
    "ones and choose nothing. Baselines made of word counts stand beside every number, because they are often hard to "
    "beat. A change is called clear only where its 95 % interval leaves out zero.",
    "Crops paper, section 3.4 and Table S2; TSDAE, section 4; SemCSE, section 5; MTEB.",
)
