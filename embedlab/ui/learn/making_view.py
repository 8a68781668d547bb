"""Make a lesson: a run and some pictures become a Markdown file with the run's facts in it."""

import streamlit as st

from embedlab.learn.skeleton import KINDS, fitting, skeleton
from embedlab.runs.label_lineage import run_title
from embedlab.runs.result import read_result
from embedlab.runs.store import list_runs


def making_view() -> None:
    """Choose, then edit the file anywhere."""
    runs = [run for run in list_runs()[:200] if read_result(run) is not None]
    if not runs:
        empty_state(
            "A lesson of your own begins with a finished run, and there is none yet.", button="Open Home", page="home"
        )
        return
    by_id = {run.id: run for run in runs}
    key = st.selectbox("Run", list(by_id), format_func=lambda key: run_title(by_id[key]), key="learn.run")
    run = by_id[key]
    there = fitting(run)
    kinds = st.pills(
        "Pictures", there, default=there[:3], format_func=KINDS.get, selection_mode="multi", key="learn.kinds"
    )
    if not kinds:
        st.caption("Choose at least one picture.")
        return
    source = skeleton(run, kinds, name=name)
    st.write("Edit this file in any editor; then open it here, or export it with the command below.")
    st.code(source, language="markdown", height=360)
    st.download_button("Download the lesson", source.encode(), "my-lesson.md", "text/markdown", key="learn.made",
                       on_click="ignore")  # fmt: skip
    bound = "" if run in packaged else f" --run run={run.id}"
    st.code(f"python -m embedlab learn export my-lesson.md{bound} --out my-lesson.html", language=None)
