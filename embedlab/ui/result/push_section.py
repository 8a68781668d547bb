"""Push a run's encoder to the hub: where to, who may read it, what would be published, and the button."""

import streamlit as st

from embedlab.hub_push import hub_token
from embedlab.jobs.requests.drawing import PushRun
from embedlab.numbers import counted, in_bytes
from embedlab.report.exports import bytes_of_files, pushed_files
from embedlab.report.model_card import origins
from embedlab.runs.folder import RunFolder
from embedlab.ui.frame.guard import has_sign_in, is_behind_proxy
from embedlab.ui.frame.page import errors_shown
from embedlab.ui.frame.progress import finished_result, job_panel
from embedlab.ui.frame.text import escaped


def push_section(run: RunFolder) -> None:
    """Nothing where several people sign in: the token is that of whoever started the app."""
    if has_sign_in() or is_behind_proxy():
        return
    with st.expander("Push to the hub", key="push"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            written = st.text_input(
                "Repository to create", key=f"push.to-{run.id}", placeholder="owner/name", width=320
            )
            public = st.toggle("Public", key=f"push.public-{run.id}",
                               help="Off: only its owner can read it. Its page can change this later.")  # fmt: skip
        if not written.strip():
            st.caption("What would be published is listed before you push.")
            return
        with errors_shown():
            hub_token()
            request = PushRun(run=run.id, to=written, public=public)
            size = bytes_of_files(pushed_files(run, request.to))
            files = f"{counted(len(size), 'file')} ({in_bytes(sum(size.values()))})"
            _listing(run, size, files)
            readers = "everybody" if public else "its owner alone"
            job_panel(request, start=f"Push {files}, readable by {readers}", key="push.start", show=_pushed)


def _listing(run: RunFolder, size: dict[str, int], files: str) -> None:
    """Each file with its size, and what the card says of data and licences."""
    st.caption(f"{files}: " + " · ".join(f"{escaped(path)} {in_bytes(each)}" for path, each in sorted(size.items())))
    st.caption("The model card says, besides accuracy, recipe and how to load it:")
    st.caption("\n".join(f"- {escaped(name)}: {escaped(text, 400)}" for name, text in origins(run).items()))


def _pushed(job: RunFolder) -> None:
    facts = finished_result(job)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.write(f"Pushed, {'public' if facts['public'] else 'private'}.")
        st.link_button(f"Open {facts['to']}", facts["url"])
