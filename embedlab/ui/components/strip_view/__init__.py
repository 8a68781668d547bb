"""A strip beside the maps: a histogram or bars of one column; what is brushed stays highlighted on the maps of its
group.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from embedlab.figures.colour_groups import NO_BIN, Steps, steps_of
from embedlab.palette import Shades
from embedlab.ui.frame.layout import browser_component, noting
from embedlab.ui.frame.routes import TOKEN, offer

_BROWSER = Path(__file__).parent / "browser"
_ARRAYS = Path(__file__).parents[1] / "map_view" / "browser" / "arrays.js"
_component = browser_component(
    "strip_view", _BROWSER, "strip", ["histogram", "bars", "strip"], script=_ARRAYS.read_text(encoding="utf-8")
)


@dataclass(frozen=True)
class StripState:
    """What the reader brushed: the rows inside, and in words."""

    inside: np.ndarray | None = None  # (rows,) bool; None: nothing is brushed
    words: str = ""


def strip_view(
    *,
    key: str,
    values: np.ndarray | None = None,
    categories: np.ndarray | None = None,
    names: Sequence[str] = (),
    colours: Sequence[Shades] = (),
    group: str,
    title: str,
    height: int = 96,
) -> StripState:
    """Draw a strip and return what is brushed on it.

    Either ``values`` (rows,): numbers, NaN where there is none: a histogram; or ``categories`` (rows,): index into
    ``names``, any other number for none: a bar each, with ``colours`` one ``{"light", "dark"}`` per name. Dragging over
    the histogram, or clicking bars, dims all other texts on the maps of the ``group`` without asking the server; Escape
    or a double click ends it.
    """
    if values is not None and categories is None:
        steps = steps_of(values)
    elif categories is not None and values is None:
        steps = _as_steps(categories, len(names))
    else:
        raise ValueError("A strip shows either values or categories; give one of the two.")
    data = dict(
        kind="histogram" if values is not None else "bars",
        bins=offer(steps.of),
        counts=steps.counts.tolist(), edges=steps.edges.tolist(), is_open=steps.is_open,
        missing=int((steps.of == NO_BIN).sum()),
        without="a rarer value or none" if len(names) > NO_BIN else "no value",
        names=[str(name) for name in names[:NO_BIN]],
        light=[each["light"] for each in colours[:NO_BIN]], dark=[each["dark"] for each in colours[:NO_BIN]],
        group=group, title=title, token=TOKEN, height=height,
    )  # fmt: skip
    return _state(noting(_component, "brushed")(key=key, data=data).get("brushed"), data, steps)


def _as_steps(categories: np.ndarray, names: int) -> Steps:
    """Each of the first 255 categories as a bin."""
    bars = min(names, NO_BIN)
    has_bar = (np.asarray(categories) >= 0) & (np.asarray(categories) < bars)
    return Steps(np.where(has_bar, categories, NO_BIN).astype(np.uint8), np.arange(bars + 1, dtype=float), False)


def _state(brushed: Mapping | None, data: dict, steps: Steps) -> StripState:
    """The browser's state, without parts that belong to a column shown earlier."""
    if brushed is None or brushed["of"] != data["bins"]:
        return StripState()
    bins = sorted({int(each) for each in brushed["bins"] if 0 <= int(each) < len(data["counts"])})
    if not bins:
        return StripState()
    inside = np.isin(steps.of, bins)
    if data["kind"] == "bars":
        return StripState(inside, ", ".join(data["names"][each] for each in bins))
    low, high = float(steps.edges[bins[0]]), float(steps.edges[bins[-1] + 1])
    if steps.is_open and bins[-1] == len(data["counts"]) - 1:
        return StripState(inside, f"{low:,g} and more")
    return StripState(inside, f"{low:,g} to below {high:,g}")
