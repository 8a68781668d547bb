"""Make a lesson: a run and some pictures become a Markdown file with the run's facts in it."""

import streamlit as st

from embedlab.example import LAYERS, TOKEN, example_run
from embedlab.learn.skeleton import KINDS, fitting, skeleton
from embedlab.runs.index.find import find_runs
from embedlab.runs.result import read_result
from embedlab.training.titles import run_title
from embedlab.ui.frame.state import hold


def making_view() -> None:
    """Choose, then edit the file anywhere."""
    packaged = {run.id: run for run in map(example_run, (TOKEN, LAYERS)) if run is not None}
    runs = packaged | {run.id: run for run in find_runs() if read_result(run) is not None}
    titles = {key: f"{run_title(run)}{' (packaged)' if key in packaged else ''}" for key, run in runs.items()}
    hold("learn.run")
    key = st.selectbox("Run", list(runs), format_func=titles.get, key="learn.run")
    there = fitting(runs[key])
    many = {"selection_mode": "multi", "format_func": KINDS.get, "default": there[:3]}
    kinds = st.pills("Pictures", there, key=f"learn.kinds-{key}", **many)
    if not kinds:
        st.caption("Choose at least one picture.")
        return
    name = key if key in packaged else "run"
    source = skeleton(runs[key], kinds, name=name)
    st.write("Edit this file in any editor; then open it here, or export it with the command below.")
    st.code(source, language="markdown", height=360)
    st.download_button("Download the lesson", source.encode(), "my-lesson.md", "text/markdown", key="learn.made",
                       on_click="ignore")  # fmt: skip
    bound = "" if key in packaged else f" --run run={key}"
    st.code(f"python -m embedlab learn export my-lesson.md{bound} --out my-lesson.html", language=None)
