"""Use my own embeddings: files of vectors or of coordinates for a stored corpus become a run, without an encoder."""

from pathlib import Path

import streamlit as st

from embedlab.corpora.base import CorpusInfo
from embedlab.corpora.own_vectors import COORDINATES, EMBEDDINGS, OwnVectors, open_vectors
from embedlab.errors import EmbedlabError
from embedlab.jobs.runner import submit_once
from embedlab.limits import LIMITS
from embedlab.runs.state import State, read_state
from embedlab.runs.store import open_run, read_job_result
from embedlab.ui.frame.files import keep_upload
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.page import show_error
from embedlab.ui.frame.progress import follow_job, job_for
from embedlab.ui.frame.state import pick_run
from embedlab.ui.frame.text import count, escaped

JOB = "own.job"  # the bringing that this session started or saw
KINDS = {EMBEDDINGS: "Embeddings", COORDINATES: "Coordinates"}
ROLES = {EMBEDDINGS: ("before", "after"), COORDINATES: ("coordinates", "coordinates_after")}
_ABOUT = {
    EMBEDDINGS: "One vector a text, from any encoder: a .npy array (rows, dim), or Parquet with a list column or with "
    "numbered columns (e0, e1, …). They are measured like a run's and drawn as maps; no encoder is needed.",
    COORDINATES: "Two numbers a text, from any map: Parquet with the columns x and y, or a .npy array (rows, 2). They "
    "are shown as they are.",
}


def own_vectors_form(info: CorpusInfo) -> None:
    """Folded: one file or two for this corpus, what is in them, and the button that brings them."""
    with st.expander("Use my own embeddings"):
        _show_job(info)
        kind = st.segmented_control("What the files hold", list(KINDS), format_func=KINDS.get, default=EMBEDDINGS,
                                    required=True, key="own.kind", label_visibility="collapsed")  # fmt: skip
        rows = f" One row per row of the corpus ({count(info.rows)}), or a column id with its row numbers from 0."
        st.caption(_ABOUT[kind] + rows)
        files = {}
        titles = ("File", "A second file, compared with it")
        for place, role, title in zip(st.columns(2), ROLES[kind], titles, strict=True):
            with place:
                given = _file(role, title, kind, info)
                files |= {} if given is None else {role: given}
        asked = {"corpus": info.fingerprint, **files}
        ready = ROLES[kind][0] in files and not any(file.pop("is_wrong") for file in files.values())
        st.button("Bring them", key="own.bring", type="primary", disabled=not ready, on_click=_start, args=(asked,))


def _file(role: str, title: str, kind: str, info: CorpusInfo) -> dict | None:
    """A path or an upload, and what is in it."""
    typed = st.text_input(
        f"{title}: path on this computer", key=f"own.path.{role}", placeholder="/home/me/embeddings.npy",
        help="Big files are read where they lie, in parts.",
    )  # fmt: skip
    megabytes = LIMITS.upload_bytes // 2**20
    uploaded = st.file_uploader(
        "or upload", type=["npy", "parquet"], key=f"own.upload.{role}", max_upload_size=megabytes
    )
    if uploaded is None and not typed.strip():
        return None
    path = keep_upload(uploaded) if uploaded is not None else Path(typed.strip()).expanduser().absolute()
    name = uploaded.name if uploaded is not None else path.name
    key = f"own.column.{role}"
    column = (st.session_state.get(key) or "").strip() or None  # asked for below, once it is known to be needed
    fits, asks = False, column is not None
    try:
        fits = _show_what_it_holds(open_vectors(path, kind=kind, column=column, name=name), info)
    except EmbedlabError as error:
        show_error(error)
        asks = asks or (error.code == "E-COLUMN" and kind == EMBEDDINGS)
    if asks:
        st.text_input("Column, or stem of numbered columns", key=key, placeholder="embedding")
    return {"path": str(path), "name": name, "column": column, "is_wrong": not fits}


def _show_what_it_holds(found: OwnVectors, info: CorpusInfo) -> bool:
    """What the file holds; whether it can fit the corpus."""
    fits = found.ids is not None or found.rows == info.rows
    by = "by their column id" if found.ids is not None else "in the corpus's order"
    line = f"{count(found.rows)} rows of {count(found.dim)} values, {by}."
    if fits:
        st.caption(f":material/check: {line}")
    else:
        show_error(
            f"{found.name!r} has {count(found.rows)} rows, but {info.name} has {count(info.rows)}. One row per row of "
            "the corpus is needed, or a column id with its row numbers."
        )
    return fits


def _show_job(info: CorpusInfo) -> None:
    """The bringing that goes on; when it is done, the way to its maps."""
    job = job_for("bring", corpus=info.fingerprint)
    if job is None or (job.id != st.session_state.get(JOB) and read_state(job).is_over):
        return  # one that ended before this session
    st.session_state[JOB] = job.id
    result = read_job_result(job)
    if follow_job(job) is not State.FINISHED or result is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        line = escaped(f"Brought: {result['name']}.", 300)
        st.write(line)
        if st.button("Open its maps", key=f"own.open-{job.id}", type="primary", on_click=_open, args=(job.id,)):
            go_to("maps")


def _open(job_id: str) -> None:
    st.session_state.pop(JOB, None)
    pick_run(open_run(read_job_result(open_run(job_id))["run"]))


def _start(asked: dict) -> None:
    st.session_state[JOB] = submit_once("bring", asked).id
