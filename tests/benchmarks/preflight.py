"""What Train tells before Start against what then happens: each run is timed by its few steps, then really made.

python -m tests.benchmarks.preflight [CORPUS=docs] [JSON OF SETTINGS …]

Without settings: token and scratch:bert-tiny. Each has a store of its own, so nothing is known from an earlier run.
Seconds are those from the worker's start to the verdict; memory is the worker's peak, disk what the run leaves.
"""

import json
import os
import sys
import tempfile

from embedlab.training.settings import Estimate, RunSettings

RUNS = (
    {"encoder": "token", "recipe": "sentences", "epochs": 6},
    {"encoder": "token", "recipe": "crops", "epochs": 20},
    {"encoder": "scratch:bert-tiny", "recipe": "simcse", "epochs": 1},
    {"encoder": "scratch:bert-tiny", "recipe": "coco-dr", "epochs": 1},
)


def main() -> None:
    """One row a run, told / taken."""
    corpus = sys.argv[1] if len(sys.argv) > 1 else "docs"
    runs = [json.loads(asked) for asked in sys.argv[2:]] or RUNS
    print("| run | seconds told | taken | | GB told | taken | MB on disk told | taken |\n|" + "---|" * 8)
    for run in runs:
        with tempfile.TemporaryDirectory() as home:
            os.environ["EMBEDLAB_HOME"] = home
            told, taken = of_one({"corpus": corpus, **run})
        name = ", ".join(str(value) if key in ("encoder", "recipe") else f"{key} {value}" for key, value in run.items())
        cells = [f"{told.seconds:.1f}", f"{taken.seconds:.1f}", f"{100 * (told.seconds / taken.seconds - 1):+.0f} %"]
        for unit, which in ((1e9, "peak_bytes"), (1e6, "disk_bytes")):
            cells += [f"{getattr(each, which) / unit:.{1 if unit == 1e9 else 0}f}" for each in (told, taken)]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def of_one(asked: dict) -> tuple:
    """The expectation of a timing, and that of the run itself."""
    from embedlab.corpora import load_corpus
    from embedlab.jobs.cost_estimate import expected
    from embedlab.jobs.runner import submit, wait
    from embedlab.runs.state import read_state
    from embedlab.runs.store import list_runs

    asked = {**asked, "corpus": load_corpus(asked["corpus"]).fingerprint}  # gathering it is no part of what is told
    timing = submit(Estimate(**asked))
    assert wait(timing).state == "finished", read_state(timing).failure
    request = RunSettings(**asked)
    told = expected(request.stored)
    run = submit(request)
    assert wait(run).state == "finished", read_state(run).failure
    taken = expected(request.stored)
    for job in list_runs("jobs"):  # maps are drawn after the verdict
        wait(job)
    assert told.by.id == timing.id and taken.by.id == run.id
    return told, taken


if __name__ == "__main__":
    main()
