"""The verdict on a page: whether training helped, large; below it against what, on how many texts, by which seeds."""

import streamlit as st

from embedlab.metrics.seeds import seeds_sentence
from embedlab.runs.folder import RunFolder
from embedlab.runs.own import is_own
from embedlab.runs.siblings import pooled
from embedlab.ui.text import escaped

TRAINED_ON = "I-TRAINED-ON"  # the code of the remark that stands with the verdict


def verdict(run: RunFolder, result: dict) -> None:
    """The first sentence large; the others small, one a line."""
    if result.get("verdict"):
        first, *_ = result["verdict"].rstrip(".").split("; ")
        st.subheader(escaped(first, 300), anchor=False)
        lines = [escaped(line, 500) for line in verdict_lines(run, result)]
        if lines:
            st.caption("  \n".join(lines))
    elif is_own(run):
        st.subheader("Brought as it is: nothing was trained here.", anchor=False)
    elif result["knn"] is None:
        st.subheader("Trained. Without labels there is no kNN accuracy; the maps show what changed.", anchor=False)
    else:
        st.subheader("Measured as it is: nothing was trained.", anchor=False)


def verdict_lines(run: RunFolder, result: dict) -> list[str]:
    """What belongs to the verdict: the reference lines, what n can show, all labelled texts, seeds, training texts."""
    _, *further = result["verdict"].rstrip(".").split("; ")
    against = ", ".join(part for part in further if part.startswith("against "))
    can_be_seen = [part for part in further if not part.startswith("against ")]
    lines = [". ".join(_sentence(part) for part in [against, *can_be_seen] if part)]
    if (folds := result.get("folds")) and "sentence" in folds:
        lines.append(folds["sentence"].partition("; ")[0])
    lines.append(seeds_line(run))
    lines += [warning["message"] for warning in result["warnings"] if warning.get("code") == TRAINED_ON]
    return [f"{line.strip().rstrip('.')}." for line in lines if line.strip()]


def _sentence(part: str) -> str:
    return part[0].upper() + part[1:]


def seeds_line(run: RunFolder) -> str:
    """Of whom the verdict speaks: this run, these runs, or the recipe with its seeds pooled."""
    found = None if is_own(run) else pooled(run)
    return "" if found is None else seeds_sentence(found.difference, len(found.seeds))
