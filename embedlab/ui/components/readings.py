"""What was measured of the maps, read once for all pages while the files stay; and whose they are."""

from pathlib import Path

import numpy as np
import streamlit as st

from embedlab.runs import map_readings
from embedlab.runs.drawn_map import UNTOUCHED, right_map
from embedlab.runs.folder import RunFolder
from embedlab.runs.map_readings import ClassNeighbors, Clusters, MapTrust, Moves
from embedlab.runs.store import open_run


def moves(run: RunFolder, against: str) -> Moves | None:
    """What moved, or None where nobody measured it."""
    return _moves(str(run.path), against, _changed(run.moves_facts(against)))


def class_neighbors(run: RunFolder, against: str) -> ClassNeighbors | None:
    """Who neighbors whom, or None where nobody measured it."""
    return _class_neighbors(str(run.path), against, _changed(run.class_neighbors(against)))


def trust(run: RunFolder, drawn: Path) -> MapTrust | None:
    """How far a drawn map can be believed, or None where nobody measured it."""
    return _trust(str(run.path), str(drawn), _changed(run.trust(drawn).with_suffix(".json")))


def clusters(run: RunFolder, name: str) -> Clusters | None:
    """``before``, ``after`` in the full space, ``after-tsne`` of a map; None where nobody looked for them."""
    return _clusters(str(run.path), name, _changed(run.clusters(name).with_suffix(".json")))


def both_pictures(run: RunFolder, method: str, against: str) -> tuple[tuple[RunFolder, Path], tuple[RunFolder, Path]]:
    """Left and right: whose map it is, and its file."""
    other = None if against == UNTOUCHED else open_run(against)
    left = (run, run.map("before", method)) if other is None else (other, other.map("after", method))
    return left, (run, right_map(run, against, other, method)[0])


def both_trusts(run: RunFolder, method: str, against: str) -> tuple[MapTrust, MapTrust] | None:
    """Of the left and of the right map; None until both are measured."""
    found = tuple(trust(whose, path) for whose, path in both_pictures(run, method, against))
    return None if None in found else found


def _changed(path: Path) -> int | None:
    return path.stat().st_mtime_ns if path.exists() else None


@st.cache_resource(max_entries=4, show_spinner=False)
def _moves(path: str, against: str, changed: int | None) -> Moves | None:
    return map_readings.moves_of(RunFolder(Path(path)), against)


@st.cache_resource(max_entries=4, show_spinner=False)
def _class_neighbors(path: str, against: str, changed: int | None) -> ClassNeighbors | None:
    return map_readings.class_neighbors_of(RunFolder(Path(path)), against)


@st.cache_resource(max_entries=8, show_spinner=False)
def _trust(path: str, drawn: str, changed: int | None) -> MapTrust | None:
    return map_readings.trust_of(RunFolder(Path(path)), Path(drawn))


@st.cache_resource(max_entries=8, show_spinner=False)
def _clusters(path: str, name: str, changed: int | None) -> Clusters | None:
    return map_readings.clusters_of(RunFolder(Path(path)), name)


def ranked(run: RunFolder, against: str, order: str) -> np.ndarray:
    """Positions of the texts above noise in this order; gained and lost: whose own class became more, or fewer."""
    return _ranked(str(run.path), against, order, run.moves_facts(against).stat().st_mtime_ns, run)


@st.cache_resource(max_entries=6, show_spinner=False)
def _ranked(path: str, against: str, order: str, changed: int, _run: RunFolder) -> np.ndarray:
    found = moves(_run, against)
    effect = np.nan_to_num(found.effect, nan=0.0)
    good = {"most": found.above, "gained": found.above & (effect > 0), "lost": found.above & (effect < 0)}[order]
    positions = np.flatnonzero(good)
    moved, effect = found.movement[positions], effect[positions]
    first, second = {"most": (moved, np.abs(effect)), "gained": (effect, moved), "lost": (-effect, moved)}[order]
    return positions[np.lexsort((positions, -second, -first))]
