"""The verdict on a page: whether training helped by either distance, large; below it how sure that is, against what."""

import streamlit as st

from embedlab.metrics.seeds import seeds_sentence
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import words_without_knn
from embedlab.runs.own import is_own
from embedlab.runs.siblings import pooled
from embedlab.runs.verdict_words import beaten_by_words, headline, plainly, verdict_details
from embedlab.ui.distance import by_distance, shown_distance
from embedlab.ui.text import escaped
from embedlab.ui.try_next import try_next

TRAINED_ON = "I-TRAINED-ON"  # the code of the remark that stands with the verdict
_EXPLAINED = (
    "kNN accuracy: of 100 test texts, how many get their label from the ten texts nearest to them; a point is one of "
    "the 100. Nearest by cosine: by the angle between two embeddings; by Euclidean distance: by the straight line "
    "between them. The first word is decided {}; the switch at the left changes that."
)


def verdict(run: RunFolder, result: dict) -> None:
    """Plain words large; the short statistical sentence small, by the shown distance; the rest folded.

    Where counting words is clearly better, what that means and what to try next.
    """
    if result.get("verdict"):
        distance = shown_distance()
        explained = _EXPLAINED.format(by_distance(distance))
        st.subheader(escaped(plainly(result, distance), 300), anchor=False, help=explained)
        first, *further = [escaped(line, 600) for line in [headline(result, distance), *verdict_lines(run, result)]]
        _small([first])
        if further:
            with st.expander("How sure is this?"):
                _small(further)
        if beaten_by_words(result, distance):
            try_next(run)
    elif is_own(run):
        st.subheader("Brought as it is: nothing was trained here.", anchor=False)
    elif result["knn"] is None:
        st.subheader(words_without_knn(run), anchor=False)
    else:
        st.subheader("Measured as it is: nothing was trained.", anchor=False)


def _small(lines: list[str]) -> None:
    if lines:
        st.caption("  \n".join(lines))


def verdict_lines(run: RunFolder, result: dict) -> list[str]:
    """What belongs to the verdict: intervals, the reference lines, all labelled texts, seeds, training texts."""
    lines = [*verdict_details(result, shown_distance()), seeds_line(run)]
    lines += [warning["message"] for warning in result["warnings"] if warning.get("code") == TRAINED_ON]
    return [line for line in lines if line]


def seeds_line(run: RunFolder) -> str:
    """Of whom the verdict speaks: this run, these runs, or the recipe with its seeds pooled."""
    found = None if is_own(run) else pooled(run, shown_distance())
    return "" if found is None else seeds_sentence(found.difference, len(found.seeds), found.distance)
