"""How much faster a study is on more workers: the same runs on a Ray cluster of 1, then of 2 nodes of one core each.

python -m tests.benchmarks.executors [--workers 1,2] [--corpus docs] [--runs 4]

The nodes are processes of this machine (``ray.cluster_utils.Cluster``), so that no more of them help than it has cores.
Each number of workers has a store of its own, into which the corpus is read first; no finished run is taken over.
Printed is a Markdown table: seconds from the study's start to its last run, the least and most that one run took from
its worker's start to its end, and the speed-up against the first row.
"""

import argparse
import os
import socket
import sys
import tempfile
import time
from datetime import datetime

from embedlab.jobs.requests.working import RunStudy

CPUS = 1


def main() -> None:
    """Measure each number of workers and print the table."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--workers", default="1,2", metavar="N,N")
    asked.add_argument("--corpus", default="docs")
    asked.add_argument("--runs", type=int, default=4)
    asked = asked.parse_args()
    print("| workers | study, s | one run, s | speed-up |\n|---|---|---|---|", flush=True)
    first = None
    for workers in map(int, asked.workers.split(",")):
        seconds, runs = _measured(workers, asked.corpus, asked.runs)
        first = first or seconds
        print(f"| {workers} | {seconds:.0f} | {min(runs):.0f} to {max(runs):.0f} | {first / seconds:.2f} |", flush=True)


def _measured(workers: int, corpus: str, runs: int) -> tuple[float, list[float]]:
    from ray.cluster_utils import Cluster

    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"EMBEDLAB_HOME": home, "RAY_USAGE_STATS_ENABLED": "0"}
        size = {"num_cpus": CPUS, "object_store_memory": 80 * 2**20}
        head = {**size, "include_dashboard": True, "dashboard_port": _free_port()}
        cluster = Cluster(initialize_head=True, head_node_args=head)
        try:
            for _ in range(workers - 1):
                cluster.add_node(**size)
            os.environ["RAY_ADDRESS"] = cluster.address
            return _study(corpus, runs, workers)
        finally:
            cluster.shutdown()


def _study(corpus: str, runs: int, workers: int) -> tuple[float, list[float]]:
    from embedlab.corpora import load_corpus
    from embedlab.jobs.executors import EXECUTORS
    from embedlab.jobs.runner import submit, wait
    from embedlab.runs.state import State, read_state
    from embedlab.runs.store import list_runs
    from embedlab.studies.request import asked_study
    from embedlab.studies.store import Study

    info = load_corpus(corpus).info
    while (why := EXECUTORS["ray"].unreachable()) is not None:
        print(why, file=sys.stderr)
        time.sleep(1)
    swept = {"values": (0.05,), "seeds": tuple(range(runs))}
    study = Study.create(asked_study("temperature", info, layers=0, **swept))
    began = time.perf_counter()
    facts = wait(submit(RunStudy(study=study.id, on="ray", at_once=workers)))
    seconds = time.perf_counter() - began
    if facts.state is not State.FINISHED:
        sys.exit(facts.failure.message)
    return seconds, [_seconds_of(read_state(run)) for run in list_runs()]


def _seconds_of(facts) -> float:
    return (datetime.fromisoformat(facts.ended) - datetime.fromisoformat(facts.started)).total_seconds()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


if __name__ == "__main__":
    main()
