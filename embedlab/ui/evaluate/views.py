"""The views of Scores, in the order of their switch: how good the embeddings are, and for which classes."""

from collections.abc import Callable

from embedlab.runs.folder import RunFolder
from embedlab.ui.evaluate.benchmarks_view import show_benchmarks
from embedlab.ui.evaluate.classes_view import example_classes, show_classes
from embedlab.ui.evaluate.methods_view import show_methods
from embedlab.ui.evaluate.metrics_view import show_metrics
from embedlab.ui.frame.page import View

_EXPLAINED = (
    "The same vectors are measured in several ways: by neighbors with the same label, by a linear classifier, by "
    "clustering, by search, and by how well two parts of a text retrieve each other. The test texts are a fixed "
    "tenth of the labelled ones and select nothing. Baselines from word counts are shown with every number, because "
    "they are often hard to beat. A change is called clear only if its 95 % interval excludes zero."
)
_SOURCE = "Crops paper, section 3.4 and Table S2; TSDAE, section 4; SemCSE, section 5; MTEB."


def _view(show: Callable[[RunFolder], None], **needs: bool) -> View:
    return View(show, _EXPLAINED, _SOURCE, example=example_classes, **needs)


SCORE_VIEWS = {
    "Metrics": _view(show_metrics, needs_embeddings=True),
    "Classes": _view(show_classes, needs_embeddings=True),
    "Benchmarks": _view(show_benchmarks, needs_embeddings=True, needs_encoder=True),
    "Methods": _view(show_methods),
}
