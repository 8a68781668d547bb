"""What ended is shown as such only as long as nobody goes on with it."""

from embedlab.errors import RunError
from embedlab.runs.state import State, read_state, write_state
from embedlab.runs.store import create_run
from embedlab.ui.frame.progress import until_resumed


def test_a_page_runs_again_once_another_tab_resumed_the_run_or_it_is_gone(store, monkeypatch):
    reruns = []
    monkeypatch.setattr("embedlab.ui.frame.progress.st.rerun", lambda: reruns.append(1))
    run = create_run("train", {})
    write_state(run, State.STOPPED)
    until_resumed(lambda: read_state(run).is_over)
    assert not reruns
    write_state(run, State.QUEUED)
    until_resumed(lambda: read_state(run).is_over)
    assert len(reruns) == 1

    def gone() -> bool:
        raise RunError("E-UNKNOWN-RUN", "No run is called so.")

    until_resumed(gone)
    assert len(reruns) == 2
