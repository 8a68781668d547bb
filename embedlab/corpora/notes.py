"""What is said about a corpus: stable codes, sentences with counts and first rows."""

import unicodedata
from collections import Counter

from embedlab.config import Config


class Note(Config):
    """Something the user should know; nothing was refused."""

    code: str
    message: str


def counted_rows(rows: list[int]) -> str:
    """``3 rows (first: 4, 9, 12) have`` — rows are counted from 1, as a person counts them."""
    first = ", ".join(f"{row + 1:,}" for row in rows[:10])
    more = " …" if len(rows) > 10 else ""
    return f"1 row ({first}) has" if len(rows) == 1 else f"{len(rows):,} rows (first: {first}{more}) have"


def label_notes(labels: list[str | None] | None, excluded: list[bool], *, sizes: list[tuple[str, int]]) -> list[Note]:
    """What the labels allow: kNN accuracy needs two classes of two texts."""
    if labels is None or not sizes:
        message = "There are no labels: training, maps and neighbors work; kNN accuracy is off."
        return [Note(code="W-NO-LABELS", message=message)]
    notes, labelled = [], sum(texts for _, texts in sizes)
    if len(sizes) == 1:
        message = f"All labels are {sizes[0][0]!r}: kNN accuracy needs two classes; training and maps work without it."
        notes.append(Note(code="W-ONE-CLASS", message=message))
    single = [label for label, texts in sizes if texts == 1]
    if len(sizes) > 50 and all(_is_decimal(label) for label, _ in sizes) and any("." in label for label, _ in sizes):
        message = f"The label has {len(sizes):,} values and looks like a number, not a class. Is another column meant?"
        notes.append(Note(code="W-LABEL-CONTINUOUS", message=message))
    elif len(sizes) > labelled / 2 and len(sizes) >= 10:
        message = f"The label has {len(sizes):,} values for {labelled:,} texts: it looks like an id, not a class."
        notes.append(Note(code="W-LABEL-IS-ID", message=message))
    elif single and len(sizes) > 1:
        message = f"{_named(single)} only one text: it trains, but is not tested."
        notes.append(Note(code="W-SINGLETON", message=message))
    alike = _alike([label for label, _ in sizes])
    if alike:
        message = f"Some labels differ only in letter case or width and stay separate classes: {alike}."
        notes.append(Note(code="W-LABEL-ALIKE", message=message))
    return notes


def copy_notes(forms: list[str]) -> list[Note]:
    """How many texts repeat an earlier one; ``forms`` are the normalised texts."""
    counts = Counter(forms)
    total = counts.total()
    if len(counts) == 1 and total > 1:
        message = f"All {total:,} texts are the same: there is nothing to tell apart."
        return [Note(code="W-CONSTANT", message=message)]
    if copies := total - len(counts):
        message = (
            f"{copies:,} of {total:,} texts repeat an earlier one; copies never stand on both sides of a test split."
        )
        return [Note(code="W-DUPLICATES", message=message)]
    return []


def _named(labels: list[str]) -> str:
    shown = ", ".join(repr(label) for label in labels[:10])
    if len(labels) == 1:
        return f"Class {shown} has"
    return f"{len(labels):,} classes ({shown}{' …' if len(labels) > 10 else ''}) have"


def _is_decimal(label: str) -> bool:
    try:
        float(label)
    except ValueError:
        return False
    return True


def _alike(labels: list[str]) -> str:
    groups: dict[str, list[str]] = {}
    for label in labels:
        groups.setdefault(" ".join(unicodedata.normalize("NFKC", label).casefold().split()), []).append(label)
    several = [forms for forms in groups.values() if len(forms) > 1]
    return "; ".join(" and ".join(repr(form) for form in forms) for forms in several[:5])
