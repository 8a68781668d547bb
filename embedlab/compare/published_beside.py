"""The paper's value that stands beside one of ours: same corpus, encoder, recipe, metric and number of epochs."""

import re

from embedlab.baseline_methods import BASELINE_METHODS
from embedlab.compare.rows import BASELINE, Row
from embedlab.published import Published, published_values

_EPOCHS = re.compile(r"\b(\d+) epochs?$")
_TRAIN_SPLIT = "trained on the train split only"


def published_beside(row: Row, metric: str) -> Published | None:
    """The first in the order of the papers, or None. A corpus is known by its name, which is its key in the catalog."""
    setting = _TRAIN_SPLIT if row.trained_on == "train_split" else ""
    wanted = {"corpus": row.corpus_name, "metric": metric.removesuffix("/cv10"), "setting": setting}
    if row.kind == BASELINE:
        key = row.path.name
        model = BASELINE_METHODS[key].printed if key in BASELINE_METHODS else None
        return next((found for found in published_values(**wanted) if found.model == model), None) if model else None
    if row.encoder is None or row.recipe is None:
        return None
    found = published_values(**wanted, encoder=row.encoder, recipe=row.recipe)
    return next((each for each in found if each.share is not None and _is_as_long(each, row)), None)


def place_of(value: Published) -> str:
    """``Crops, Table 1: MPNet, crops``"""
    return f"{value.paper}, {value.table}: {value.model}"


def _is_as_long(value: Published, row: Row) -> bool:
    epochs = _EPOCHS.search(value.model)
    return epochs is None or row.epochs == int(epochs[1])
