"""What a page, a command, queueing, a look at a study and waiting take among 6,000 runs and jobs, and among ten.

python -m tests.benchmarks.many_folders [--runs 1000 --jobs 5000]
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests")]

import psutil  # noqa: E402
from builders import both, judged, knn, leave_result  # noqa: E402
from filelock import FileLock  # noqa: E402
from streamlit.testing.v1 import AppTest  # noqa: E402
from toy_corpora import store_toy  # noqa: E402

from embedlab.corpora.base import Corpus  # noqa: E402
from embedlab.jobs.campaigns import state_of  # noqa: E402
from embedlab.jobs.executors import LOCAL  # noqa: E402
from embedlab.jobs.requests.drawing import MeasureMoves  # noqa: E402
from embedlab.jobs.runner import submit_once  # noqa: E402
from embedlab.runs.folder import RunFolder  # noqa: E402
from embedlab.runs.index.find import at_work, damaged, newest_job  # noqa: E402
from embedlab.runs.state import State, write_state  # noqa: E402
from embedlab.runs.store import create_run, delete_run  # noqa: E402
from embedlab.store_root import store_root  # noqa: E402
from embedlab.studies.plan import StudySettings  # noqa: E402
from embedlab.studies.store import Study  # noqa: E402
from embedlab.tasks import device_queue  # noqa: E402
from embedlab.ui.frame.navigation import PLACES  # noqa: E402

ROUNDS = 7
WAITING, UNTIL_THEY_WAIT, WATCHED = 5, 20, 20  # workers, and seconds
ON_THE_WAY = 5  # seconds after which the newest folder is no news to the index
SETTINGS = {"encoder": "token", "recipe": "crops", "train_on": "all", "epochs": 1, "batch_size": 64}


def fill(corpus, *, runs: int, jobs: int) -> tuple:
    """So many finished runs, each with a result, and so many finished jobs behind a study at work; study and run."""
    study = Study.create(
        StudySettings(
            kind="temperature", corpus=corpus.fingerprint, setting="objective.temperature", values=(0.05, 0.5)
        )
    )
    create_run("study", {"study": study.id})
    first = create_run("train", {"corpus": corpus.fingerprint, **SETTINGS})
    leave_result(first, corpus, steps=10, usable_texts=117, knn=knn((0.4, 0.6, 0.6)), judged=both(judged()))
    write_state(
        first, State.FINISHED, fingerprint=corpus.fingerprint, settings={**SETTINGS, "corpus": corpus.fingerprint}
    )
    job = create_run("map", {"run": first.id, "method": "tsne"})
    write_state(job, State.FINISHED)
    for one, number in ((first, runs - 1), (job, jobs - 2)):
        files = {file.name: file.read_text("utf-8") for file in one.path.iterdir() if file.is_file()}
        for copy in range(number):
            path = one.path.with_name(f"{one.id[:-5]}{copy:05d}")
            (path / "encoder").mkdir(parents=True)
            for name, text in files.items():
                of = f"{first.id[:-5]}{copy % runs:05d}"  # each run has a few jobs
                (path / name).write_text(text.replace(first.id, of), "utf-8")
    return study, first


def processor_seconds() -> float:
    """Of this process and of those that it started and waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def middle(work: Callable[[], object]) -> float:
    """Milliseconds of a processor, the median of a few rounds."""
    taken = []
    for _ in range(ROUNDS):
        began = processor_seconds()
        work()
        taken.append(1000 * (processor_seconds() - began))
    return sorted(taken)[ROUNDS // 2]


def waiting_workers(corpus: Corpus, submit: Callable[..., str]) -> dict[str, float]:
    """What workers take that wait while another process has the device: the mean of a few over some seconds."""
    locks = store_root() / "locks"
    locks.mkdir(exist_ok=True)
    with FileLock(locks / "cpu.lock"):
        runs = [create_run("train", {"corpus": corpus.fingerprint, **SETTINGS}) for _ in range(WAITING)]
        workers = [psutil.Process(int(submit(LOCAL, run))) for run in runs]
        try:
            time.sleep(UNTIL_THEY_WAIT)
            began, used = time.monotonic(), [sum(each.cpu_times()[:2]) for each in workers]
            time.sleep(WATCHED)
            seconds, more = time.monotonic() - began, [sum(each.cpu_times()[:2]) for each in workers]
            taken = sum(more) - sum(used)
            return {
                "a worker until it waits": 1000 * sum(used) / WAITING,
                "a waiting worker, per second (10 = 1 % of a core)": 1000 * taken / seconds / WAITING,
                "a waiting worker, MB of proportional memory": sum(
                    each.memory_full_info().pss for each in workers
                ) / WAITING / 1e6,
            }  # fmt: skip
        finally:
            for each in workers:
                each.kill()


def page(key: str) -> Callable[[], object]:
    """One more look at a page that is open."""
    at = AppTest.from_file(str(ROOT / "embedlab" / "ui" / "frame" / "main.py"), default_timeout=120)
    place = PLACES[key]
    for name, value in place.address.items():
        at.query_params[name] = value
    at.switch_page(f"../../../pages/{place.page}.py")

    def look() -> None:
        at.run()
        assert not at.exception, at.exception

    look()
    return look


def queued(run: RunFolder) -> Callable[[], object]:
    """A job queued as by a click, and taken away again."""

    def queue() -> None:
        delete_run(submit_once(MeasureMoves(run=run.id, against="before")))

    return queue


def measured(home: Path, *, runs: int, jobs: int) -> dict[str, float]:
    """Milliseconds of each kind of work in a store of so many folders."""
    os.environ["EMBEDLAB_HOME"] = str(home)
    corpus, submit = store_toy(), type(LOCAL).submit
    study, run = fill(corpus, runs=runs, jobs=jobs)
    began = processor_seconds()
    at_work()
    times = {"the index made from nothing": 1000 * (processor_seconds() - began)}
    time.sleep(ON_THE_WAY)
    at_work()
    waiting = create_run("train", {"corpus": "docs", **SETTINGS})
    time.sleep(ON_THE_WAY)
    command = [sys.executable, "-m", "embedlab", "runs", "list"]
    times |= {
        "is this study working": middle(lambda: state_of(study)),
        "which job draws this map": middle(lambda: newest_job("map", run=run.id, method="umap")),
        "what is at work (each 2 s, each page)": middle(at_work),
        "a worker's look at its queue (each 0.3 s)": middle(lambda: device_queue.queued_before(waiting, "cpu")),
        "what is damaged (Home)": middle(damaged),
    }
    with patch.object(type(LOCAL), "submit", lambda *_: None):
        with suppress(OSError):
            times["queueing a job"] = middle(queued(run))
        for key in PLACES:
            times[f"the page {key}"] = middle(page(key))
    times["`runs list`, the process"] = middle(
        lambda: subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
    )
    assert state_of(study).state is State.INTERRUPTED or at_work()
    return times | waiting_workers(corpus, submit)


def main() -> None:
    """A table: ten folders, many, and how many times longer those take."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--runs", type=int, default=1000)
    asked.add_argument("--jobs", type=int, default=5000)
    many = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        few = measured(Path(folder) / "few", runs=4, jobs=6)
        lots = measured(Path(folder) / "many", runs=many.runs, jobs=many.jobs)
        print(f"store in {store_root().parent}; milliseconds of a processor, median of {ROUNDS}")
    print(f"\n| | 10 folders | {many.runs + many.jobs:,} folders | ratio |\n|---|---|---|---|")
    for name, taken in few.items():
        print(f"| {name} | {taken:,.1f} | {lots[name]:,.1f} | {lots[name] / taken:.1f} |")


if __name__ == "__main__":
    main()
