"""A Find that was killed and went on ends with the table, the choice and the verdict of one that was left alone.

Of two Finds by the clock more may differ: how many trainings fit into the minutes, and what of that follows. Here they
are counted (``counted_worker.py``), and the minutes are more than enough. Seconds differ always, and with them which of
those that cannot be told apart is called the cheapest.
"""

import os
import shlex
import signal
import sys
from pathlib import Path

import pytest
from made_finds import table
from patience import until
from toy_corpora import toy_texts

from embedlab.corpora.base import Draft, store_corpus
from embedlab.finds.model import CandidateState, FindSettings
from embedlab.finds.store import Find, results_of
from embedlab.jobs.campaigns import job_of, state_of
from embedlab.jobs.requests.working import RunFind
from embedlab.jobs.runner import submit, wait
from embedlab.runs.state import State, read_state
from embedlab.runs.store import open_run

pytestmark = pytest.mark.slow

WORKER = Path(__file__).with_name("counted_worker.py")


@pytest.fixture
def find_in(tmp_path, monkeypatch):
    """``find_in("whole")``: a Find in a store of its own, so that none takes over what another one measured."""
    monkeypatch.setenv("EMBEDLAB_WORKER", f"{shlex.quote(sys.executable)} {shlex.quote(str(WORKER))}")
    texts, labels = toy_texts(per_class=60)

    def made(name: str) -> Find:
        monkeypatch.setenv("EMBEDLAB_HOME", str(tmp_path / name))
        corpus = store_corpus(Draft(name="toy", source="toy", texts=texts, labels=labels))
        return Find.create(FindSettings(corpus=corpus.fingerprint, minutes=1000, width_known=True))

    return made


def is_in_rung(find: Find, rung: int) -> bool:
    """Whether a training of this rung is at work, and another one is done."""
    trained = results_of(find).trained()
    at_work = any(each.state is CandidateState.RUNNING and len(each.points) == rung for each in trained)
    return at_work and any(len(each.points) == rung + 1 for each in trained)


def killed_when(find: Find, is_time) -> None:
    """Go on with it, and end its worker by SIGKILL at that moment."""
    job = submit(RunFind(find=find.id))
    until(lambda: is_time() or read_state(job).is_over, seconds=240)
    assert not read_state(job).is_over, "it ended before it could be killed"
    os.kill(read_state(job).pid, signal.SIGKILL)
    until(lambda: state_of(find).state is State.INTERRUPTED)


def test_a_find_killed_in_each_rung_and_in_the_winner_s_training_ends_as_one_left_alone(find_in):
    whole = find_in("whole")
    assert wait(submit(RunFind(find=whole.id))).state is State.FINISHED
    expected = table(whole)
    assert sum(row[1] == "trained" for row in expected["rows"]) >= 12 and expected["verdict"]["sentence"]

    find = find_in("killed")
    for rung in range(3):
        killed_when(find, lambda rung=rung: is_in_rung(find, rung))
    killed_when(find, lambda: results_of(find).winner_run is not None)
    winner = open_run(results_of(find).winner_run)
    if not read_state(winner).is_over:  # it outlives the Find's worker: killed as well
        until(lambda: read_state(winner).pid is not None or read_state(winner).is_over)
        if (pid := read_state(winner).pid) is not None and not read_state(winner).is_over:
            os.kill(pid, signal.SIGKILL)
    assert wait(submit(RunFind(find=find.id))).state is State.FINISHED, read_state(job_of(find)).error
    assert table(find) == expected
