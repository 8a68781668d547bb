"""The built-in runs: the demo, how long it takes on this computer, and the run offered after it."""

from embedlab.encoders.catalog import ENCODERS, CatalogEncoder
from embedlab.runs.drawn_map import read_map_facts
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs
from embedlab.runs.result import read_result
from embedlab.runs.state import State, read_state
from embedlab.training.recipes import DEMO
from embedlab.training.settings import RunSettings
from embedlab.ui.frame.session import start_once
from embedlab.ui.frame.state import pick_run

CORPUS = "docs"
NAME = "demo"
SECONDS_ON_TWO_CORES = 45  # corpus, run and maps: tests/benchmarks/demo.py


def seconds_expected() -> float:
    """How long the demo takes here: as long as the last one did, else as long as it did on two cores."""
    for run in find_jobs("train", standing=State.FINISHED):
        result = read_result(run)
        if result is not None and result.name == NAME and not result.stopped:
            return result.seconds + _map_seconds(run)
    return SECONDS_ON_TWO_CORES


def _map_seconds(run: RunFolder) -> float:
    """Of the map after; that before is drawn while the run trains."""
    facts = read_map_facts(run.map_facts("after", "tsne"))
    return facts.seconds if facts is not None else 0.0


def start_demo() -> None:
    """The main job on the built-in corpus; for a button's callback."""
    pick_run(start_once(RunSettings(**DEMO, corpus=CORPUS), name=NAME))


def second_encoder() -> CatalogEncoder:
    """The encoder of the second built-in run: the packaged MiniLM where installed, else a small BERT from scratch."""
    return packaged if (packaged := ENCODERS["minilm"]).is_here else ENCODERS["scratch:bert-mini"]


def start_second(corpus: str = CORPUS) -> None:
    """The demo's recipe with several layers, one epoch for time; for a button's callback."""
    short = {"epochs": 1, "batch_size": 64}
    settings = {**DEMO, **short, "encoder": second_encoder().key, "corpus": corpus}
    pick_run(start_once(RunSettings(**settings), name="second built-in run"))


def has_second(corpus: str) -> bool:
    """Whether such a run was started on this corpus (and not given up)."""
    begun = find_jobs("train", encoder=second_encoder().key, corpus=corpus)
    return any(read_state(run).state is not State.FAILED for run in begun)
