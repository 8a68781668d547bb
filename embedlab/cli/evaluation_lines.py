"""What ``evaluate`` prints: a line a metric, the change against another encoder, the same after each step."""

from embedlab.metrics import METRICS

_COUNTED = {
    "test_texts": "test texts",
    "texts": "texts",
    "pairs": "pairs",
    "queries": "queries",
    "candidates": "candidates",
}


def show_evaluate(result: dict) -> list[str]:
    """One line a metric, then the same after each step of ``--post``."""
    lines = _metric_lines(result["metrics"])
    lines += _against_lines(result["against"]) if "against" in result else []
    for key, found in result.get("post", {}).items():
        bits = f" ({found['bits_per_dimension']:.2f} bits per dimension)" if "bits_per_dimension" in found else ""
        lines.append(f"after {key}{bits}")
        lines += [f"  {line}" for line in _metric_lines({name: found[name] for name in result["metrics"]})]
    return lines


def note(reason: tuple[str, str]) -> dict:
    """A code and a sentence, as JSON has them."""
    return {"code": reason[0], "message": reason[1]}


def _metric_lines(metrics: dict) -> list[str]:
    lines = []
    for key, found in metrics.items():
        if found is None:
            lines.append(f"{key}: not measured, the corpus allows none")
            continue
        error = found.get("standard_error")
        error = f" ± {_number(key, error, bare=True)}" if error is not None else ""
        cosine = f", cosine {_number(key, found['cosine'])}" if "cosine" in found else ""
        counted = [f"{found[name]:,} {word}" for name, word in _COUNTED.items() if isinstance(found.get(name), int)]
        about = ", ".join([*counted[:1], *([found["protocol"]] if "protocol" in found else [])])
        lines.append(f"{key}: {_number(key, found['value'])}{error}{cosine}" + (f" ({about})" if about else ""))
    return lines


def _against_lines(against: dict) -> list[str]:
    lines = []
    for key, found in against.items():
        if isinstance(found, dict):
            change, low, high = (_number(key, found[name], bare=True) for name in ("difference", "low", "high"))
            value = _number(key, found["value"])
            lines.append(f"{key} against {against['name']} ({value}): {change} (95 %: {low} … {high})")
    return lines + ([against["verdict"]] if "verdict" in against else [])


def _number(key: str, value: float | None, *, bare: bool = False) -> str:
    """Shares in percent, ranks as they are; a bound that is not known is a dash."""
    if value is None:
        return "–"
    if METRICS[key].range[1] > 1:
        return f"{value:.2f}"
    return f"{100 * value:.1f}" + ("" if bare else " %")
