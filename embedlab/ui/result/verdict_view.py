"""The verdict on a page: whether training helped by either distance, large; below it how sure that is, against what."""

import streamlit as st

from embedlab.compare.siblings import pooled
from embedlab.distance import DISTANCES
from embedlab.encoders.catalog import ENCODERS
from embedlab.report.verdict_words import beaten_by_words, headline, judge_line, plainly, verdict_details
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import is_own
from embedlab.runs.label_lineage import words_without_knn
from embedlab.runs.result import RunResult, counted_in
from embedlab.runs.store import fingerprint_of, settings_of
from embedlab.statistics.seeds import seeds_sentence
from embedlab.training.recipes import RECIPES
from embedlab.ui.components.train_fields import ENCODER, choose_recipe
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.state import CORPUS, NEW_VIEW, TRAIN_VIEW
from embedlab.ui.frame.switches import shown_distance
from embedlab.ui.frame.text import escaped

TRAINED_ON = "I-TRAINED-ON"  # the code of the remark that stands with the verdict
_EXPLAINED = (
    "kNN accuracy: for how many of 100 test texts the ten nearest texts predict the right label; a point is one of "
    "the 100. Cosine compares the angle between two embeddings, Euclidean distance the straight line between "
    "them. The first word is decided with {}; the switch at the left changes that."
)


def verdict(run: RunFolder, result: RunResult) -> None:
    """Plain words large; the short statistical sentence small, by the shown distance; the rest folded.

    Where counting words is clearly better, what that means and what to try next.
    """
    if result.judged is not None:
        distance = shown_distance()
        explained = _EXPLAINED.format(DISTANCES[distance])
        st.subheader(escaped(plainly(result, distance), 300), anchor=False, help=explained)
        first, *further = [escaped(line, 600) for line in [headline(result, distance), *verdict_lines(run, result)]]
        _small([first])
        if further:
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
    if lines:
        st.caption("  \n".join(lines))


def verdict_lines(run: RunFolder, result: RunResult) -> list[str]:
    """What belongs to the verdict: intervals, the reference lines, all labelled texts, seeds, training texts."""
    lines = [judge_line(result), *verdict_details(result, shown_distance()), seeds_line(run)]
    lines += result.warned(TRAINED_ON)
    return [line for line in lines if line]


def seeds_line(run: RunFolder) -> str:
    """Of whom the verdict speaks: this run, these runs, or the recipe with its seeds pooled."""
    found = None if is_own(run) else pooled(run, shown_distance())
    return "" if found is None else seeds_sentence(found.difference, len(found.seeds), found.distance)


_MEANS = (
    "TF-IDF, which counts {counted} and learns nothing, still separates these topics better: they differ in their "
    "{counted}, and this encoder has not learned them yet. What came closer to it, or above it, on the corpora "
    "measured here:"
)
_OFFERED = 2
_GO = "try.next"


def try_next(run: RunFolder, counted: str) -> None:
    """Two buttons that open Train with another recipe or encoder.  ``counted``: by TF-IDF."""
    asked = settings_of(run)
    offers = better(str(asked.get("encoder", "")), str(asked.get("recipe", "")))[:_OFFERED]
    if not offers:
        return
    if st.session_state.pop(_GO, False):
        go_to("train")
    st.caption(_MEANS.format(counted=counted))
    with st.container(horizontal=True):
        for encoder, recipe in offers:
            label = escaped(f"Try {RECIPES[recipe].title} with {ENCODERS[encoder].title}", 120)
            told = (fingerprint_of(run), encoder, recipe)
            st.button(label, key=f"try-{run.id}-{encoder}-{recipe}", on_click=_prepare, args=told)


def better(encoder: str, recipe: str) -> list[tuple[str, str]]:
    """(encoder, recipe), the best first: tests/benchmarks/README.md, recipes against counting words."""
    order = [("words", "sentences"), ("minilm", "crops"), ("token", "sentences"), ("scratch:bert-mini", "coco-dr")]
    return [each for each in order if ENCODERS[each[0]].is_here and each != (encoder, recipe)]


def _prepare(corpus: str, encoder: str, recipe: str) -> None:
    st.session_state[CORPUS], st.session_state[ENCODER] = corpus, encoder
    st.session_state[TRAIN_VIEW], st.session_state[_GO] = NEW_VIEW, True
    choose_recipe(RECIPES[recipe])
