"""Add an evaluation set: a file of pairs, queries or candidates, by upload or by path, with its columns said."""

from pathlib import Path

import streamlit as st

from embedlab.jobs.runner import submit_once
from embedlab.limits import LIMITS
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State, read_state
from embedlab.runs.store import open_run, read_job_result
from embedlab.ui.frame.files import keep_upload, stem
from embedlab.ui.frame.progress import follow_job
from embedlab.ui.frame.text import escaped

JOB = "metrics.set_job"
COLUMNS = """
| kind | columns | measures |
|---|---|---|
| pairs | `sentence1`, `sentence2`, `score` (0 to 5) | STS |
| pairs | `sentence1`, `sentence2`, `is_paraphrase` (true, false, empty: undecided) | paraphrase |
| queries | `query`, `doc_ids`, perhaps `grades` or `gain` (lists); a documents file: `doc_id`, `text` | retrieval |
| candidates | `query`, `positive`, `negative` (lists of texts) | reranking |
"""


def add_set() -> None:
    """Folded: what the columns are called, the file, and what became of it."""
    with st.expander("Add pairs, queries or candidates of your own"):
        st.markdown(COLUMNS)
        path, file_name = _file("File", "metrics.set")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            documents = st.text_input(
                "Documents (path), for queries", key="metrics.set.documents", placeholder="/home/me/documents.parquet"
            ).strip()
            split = st.text_input(
                "Split", key="metrics.set.split", placeholder="test, where there is one", width=180
            ).strip()
            scale = st.text_input(
                "Scale of the scores", key="metrics.set.scale", placeholder="0 to 5", width=160
            ).strip()
            asked = {"path": str(path), "file_name": file_name, "name": stem(file_name)}
            asked |= {"documents": documents or None, "split": split or None, "scale": _scale(scale)}
            st.button("Read this set", key="metrics.set.read", disabled=path is None, on_click=_start, args=(asked,))
        if job := st.session_state.get(JOB):
            _outcome(open_run(job))


def _file(label: str, key: str) -> tuple[Path | None, str]:
    """Where the file lies, and what the user calls it."""
    left, right = st.columns(2)
    uploaded = left.file_uploader(label, key=f"{key}.upload", max_upload_size=LIMITS.upload_bytes // 2**20)
    typed = right.text_input("Or a path on this computer", key=f"{key}.path", placeholder="/home/me/pairs.csv").strip()
    if uploaded is not None:
        return keep_upload(uploaded), uploaded.name
    return (Path(typed).expanduser(), Path(typed).name) if typed else (None, "")


def _scale(written: str) -> list[float] | None:
    """Two numbers in whatever words stand between them; None leaves the usual scale."""
    numbers = []
    for word in written.replace(",", " ").split():
        try:
            numbers.append(float(word))
        except ValueError:
            continue
    return numbers if len(numbers) == 2 and numbers[0] < numbers[1] else None


def _start(asked: dict) -> None:
    st.session_state[JOB] = submit_once("read_set", asked).id


def _outcome(job: RunFolder) -> None:
    if follow_job(job) is State.FINISHED and (found := read_job_result(job)) is not None:
        info = found["set"]
        sizes = ", ".join(f"{number:,} {name}" for name, number in info["counts"].items())
        st.success(f"{escaped(info['name'])}: {sizes}. Choose it under Measure on.")
        for note in info["notes"]:
            st.caption(escaped(note["message"], 400))
    elif not read_state(job).is_over:
        st.caption("The set can be chosen as soon as it is read.")
