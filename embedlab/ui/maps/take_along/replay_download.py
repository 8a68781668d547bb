"""The run as one HTML file to take away: what will be in it, who writes it, and the file."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.map_methods import ALL_MAPS
from embedlab.report.replay import texts_in_replay
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_job
from embedlab.runs.result import read_result
from embedlab.runs.state import State, read_state
from embedlab.ui.frame.progress import follow_job
from embedlab.ui.frame.session import start_once
from embedlab.ui.frame.text import count, in_bytes


def replay_section(run: RunFolder, corpus: Corpus) -> None:
    """What the file holds, with or without texts; a button that has it written; the download."""
    st.write(
        "One HTML file that replays this run offline: the verdict, the curves, the film of the training and both maps."
        " It opens in any browser, fetches nothing, and can be sent to anybody."
    )
    if read_result(run) is None:
        st.caption("It can be written when the run has ended.")
        return
    with_texts = not st.toggle("Without texts", key=f"replay.without-{run.id}")
    st.caption(_contents(texts_in_replay(run, corpus.info.texts), corpus.info.texts, with_texts))
    asked = {"run": run.id, "with_texts": with_texts}
    job = find_job("replay", **asked)
    if job is not None and not read_state(job).is_over:
        follow_job(job)
        return
    if job is not None and read_state(job).state is not State.FINISHED:
        follow_job(job)  # what it failed of
    with st.container(horizontal=True, vertical_alignment="center"):
        written = job if job is not None and job.replay.exists() and _is_of_today(job, run) else None
        label = "Write the file" if written is None else "Write it again"
        st.button(label, key=f"replay.write-{run.id}-{with_texts}", on_click=start_once, args=("replay", asked))
        if written is not None:
            size = written.replay.stat().st_size
            st.download_button(
                f"Download it ({in_bytes(size)})",
                written.replay.read_bytes(),
                f"replay-{run.id}.html",
                "text/html",
                key=f"replay.take-{run.id}-{with_texts}",
                type="primary",
                on_click="ignore",
            )


def _contents(points: int, texts: int, with_texts: bool) -> str:
    """What leaves this computer with the file."""
    of_all = "all" if points == texts else f"each class by its share of {count(texts)}"
    if points == 0:
        return "This file contains none of your texts, but class names, if there are any, and the curves."
    if with_texts:
        return f"This file contains {count(points)} of your texts ({of_all}), each cut at 300 characters."
    return f"This file contains none of your texts: only the places of {count(points)} of them, and their class names."


def _is_of_today(job: RunFolder, run: RunFolder) -> bool:
    """Whether nothing of the run was drawn after the file was written."""
    drawn = [run.map("after", method) for method in ALL_MAPS] + [run.result]
    newest = max((path.stat().st_mtime for path in drawn if path.exists()), default=0.0)
    return job.replay.stat().st_mtime >= newest
