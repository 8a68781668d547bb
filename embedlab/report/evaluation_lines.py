"""What ``evaluate`` prints: a line a metric, the change against another encoder, the same after each step."""

from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN, SHOWN_FIRST, Distance
from embedlab.metrics import METRICS
from embedlab.metrics.base import is_by_both
from embedlab.report.contract import key_of

_COUNTED = {
    "test_texts": "test texts",
    "texts": "texts",
    "pairs": "pairs",
    "queries": "queries",
    "candidates": "candidates",
}


def show_evaluate(result: dict) -> list[str]:
    """One line a metric, then the same after each step of ``--post``."""
    lines = [result["joined"]["sentence"]] if "joined" in result else []
    lines += _metric_lines(result["metrics"], says_empty="vectors" not in result)
    lines += _against_lines(result["against"]) if "against" in result else []
    for key, step in result.get("post", {}).items():
        bits = f" ({step['bits_per_dimension']:.2f} bits per dimension)" if "bits_per_dimension" in step else ""
        lines.append(f"after {key}{bits}")
        lines += [f"  {line}" for line in _metric_lines({name: step[name] for name in result["metrics"]})]
    return lines + [each["message"] for each in result.get("warnings", ())]


def note(reason: tuple[str, str]) -> dict:
    """A code and a sentence, as JSON has them."""
    return {"code": reason[0], "message": reason[1]}


def _metric_lines(metrics: dict, *, says_empty: bool = False) -> list[str]:
    """``says_empty``: count the vectors that cannot be compared, where nothing else says so."""
    lines = []
    for key, values in metrics.items():
        if values is None:
            lines.append(f"{key}: not measurable on this corpus")
            continue
        counted = [f"{values[name]:,} {word}" for name, word in _COUNTED.items() if isinstance(values.get(name), int)]
        drawn = [f"drawn from {values['drawn_from']:,}"] if "drawn_from" in values else []
        if says_empty and values.get("zero_vectors"):
            drawn.append(f"{values['zero_vectors']:,} with a zero or non-finite vector")
        about = ", ".join([*counted[:1], *drawn, *([values["protocol"]] if "protocol" in values else [])])
        lines.append(f"{key}: {_values(key, values)}" + (f" ({about})" if about else ""))
    return lines


def _values(key: str, values: dict) -> str:
    """``60.1 % ± 1.3 (cosine), 58.9 % ± 1.4 (Euclidean distance)`` where both were measured, else the one value."""
    if not is_by_both(METRICS[key]):
        by_cosine = f", cosine {_number(key, values[COSINE])}" if COSINE in values else ""
        return _with_error(key, values) + by_cosine
    return ", ".join(f"{_with_error(key, values, each)} ({name})" for each, name in DISTANCES.items())


def _with_error(key: str, values: dict, distance: Distance = EUCLIDEAN) -> str:
    value, error = (values.get(key_of(name, distance)) for name in ("value", "standard_error"))
    return _number(key, value) + (f" ± {_number(key, error, bare=True)}" if error is not None else "")


def _against_lines(against: dict) -> list[str]:
    lines = []
    for key, values in against.items():
        if not isinstance(values, dict):
            continue
        by = is_by_both(METRICS[key])
        for distance in DISTANCES if by else [EUCLIDEAN]:
            names = [key_of(name, distance) for name in ("difference", "low", "high")]
            change, low, high = (_number(key, values[name], bare=True) for name in names)
            value = _number(key, values[key_of("value", distance)])
            suffix = f" with {DISTANCES[distance]}" if by else ""
            lines.append(f"{key} against {against['name']} ({value}): {change} (95 %: {low} … {high}){suffix}")
    verdict_key = key_of("verdict", SHOWN_FIRST)
    return lines + ([against[verdict_key]] if verdict_key in against else [])


def _number(key: str, value: float | None, *, bare: bool = False) -> str:
    """Shares in percent, ranks as they are; a bound that is not known is a dash."""
    if value is None:
        return "–"
    if METRICS[key].range[1] > 1:
        return f"{value:.2f}"
    return f"{100 * value:.1f}" + ("" if bare else " %")
