"""Which maps of two runs lie in one frame, and which file is the map on the right when two runs are compared."""

import filecmp
from pathlib import Path

from embedlab.map_methods import OWN_MAP
from embedlab.runs.folder import RunFolder

UNTOUCHED = "before"  # what a run is compared with by itself; otherwise another run's id


def shares_frame(run: RunFolder, other: RunFolder, method: str) -> bool:
    """Whether both maps after were drawn from one and the same map before, so that they are aligned already."""
    if run.id == other.id:
        return True
    both = [(each.map("before", method), each.map("after", method)) for each in (run, other)]
    if not all(path.exists() for pair in both for path in pair):
        return False
    grown = all(_changed(before) <= _changed(after) for before, after in both)
    return grown and filecmp.cmp(both[0][0], both[1][0], shallow=False)  # remembered while the files stay


def right_map(run: RunFolder, against: str, other: RunFolder | None, method: str) -> tuple[Path, Path]:
    """The map of a run's embeddings after that lies in the frame of what it is compared with, and its facts."""
    if against == UNTOUCHED or method == OWN_MAP or shares_frame(run, other, method):
        return run.map("after", method), run.map_facts("after", method)
    return run.map_onto(other.id, method), run.map_onto_facts(other.id, method)


def is_drawn_onto(run: RunFolder, other: RunFolder, method: str) -> bool:
    """Whether the right map is there, and no older than the map it was laid onto."""
    path, facts = right_map(run, other.id, other, method)
    left = other.map("after", method)
    if not (path.exists() and facts.exists() and left.exists()):
        return False
    return path == run.map("after", method) or _changed(left) <= _changed(path)


def _changed(path: Path) -> int:
    return path.stat().st_mtime_ns
