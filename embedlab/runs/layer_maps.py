"""``layers/maps/`` of a run: a map of some labelled texts after every layer, before and after."""

from dataclasses import dataclass

import numpy as np

from embedlab.distance import Distance
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
    distance: Distance  # that they were drawn with


def write_layer_maps(run: RunFolder, maps: LayerMaps) -> None:
    """In place of those that were there."""
    with whole_folder(run.layer_maps) as beside:
        for name in ("rows", "before", "after"):
            np.save(beside / f"{name}.npy", getattr(maps, name), allow_pickle=False)
        write_json(beside / "facts.json", {"pooling": maps.pooling, "of": maps.of, "distance": maps.distance})


def read_layer_maps(run: RunFolder) -> LayerMaps | None:
    """None while nobody drew them, and where a file cannot be read."""
    try:
        facts = read_json(run.layer_maps / "facts.json")
        arrays = {
            name: np.load(run.layer_maps / f"{name}.npy", allow_pickle=False) for name in ("rows", "before", "after")
        }
        return LayerMaps(**arrays, pooling=facts["pooling"], of=facts["of"], distance=facts["distance"])
    except (OSError, ValueError, EOFError, KeyError):
        return None
