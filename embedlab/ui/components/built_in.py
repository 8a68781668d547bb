"""What comes with embedlab: the demo, the run suggested after it, and the packaged example with its maps."""

import streamlit as st

from embedlab.encoder_catalog.catalog import ENCODERS, CatalogEncoder
from embedlab.encoder_catalog.names import is_token_layer
from embedlab.jobs.requests.corpora import ReadCorpus
from embedlab.numbers import count, duration
from embedlab.runs.drawn_map import read_map_facts
from embedlab.runs.example import DROPOUT, MINI, TOKEN, ExampleKind, example_corpus, example_run, gathered
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs, find_runs, newest_job
from embedlab.runs.label_lineage import first_encoder
from embedlab.runs.result import read_result
from embedlab.runs.state import State, read_state
from embedlab.runs.store import settings_of
from embedlab.training.demo import CORPUS, DEMO, DROPOUT_PAIRS, ELONGATION
from embedlab.training.settings import RunSettings
from embedlab.ui.components.run_maps import map_pair
from embedlab.ui.frame.layout import rerun_when
from embedlab.ui.frame.progress import POLL_SECONDS, start_once
from embedlab.ui.frame.state import pick_run

NAME = "demo"
SECONDS_ON_TWO_CORES = 40  # corpus, run, maps, layers and length: tests/benchmarks/demo.py


def seconds_expected() -> float:
    """How long the demo takes here: as long as last time, otherwise as measured on two cores."""
    for run in find_jobs("train", standing=State.FINISHED):
        result = read_result(run)
        if result is not None and result.name == NAME and not result.stopped:
            facts = read_map_facts(run.map_facts("after", "tsne"))  # the map before is drawn while the run trains
            return result.seconds + (facts.seconds if facts is not None else 0.0)
    return SECONDS_ON_TWO_CORES


def demo_button(label: str) -> None:
    """Start the main job."""
    st.button(f"{label} (about {duration(seconds_expected())})", type="primary", key="home.demo", on_click=start_demo)


def start_demo() -> None:
    """Start the main job on the built-in corpus; a button's callback."""
    pick_run(start_once(RunSettings.model_validate(DEMO), name=NAME))


def start_dropout() -> None:
    """Start the demo with dropout pairs in place of crops; a button's callback."""
    pick_run(start_once(RunSettings.model_validate(DROPOUT_PAIRS), name=f"{NAME}, dropout pairs"))


def start_elongation() -> None:
    """Start the demo with each text and its own repetition as a pair; a button's callback."""
    pick_run(start_once(RunSettings.model_validate(ELONGATION), name=f"{NAME}, elongation"))


def second_encoder() -> CatalogEncoder:
    """The encoder with layers that is offered for a corpus: the packaged MiniLM if installed, otherwise mini."""
    return packaged if (packaged := ENCODERS["minilm"]).is_here else ENCODERS["mini"]


def start_second(corpus: str) -> None:
    """Start an encoder with layers on a corpus, for one epoch; a button's callback."""
    settings = {"recipe": "sentences", "epochs": 1, "encoder": second_encoder().key, "corpus": corpus}
    pick_run(start_once(RunSettings.model_validate(settings), name="an encoder with layers"))


def has_layered(corpus: str) -> bool:
    """Whether a run with an encoder that has layers was started on this corpus (and did not fail)."""
    begun = [run for run in find_jobs("train", corpus=corpus) if read_state(run).state is not State.FAILED]
    return any(not is_token_layer(first_encoder(str(settings_of(run).get("encoder", "")))) for run in begun)


_ON_TOPICS = "1,496 texts of the documentation of the installed packages (`docs-topics`)"
_WHOSE = {
    MINI: f"the encoder `mini`, trained for one epoch on text crops of {_ON_TOPICS}",
    DROPOUT: f"the encoder `mini`, trained for one epoch on dropout pairs of {_ON_TOPICS}",
    TOKEN: "a token layer initialized with random vectors, on the documentation of the installed packages (`docs`)",
}


def example_needed(kind: ExampleKind, *, whose: str = "") -> RunFolder | None:
    """The example run below a line that says ``whose`` it is; None if the package came without it."""
    run = example_run(kind)
    if run is not None:
        origin = whose or _WHOSE[kind]
        replaced = " Your first run will replace it." if next(find_runs(), None) is None else ""
        st.caption(f"**An example that came with embedlab:** {origin}, trained in advance.{replaced}")
    return run


def example_instead(sentence: str, *, whose: str = "") -> RunFolder | None:
    """One sentence on what this page will show, one on the example shown meanwhile."""
    if example_run(MINI) is not None:
        st.write(sentence)
    return example_needed(MINI, whose=whose)


def example_maps() -> None:
    """Both maps alone."""
    if (run := example_needed(MINI)) is not None:
        map_pair(run, height=520, plays=True)
        texts_here()


def texts_here() -> None:
    """The package holds only names: the texts are gathered here in the background, then counted."""
    if gathered(CORPUS) is None:
        if newest_job(ReadCorpus.task, reference=CORPUS) is None:
            gather_texts()
        st.caption("Hover shows each text's name; the text itself follows once it is collected from your packages.")
        rerun_when(lambda: gathered(CORPUS) is not None, every=POLL_SECONDS * 3, key="example.texts")
        return
    corpus = example_corpus(MINI)
    assert corpus is not None, "it was gathered"
    here, rows = corpus.texts_found(), corpus.info.rows
    if here < rows:
        packaged = f"{count(here)} of {count(rows)} texts are also in your packages"
        st.caption(f"{packaged}; hover shows only the name of {count(rows - here)}.")


def gather_texts() -> None:
    """Let a worker collect the built-in texts from the installed packages."""
    start_once(ReadCorpus(reference=CORPUS))
