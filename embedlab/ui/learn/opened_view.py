"""Open a lesson file: every rule and claim is checked, then it is kept and exported."""

import streamlit as st

from embedlab.corpora.base import open_corpus
from embedlab.errors import EmbedlabError
from embedlab.example import gathered
from embedlab.learn.catalog import export_lesson, keep_lesson
from embedlab.runs.index.find import find_runs
from embedlab.runs.result import read_result
from embedlab.training.titles import run_title
from embedlab.ui.frame.page import show_error
from embedlab.ui.frame.state import hold
from embedlab.ui.frame.text import escaped

LARGEST_MB = 1
PACKAGED = "packaged"


def opened_view() -> None:
    """Upload, bind, check, take along."""
    uploaded = st.file_uploader("Lesson file", type="md", key="learn.file", max_upload_size=LARGEST_MB)
    if uploaded is None:
        st.caption("A Markdown file of six rules; Make a lesson gives you one to start from.")
        return
    try:
        lesson = keep_lesson(uploaded.getvalue(), uploaded.name)
        runs = {name: run for name in lesson.runs if (run := _bound(name)) != PACKAGED}
        anyway = st.checkbox("Export even if a claim does not hold", key="learn.anyway")
        fingerprint = gathered()
        corpus = None if fingerprint is None or lesson.corpus else open_corpus(fingerprint)
        made = export_lesson(lesson, corpus=corpus, runs=runs, anyway=anyway)
    except EmbedlabError as error:
        show_error(error)
        return
    for each in made.claims:
        sign = ":material/check:" if each.holds else ":material/close:"
        line = f"{sign} {escaped(each.sentence, 400)}"
        st.markdown(line)
    line = f"**{escaped(lesson.title)}**: {len(lesson.steps)} steps, all rules hold. [Open](lesson/{lesson.key}.html)"
    st.markdown(line)
    st.download_button("Download the HTML", made.page, f"{lesson.key}.html", "text/html", key="learn.opened",
                       on_click="ignore")  # fmt: skip


def _bound(name: str) -> str:
    """The run for a name of the lesson."""
    runs = {run.id: run for run in find_runs() if read_result(run) is not None}
    said = {PACKAGED: "the packaged one", **{key: run_title(run) for key, run in runs.items()}}
    hold(f"learn.bound-{name}")
    return st.selectbox(f"Run for {name}", list(said), format_func=said.get, key=f"learn.bound-{name}")
