"""The run as one HTML file to take away: what will be in it, who writes it, and the file."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.map_methods import ALL_MAPS
from embedlab.report.replay import texts_in_replay
from embedlab.requests.files import WriteReplay
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.ui.frame.job_panel import job_panel
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
    request = WriteReplay(run=run.id, with_texts=with_texts)
    key = f"{run.id}-{with_texts}"

    def download(job: RunFolder) -> None:
        with st.container(horizontal=True, vertical_alignment="center"):
            again = {"on_click": start_once, "args": (request,)}
            st.button("Write it again", key=f"replay.write-{key}", **again)
            size, name = in_bytes(job.replay.stat().st_size), f"replay-{run.id}.html"
            st.download_button(f"Download it ({size})", job.replay.read_bytes(), name, "text/html",
                               key=f"replay.take-{key}", type="primary", on_click="ignore")  # fmt: skip

    job_panel(request, start="Write the file", show=download, key=f"replay.write-{key}", primary=False,
              is_outdated=lambda job: not (job.replay.exists() and _is_of_today(job, run)))  # fmt: skip


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
