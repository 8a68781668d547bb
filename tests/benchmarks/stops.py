"""Fifty runs stopped at random moments, with steps of 0.1 to 60 seconds: does each keep an encoder?

Each run is ended in one of the ways below after its step 0 was measured. It must then have an encoder that loads with
the weights that its result names, and ``state.json`` must say how it ended within two seconds after its process is
gone. ``python -m tests.benchmarks.stops`` prints a row per run; ``--runs``, ``--seed`` and ``--at-once`` change them.
"""

import argparse
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

SECONDS = (0.1, 0.1, 0.5, 2.0, 5.0, 10.0, 20.0, 30.0, 45.0, 60.0)  # of a step
STOP, SKIP, TERM, TWICE, KILL, DEAD, HANG = WAYS = (
    "Stop", "Stop, skip measuring", "SIGTERM", "SIGTERM twice", "SIGKILL", "Stop, then SIGKILL", "Stop, step hangs",
)  # fmt: skip
ENDS = {STOP: "stopped", SKIP: "stopped", TERM: "interrupted", TWICE: "interrupted", KILL: "interrupted",
        DEAD: "stopped", HANG: "stopped"}  # fmt: skip
STEPS = 200
HANGS_BELOW = 5.0  # seconds of a step that may hang in it: it is ended after ten times the longest


def one(way: str, seconds: float, share: float) -> dict:
    """In a process with a store of its own: one run, ended this way ``share`` steps after step 0 was measured."""
    from toy_corpora import store_toy

    from embedlab.encoders.load import load_encoder
    from embedlab.jobs.runner import enforce_stop, look_after, request_stop, submit
    from embedlab.runs.beat import read_beat
    from embedlab.runs.kept import newest_kept
    from embedlab.runs.lease import has_worker
    from embedlab.runs.result import read_result
    from embedlab.runs.state import read_state, written_state
    from embedlab.training.settings import RunSettings

    settings = {"corpus": store_toy().info.fingerprint, "encoder": "token", "recipe": "crops", "batch_size": 16}
    settings |= {
        "vocabulary_size": 300,
        "max_steps": STEPS,
        "evaluate_every": 1,
        "maps": False,
        "inside": False,
        "live_map": False,
    }
    os.environ["EMBEDLAB_SLOW"] = f"{seconds}:hang:{1 + int(share)}" if way == HANG else str(seconds)
    run = submit(RunSettings(**settings))
    while newest_kept(run) is None:
        assert not read_state(run).is_over, "it ended before step 0 was measured"
        time.sleep(0.05)
    time.sleep(max(1.5, seconds * (1 + share)) if way == HANG else seconds * share)
    seen, began = read_beat(run), time.monotonic()
    if way in (STOP, SKIP, DEAD, HANG):
        request_stop(run)
    if way == SKIP:
        request_stop(run)
    if way in (TERM, TWICE):
        os.kill(read_state(run).pid, signal.SIGTERM)
    if way == TWICE:
        time.sleep(0.3)
        with suppress(ProcessLookupError):  # a short step is over by then
            os.kill(read_state(run).pid, signal.SIGTERM)
    if way in (KILL, DEAD):
        os.kill(read_state(run).pid, signal.SIGKILL)
    gone = None
    while gone is None:
        if way in (STOP, SKIP, HANG):
            enforce_stop(run)  # as the page does every second
        gone = None if has_worker(run) else time.monotonic()
        time.sleep(0.05)
    state = look_after(run).state
    settled = time.monotonic() - gone
    result = read_result(run)
    loaded = load_encoder(str(run.encoder)).weights_hash() if run.encoder.is_dir() else None
    is_by_force = way in (KILL, TWICE)  # without Stop, its state.json is left as it is: it tells why it ended
    right = state == ENDS[way] and (is_by_force or written_state(run) == ENDS[way])
    return {
        "way": way,
        "seconds": seconds,
        "at": None if seen is None else [seen.beat.done, seen.beat.current_step, round(seen.seconds, 1)],
        "took": round(gone - began, 1),
        "state": str(state),
        "settled": round(settled, 2),
        "kept": None if result is None or result.kept is None else result.kept.step,
        "reason": "" if result is None or result.kept is None else result.kept.reason,
        "is_right": bool(right and settled < 2 and result is not None and loaded == result.weights_hash is not None),
    }


def planned(runs: int, seed: int) -> list[tuple[str, float, float]]:
    """Return way, seconds of a step, and moment in steps of each run; the slow ones first."""
    rng = random.Random(seed)
    cases = []
    for number in range(runs):
        way = WAYS[number % len(WAYS)]
        seconds = SECONDS[(number // len(WAYS) + 3 * number) % len(SECONDS)]
        if way == HANG:
            seconds = min(seconds, HANGS_BELOW)
        cases.append((way, seconds, rng.uniform(0, 2.2)))
    return sorted(cases, key=lambda case: -case[1])


def run_one(case: tuple[str, float, float], warm: Path) -> dict:
    """Run one case in a process and a store of its own."""
    with tempfile.TemporaryDirectory() as store:
        worker = shlex.join([sys.executable, "-S", "-E", str(ROOT / "tests" / "warm_worker.py")])
        environment = {**os.environ, "EMBEDLAB_HOME": store, "EMBEDLAB_WORKER": worker, "EMBEDLAB_WARM": str(warm)}
        environment |= {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
        command = [sys.executable, __file__, "--one", json.dumps(case)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            return {"way": case[0], "seconds": case[1], "reason": done.stderr[-600:], "is_right": False}
        return json.loads(done.stdout.splitlines()[-1])


def main() -> int:
    """Print the table; the exit code is 1 if a run kept nothing or its state was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--one")
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(one(*json.loads(arguments.one))))
        return 0
    began, rows = time.monotonic(), []
    print("| step, s | ended by | when: steps done, seconds in the next | gone after, s | state | kept step | right |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(arguments.at_once) as pool:
        warm = Path(folder) / f"{os.getpid()}.socket"
        for row in pool.map(lambda case: run_one(case, warm), planned(arguments.runs, arguments.seed)):
            rows.append(row)
            at = row.get("at")
            when = "" if at is None else f"{at[0]}, {at[2]}"
            print(f"| {row['seconds']:g} | {row['way']} | {when} | {row.get('took', '')} | {row.get('state', '')} | "
                  f"{row.get('kept', '')} | {'yes' if row['is_right'] else row['reason']} |", flush=True)  # fmt: skip
        warm.unlink(missing_ok=True)  # the sign to leave
    right = sum(row["is_right"] for row in rows)
    print(f"\n{right} of {len(rows)} keep an encoder, their state right; {time.monotonic() - began:.0f} s in all")
    return 0 if right == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
