"""A run to take away or to delete: its encoder's folder, how to load it, its result, and the button that ends it."""

import json

import streamlit as st

from embedlab.errors import EmbedlabError
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import read_state
from embedlab.runs.store import delete_run
from embedlab.ui.page import show_error
from embedlab.ui.pickers import run_title
from embedlab.ui.text import escaped

_REFUSED = "compare.refused"
_GONE = "This run is no longer there: another tab has deleted it."


def export_section(run: RunFolder) -> None:
    """The encoder's folder with the lines that load it, and the result as JSON."""
    if (run.encoder / "modules.json").exists():
        st.write("The fine-tuned encoder is a folder that loads without embedlab:")
        st.code(loading_lines(run), language="python", wrap_lines=True)
    else:
        st.write("This run has saved no encoder.")
    if run.result.exists():
        st.download_button("Download the result as JSON", run.result.read_bytes(), f"result-{run.id}.json",
                           "application/json", key="compare.result", on_click="ignore")  # fmt: skip


def loading_lines(run: RunFolder) -> str:
    """Four lines of Python."""
    folder = json.dumps(str(run.encoder), ensure_ascii=False)  # a string literal also where the path has backslashes
    return (
        "from sentence_transformers import SentenceTransformer\n\n"
        f"encoder = SentenceTransformer({folder})\n"
        'embeddings = encoder.encode(["A text.", "Another text."])'
    )


def delete_section(run: RunFolder) -> None:
    """Delete, after a second look; refused while the run works."""
    refused = st.session_state.pop(_REFUSED, None)
    if refused:
        show_error(refused)
    going = not read_state(run)["state"].is_over
    with st.popover("Delete this run", disabled=going, help="It is still at work. Stop it first." if going else None):
        question = (
            f"Delete {escaped(run_title(run))} with its encoder, embeddings, maps and curves? This cannot be undone."
        )
        freed = f"{megabytes(run)} are freed. The corpus stays."
        st.write(question)
        st.caption(freed)
        st.button("Delete it for good", key=f"compare.delete-{run.id}", type="primary", on_click=_delete, args=(run,))


def megabytes(run: RunFolder) -> str:
    """How much disk the run takes: ``84 MB``"""
    held = sum(file.stat().st_size for file in run.path.rglob("*") if file.is_file())
    return f"{max(held / 1e6, 0.1):,.0f} MB" if held >= 1e6 else f"{max(held / 1e3, 1):,.0f} kB"


def _delete(run: RunFolder) -> None:
    try:
        delete_run(run)
    except (EmbedlabError, FileNotFoundError) as error:
        st.session_state[_REFUSED] = getattr(error, "message", _GONE)
