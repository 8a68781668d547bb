"""A run's result as lines that a person reads: accuracy by each distance, pairs, baselines, verdicts."""

from embedlab.baseline_methods import baseline_title
from embedlab.distance import DISTANCES, SHOWN_FIRST, other_distance
from embedlab.numbers import counted, percent
from embedlab.report.verdict_words import folds_sentence, judge_line, verdict_sentence
from embedlab.runs.result import Accuracy, RunResult, accuracy_of, counted_in, references_of


def run_lines(result: RunResult) -> list[str]:
    """Of a run that was trained, to its end or to where it was stopped."""
    lines = [*(each.message for each in result.warnings), *_knn_lines(result)]
    if (pairs := result.pairs) is not None:
        lines.append(f"Trained on {pairs.used:,} of {pairs.rows:,} given pairs of {pairs.name}")
    lines += filter(None, [judge_line(result)])
    for name, line in references_of(result, SHOWN_FIRST).items():
        lines.append(f"  {baseline_title(name, counted_in(result))}: {percent(line.value)} (both distances)")
    lines += filter(None, [verdict_sentence(result), folds_sentence(result)])
    lines.append(f"{training_length(result)}, {result.seconds:.0f} s in all")
    return [*lines, f"Run {result.run}; encoder in {result.paths.get('encoder', 'none')}"]


def training_length(result: RunResult) -> str:
    """``344 steps (8.2 epochs, 88,064 texts read) on 10,803 usable texts``."""
    texts = f"{epochs_told(result)}, {counted(result.texts_read, 'text')} read"
    return f"{counted(result.steps, 'step')} ({texts}) on {counted(result.usable_texts, 'usable text')}"


def epochs_told(result: RunResult) -> str:
    """``8.2 epochs``."""
    epochs = f"{result.epochs:.1f}".removesuffix(".0")
    return f"{epochs} {'epoch' if epochs == '1' else 'epochs'}"


def imported_lines(result: RunResult) -> list[str]:
    """Of vectors that were made elsewhere: how they were joined, and what was measured."""
    lines = list(dict.fromkeys(each.sentence for each in result.joined.values()))
    return [
        *lines,
        *(each.message for each in result.warnings),
        *_knn_lines(result),
        *filter(None, [verdict_sentence(result)]),
    ]


def accuracy_line(result: RunResult | None) -> str:
    """``kNN 42.0 % → 69.7 % by cosine, 36.8 % → 64.2 % by Euclidean distance``, of the encoder that is opened."""
    both = _accuracies(result)
    values = [f"{percent(each.before)} → {percent(each.after)} ({DISTANCES[each.distance]})" for each in both]
    return f"kNN {', '.join(values)}" if values else ""


def _knn_lines(result: RunResult) -> list[str]:
    """``kNN accuracy 42.0 % → 69.7 % ± 1.4 by cosine (1,079 test texts)``, a line for each distance."""
    lines = []
    for each in _accuracies(result):
        before = f"{percent(each.before)} → " if result.judged else ""
        lines.append(f"kNN accuracy {before}{each.in_words()}, {each.test_texts:,} test texts")
    return lines


def _accuracies(result: RunResult | None) -> list[Accuracy]:
    """By the distance pages open on, then by the other; none where nothing was measured."""
    both = [accuracy_of(result, each) for each in (SHOWN_FIRST, other_distance(SHOWN_FIRST))]
    return [each for each in both if each is not None]
