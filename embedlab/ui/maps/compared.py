"""Which two maps are compared: before and after of one run, or the maps after of two runs on one corpus."""

from dataclasses import dataclass

import numpy as np

from embedlab.corpora.base import Corpus
from embedlab.runs.folder import RunFolder
from embedlab.ui.coordinates import RunMap, load_map
from embedlab.ui.run_maps import TITLES

UNTOUCHED = "before"  # what a run is compared with by itself; otherwise another run's id


@dataclass(frozen=True)
class Compared:
    """What stands left and right on every view of Maps."""

    run: RunFolder
    against: str  # UNTOUCHED, or the id of the run on the left

    @property
    def titles(self) -> tuple[str, str]:
        """Of the left and of the right map."""
        return TITLES["before"], TITLES["after"]

    def maps(self, method: str) -> tuple[RunMap, RunMap] | None:
        """Left and right, the right one aligned on the left; None until both are drawn."""
        both = load_map(self.run, "before", method), load_map(self.run, "after", method)
        return None if None in both else both


def compared(run: RunFolder, corpus: Corpus) -> Compared:
    """Draw the choice of what this run is compared with."""
    return Compared(run, UNTOUCHED)


def shared_places(left: RunMap, right: RunMap) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The texts that have a place on both maps: corpus rows, places left, places right.  -> (n,), (n, 2), (n, 2)"""
    rows, on_left, on_right = np.intersect1d(left.rows, right.rows, assume_unique=True, return_indices=True)
    return rows, left.coordinates[on_left], right.coordinates[on_right]
