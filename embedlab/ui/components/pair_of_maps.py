"""Which two maps are compared: before and after of one run, or the maps after of two runs on one corpus."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import streamlit as st

from embedlab.comparison.rows import run_names
from embedlab.corpora.base import Corpus
from embedlab.jobs.requests.drawing import Side
from embedlab.map_methods import OWN_MAP
from embedlab.plane import laid_onto
from embedlab.runs.drawn_map import UNTOUCHED, DrawnMap, is_drawn_onto, right_map
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import own_files
from embedlab.runs.index.find import find_runs
from embedlab.runs.label_lineage import word_of_before
from embedlab.runs.result import read_result
from embedlab.runs.store import corpus_key, open_run
from embedlab.ui.components.loaded_maps import is_untrained, load_map, map_at, titles_of
from embedlab.ui.components.nearest import SIDES
from embedlab.ui.components.run_maps import both_maps, corner_of, show_drawing
from embedlab.ui.frame.pickers import SHOWN_RUNS
from embedlab.ui.frame.routes import map_key
from embedlab.ui.frame.state import linked_choice, tell_choice

__all__ = ["UNTOUCHED", "Compared", "compared"]
KEY, IN_ADDRESS = "maps.with", "with"
HEIGHT = 500  # of each


@dataclass(frozen=True)
class Compared:
    """What is left and right on every view of Maps."""

    run: RunFolder
    against: str  # UNTOUCHED, or the id of the run on the left

    @property
    def other(self) -> RunFolder | None:
        """The run on the left, if it is another one."""
        return None if self.against == UNTOUCHED else open_run(self.against)

    @property
    def group(self) -> str:
        """What links both maps in the browser; each comparison has its own group."""
        return f"maps-{self._name}"

    def key(self, side: str, method: str) -> str:
        """The key of the map on one side, so that a lasso or click is not carried over to another comparison."""
        return f"maps-{side}-{method}-{self._name}"

    def states(self, method: str) -> dict[str, Mapping]:
        """What the reader did on either map, before they are drawn again."""
        return {side: st.session_state.get(map_key(self.key(side, method), HEIGHT)) or {} for side in SIDES}

    @property
    def _name(self) -> str:
        return self.run.id if self.against == UNTOUCHED else f"{self.run.id}-{self.against}"

    @property
    def encoders(self) -> tuple[tuple[RunFolder, Side], tuple[RunFolder, Side]]:
        """The run and the encoder behind the left and the right map."""
        return (self.other, "after") if self.other else (self.run, "before"), (self.run, "after")

    @property
    def encoders_asked(self) -> dict[str, dict[str, str]]:
        """The same for the resident process; with two runs the right map is aligned with the left run's."""
        named = {side: {"run": run.id, "name": name} for side, (run, name) in zip(SIDES, self.encoders, strict=True)}
        return named if self.other is None else named | {"after": {**named["after"], "onto": self.against}}

    @property
    def words(self) -> tuple[str, str]:
        """The names of both sides within a sentence."""
        return SIDES if self.other is None else ("left", "right")

    @property
    def titles(self) -> tuple[str, str]:
        """The titles of the left and the right map."""
        if self.other is None:
            return titles_of(self.run)
        names = run_names([self.other, self.run])
        return names[self.against], names[self.run.id]

    @property
    def is_single(self) -> bool:
        """Whether both maps are one: a run without training, or a single imported file."""
        files = own_files(self.run)
        is_one_file = bool(files) and not {"after", "coordinates_after"} & set(files)
        return self.other is None and (is_one_file or is_untrained(self.run))

    def corner(self, side: str, drawn: DrawnMap | None = None) -> str:
        """kNN accuracy of the embeddings behind the map ``before`` (left) or ``after`` (right), and in the picture."""
        run, name = self.encoders[SIDES.index(side)]
        return corner_of(run, name, None if drawn is None else drawn.facts)

    def maps(self, method: str) -> tuple[DrawnMap, DrawnMap] | None:
        """Left and right, the right one aligned with the left; None until both are drawn."""
        if self.other is None:
            return both_maps(self.run, method)
        if not is_drawn_onto(self.run, self.other, method):
            return None
        left = load_map(self.other, "after", method)
        right = map_at(right_map(self.run, self.against, self.other, method))
        if left is None or right is None:
            return None
        return left, aligned_on(right, left) if method == OWN_MAP else right

    def show_drawing(self, method: str, *, there: bool) -> None:
        """The progress of drawing both maps, or the button that starts it."""
        if self.other is None:
            show_drawing(self.run, method, there=there)
            return
        for run in (self.other, self.run):
            if load_map(run, "after", method) is None:
                show_drawing(run, method, there=False)
                return
        if method != OWN_MAP:
            show_drawing(self.run, method, there=there, onto=self.other)


def compared(run: RunFolder, corpus: Corpus) -> Compared:
    """Draws the choice of what this run is compared with, itself untouched or another run; it is in the address."""
    candidates = (other for other in find_runs(corpus=corpus.fingerprint) if corpus_key(other) == corpus.fingerprint)
    with_result = (other for other in candidates if other.id != run.id and read_result(other) is not None)
    others = list(islice(with_result, SHOWN_RUNS))
    if not others:
        tell_choice(None, key=KEY, address=IN_ADDRESS)
        return Compared(run, UNTOUCHED)
    untouched = titles_of(run)[0] if own_files(run) else word_of_before(run).capitalize()
    explained = "What is shown on the left: this run before training, or another run on these texts after training."
    names = {UNTOUCHED: untouched, **run_names(others)}
    against = linked_choice("Compared with", names, key=KEY, address=IN_ADDRESS, width=260, help=explained)
    return Compared(run, against)


def aligned_on(right: DrawnMap, left: DrawnMap, chosen: np.ndarray | None = None) -> DrawnMap:
    """The right map moved, rotated and scaled to match the left one, by all texts on both or the chosen ones.

    chosen: (corpus rows,) bool
    """
    coordinates = laid_onto(right.coordinates, right.rows, onto=left.coordinates, onto_rows=left.rows, chosen=chosen)
    return replace(right, coordinates=coordinates)
