"""Add an evaluation set: its files, by upload or by path, what their columns are, and how they were read."""

from pathlib import Path

import streamlit as st

from embedlab.corpora.notes import ReadingReport
from embedlab.corpora.sets.reading import SetReading
from embedlab.jobs.requests.corpora import ReadSet
from embedlab.limits import LIMITS
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State, read_state
from embedlab.runs.store import read_job_result
from embedlab.ui.frame.files import called, keep_upload, stem
from embedlab.ui.frame.job_panel import FormJob
from embedlab.ui.frame.progress import follow_job
from embedlab.ui.frame.reading_form import accept_field, chosen_options, option_fields, reading_line, two_numbers
from embedlab.ui.frame.text import escaped

READING = FormJob("metrics.set_job")
COLUMNS = """
| kind | columns or files | measures |
|---|---|---|
| pairs | `sentence1`, `sentence2`, `score` (its scale is detected) | STS |
| pairs | `sentence1`, `sentence2`, `is_paraphrase` (true, false, empty: undecided) | paraphrase |
| queries | `query`, `doc_ids` (a list, or one per row), optionally `gain`; documents: `doc_id`, `text` | retrieval |
| judgements | TREC's four columns, or `query-id`, `corpus-id`, `score`; files of documents and of queries | retrieval |
| BEIR | a folder or zip of `corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv` | retrieval |
| candidates | `query`, `positive`, `negative` (lists of texts) | reranking |
"""
_COLUMNS = {"anchor": "Texts", "positive": "Compared with", "score": "Score"}
_OWN = {"leave": "leave it out", "keep": "keep it"}
_READING = "metrics.set.reading"  # begins the keys of how the file is parsed


def add_set() -> None:
    """Folded: what the columns are called, the files, how they are read, and what became of it."""
    job = READING.folder
    read = read_job_result(job) if job else None
    report = ReadingReport.model_validate(read["set"]["reading"]) if read and read["set"]["reading"] else None
    is_named = bool(st.session_state.get("metrics.set.path"))
    with st.expander("Add pairs, queries, judgements or candidates of your own", expanded=job is not None or is_named):
        st.markdown(COLUMNS)
        path, file_name = _file("File", "metrics.set")
        reading: dict = {"name": stem(file_name)}
        if st.toggle("Documents or queries are in separate files", key="metrics.set.apart"):
            for name in ("documents", "queries"):
                beside, _ = _file(name.capitalize(), f"metrics.set.{name}")
                reading[name] = None if beside is None else str(beside)
        with st.container(horizontal=True):
            reading |= _chosen_columns(report)
            reading |= chosen_options(_READING).model_dump(exclude_defaults=True)
            given = {name: value for name, value in reading.items() if value not in (None, "")}
            request = ReadSet(path=str(path), file_name=file_name, reading=SetReading(**given))
            begin = {"on_click": READING.start, "args": (request,), "disabled": path is None}
            st.button("Read this set", key="metrics.set.read", **begin)
        if job:
            _outcome(job, report)


def _chosen_columns(report: ReadingReport | None) -> dict:
    """What can be said of the columns and the parsing; each stands as it was read last until somebody changes it."""
    with st.popover("Read it differently"):
        row = st.columns(3)
        split = row[0].text_input("Split", key="metrics.set.split", placeholder="test, if there is one")
        shown = (
            "{:g} to {:g}".format(*report.scale) if report is not None and report.scale else "detected automatically"
        )
        scale = row[1].text_input("Scale of the scores", key="metrics.set.scale", placeholder=shown)
        own = row[2].selectbox(
            "A query's own document", list(_OWN), index=None, key="metrics.set.own", format_func=_OWN.get,
            placeholder="detected automatically",
        )  # fmt: skip
        names = {name: place.text_input(label, key=f"metrics.set.{name}", placeholder="the column's name") for place,
                 (name, label) in zip(st.columns(3), _COLUMNS.items(), strict=True)}  # fmt: skip
        option_fields(report, _READING)
        accept_field(_READING)
    return {"split": split.strip(), "scale": two_numbers(scale), "own": own} | {k: v.strip() for k, v in names.items()}


def _file(label: str, key: str) -> tuple[Path | None, str]:
    """Where the file or folder lies, and what the user calls it."""
    left, right = st.columns(2)
    uploaded = left.file_uploader(label, key=f"{key}.upload", max_upload_size=LIMITS.upload_bytes // 2**20)
    typed = right.text_input(
        "Or a path on this computer", key=f"{key}.path", placeholder=f"/home/me/{label.lower()}.csv"
    ).strip()
    if uploaded is not None:
        return keep_upload(uploaded), uploaded.name
    path = Path(typed).expanduser()
    return (path, called(path)) if typed else (None, "")


def _outcome(job: RunFolder, report: ReadingReport | None) -> None:
    if follow_job(job) is State.FINISHED and (found := read_job_result(job)) is not None:
        info = found["set"]
        sizes = ", ".join(f"{number:,} {name}" for name, number in info["counts"].items())
        st.success(f"{escaped(info['name'])}: {sizes}. Choose it under Measure on.")
        if report is not None:
            reading_line(report)
        for note in info["notes"]:
            st.caption(escaped(note["message"], 400))
    elif not read_state(job).is_over:
        st.caption("The set can be chosen as soon as it is read.")
