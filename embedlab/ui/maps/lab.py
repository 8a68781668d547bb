"""Test your reading: four small maps of the same texts, drawn with other settings, seeds, or of random data."""

from contextlib import suppress
from pathlib import Path
from random import Random

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.jobs.requests.drawing import DrawLab
from embedlab.numbers import count, percent
from embedlab.palette import ACCENT
from embedlab.report.map_experiments import EXPERIMENTS, LETTERS, Experiment
from embedlab.runs.drawn_map import YOUR_TEXTS, FourMaps, LabMap, read_four_maps
from embedlab.runs.example import TOKEN, example_run
from embedlab.runs.folder import RunFolder
from embedlab.store_root import read_json_if_whole, store_root
from embedlab.ui.components.built_in import example_needed
from embedlab.ui.components.loaded_maps import categories_of
from embedlab.ui.components.map_view import map_view
from embedlab.ui.components.nearest import SIDES
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.frame.background import read_once
from embedlab.ui.frame.progress import job_panel, session_id
from embedlab.ui.frame.state import colours_of, corpus_of, view_choice
from embedlab.update import update_json

HEIGHT = 220  # question, maps and the beginning of the lesson share a screen of 720 pixels
SOURCE = (
    "Wattenberg, Viégas and Johnson, “How to Use t-SNE Effectively”, Distill 2016; Kobak and Berens, “The art of using "
    "t-SNE for single-cell transcriptomics”, 2019."
)
_BY_TITLE = {each.title: each for each in EXPERIMENTS}


def show_lab(view: Compared, corpus: Corpus) -> None:
    """The experiments, four maps at a time, and their lessons; packaged ones until own ones are drawn."""
    with st.container(horizontal=True, vertical_alignment="center"):
        experiment = _chosen_experiment()
        side = view_choice(list(SIDES), key="maps.lab_side", first=SIDES[1])  # whose embeddings are drawn
    run, name = view.encoders[SIDES.index(side)]
    drawn = four_maps(run, name, experiment.key)
    if drawn is not None:
        _experiment(run, name, experiment, drawn, corpus)
    else:
        _packaged(experiment)
        line = f"Of {count(min(corpus.info.texts, 2_000))} of your texts, drawn once and kept."
        request = DrawLab(run=run.id, side=name, experiment=experiment.key)
        job_panel(request, start="Draw the four maps", key=f"lab-{experiment.key}", line=line)
    st.caption(SOURCE)


def example_lab() -> None:
    """The packaged experiments alone, if there is no run yet."""
    example_needed(TOKEN)
    _packaged(_chosen_experiment())
    st.caption(SOURCE)


def _chosen_experiment() -> Experiment:
    """It is kept in the address."""
    return _BY_TITLE[view_choice(list(_BY_TITLE), key="maps.lab")]


def _packaged(experiment: Experiment) -> None:
    """The packaged experiment; nothing if the package came without it."""
    run = example_run(TOKEN)
    if run is None or (drawn := four_maps(run, "after", experiment.key)) is None:
        return
    corpus = corpus_of(run)
    assert corpus is not None, "the package holds the example's corpus"
    _experiment(run, "after", experiment, drawn, corpus, whose="texts of the packaged example")


def _experiment(
    run: RunFolder, name: str, experiment: Experiment, drawn: FourMaps, corpus: Corpus, *, whose: str = "of your texts"
) -> None:
    """Question, guess, the four maps, and after the guess their names and the lesson."""
    order = shuffled_order(run, name, experiment.key)
    choices, right = experiment.choices(order, drawn.names)
    st.markdown(f"{experiment.setting} **{experiment.question}**")
    question = f"{run.id}-{name}-{experiment.key}"
    key = f"lab-guess-{question}"
    if key not in st.session_state and (earlier := _guesses().get(question)) in choices:
        st.session_state[key] = earlier  # this session's guess stays until a click takes it back
    guess = st.segmented_control(
        "Your guess", choices, key=key, on_change=_keep, args=(question, key), label_visibility="collapsed"
    )
    _four(run, name, experiment, drawn, corpus, order, right=right if guess is not None else None)
    facts = drawn.facts
    if guess is not None:
        outcome = ":material/check: Right." if guess == right else f":material/close: The answer is: {right}."
        st.markdown(f"**{outcome}** {experiment.lesson(facts)}")
    which = "all" if facts.texts == facts.of else "a stratified sample of"
    line = f"{which.capitalize()} {count(facts.texts)} of {count(facts.of)} {whose}; t-SNE, 750 steps."
    st.caption(line if guess is not None else f"{line} Colors, names and numbers appear with your guess.")


def _keep(question: str, key: str) -> None:
    """Store the guess, or that it was taken back. In a read-only store, a guess lasts as long as the page."""
    guess = st.session_state[key]
    with suppress(OSError):
        update_json(_file(), lambda guesses: {**guesses, question: guess})


def _four(
    run: RunFolder,
    name: str,
    experiment: Experiment,
    drawn: FourMaps,
    corpus: Corpus,
    order: list[int],
    *,
    right: str | None,
) -> None:
    """The small maps; until the answer is revealed they show neither names nor classes nor texts."""
    named = right is not None
    classes = colours_of(corpus) if named else {}
    colours = classes or {"texts": ACCENT}
    categories = categories_of(corpus, drawn.rows) if classes else np.zeros(len(drawn.rows), np.uint16)
    with st.container(horizontal=True, key=f"four-{experiment.key}"):
        for letter, which in zip(LETTERS, order, strict=True):
            facts = drawn.facts.maps[which]
            is_text = facts.of == YOUR_TEXTS
            with st.container(gap="small"):
                head = f"**{letter}** {facts.name}" if named else f"**{letter}**"
                st.markdown(f"{head} :material/check:" if letter == right else head)
                map_view(
                    key=f"lab-{run.id}-{name}-{experiment.key}-{letter}",
                    coordinates=drawn.coordinates[which],
                    categories=categories,
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


def _numbers(facts: LabMap) -> str:
    """``kNN in the picture 58 %, 71 % of neighbors kept (by chance 5 %)``"""
    knn = "" if facts.knn_in_picture is None else f"kNN in the picture {percent(facts.knn_in_picture, 0)}, "
    return f"{knn}{percent(facts.kept, 0)} of neighbors kept (by chance {percent(facts.chance, 0)})."


@read_once(lambda run, name, experiment: [run.lab(name, experiment) / "facts.json", run.embeddings(name)])
def four_maps(run: RunFolder, name: str, experiment: str) -> FourMaps | None:
    """The drawn maps, or None if there are none for these embeddings."""
    return read_four_maps(run, name, experiment)


def shuffled_order(run: RunFolder, name: str, experiment: str) -> list[int]:
    """The position of each map: random but fixed, so that position reveals nothing."""
    order = list(range(4))
    Random(f"{run.id} {name} {experiment}").shuffle(order)
    return order


def _guesses() -> dict[str, str | None]:
    """What this session has answered, by question."""
    return read_json_if_whole(_file()) or {}


def _file() -> Path:
    return store_root() / "guesses" / f"{session_id()}.json"
