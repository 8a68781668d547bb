"""The four maps of an experiment as its worker left them."""

from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import streamlit as st

from embedlab.runs.folder import RunFolder
from embedlab.store_root import read_json


@dataclass(frozen=True)
class FourMaps:
    """Four maps of the same texts."""

    coordinates: np.ndarray  # (4, texts, 2)
    rows: np.ndarray  # (texts,) corpus rows
    facts: dict  # texts, of, maps: name, of, kept, chance, knn_in_picture …

    @property
    def names(self) -> list[str]:
        """What each map shows."""
        return [each["name"] for each in self.facts["maps"]]


def four_maps(run: RunFolder, name: str, experiment: str) -> FourMaps | None:
    """What was drawn, or None while nothing was since these embeddings were made."""
    folder = run.lab(name, experiment)
    facts = folder / "facts.json"
    if not facts.exists() or facts.stat().st_mtime_ns < run.embeddings(name).stat().st_mtime_ns:
        return None
    return _read(folder, facts.stat().st_mtime_ns)


def shuffled_order(run: RunFolder, name: str, experiment: str) -> list[int]:
    """Which map stands where: by chance, but always the same here, so that position tells nothing."""
    order = list(range(4))
    Random(f"{run.id} {name} {experiment}").shuffle(order)
    return order


@st.cache_resource(max_entries=8, show_spinner=False)
def _read(folder: Path, changed: int) -> FourMaps:
    arrays = [np.load(folder / f"{which}.npy", allow_pickle=False) for which in ("maps", "rows")]
    return FourMaps(*arrays, read_json(folder / "facts.json"))
