"""The two encoders behind the left and the right map, as a question to the resident process names them."""

from embedlab.runs.folder import RunFolder
from embedlab.runs.store import open_run
from embedlab.ui.maps.compared import UNTOUCHED, Compared
from embedlab.ui.nearest import SIDES


def sides_of(view: Compared) -> tuple[tuple[RunFolder, str], tuple[RunFolder, str]]:
    """Left and right: whose embeddings they are, and which of its two."""
    left = (view.run, "before") if view.against == UNTOUCHED else (open_run(view.against), "after")
    return left, (view.run, "after")


def named_sides(view: Compared) -> dict[str, dict]:
    """The same for a question; the right map of two runs is the one laid onto the left run's."""
    named = {
        side: {"run": run.id, "name": name} for side, (run, name) in zip(SIDES, sides_of(view), strict=True)
    }  # fmt: skip
    return named if view.against == UNTOUCHED else named | {"after": {**named["after"], "onto": view.against}}


def side_words(view: Compared) -> tuple[str, str]:
    """What the two sides are called in a sentence."""
    return SIDES if view.against == UNTOUCHED else ("left", "right")
