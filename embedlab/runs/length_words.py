"""What the length attack does to the order of scored pairs, in a sentence."""

from collections.abc import Mapping

ENCODERS = {"tuned": "fine-tuned", "untouched": "untouched"}
REPEATED = {"none": "as they are", "first": "first text repeated", "both": "both repeated"}


def scored_told(found: Mapping, names: Mapping[str, str] = ENCODERS) -> str:
    """``The order of the scored pairs falls when …: Spearman fine-tuned 0.712 → 0.651, −0.061 (95 %: −0.080 … −0.042)``

    Told by the first encoder there is, with the first text of each pair repeated, because
    two texts repeated alike may stay alike.
    """
    measured = {key: found[key] for key in names if found.get(key)}
    first = next(iter(measured.values()))["first"]["change"]
    outcome = "falls" if first["high"] < 0 else "rises" if first["low"] > 0 else "survives within the error"
    said = "; ".join(f"{names[key]} {_change(values)}" for key, values in measured.items())
    return f"The order of the scored pairs {outcome} when one text of each is repeated: Spearman {said}."


def change_told(change: Mapping) -> str:
    """``−0.02 (95 %: −0.05 … 0.01)``"""
    low, high = _number(change["low"]), _number(change["high"])
    return f"{_number(change['value'], '+')} (95 %: {low} … {high})"


def _change(values: Mapping) -> str:
    plain, repeated = (_number(values[name]["value"]) for name in ("none", "first"))
    return f"{plain} → {repeated}, {change_told(values['first']['change'])}"


def _number(value: float, sign: str = "") -> str:
    rounded = round(value, 3) + 0.0
    return f"{rounded:{sign if rounded else ''}.3f}".replace("-", "−")
