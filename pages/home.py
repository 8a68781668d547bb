"""Home: one button trains on the built-in corpus; later, the way to start, the newest result, and other runs."""

from itertools import islice

import streamlit as st

from embedlab.runs.drawn_map import read_map_facts
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_runs
from embedlab.runs.result import damaged_result, read_result
from embedlab.runs.state import State, read_state
from embedlab.runs.store import is_measured
from embedlab.ui.components.built_in import demo_button, has_layered, second_encoder, start_second
from embedlab.ui.components.inside_pictures import inside_pictures
from embedlab.ui.components.knn_numbers import changed_classes
from embedlab.ui.components.pocket_at_work import pocket_at_work
from embedlab.ui.components.run_maps import corner_of, map_pair, small_map
from embedlab.ui.components.same_with import offer_dropout
from embedlab.ui.components.train_fields import edit_and_rerun
from embedlab.ui.corpus.storage_view import left_out, storage_view
from embedlab.ui.frame.files import own_texts_drop
from embedlab.ui.frame.layout import escaped, show_error
from embedlab.ui.frame.navigation import go_button, go_to
from embedlab.ui.frame.page import page_head, what_am_i_looking_at
from embedlab.ui.frame.state import corpus_of, pick_run, picked_run
from embedlab.ui.run.result_view import example_result, verdict_and_numbers
from embedlab.ui.run.run_header import run_facts, run_heading
from embedlab.ui.run.run_view import ended_early, live_view

GALLERY = 3


def first_start() -> None:
    """The pocket encoder at work; below it the demo, the lessons and a finished example."""
    page_head("embedlab", "Fine-tune a text encoder on unlabeled texts, and watch what it learns.")
    pocket_at_work()
    with st.container(border=True):
        st.write(
            "About 1,500 documentation texts of the Python packages installed with embedlab, on twelve topics. A small "
            "encoder that has only learned to guess hidden words learns for one epoch that two sentences of one text "
            "belong together. Training never sees labels; they only score. Nothing is downloaded."
        )
        with st.container(horizontal=True):
            demo_button("Train it yourself")
            go_button("Six lessons of fifteen minutes", "learn")
    example_result()


def run_section(run: RunFolder) -> None:
    """The picked run: live until it is measured, then its verdict and maps, or how it ended."""
    with st.container(horizontal=True, vertical_alignment="center"):
        run_heading(run)
        go_button("Open this run", "result", name="home.open")
        if is_measured(run) and not ((result := read_result(run)) is not None and result.is_unmeasured):
            edit_and_rerun(run)
    if is_measured(run) and (damage := damaged_result(run)) is not None:
        show_error(damage)
    elif is_measured(run) and (result := read_result(run)) is not None and not result.is_unmeasured:
        st.caption(escaped(run_facts(run), 600))
        verdict_and_numbers(run, result)
        offer_dropout(run)
        map_pair(run)
        changed_classes(run)
        inside_pictures(run)
    elif not read_state(run).is_over:
        live_view(run)
    else:
        ended_early(run)


def head(run: RunFolder) -> None:
    """The page's name, and beside it the user's own texts, a new run, and on these texts an encoder with layers."""
    corpus = corpus_of(run)
    with st.container(horizontal=True, vertical_alignment="bottom", key="home-head"):
        with st.container(width=260):
            page_head("Home", "Did label-free training improve the embedding?")
        own_texts_drop()
        go_button("New run", "train")
        go_button("New sweep", "sweep", help="Train with several values of one setting.")
        if not read_state(run).is_over:
            return
        if corpus is not None and not has_layered(corpus.fingerprint):
            label = escaped(f"Train {second_encoder().title} on the same texts")
            explained = "An encoder with layers: Layers and Length show more for it."
            st.button(label, key="home.second", on_click=start_second, args=(corpus.fingerprint,), help=explained)
        ended = (run for state in (State.FINISHED, State.STOPPED) for run in find_runs(standing=state))
        if not any(read_result(run) is not None for run in ended):
            demo_button("Train the demo")


def gallery(current: RunFolder) -> None:
    """Small maps of the latest other runs on the same corpus."""
    corpus = corpus_of(current)
    if corpus is None:
        return
    runs = find_runs(corpus=corpus.fingerprint)
    drawn = (run for run in runs if run.id != current.id and run.map("after", "tsne").exists())
    others = list(islice(drawn, GALLERY))
    if not others:
        return
    st.subheader("Other runs on these texts", anchor=False)
    for column, run in zip(st.columns(GALLERY), others, strict=False):
        with column:
            facts = read_map_facts(run.map_facts("after", "tsne"))
            small_map(run, corpus, corner=corner_of(run, "after", facts, of="kNN", folds=False))  # one line fits
            if st.button("Open", key=f"home.show-{run.id}", on_click=pick_run, args=(run,)):
                go_to("result")


picked = picked_run()
if picked is None:
    first_start()
else:
    head(picked)
    run_section(picked)
    gallery(picked)
left_out()
storage_view()
what_am_i_looking_at(
    "kNN accuracy asks of every tested text whether its ten nearest neighbors among the other texts share its label. "
    "Nearest by the angle between embeddings (cosine), which encoders are trained with, or by Euclidean distance, as "
    "in the papers: the switch at the left. The encoder never sees labels while it trains: it pulls two views of one "
    "text together and pushes other texts away. TF-IDF counts words and needs no training, which makes it the line to "
    "beat. The maps place similar texts side by side; their axes mean nothing, their neighborhoods do.",
    "Crops paper, sections 3.2 and 4.1, Table 1.",
)
