"""Results as lines for people: accuracies, pairs, baselines and verdict of a run; the metrics of ``evaluate``."""

from typing import Any

from embedlab.baseline_methods import baseline_title
from embedlab.comparison.siblings import TextsLeftOut
from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN, SHOWN_FIRST, Distance
from embedlab.measurement import protocol_in_words
from embedlab.metrics import METRICS
from embedlab.numbers import counted, percent
from embedlab.report.contract import key_of
from embedlab.report.verdict_words import judge_line, left_out_sentence, split_sentence, verdict_sentence
from embedlab.runs.result import Accuracy, RunResult, accuracy_of, counted_in, references_of


def run_lines(result: RunResult, left_out: TextsLeftOut | None = None) -> list[str]:
    """Lines about a trained run, finished or stopped.  ``left_out``: what it gained by reading the test texts."""
    lines = [*(each.message for each in result.warnings), *_knn_lines(result)]
    if result.is_unmeasured and result.kept is not None:
        lines.insert(0, result.kept.reason)
    if (pairs := result.pairs) is not None:
        lines.append(f"Trained on {pairs.used:,} of {pairs.rows:,} given pairs of {pairs.name}")
    lines += filter(None, [judge_line(result)])
    for name, line in references_of(result, SHOWN_FIRST).items():
        lines.append(f"  {baseline_title(name, counted_in(result))}: {percent(line.value)} (both distances)")
    lines += filter(None, [verdict_sentence(result), split_sentence(result)])
    lines += [] if left_out is None else filter(None, [left_out_sentence(left_out)])
    lines.append(f"{training_length(result)}, {result.seconds:.0f} s in all")
    return [*lines, f"Run {result.run}; encoder in {result.paths.get('encoder', 'none')}"]


def training_length(result: RunResult) -> str:
    """``344 steps (8.2 epochs, 88,064 texts read) on 10,803 usable texts``."""
    texts = f"{epochs_in_words(result)}, {counted(result.texts_read, 'text')} read"
    return f"{counted(result.steps, 'step')} ({texts}) on {counted(result.usable_texts, 'usable text')}"


def adapter_sentence(settings: dict[str, Any], result: RunResult) -> str | None:
    """What was trained in place of the encoder's own weights, and how the encoder was saved; None where nothing was."""
    if not (values := settings.get("adapter")) or not result.is_trained:
        return None
    targets = {"attention": "its attention layers", "all-linear": "all its linear layers"}
    layers = targets.get(values["targets"], f"its layers {values['targets']}")
    counted_in = "" if result.trained_parameters is None else f", {result.trained_parameters:,} parameters"
    dropout = f", dropout {values['dropout']:g}" if values["dropout"] else ""
    rounded = "were rounded to bf16 and not trained" if values.get("base_weights") == "bf16" else "stayed as they were"
    return (
        f"Only a LoRA adapter of {layers} was trained (rank {values['rank']}, alpha {values['alpha']:g}{dropout}"
        f"{counted_in}); the encoder's own weights {rounded}, and the adapter is merged into the saved encoder."
    )


def epochs_in_words(result: RunResult) -> str:
    """``8.2 epochs``."""
    epochs = f"{result.epochs:.1f}".removesuffix(".0")
    return f"{epochs} {'epoch' if epochs == '1' else 'epochs'}"


def imported_lines(result: RunResult) -> list[str]:
    """Lines about imported vectors: how they were joined, and what was measured."""
    return [
        *dict.fromkeys(each.sentence for each in result.joined.values()),
        *(each.message for each in result.warnings),
        *_knn_lines(result),
        *filter(None, [verdict_sentence(result), split_sentence(result)]),
    ]


def _knn_lines(result: RunResult) -> list[str]:
    """``kNN accuracy 42.0 % → 69.7 % ± 0.5 (cosine), over ten folds of 9,724 labeled texts``, for each distance."""
    lines = []
    for each in accuracies_of(result).values():
        before = f"{percent(each.before)} → " if result.judged else ""
        lines.append(f"kNN accuracy {before}{each.in_words()}, {each.tested}")
    return lines


def accuracies_of(result: RunResult) -> dict[Distance, Accuracy]:
    """kNN accuracy by the distance that pages show first, then by the other; empty if nothing was measured."""
    both = {each: accuracy_of(result, each) for each in DISTANCES}
    return {distance: each for distance, each in both.items() if each is not None}


_COUNTED = ("test_texts", "texts", "pairs", "queries", "candidates")


def show_evaluate(result: dict[str, Any]) -> list[str]:
    """One line per metric, then the same after each step of ``--post``."""
    lines = [result["joined"]["sentence"]] if "joined" in result else []
    lines += [f"the first {result['dimensions']:,} dimensions of each vector"] if "dimensions" in result else []
    lines += _metric_lines(result["metrics"], says_empty="vectors" not in result)
    lines += _against_lines(result["against"]) if "against" in result else []
    for key, step in result.get("post", {}).items():
        bits = f" ({step['bits_per_dimension']:.2f} bits per dimension)" if "bits_per_dimension" in step else ""
        lines.append(f"after {key}{bits}")
        lines += [f"  {line}" for line in _metric_lines({name: step[name] for name in result["metrics"]})]
    return lines


def _metric_lines(metrics: dict[str, Any], *, says_empty: bool = False) -> list[str]:
    """``says_empty``: also count the vectors that cannot be compared, unless reported elsewhere."""
    lines = []
    for key, values in metrics.items():
        if values is None:
            lines.append(f"{key}: not measurable on this corpus")
            continue
        units = [name for name in _COUNTED if isinstance(values.get(name), int)]
        about = [f"{values[name]:,} {name.replace('_', ' ')}" for name in units[:1]]
        about += [f"drawn from {values['drawn_from']:,}"] if "drawn_from" in values else []
        if says_empty and values.get("zero_vectors"):
            about.append(f"{values['zero_vectors']:,} with a zero or non-finite vector")
        about += [protocol_in_words(values["protocol"])] if "protocol" in values else []
        lines.append(f"{key}: {_values(key, values)}" + (f" ({', '.join(about)})" if about else ""))
    return lines


def _values(key: str, values: dict[str, Any]) -> str:
    """``60.1 % ± 1.3 (cosine), 58.9 % ± 1.4 (Euclidean distance)`` if both were measured, otherwise the one value."""
    if not METRICS[key].by_both:
        by_cosine = f", cosine {_number(key, values[COSINE])}" if COSINE in values else ""
        return _with_error(key, values) + by_cosine
    return ", ".join(f"{_with_error(key, values, each)} ({name})" for each, name in DISTANCES.items())


def _with_error(key: str, values: dict[str, Any], distance: Distance = EUCLIDEAN) -> str:
    value, error = (values.get(key_of(name, distance)) for name in ("value", "standard_error"))
    return _number(key, value) + (f" ± {_number(key, error, bare=True)}" if error is not None else "")


def _against_lines(against: dict[str, Any]) -> list[str]:
    lines = []
    for key, values in against.items():
        if not isinstance(values, dict):
            continue
        by = METRICS[key].by_both
        for distance in DISTANCES if by else [EUCLIDEAN]:
            names = [key_of(name, distance) for name in ("difference", "low", "high")]
            change, low, high = (_number(key, values[name], bare=True) for name in names)
            value = _number(key, values[key_of("value", distance)])
            suffix = f" with {DISTANCES[distance]}" if by else ""
            lines.append(f"{key} against {against['name']} ({value}): {change} (95 %: {low} … {high}){suffix}")
    verdict_key = key_of("verdict", SHOWN_FIRST)
    return lines + ([against[verdict_key]] if verdict_key in against else [])


def _number(key: str, value: float | None, *, bare: bool = False) -> str:
    """Shares in percent, ranks unchanged; a dash for an unknown bound."""
    if value is None:
        return "–"
    if METRICS[key].range[1] > 1:
        return f"{value:.2f}"
    return f"{100 * value:.1f}" + ("" if bare else " %")
