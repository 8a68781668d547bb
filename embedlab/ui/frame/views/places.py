"""Where every view is: the page and, on it, what its address says; also where the addresses of former pages lead."""

from collections.abc import Mapping
from dataclasses import dataclass, field

TAB, VIEW = "tab", "view"  # of Run and Runs, in the address
RESULT, MAP, SCORES, INSIDE, EXPORT = "Result", "Map", "Scores", "Inside", "Export"  # the tabs of Run
SWEEP = "Sweep"  # of Train


@dataclass(frozen=True)
class Place:
    """A page, and what stands in its address beside the run."""

    page: str
    address: Mapping[str, str] = field(default_factory=dict)


PLACES = {
    "home": Place("home"),
    "data": Place("data"),
    "train": Place("train"),
    "run": Place("run"),
    "runs": Place("runs"),
    "learn": Place("learn"),
    "corpus": Place("data", {"data": "Corpora"}),
    "evaluation sets": Place("data", {"data": "Evaluation sets"}),
    "result": Place("run", {TAB: RESULT}),
    "pairs": Place("data", {"data": "Training pairs"}),
    "own embeddings": Place("data", {"data": "Embeddings"}),
    "selections": Place("data", {"data": "Selections"}),
    "evaluate": Place("run", {TAB: SCORES}),
    "maps": Place("run", {TAB: MAP}),
    "moved": Place("run", {TAB: MAP, VIEW: "What moved"}),
    "neighbors": Place("run", {TAB: MAP, VIEW: "Neighbors"}),
    "layers": Place("run", {TAB: INSIDE, VIEW: "Layers"}),
    "length": Place("run", {TAB: INSIDE, VIEW: "Length"}),
    "diagnostics": Place("run", {TAB: INSIDE, VIEW: "Diagnostics"}),
    "export": Place("run", {TAB: EXPORT}),
    "compare": Place("runs", {VIEW: "Metrics"}),
    "sweep": Place("train", {"train.view": SWEEP}),
    "studies": Place("runs", {VIEW: "Studies"}),
}
FORMER_PAGES = ("corpus", "evaluate", "maps", "neighbors", "layers", "length", "diagnostics", "compare", "studies")
_FORMER_NAMES = {"maps.view": VIEW, "evaluate.view": VIEW, "compare.show": VIEW}
_FORMER_VIEWS = {"Maps": "Map", "A text's flight": "A text's path"}


def forwarded(former: str, address: Mapping[str, str]) -> Place:
    """Where the address of a former page leads: its view, and all else that the address said."""
    place = PLACES[former]
    names = {_FORMER_NAMES.get(name, name): _FORMER_VIEWS.get(value, value) for name, value in address.items()}
    if names.get(VIEW) == EXPORT:
        names = {name: value for name, value in names.items() if name != VIEW} | {TAB: EXPORT}
    return Place(place.page, {**place.address, **names})
