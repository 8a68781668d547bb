"""An axis as a lesson writes it: ``kNN accuracy 0 to 100 %``."""

import re

from embedlab.errors import LessonError

_AXIS = re.compile(r"(.+?)\s+([-−]?[\d.]+)\s+to\s+([-−]?[\d.]+)\s*(%?)")


def read_axis(written: str) -> tuple[str, float, float]:
    """Name, and where it begins and ends.  Raises LessonError."""
    found = _AXIS.fullmatch(written.strip())
    low, high = (float(found.group(place).replace("−", "-")) for place in (2, 3)) if found else (0, 0)
    if found is None or not low < high:
        said = f"An axis is a name and its range, as in 'step 0 to 300', but found {written!r}. Write it like that."
        raise LessonError("E-LESSON-AXIS", said)
    return found.group(1), low, high
