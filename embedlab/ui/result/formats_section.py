"""A run's encoder in other formats: which, what each is for, and how far its vectors are from the run's."""

from functools import partial

import streamlit as st

from embedlab.jobs.requests.drawing import ExportEncoder
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import FACTS
from embedlab.runs.store import settings_of
from embedlab.store_root import read_json
from embedlab.ui.frame.files import offer_file
from embedlab.ui.frame.page import errors_shown
from embedlab.ui.frame.progress import finished_result, job_panel

_TITLES = {
    "fp16": "Half precision (fp16): half the size, for GPUs",
    "bf16": "Half precision (bf16): half the size, any range of weights",
    "onnx": "ONNX: for serving without torch",
    "onnx-int8": "ONNX with weights of 8 bits: a quarter of the size, for CPUs",
    "adapter": "The LoRA adapter apart from its base",
}


def formats_section(run: RunFolder) -> None:
    """A choice of those that this encoder has; each is written by a worker and compared on the run's corpus."""
    with st.expander("Other formats", key="formats"), errors_shown():
        has_layers = bool(read_json(run.encoder / FACTS).get("layers"))
        absent = ({"adapter"} if not settings_of(run).get("adapter") else set()) | (
            set() if has_layers else {"onnx", "onnx-int8"}
        )
        chosen = st.selectbox(
            "Format", [each for each in _TITLES if each not in absent], format_func=_TITLES.__getitem__,
            key=f"formats.which-{run.id}",
        )  # fmt: skip
        job_panel(
            ExportEncoder(run=run.id, format=chosen),
            start="Write and compare it",
            key=f"formats.write-{run.id}",
            primary=False,
            show=partial(_written, run),
            is_outdated=partial(_is_older, run),
        )


def _written(run: RunFolder, job: RunFolder) -> None:
    facts = finished_result(job)
    what = facts.get("format", "adapter")
    offer_file("Download it as ZIP", job.path / facts["file"], f"encoder-{run.id}-{what}.zip")
    st.caption(facts["sentence"])


def _is_older(run: RunFolder, job: RunFolder) -> bool:
    """Whether the run has saved another encoder since, or the file is gone."""
    file = job.path / finished_result(job)["file"]
    return not file.exists() or (run.encoder / FACTS).stat().st_mtime > job.settings.stat().st_mtime
