"""Maps beside a run's own two, of some of its texts: after every layer, and the four of each experiment of the lab."""

from dataclasses import dataclass

import numpy as np

from embedlab.runs.folder import RunFolder
from embedlab.store_root import read_json, whole_folder, write_json


@dataclass(frozen=True)
class LayerMaps:
    """All finite, on one plane: each map begins where the one of the layer above it ended."""

    rows: np.ndarray  # (texts,) corpus rows, growing
    before: np.ndarray  # (layers + 1, texts, 2)
    after: np.ndarray
    pooling: str
    of: int  # labelled texts, of which these are all or a sample


def write_layer_maps(run: RunFolder, maps: LayerMaps) -> None:
    """In place of those that were there."""
    with whole_folder(run.layer_maps) as beside:
        for name in ("rows", "before", "after"):
            np.save(beside / f"{name}.npy", getattr(maps, name), allow_pickle=False)
        write_json(beside / "facts.json", {"pooling": maps.pooling, "of": maps.of})


def read_layer_maps(run: RunFolder) -> LayerMaps | None:
    """None while nobody drew them, and where a file cannot be read."""
    try:
        facts = read_json(run.layer_maps / "facts.json")
        arrays = {
            name: np.load(run.layer_maps / f"{name}.npy", allow_pickle=False) for name in ("rows", "before", "after")
        }
        return LayerMaps(**arrays, pooling=facts["pooling"], of=facts["of"])
    except (OSError, ValueError, EOFError, KeyError):
        return None


@dataclass(frozen=True)
class FourMaps:
    """Four maps of the same texts that differ in one thing."""

    coordinates: np.ndarray  # (4, texts, 2), finite
    rows: np.ndarray  # (texts,) corpus rows, growing
    facts: dict  # texts, of, maps: name, of, kept, chance, knn_in_picture …

    @property
    def names(self) -> list[str]:
        """What each map shows."""
        return [each["name"] for each in self.facts["maps"]]


def write_four_maps(run: RunFolder, side: str, experiment: str, four: FourMaps) -> None:
    """In place of those that were there."""
    with whole_folder(run.lab(side, experiment)) as beside:
        np.save(beside / "maps.npy", four.coordinates, allow_pickle=False)
        np.save(beside / "rows.npy", four.rows, allow_pickle=False)
        write_json(beside / "facts.json", four.facts)


def read_four_maps(run: RunFolder, side: str, experiment: str) -> FourMaps | None:
    """None while nobody drew them since these embeddings were made, and where a file cannot be read."""
    folder, embeddings = run.lab(side, experiment), run.embeddings(side)
    try:
        is_old = embeddings.exists() and (folder / "facts.json").stat().st_mtime_ns < embeddings.stat().st_mtime_ns
        arrays = [np.load(folder / f"{name}.npy", allow_pickle=False) for name in ("maps", "rows")]
        return None if is_old else FourMaps(*arrays, read_json(folder / "facts.json"))
    except (OSError, ValueError, EOFError):
        return None
