"""kNN accuracy of a run in one row of numbers, between the reference lines."""

from embedlab.baseline_methods import REFERENCE_LINES, baseline_title
from embedlab.distance import DISTANCES, other_distance
from embedlab.report.result_lines import training_length
from embedlab.report.verdict_words import judge_line
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import name_of_before
from embedlab.runs.result import Accuracy, RunResult, accuracy_of, counted_in, references_of
from embedlab.ui.frame.distance import by_distance, shown_distance
from embedlab.ui.frame.layout import number_row
from embedlab.ui.frame.text import accuracy, count, duration, escaped, percent

_ALIKE = "Its rows have length one, so cosine and Euclidean distance find the same neighbors."


def numbers(run: RunFolder, result: RunResult) -> None:
    """kNN accuracy before → after ± error by the shown distance, the reference lines, and what it took, in one row."""
    knn, row = accuracy_of(result, shown_distance()), number_row()
    if knn is not None:
        other = accuracy_of(result, other_distance(knn.distance))
        tested = f"± one standard error, {count(knn.test_texts)} test texts, k = {knn.k}"
        first = result.files.get("before", name_of_before(run).capitalize())
        value = accuracy(knn.before, knn.standard_error_before)
        explained = escaped(f"{first}. {tested}. {_beside(other, knn, 'before')}", 300)
        row.metric(f"kNN accuracy {by_distance(knn.distance)}, before", value, help=explained)
        value = accuracy(knn.after, knn.standard_error)
        change = knn.after - knn.before if result.judged else None
        row.metric("after", value, change, help=escaped(f"{tested}. {_beside(other, knn, 'after')}", 300))
        for name, line in references_of(result, knn.distance).items():
            known = REFERENCE_LINES[name].sentence if name in REFERENCE_LINES else ""
            explained = f"kNN accuracy of a reference, ± {100 * line.error:.1f}. {known} {_ALIKE}"
            row.metric(baseline_title(name, counted_in(result)), percent(line.value), help=explained)
    if (judge := result.judge) is not None:
        explained = escaped(f"On {judge.set}, the evaluation set that judges. {judge_line(result)}", 300)
        row.metric(f"{judge.title}, before", f"{judge.before:.3f}", help=explained)
        change = None if judge.difference is None else f"{judge.difference:+.3f}"
        row.metric("after", f"{judge.after:.3f}", change, help=explained)
    took = training_length(result) if result.is_trained else "Nothing was trained"
    row.metric("Took", duration(result.seconds), help=f"{took}, measuring included.")


def _beside(other: Accuracy, shown: Accuracy, side: str) -> str:
    """What it is by the other distance."""
    return f"Measured with {DISTANCES[shown.distance]}. The other distance: {other.in_words(side)}."
