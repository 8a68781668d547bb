"""Misread the map: four small maps of the same texts, drawn with other settings, seeds, or of random data."""

from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.figures.palette import ACCENT
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State, read_state
from embedlab.store_root import read_json
from embedlab.ui.components.coordinates import categories_of
from embedlab.ui.components.map_view import map_view
from embedlab.ui.components.nearest import SIDES
from embedlab.ui.components.pair_of_maps import UNTOUCHED, Compared
from embedlab.ui.frame.progress import follow_job, job_for
from embedlab.ui.frame.session import start_once
from embedlab.ui.frame.state import colours_of
from embedlab.ui.frame.text import count, percent
from embedlab.ui.maps.lab.experiments import EXPERIMENTS, LETTERS, Experiment

HEIGHT = 250
SOURCE = (
    "Wattenberg, Viégas and Johnson, “How to Use t-SNE Effectively”, Distill 2016; Kobak and Berens, “The art of using "
    "t-SNE for single-cell transcriptomics”, 2019."
)
_STYLE = Path(__file__).with_name("four.css")
_BY_TITLE = {each.title: each for each in EXPERIMENTS}


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


def show_lab(view: Compared, corpus: Corpus) -> None:
    """The experiments, four maps at a time, and what each of them teaches."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        title = st.segmented_control(
            "Experiment", list(_BY_TITLE), default="Perplexity", required=True, key="maps.lab", persist_state="session"
        )
        run, name = _embeddings(view)
    experiment = _BY_TITLE[title or "Perplexity"]
    drawn = four_maps(run, name, experiment.key)
    if drawn is None:
        _draw_first(run, name, experiment, corpus)
    else:
        _experiment(run, name, experiment, drawn, corpus)
    st.caption(SOURCE)


def _embeddings(view: Compared) -> tuple[RunFolder, str]:
    """Of which side the texts are drawn."""
    said = SIDES if view.against == UNTOUCHED else ("left", "right")
    chosen = st.segmented_control(
        "Embeddings", list(said), default=said[1], required=True, key=f"maps.lab-{said[1]}", persist_state="session"
    )
    return view.encoders[said.index(chosen or said[1])]


def _draw_first(run: RunFolder, name: str, experiment: Experiment, corpus: Corpus) -> None:
    """Nothing is drawn yet: the button, or where the drawing stands, or how it failed."""
    asked = {"run": run.id, "side": name, "experiment": experiment.key}
    job = job_for("lab", **asked)
    if job is not None and read_state(job).state is not State.FINISHED and not follow_job(job).is_over:
        return
    with st.container(border=True):
        texts = min(corpus.info.texts, 2_000)
        st.write(f"{experiment.setting} Four maps of {count(texts)} of your texts, drawn once and kept.")
        st.button("Draw the four maps", type="primary", key=f"lab-{experiment.key}", on_click=_start, args=(asked,))


def _start(asked: dict) -> None:
    start_once("lab", asked)


def _experiment(run: RunFolder, name: str, experiment: Experiment, drawn: FourMaps, corpus: Corpus) -> None:
    """Question, guess, the four maps, and once guessed their names and the lesson."""
    order = shuffled_order(run, name, experiment.key)
    choices, right = experiment.choices(order, drawn.names)
    st.markdown(f"{experiment.setting} **{experiment.question}**")
    guess = st.segmented_control(
        "Your guess", choices, key=f"lab-guess-{run.id}-{name}-{experiment.key}", label_visibility="collapsed"
    )
    if guess is not None:
        outcome = ":material/check: Right." if guess == right else f":material/close: It is: {right}."
        st.markdown(f"**{outcome}** {experiment.lesson(drawn.facts)}")
    _four(run, name, experiment, drawn, corpus, order, named=guess is not None)
    facts = drawn.facts
    which = "all" if facts["texts"] == facts["of"] else "a stratified sample of"
    line = f"{which.capitalize()} {count(facts['texts'])} of {count(facts['of'])} texts; t-SNE, 750 steps."
    st.caption(line if guess is not None else f"{line} Colours, names and numbers appear with your guess.")


def _four(
    run: RunFolder, name: str, experiment: Experiment, drawn: FourMaps, corpus: Corpus, order: list[int], *, named: bool
) -> None:
    """The small maps; without names they show neither classes nor texts."""
    st.html(_STYLE)
    colours = colours_of(corpus) if named and corpus.info.classes else {"texts": ACCENT}
    own = categories_of(corpus, drawn.rows) if len(colours) > 1 else np.zeros(len(drawn.rows), np.uint16)
    with st.container(horizontal=True, key=f"four-{experiment.key}"):
        for letter, which in zip(LETTERS, order, strict=True):
            facts = drawn.facts["maps"][which]
            is_text = facts["of"] == "your texts"
            with st.container(gap="small"):
                head = f"**{letter}** {facts['name']}" if named else f"**{letter}**"
                st.markdown(head)
                map_view(
                    key=f"lab-{run.id}-{name}-{experiment.key}-{letter}",
                    coordinates=drawn.coordinates[which],
                    categories=own,
                    class_names=list(colours),
                    colours=list(colours.values()),
                    row_ids=drawn.rows if is_text and named else None,
                    corpus=corpus.fingerprint if is_text and named else None,
                    names_on_map=False,
                    alt=f"Map {letter} of {len(drawn.rows):,} texts.",
                    caption=_numbers(facts) if named else "",
                    legend=False,
                    height=HEIGHT,
                    still=True,
                )


def _numbers(facts: dict) -> str:
    """``kNN in the picture 58 %, 71 % of neighbors kept (by chance 5 %)``"""
    knn = facts["knn_in_picture"]
    said = "" if knn is None else f"kNN in the picture {percent(knn, 0)}, "
    return f"{said}{percent(facts['kept'], 0)} of neighbors kept (by chance {percent(facts['chance'], 0)})."


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
