"""Makes the example that comes with embedlab: the demo, the same with dropout pairs, a token layer; measured, packed.

python -m tests.benchmarks.example
python -m tests.benchmarks.example lab [RUN]

About a quarter of an hour on two cores. Writes embedlab/runs/example/data and prints its bytes. ``lab`` draws the four
experiments of *Test your reading* alone, anew: of the token layer trained here, or of such a run that is in the store.
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
RANDOM = ["--corpus", "docs", "--encoder", "token", "--recipe", "sentences", "--epochs", "6", "--set", "inside=false",
          "--name", "token"]  # fmt: skip
TEXTS = ["what is NLP?", "what is computer vision?"]  # the pair of LA(SER)³, section 3


def main() -> None:
    """Train all three, measure every layer, the length attack and all diagnostics of the demo, pack."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["EMBEDLAB_HOME"] = home

        from embedlab.corpora.base import open_corpus
        from embedlab.runs.store import open_run
        from embedlab.training.demo import DROPOUT_PAIRS
        from tests.example_packing import write_example

        settings = Path(home) / "dropout.json"
        settings.write_text(json.dumps(DROPOUT_PAIRS | {"inside": False}))
        told_of = {
            "mini": told("demo"),
            "dropout": told("train", "--settings", str(settings), "--name", "dropout pairs"),
            "token": told("train", *RANDOM),
        }
        mini = told_of["mini"]["run"]
        told("layers", "--run", mini, "--token", "7", "--linear", "--maps")
        told("length", "--run", mini)
        told("diagnose", "--run", mini, "--texts", *TEXTS)
        told("layers", "--run", told_of["dropout"]["run"])
        draw_lab(told_of["token"]["run"])
        for each in told_of.values():
            told("map", "--run", each["run"], "--out", str(Path(home) / "map.parquet"))
        corpora = {each["corpus"]["fingerprint"]: None for each in told_of.values()}
        runs = {name: open_run(each["run"]) for name, each in told_of.items()}
        size = write_example(DATA, [open_corpus(each) for each in corpora], runs)
        print(f"{size:,} bytes, {sum(1 for file in DATA.rglob('*') if file.is_file())} files")


def lab(run_id: str | None) -> None:
    """Pack the four experiments of a token layer on docs; its vectors may differ in the last bits."""
    with tempfile.TemporaryDirectory() as home:
        if run_id is None:
            os.environ["EMBEDLAB_HOME"] = home
            run_id = told("train", *RANDOM)["run"]
        draw_lab(run_id)

        from embedlab.corpora.base import open_corpus
        from embedlab.runs.example import TOKEN, example_corpus
        from embedlab.runs.store import fingerprint_of, open_run
        from embedlab.tasks.lesson_packing import write_lab

        run = open_run(run_id)
        here = open_corpus(fingerprint_of(run))
        if [text_hash(text) for text in here.texts] != example_corpus(TOKEN).hashes.tolist():
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
