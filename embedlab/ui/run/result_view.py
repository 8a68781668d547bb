"""The view of Result: a run at work, its verdict, numbers and maps, or how it ended; until then the example."""

import numpy as np
import streamlit as st

from embedlab.comparison.siblings import pooled, texts_left_out
from embedlab.corpora.base import Corpus
from embedlab.distance import DISTANCES
from embedlab.encoder_catalog.catalog import ENCODERS
from embedlab.measurement import I_SENTENCES
from embedlab.numbers import count
from embedlab.report.moved_tables import movement_in_words
from embedlab.report.nearest_texts import text_line
from embedlab.report.verdict_words import (
    beaten_by_words,
    headline,
    judge_line,
    left_out_sentence,
    plain_sentence,
    verdict_details,
)
from embedlab.runs.drawn_map import UNTOUCHED
from embedlab.runs.example import MINI, ExampleKind
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import is_own
from embedlab.runs.kept import record_ending
from embedlab.runs.label_lineage import words_without_knn
from embedlab.runs.map_readings import Moves
from embedlab.runs.result import NO_KNN, RunResult, awaits_folds, counted_in, read_result
from embedlab.runs.state import read_state
from embedlab.runs.store import fingerprint_of, is_measured, settings_of
from embedlab.training.recipes import RECIPES
from embedlab.training.titles import phases
from embedlab.ui.components.built_in import example_instead, example_needed, texts_here
from embedlab.ui.components.inside_pictures import inside_pictures
from embedlab.ui.components.knn_numbers import changed_classes, numbers
from embedlab.ui.components.loaded_maps import moves, ranked
from embedlab.ui.components.run_maps import film_section, map_pair
from embedlab.ui.components.train_fields import ENCODER, choose_recipe
from embedlab.ui.components.words_explained import words_explained
from embedlab.ui.frame.layout import escaped, pair
from embedlab.ui.frame.navigation import go_button, go_to
from embedlab.ui.frame.page import View
from embedlab.ui.frame.progress import follow_job
from embedlab.ui.frame.state import CORPUS, NEW_VIEW, TRAIN_VIEW, corpus_of, shown_distance
from embedlab.ui.run.export_section import downloads_row
from embedlab.ui.run.post_view import post_section
from embedlab.ui.run.run_view import curves, ended_early, live_view


def show_result(run: RunFolder, result: RunResult) -> None:
    """The sentence, the numbers, the maps; until the ten folds are measured, their progress."""
    verdict_and_numbers(run, result)
    words_explained(run)
    map_pair(run)
    inside_pictures(run)
    downloads_row(run)
    changed_classes(run)
    moved_summary(run)
    film_section(run)
    remarks(result)


def verdict_and_numbers(run: RunFolder, result: RunResult) -> None:
    """The verdict and the accuracy that it is of; while ten folds are predicted, their progress."""
    if not read_state(run).is_over:
        follow_job(run, stop="Skip the ten folds")
    if awaits_folds(result, read_state(run).state):
        st.subheader("Trained. The verdict follows when ten folds over the labeled texts are predicted.", anchor=False)
        return
    verdict(run, result)
    numbers(run, result)


def remarks(result: RunResult) -> None:
    """Shows the watchdog's notices; collapsed, which step is kept and all that is worth knowing of the run."""
    for notice in result.notices:
        st.warning(escaped(f"At step {count(notice.step)}: {notice.message}", 700))
    lines = result.remarks(but={TRAINED_ON, I_SENTENCES} if result.judged else NO_KNN)
    lines = [*dict.fromkeys(each.sentence for each in result.joined.values()), *lines]
    if result.lineage:
        lines.insert(0, f"Started from the encoder of {phases(result.lineage)}.")
    if result.stopped and result.kept:
        lines.insert(0, result.kept.reason)
    if lines:
        with st.expander("Remarks on this run"):
            _small(lines)


LISTED = 5
_CHARACTERS = 74


def moved_summary(run: RunFolder) -> None:
    """Summarises what moved, if measured."""
    movement, corpus = moves(run, UNTOUCHED), corpus_of(run)
    if movement is None or corpus is None or movement.facts.moved.share is None or not movement.above.any():
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader("What moved", anchor=False, width="content")
        st.caption(movement_in_words(movement))
    if movement.facts.helped.share is not None:
        for column, order, title in zip(pair("moved"), ("gained", "lost"), ("Gained most", "Lost most"), strict=True):
            with column:
                _texts(run, corpus, movement, order, title)
    go_button("Show all that moved", "moved", name="moved.open")


def _texts(run: RunFolder, corpus: Corpus, movement: Moves, order: str, title: str) -> None:
    """``0 → 10 of ten scipy.signal · …``, one line per text."""
    st.markdown(f"**{title}**")
    positions = _first_distinct(ranked(run, UNTOUCHED, order), corpus.copies[movement.rows])
    if not positions:
        st.caption("No text.")
        return
    lines = []
    for position in positions:
        words = escaped(text_line(corpus, int(movement.rows[position]), _CHARACTERS), _CHARACTERS)
        of = np.count_nonzero(movement.nearest_after[position] >= 0)
        lines.append(f"- {movement.same_before[position]} → {movement.same_after[position]} of {of} · {words}")
    st.markdown("\n".join(lines))


def _first_distinct(positions: np.ndarray, copies: np.ndarray) -> list[int]:
    """Return the first positions, each text once.  copies: equal numbers for copies, (texts on the map,)"""
    listed: dict[int, int] = {}
    for position in positions:
        listed.setdefault(int(copies[position]), int(position))
        if len(listed) == LISTED:
            break
    return list(listed.values())


TRAINED_ON = "I-TRAINED-ON"  # the code of the remark that stands with the verdict


def verdict(run: RunFolder, result: RunResult) -> None:
    """The plain sentence large; the short statistical one small, by the shown distance; the rest collapsed.

    Where counting words is clearly better, what that means and what to try next.
    """
    distance = shown_distance()
    if sentence := headline(result, distance):
        explained = (
            "kNN accuracy: for how many of 100 tested texts the ten nearest texts predict the right label; a point is "
            "one of the 100. Cosine compares the angle between two embeddings, Euclidean distance the straight line "
            f"between them. The word is decided with {DISTANCES[distance]}; the switch at the left changes that."
        )
        st.subheader(escaped(plain_sentence(result, distance), 300), anchor=False, help=explained)
        _small([sentence, *result.warned(I_SENTENCES)])
        if further := verdict_lines(run, result):
            with st.expander("How sure is this?"):
                _small(further)
        if beaten_by_words(result, distance):
            try_next(run, counted_in(result))
    elif is_own(run):
        st.subheader("Imported unchanged: nothing was trained here.", anchor=False)
    elif result.judge is not None:
        st.subheader(escaped(judge_line(result), 300), anchor=False)
        if result.knn is None:
            st.caption(escaped(words_without_knn(run), 400))
    elif result.knn is None:
        st.subheader(escaped(words_without_knn(run), 400), anchor=False)
    else:
        st.subheader("Measured unchanged: nothing was trained.", anchor=False)


def _small(lines: list[str]) -> None:
    st.caption("  \n".join(escaped(line, 600) for line in lines))


def verdict_lines(run: RunFolder, result: RunResult) -> list[str]:
    """Lines below the verdict: interval, reference lines, the paper's split, seeds, training texts."""
    distance = shown_distance()
    lines = [judge_line(result), *verdict_details(result, distance)]
    if not is_own(run):
        seeds, left_out = pooled(run, distance), texts_left_out(run)
        lines += [] if seeds is None else [seeds.sentence]
        lines += [] if left_out is None else [left_out_sentence(left_out, distance)]
    return [line for line in [*lines, *result.warned(TRAINED_ON)] if line]


_GO = "try.next"


def try_next(run: RunFolder, counted: str) -> None:
    """Two buttons that open Train with another recipe or encoder.  ``counted``: by TF-IDF."""
    settings = settings_of(run)
    offers = better(str(settings.get("encoder", "")), str(settings.get("recipe", "")))[:2]
    if not offers:
        return
    if st.session_state.pop(_GO, False):
        go_to("train")
    unit = counted.partition(" of the first ")[0]  # without "of the first 64 tokens"
    st.caption(
        f"TF-IDF, which counts {counted} and learns nothing, still separates these topics better: they differ in their "
        f"{unit}, and this encoder has not learned them yet. What came closer to it, or above it, on the corpora "
        "measured here:"
    )
    with st.container(horizontal=True):
        for encoder, recipe in offers:
            label = escaped(f"Try {RECIPES[recipe].title} with {ENCODERS[encoder].title}", 120)
            offer = (fingerprint_of(run), encoder, recipe)
            st.button(label, key=f"try-{run.id}-{encoder}-{recipe}", on_click=_prepare, args=offer)


def better(encoder: str, recipe: str) -> list[tuple[str, str]]:
    """(encoder, recipe), the best first; see recipes against counting words in tests/benchmarks/README.md."""
    order = [("words", "sentences"), ("minilm", "crops"), ("token", "sentences"), ("scratch:bert-mini", "coco-dr")]
    return [each for each in order if ENCODERS[each[0]].is_here and each != (encoder, recipe)]


def _prepare(corpus: str, encoder: str, recipe: str) -> None:
    st.session_state[CORPUS], st.session_state[ENCODER] = corpus, encoder
    st.session_state[TRAIN_VIEW], st.session_state[_GO] = NEW_VIEW, True
    choose_recipe(RECIPES[recipe])


def show_run(run: RunFolder) -> None:
    """Live until it is measured; then the verdict, the maps and the curves; or how it ended."""
    record_ending(run)  # its worker may have gone without a word
    result = read_result(run) if is_measured(run) else None
    if result is not None and result.is_unmeasured:
        ended_early(run)
        post_section(run, result)
    elif result is not None:
        show_result(run, result)
        if result.steps:
            st.subheader("How it got there", anchor=False)
            curves(run)
        post_section(run, result)
    elif not read_state(run).is_over:
        live_view(run)
        words_explained(run)
    else:
        ended_early(run)


def example_result(kind: ExampleKind = MINI) -> None:
    """Verdict, numbers, both maps, the curve, the film."""
    run = example_needed(kind)
    if run is None or (result := read_result(run)) is None:
        return
    verdict_and_numbers(run, result)
    words_explained(run)
    map_pair(run, plays=True)
    texts_here()
    inside_pictures(run)
    st.subheader("How it got there", anchor=False)
    curves(run)
    film_section(run)


def example_training() -> None:
    """Shows the packaged run's numbers and curves, until a run trains."""
    run = example_instead("kNN accuracy is drawn here while an encoder trains.")
    if run is not None and (result := read_result(run)) is not None:
        numbers(run, result)
        curves(run)


RESULT_VIEW = View(
    show_run,
    "The encoder learned to place two views of one text close together and away from all other texts of the batch. "
    "Training never sees labels; they score, by kNN accuracy: for every text of ten folds, whether its ten nearest "
    "neighbors among the other texts share its label, with cosine or Euclidean distance (the switch at the left). "
    "TF-IDF counts words and needs no training, which makes it the line to beat. The curve begins at step 0, before "
    "training; it and its dashed lines are measured on test texts alone, all or a sample of them; then diamonds show "
    "the values on all test texts, which differ because more texts can be neighbors.",
    "Crops paper, sections 3.2 and 4.1, Figure 2 and Table 1; InfoNCE is its equation 1.",
    example=example_result,
    needs_result=False,
)
