"""Two texts compared, before and after, in a sentence and a table."""

from collections.abc import Callable
from typing import Any

from embedlab.numbers import count, minus

NEIGHBORS = 10


def change(left: dict, right: dict, words: tuple[str, str]) -> str:
    """``Closer: the second text was the 812th nearest of the first before and is the 3rd after …``"""
    if left["cosine"] is None or right["cosine"] is None:
        missing = " and ".join(word for word, each in zip(words, (left, right), strict=True) if each["cosine"] is None)
        return f"One of them has no vector {missing}, so the two cannot be compared."
    moved = [right[name] - left[name] for name in ("of_first", "of_second")]
    of_first = f"{ordinal(left['of_first'])} → {ordinal(right['of_first'])} nearest of the first"
    of_second = f"{ordinal(left['of_second'])} → {ordinal(right['of_second'])} of the second"
    if moved == [0, 0]:
        return (
            f"As close as before: each keeps its rank, {ordinal(right['of_first'])} and {ordinal(right['of_second'])}."
        )
    if min(moved) < 0 < max(moved):
        return f"Closer in one list, farther in the other: {of_first}, {of_second}."
    return f"{'Closer' if min(moved) < 0 else 'Farther'}: {of_first}, {of_second}."


def table(left: dict, right: dict, words: tuple[str, str]) -> str:
    """The numbers of both sides and their difference, as a Markdown table."""
    lines = [f"| | {words[0]} | {words[1]} | change |", "|---|--:|--:|--:|"]
    lines.append(_line("Cosine similarity", left["cosine"], right["cosine"], "{:.2f}".format, "{:+.2f}"))
    for name, title in (("of_first", "Rank in the first text's list"), ("of_second", "Rank in the second text's list")):
        lines.append(_line(title, left[name], right[name], ordinal, "{:+,}"))
    shared = f"Shared among their {NEIGHBORS} nearest"
    lines.append(_line(shared, len(left["shared"]), len(right["shared"]), str, "{:+}"))
    return "\n".join(lines)


def ordinal(rank: int) -> str:
    """``1st``, ``12th``, ``1,313th``"""
    ending = "th" if 10 <= rank % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{count(rank)}{ending}"


def _line(name: str, left: float | None, right: float | None, written: Callable[[Any], str], signed: str) -> str:
    values = ["–" if value is None else written(value) for value in (left, right)]
    difference = "–" if left is None or right is None else signed.format(right - left)
    if difference != "–":
        difference = minus(difference) if any(digit in "123456789" for digit in difference) else "0"
    return f"| {name} | {values[0]} | {values[1]} | {difference} |"
