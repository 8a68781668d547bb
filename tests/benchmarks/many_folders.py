"""What a page, a command, queueing and the look at a study take among 6,000 runs and jobs, and among ten.

python tests/benchmarks/many_folders.py [--runs 1000 --jobs 5000]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from unittest.mock import patch

from embedlab.jobs.requests.drawing import MeasureMoves

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from streamlit.testing.v1 import AppTest  # noqa: E402
from toy_corpora import store_toy  # noqa: E402

from embedlab.jobs.campaigns import state_of  # noqa: E402
from embedlab.jobs.executors import LOCAL  # noqa: E402
from embedlab.jobs.runner import submit_once  # noqa: E402
from embedlab.runs.folder import RunFolder  # noqa: E402
from embedlab.runs.index.find import at_work, damaged, newest_job  # noqa: E402
from embedlab.runs.state import State, write_state  # noqa: E402
from embedlab.runs.store import create_run, delete_run  # noqa: E402
from embedlab.store_root import store_root  # noqa: E402
from embedlab.studies.plan import StudySettings  # noqa: E402
from embedlab.studies.store import create_study  # noqa: E402
from embedlab.tasks import device_queue  # noqa: E402
from embedlab.ui.frame.navigation import PLACES  # noqa: E402

ROUNDS = 7
ON_THE_WAY = 5  # seconds after which the newest folder is no news to the index
SETTINGS = {"encoder": "token", "recipe": "crops", "train_on": "all", "epochs": 1, "batch_size": 64}


def fill(corpus, *, runs: int, jobs: int) -> tuple:
    """So many finished runs, each with a result, and so many finished jobs behind a study at work; study and run."""
    study = create_study(
        StudySettings(
            kind="temperature", corpus=corpus.fingerprint, setting="objective.temperature", values=(0.05, 0.5)
        )
    )
    create_run("study", {"study": study.id})
    first = create_run("train", {"corpus": corpus.fingerprint, **SETTINGS})
    info = corpus.info
    facts = {"name": info.name, "texts": info.texts, "classes": 4, "fingerprint": corpus.fingerprint}
    knn = {"before": 0.4, "after": 0.6, "best": 0.6, "test_texts": 12, "k": 10, "protocol": "paper"}
    found = {"corpus": facts, "encoder": "token", "recipe": "crops", "steps": 10, "usable_texts": 117, "knn": knn}
    first.result.write_text(json.dumps(found), "utf-8")
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


def middle(work: Callable[[], object], *, after: Callable[[], object] = lambda: None) -> float:
    """Milliseconds, the median of a few rounds."""
    taken = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - began))
        after()
    return sorted(taken)[ROUNDS // 2]


def page(key: str) -> Callable[[], object]:
    """One more look at a page that is open."""
    at = AppTest.from_file(str(ROOT / "embedlab" / "ui" / "main.py"), default_timeout=120)
    place = PLACES[key]
    for name, value in place.address.items():
        at.query_params[name] = value
    at.switch_page(f"../../pages/{place.page}.py")

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
    study, run = fill(store_toy(), runs=runs, jobs=jobs)
    began = time.perf_counter()
    at_work()
    times = {"the index made from nothing": 1000 * (time.perf_counter() - began)}
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
    with suppress(OSError):
        times["queueing a job"] = middle(queued(run))
    for key in ("home", "train", "maps", "compare", "studies"):
        times[f"the page {key}"] = middle(page(key))
    times["`runs list`, the process"] = middle(
        lambda: subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
    )
    assert state_of(study).state is State.INTERRUPTED or at_work()
    return times


def main() -> None:
    """A table: ten folders, many, and how many times longer those take."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--runs", type=int, default=1000)
    asked.add_argument("--jobs", type=int, default=5000)
    many = asked.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(type(LOCAL), "submit", lambda *_: None),
    ):
        few = measured(Path(folder) / "few", runs=4, jobs=6)
        lots = measured(Path(folder) / "many", runs=many.runs, jobs=many.jobs)
        print(f"store in {store_root().parent}; milliseconds, median of {ROUNDS}")
    print(f"\n| | 10 folders | {many.runs + many.jobs:,} folders | ratio |\n|---|---|---|---|")
    for name, taken in few.items():
        print(f"| {name} | {taken:,.1f} | {lots[name]:,.1f} | {lots[name] / taken:.1f} |")


if __name__ == "__main__":
    main()
