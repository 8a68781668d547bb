"""Numbers for people: shares, changes in points, counts, times and sizes, formatted alike everywhere.

One rule: as many digits as differ. Two values that are set beside each other look different where they are, or are
called unchanged; an interval that leaves out zero does not show a zero for a bound; only a change has a sign, zero has
none (``signed``).
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path


def percent(share: float, digits: int = 1) -> str:
    """A share between 0 and 1 as ``58.9 %``."""
    return f"{100 * share:.{digits}f} %"


def margin(error: float) -> str:
    """The error of a share: ``± 1.4``"""
    return f"± {100 * error:.1f}"


def accuracy(value: float, error: float | None = None) -> str:
    """``58.9 % ± 1.4``"""
    return f"{percent(value)} {margin(error)}" if error else percent(value)


def fixed(value: float, digits: int) -> str:
    """``0.82``, ``−0.30``, ``1,313.0``; never ``−0.00``."""
    return minus(f"{round(value, digits) + 0.0:,.{digits}f}")


def signed(value: float, digits: int = 0) -> str:
    """A difference: ``+0.12``, ``−3``, ``0``"""
    rounded = round(value, digits) + 0.0  # -0.0 becomes 0.0
    return minus(f"{rounded:+,.{digits}f}") if rounded else f"{0:.{digits}f}"


def in_percent(share: float | None) -> float | None:
    """A table cell's number, unrounded: whoever shows it rounds it, and 95.146 rounded twice would be 95.2."""
    return None if share is None else round(100 * share, 9)  # what follows is the float's own


def distinct(*values: float, digits: int, most: int = 4) -> list[str]:
    """The values with ``digits`` decimals, or up to ``most`` if different ones would look alike."""
    for places in range(digits, most + 1):
        written = [fixed(value, places) for value in values]
        if len(set(written)) == len(set(values)):
            return written
    return [fixed(value, digits) for value in values]


def from_to(before: float, after: float, digits: int = 2) -> str:
    """``0.66 → 0.64``, ``0.951 → 0.948``, ``0.95 (unchanged)``"""
    first, second = distinct(before, after, digits=digits)
    return f"{first} (unchanged)" if first == second else f"{first} → {second}"


def digits_of_claim(low: float, high: float, digits: int, most: int | None = None) -> int:
    """How many decimals an interval needs: ``digits``, or more if one that excludes zero would seem to touch it."""
    nearer = min(abs(low), abs(high)) if low > 0 or high < 0 else 1.0
    most = digits + 3 if most is None else most
    return next((places for places in range(digits, most) if round(nearer, places)), most)


def points(difference: float, low: float = 0.0, high: float = 0.0) -> str:
    """A change of a share, signed: ``+21.5 points``, with the decimals that its interval needs."""
    return f"{signed(100 * difference, digits_of_claim(100 * low, 100 * high, 1))} points"


def in_points(difference: float, low: float, high: float) -> str:
    """``+21.5 points (95 %: 18.9 … 24.0)``"""
    return f"{points(difference, low, high)} ({share_range(low, high)})"


def with_interval(difference: float, low: float, high: float) -> str:
    """``+0.047 (95 %: 0.019 … 0.074)``, with more decimals where the interval needs them."""
    digits = digits_of_claim(low, high, 3)
    return f"{signed(difference, digits)} (95 %: {fixed(low, digits)} … {fixed(high, digits)})"


def share_range(low: float, high: float) -> str:
    """``95 %: 18.9 … 24.0``"""
    digits = digits_of_claim(100 * low, 100 * high, 1)
    return "95 %: " + " … ".join(fixed(100 * bound, digits) for bound in (low, high))


def minus(number: str) -> str:
    """With a minus sign instead of a hyphen; without one where only zeros are left of a number."""
    return re.sub(r"-(?=0(?:\.0*)?(?![\d.]))", "", number).replace("-", "−")


def in_unit(value: float, error: float | None, unit: str) -> str:
    """``58.9 % ± 1.4``, ``+21.5 points ± 1.4``, ``2.314 ± 0.012``, ``31 s``; ``unit``: share, points, seconds, …"""
    if unit == "share":
        return percent(value) if error is None else f"{percent(value)} {margin(error)}"
    if unit == "points":
        return f"{signed(value, 1)} points" + ("" if error is None else f" ± {error:.1f}")
    digits = 3 if abs(value) < 10 else 1
    ending = {"seconds": " s", "gigabytes": " GB"}.get(unit, "")
    return fixed(value, digits) + ending + ("" if error is None else f" ± {error:,.{digits}f}")


def count(number: int) -> str:
    """``11,024``"""
    return f"{number:,}"


def counted(number: int, one: str, many: str = "") -> str:
    """``1 text``, ``2 texts``; ``many`` if the plural is not ``one`` with an s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def joined(words: Iterable[str]) -> str:
    """``one``, ``one and two``, ``one, two and three``"""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def with_unit(title: str, unit: str) -> str:
    """``Linear probe (%)``, ``kNN accuracy (cosine, %)``; the title alone without a unit."""
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
    """``340 bytes``, ``12 kB``, ``0.1 MB``, ``90 MB``, ``1.2 GB``"""
    if number < 99_500:
        return counted(number, "byte") if number < 1000 else f"{number / 1000:.0f} kB"
    megabytes = number / 1e6
    if megabytes >= 1000:
        return f"{megabytes / 1000:.1f} GB"
    return f"{megabytes:.0f} MB" if megabytes >= 10 else f"{megabytes:.1f} MB"


def gigabytes(number: float) -> str:
    """Memory: ``1.2 GB``"""
    return f"{number / 1e9:.1f} GB"


def mebibytes(number: float) -> str:
    """A download: ``1,204.5 MiB``"""
    return f"{number / 2**20:,.1f} MiB"


def gibibytes(number: float) -> str:
    """A limit: ``4 GiB``"""
    return f"{number / 2**30:.0f} GiB"


def ago(moment: str) -> str:
    """An ISO time as ``just now``, ``5 min ago``, ``3 h ago`` or its date."""
    try:
        seconds = (datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds()
    except (TypeError, ValueError):
        return ""
    if seconds < 90:
        return "just now"
    return f"{duration(seconds)} ago" if seconds < 86_400 else moment[:10]


def by_number(path: Path | str) -> list[str | int]:
    """A sort key by the numbers in a name: ``step-999999`` before ``step-1000000``, which precedes it as text."""
    parts = re.split(r"([0-9]+)", str(path))  # text and digits in turns
    return [int(part) if number % 2 else part for number, part in enumerate(parts)]
