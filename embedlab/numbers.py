"""Numbers as a person reads them: shares, changes in points, counts, times and sizes; every room writes them alike."""

from datetime import UTC, datetime


def percent(share: float, digits: int = 1) -> str:
    """A share between 0 and 1 as ``58.9 %``."""
    return f"{100 * share:.{digits}f} %"


def accuracy(value: float, error: float | None = None) -> str:
    """``58.9 % ± 1.4``"""
    return percent(value) + (f" ± {100 * error:.1f}" if error else "")


def in_percent(share: float | None) -> float | None:
    """The number of a table's cell, whole: who shows it rounds it, and 95.146 rounded twice would be 95.2."""
    return None if share is None else round(100 * share, 9)  # what follows is the float's own


def points(difference: float) -> str:
    """A change of a share, signed: ``+21.5 points``"""
    return f"{_signed(difference)} points"


def in_points(difference: float, low: float, high: float) -> str:
    """``+21.5 points (95 %: 18.9 … 24.0)``"""
    return f"{points(difference)} ({share_range(low, high)})"


def share_range(low: float, high: float) -> str:
    """``95 %: 18.9 … 24.0``"""
    return "95 %: " + " … ".join(_signed(bound).lstrip("+") for bound in (low, high))


def _signed(share: float) -> str:
    rounded = round(100 * share, 1) + 0.0  # -0.0 becomes 0.0
    return f"{rounded:+.1f}".replace("-", "−") if rounded else "0.0"


def in_unit(value: float, error: float | None, unit: str) -> str:
    """``58.9 % ± 1.4``, ``+21.5 points ± 1.4``, ``2.314 ± 0.012``, ``31 s``; ``unit``: share, points, seconds, …"""
    if unit == "share":
        return percent(value) + ("" if error is None else f" ± {100 * error:.1f}")
    if unit == "points":
        return f"{value:+.1f} points".replace("-", "−") + ("" if error is None else f" ± {error:.1f}")
    digits = 3 if abs(value) < 10 else 1
    ending = {"seconds": " s", "gigabytes": " GB"}.get(unit, "")
    return f"{value:,.{digits}f}{ending}".replace("-", "−") + ("" if error is None else f" ± {error:,.{digits}f}")


def count(number: int) -> str:
    """``11,024``"""
    return f"{number:,}"


def counted(number: int, one: str, many: str = "") -> str:
    """``1 text``, ``2 texts``; ``many`` where the plural is not ``one`` with an s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def with_unit(title: str, unit: str) -> str:
    """``Linear probe (%)``, ``kNN accuracy (cosine, %)``; the title alone where there is no unit."""
    if not unit:
        return title
    return f"{title.removesuffix(')')}, {unit})" if title.endswith(")") else f"{title} ({unit})"


def duration(seconds: float) -> str:
    """``8 s``, ``2 min``, ``1 h 5 min``"""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def in_bytes(number: int) -> str:
    """``0.1 MB``, ``90 MB``, ``1.2 GB``"""
    megabytes = number / 1e6
    if megabytes >= 1000:
        return f"{megabytes / 1000:.1f} GB"
    return f"{megabytes:.0f} MB" if megabytes >= 10 else f"{max(megabytes, 0.1):.1f} MB"


def ago(moment: str) -> str:
    """An ISO time as ``just now``, ``5 min ago``, ``3 h ago`` or its date."""
    try:
        seconds = (datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds()
    except (TypeError, ValueError):
        return ""
    if seconds < 90:
        return "just now"
    return f"{duration(seconds)} ago" if seconds < 86_400 else moment[:10]
