"""``find run --on EXECUTOR`` as a whole: candidates and winner are jobs of the executor; the device here is free."""

import contextlib

import pytest
from filelock import FileLock, Timeout
from toy_corpora import toy_texts

from embedlab.corpora.base import Draft, store_corpus
from embedlab.finds import search as searching
from embedlab.finds.model import Candidate, FindSettings
from embedlab.finds.store import Find
from embedlab.jobs.executors import EXECUTORS
from embedlab.jobs.executors.cluster import Cluster
from embedlab.jobs.executors.local import Local
from embedlab.progress import silent
from embedlab.runs.lease import read_job
from embedlab.runs.state import State, read_state
from embedlab.runs.store import open_run, stored_request
from embedlab.store_root import store_root
from embedlab.tasks import device_queue
from embedlab.tasks.find.in_process import InProcess
from embedlab.tasks.find.on_executor import OnExecutor
from embedlab.tasks.find.workshop import CorpusWorkshop
from embedlab.worker.work import _work


def is_device_free() -> bool:
    lock = FileLock(store_root() / "locks" / "cpu.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    lock.release()
    return True


class Elsewhere(Cluster):
    """Works on each job at once, in this process; ``free``: whether this computer's device was, by the job's task."""

    key, title, needs = "slurm", "A cluster", "Nothing."

    def __init__(self):
        self.free: dict[str, list[bool]] = {}

    def unreachable(self) -> str | None:
        return None

    def at_once(self, folder) -> int:
        return 2

    def submit(self, folder, job) -> str:
        self.free.setdefault(stored_request(folder).task, []).append(is_device_free())
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(device_queue, "is_elsewhere", lambda: True)
            worked_on(folder)
        return "4711"

    def ended(self, folder) -> str | None:
        return None

    def stop(self, folder, *, firmly: bool = True) -> None:
        pass


def worked_on(folder, job=None) -> str:
    with open(folder.log, "a", encoding="utf-8") as log:
        with contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
            _work(folder)
    return "1"


@pytest.fixture
def find_run(store, monkeypatch, call):
    """``find_run("--on", "slurm")``: three trainings, whatever the clock says."""
    monkeypatch.setattr(Local, "submit", lambda self, folder, job=None: worked_on(folder))
    monkeypatch.setattr(
        "embedlab.tasks.fine_tune.train.enqueue_followup", lambda *request, **name: None
    )  # t-SNE of the winner
    monkeypatch.setattr(CorpusWorkshop, "encoders", ["words"])
    monkeypatch.setattr(searching, "more_entrants", lambda each, left: 1)
    monkeypatch.setattr(searching, "MOST", 3)
    texts, labels = toy_texts(per_class=30)
    corpus = store_corpus(Draft(name="toy", source="toy", texts=texts, labels=labels))
    return lambda *on: call("find", "run", "--corpus", corpus.fingerprint, "--minutes", "10", *on)


@pytest.fixture
def looks(monkeypatch) -> list[bool]:
    """Whether the device was free when an encoder was looked at as it is."""
    free, really = [], CorpusWorkshop.look

    def look(self, candidate, left):
        free.append(is_device_free())
        return really(self, candidate, left)

    monkeypatch.setattr(CorpusWorkshop, "look", look)
    return free


@pytest.mark.slow
def test_candidates_and_winner_go_to_the_executor_and_the_device_here_is_free(find_run, looks, monkeypatch):
    cluster = Elsewhere()
    monkeypatch.setitem(EXECUTORS, "slurm", cluster)
    code, printed = find_run("--on", "slurm")
    assert code == 0 and printed["verdict"] is not None, printed
    assert len(looks) == 3 and not any(looks)  # what is looked at here has the device
    assert len(cluster.free["candidate"]) >= 5 and all(cluster.free["candidate"]) and all(cluster.free["train"])
    find = Find.open(printed["find"])
    assert len(find.trainings) == len(cluster.free["candidate"])
    assert {read_state(job).state for job in find.trainings} == {State.FINISHED}
    assert {read_job(job).executor for job in [*find.trainings, open_run(printed["winner_run"])]} == {"slurm"}


@pytest.mark.slow
def test_on_this_computer_the_device_is_held_until_one_is_chosen(find_run, looks, monkeypatch):
    trained, really = [], InProcess.train

    def train(self, candidates, rung, begin, left):
        trained.append(is_device_free())
        return really(self, candidates, rung, begin, left)

    monkeypatch.setattr(InProcess, "train", train)
    code, printed = find_run()
    assert code == 0 and printed["verdict"] is not None, printed
    assert looks and trained and not any(looks + trained)


class NeverBegins(Elsewhere):
    """Takes jobs and works on none."""

    def submit(self, folder, job) -> str:
        return "4712"


def test_jobs_of_candidates_are_stopped_when_the_budget_ends(store, monkeypatch):
    cluster = NeverBegins()
    monkeypatch.setitem(EXECUTORS, "slurm", cluster)
    find = Find.create(FindSettings(corpus="0" * 16, minutes=1))
    candidates = [Candidate(key=key, kind="trained", title=key) for key in ("t00", "t01", "t02")]
    seconds_left = iter([5.0, 5.0, -1.0])
    begun = []

    def begin(candidate: Candidate) -> bool:
        begun.append(candidate.key)
        return len(begun) < 3

    monkeypatch.setattr("embedlab.tasks.find.on_executor.time.sleep", lambda seconds: None)
    trained = list(OnExecutor(find, cluster, silent).train(candidates, 0, begin, lambda: next(seconds_left)))
    assert begun == ["t00", "t01", "t02"] and [(each.key, gave) for each, gave, _ in trained] == [
        ("t00", None),
        ("t01", None),
    ]
    assert {read_state(job).state for job in find.trainings} == {State.STOPPED}
