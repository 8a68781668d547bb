"""What ended is shown as such only as long as nobody goes on with it."""

from embedlab.errors import RunError
from embedlab.runs.state import State, read_state, write_state
from embedlab.runs.store import create_run
from embedlab.ui.frame.progress import watch_for_resume


def test_a_page_runs_again_once_another_tab_resumed_the_run_or_it_is_gone(store, monkeypatch):
    reruns = []
    monkeypatch.setattr("embedlab.ui.frame.progress.rerun_when", lambda is_so, **_: reruns.append(is_so()))
    run = create_run("train", {})
    write_state(run, State.STOPPED)
    watch_for_resume(run.id, lambda: read_state(run).is_over)
    assert reruns == [False]
    write_state(run, State.QUEUED)
    watch_for_resume(run.id, lambda: read_state(run).is_over)
    assert reruns == [False, True]

    def gone() -> bool:
        raise RunError("E-UNKNOWN-RUN", "No run is called so.")

    watch_for_resume(run.id, gone)
    assert reruns == [False, True, True]
