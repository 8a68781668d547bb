"""Makes the example that comes with embedlab: the demo, a token layer, an encoder with layers, measured and packed.

python -m tests.benchmarks.example
python -m tests.benchmarks.example lab [RUN]

About a quarter of an hour on two cores. Writes embedlab/runs/example/data and prints its bytes. ``lab`` draws the four
experiments of *Test your reading* alone, anew: of the demo trained here, or of a run of it that is in the store.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from embedlab.jobs.requests.drawing import DrawLab
from embedlab.runs.example import DATA, text_hash
from embedlab.store_root import read_json
from embedlab.tasks.lesson_packing import LAB_TEXTS

ROOT = Path(__file__).resolve().parents[2]
RANDOM = ["--encoder", "token", "--recipe", "sentences", "--epochs", "6", "--name", "token"]
LAYERED = ["--encoder", "scratch:bert-mini", "--recipe", "sentences", "--epochs", "1", "--set", "batch_size=64",
           "--set", "learning_rate=0.001", "--name", "layers"]  # fmt: skip
TEXTS = ["what is NLP?", "what is computer vision?"]  # the pair of LA(SER)³, section 3


def main() -> None:
    """Train all three, measure every layer, the length attack and all diagnostics of the last, pack."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["EMBEDLAB_HOME"] = home
        words = told("demo")
        token = told("train", "--corpus", "docs", *RANDOM)
        draw_lab(token["run"])
        layered = told("train", "--corpus", "docs", *LAYERED)
        told("layers", "--run", layered["run"], "--token", "7", "--linear", "--maps")
        told("length", "--run", layered["run"])
        told("diagnose", "--run", layered["run"], "--texts", *TEXTS)
        for run in (token, layered):
            told("map", "--run", run["run"], "--out", str(Path(home) / "map.parquet"))

        from embedlab.corpora.base import open_corpus
        from embedlab.runs.store import open_run
        from tests.example_packing import write_example

        runs = {name: open_run(each["run"]) for name, each in (("words", words), ("token", token), ("layers", layered))}
        size = write_example(DATA, open_corpus(words["corpus"]["fingerprint"]), runs)
        print(f"{size:,} bytes, {sum(1 for file in DATA.rglob('*') if file.is_file())} files")


def lab(run_id: str | None) -> None:
    """Pack the four experiments of a demo on the packaged corpus; its vectors may differ in the last bits."""
    with tempfile.TemporaryDirectory() as home:
        if run_id is None:
            os.environ["EMBEDLAB_HOME"] = home
            run_id = told("demo")["run"]
        draw_lab(run_id)

        from embedlab.corpora.base import open_corpus
        from embedlab.runs.example import example_corpus
        from embedlab.runs.store import fingerprint_of, open_run
        from embedlab.tasks.lesson_packing import write_lab

        run = open_run(run_id)
        here = open_corpus(fingerprint_of(run))
        if [text_hash(text) for text in here.texts] != example_corpus().hashes.tolist():
            sys.exit("The packages installed here have other texts than the packaged example. Pack it as a whole.")
        write_lab(DATA / "token", run)
        files = [file for file in (DATA / "token" / "lab").rglob("*") if file.is_file()]
        print(f"{sum(file.stat().st_size for file in files):,} bytes, {len(files)} files")


def draw_lab(run_id: str) -> None:
    """All four experiments on texts of this run, each drawn by a worker."""
    from embedlab.jobs.runner import submit, wait
    from embedlab.maps.lab import EXPERIMENTS

    for experiment in EXPERIMENTS:
        job = submit(DrawLab(run=run_id, side="after", experiment=experiment, texts=LAB_TEXTS))
        facts = wait(job)
        result = read_json(job.result)
        if result is None:
            sys.exit(facts.failure.message)
        named = {each["name"]: {name: each[name] for name in ("kept", "knn_in_picture")} for each in result["maps"]}
        print(experiment, json.dumps(named))


def told(*command: str) -> dict:
    """What a command prints with --json."""
    asked = [sys.executable, "-m", "embedlab", *command, "--json"]
    return json.loads(subprocess.run(asked, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)


if __name__ == "__main__":
    if sys.argv[1:2] == ["lab"]:
        lab(*sys.argv[2:] or [None])
    else:
        main()
