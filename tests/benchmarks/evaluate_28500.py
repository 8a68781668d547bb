"""All metrics on 28,500 texts in a worker, and how fast Scores answers meanwhile.

EMBEDLAB_TEST_CORPORA=FOLDER python -m tests.benchmarks.evaluate_28500 [METRICS]
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from embedlab.jobs.requests.measuring import EmbedAndEvaluate
from tests.benchmarks.browser import ROOT, page_of, served, until_idle
from tests.benchmarks.speed_28500 import command
from tests.training_options import RESULT_ALONE

VIEWS = {
    "Classes": "The texts behind the numbers",
    "Methods": "BibTeX",
    "Metrics": "Measure on",
}  # and what shows that it is there
METRICS = "knn,linear,clustering,neighbors-5,match-title,match-halves,retrieval,reranking,paraphrase"


def main(metrics: str = METRICS) -> None:
    """Print how long the metrics take and the slowest click before and while they are measured."""
    from embedlab.jobs.runner import submit
    from embedlab.runs.state import read_state
    from embedlab.runs.store import open_run

    corpora = Path(os.environ["EMBEDLAB_TEST_CORPORA"])
    with tempfile.TemporaryDirectory() as home:
        os.environ["EMBEDLAB_HOME"] = home
        arxiv = str(corpora / "arxiv_balanced.parquet")
        run = command("train", "--corpus", arxiv, "--encoder", "token", *RESULT_ALONE)
        print(run["verdict"])
        print(run["folds"]["sentence"])
        with page_of() as page, served(ROOT / "app.py", home=Path(home)) as (url, _, _):
            page.goto(f"{url}/run?tab=Scores&run={run['run']}")
            page.get_by_text("Measure on").wait_for()
            for _ in range(2):
                quiet = [click(page, view) for view in VIEWS]
            print(f"clicks on a quiet machine: {told(quiet)}")
            job = submit(EmbedAndEvaluate(run=run["run"], metrics=metrics.split(","), baselines=["svd"]))
            began, busy = time.perf_counter(), []
            while not read_state(open_run(job.id)).is_over:
                busy += [click(page, view) for view in VIEWS]
            print(f"{read_state(open_run(job.id)).state} after {time.perf_counter() - began:.0f} s")
            print(f"clicks meanwhile ({len(busy)}): {told(busy)}")


def click(page, view: str) -> float:
    """Seconds until the page has answered."""
    began = time.perf_counter()
    page.get_by_role("radio", name=view).click()
    page.get_by_text(VIEWS[view], exact=True).first.wait_for()
    until_idle(page)
    seconds = time.perf_counter() - began
    page.wait_for_timeout(1000)
    return seconds


def told(seconds: list[float]) -> str:
    """``median 0.31 s, slowest 0.62 s``"""
    return f"median {statistics.median(seconds):.2f} s, slowest {max(seconds):.2f} s"


if __name__ == "__main__":
    main(*sys.argv[1:])
