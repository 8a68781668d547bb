"""Makes the example that comes with embedlab: the demo, the runs compared with it, a token layer; measured, packed.

python -m tests.benchmarks.example
python -m tests.benchmarks.example left-out
python -m tests.benchmarks.example lab [RUN]

About a quarter of an hour on two cores. Writes embedlab/runs/example/data and prints its bytes. ``left-out`` trains and
packs only the demo without the test texts; the encoder must be the one that the packaged demo started from. ``lab``
draws the four experiments of *Test your reading* alone, anew: of the token layer trained here, or of such a run that
is in the store.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from embedlab.corpora.base import open_corpus
from embedlab.jobs.requests.drawing import DrawLab
from embedlab.runs.example import (
    DATA,
    DROPOUT,
    LEFT_OUT,
    MINI,
    TOKEN,
    ExampleCorpus,
    ExampleKind,
    example_corpus,
    example_run,
    text_hash,
)
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import read_json
from embedlab.tasks.lesson_packing import LAB_TEXTS, write_lab
from embedlab.training.demo import DROPOUT_PAIRS, TEST_TEXTS_LEFT_OUT
from tests.example_packing import write_example, write_run_result

ROOT = Path(__file__).resolve().parents[2]
RANDOM = ["--corpus", "docs", "--encoder", "token", "--recipe", "sentences", "--epochs", "6", "--set", "inside=false",
          "--name", "token"]  # fmt: skip
TEXTS = ["what is NLP?", "what is computer vision?"]  # the pair of LA(SER)³, section 3


def main() -> None:
    """Train all four, measure every layer, the length attack and all diagnostics of the demo, pack."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["EMBEDLAB_HOME"] = home
        told_of = {
            MINI: told("demo"),
            DROPOUT: told("train", *settings_file(home, DROPOUT_PAIRS), "--name", "dropout pairs"),
            TOKEN: told("train", *RANDOM),
        }
        without_test_texts = open_run(train_left_out(home))
        mini = told_of[MINI]["run"]
        told("layers", "--run", mini, "--token", "7", "--linear", "--maps")
        told("length", "--run", mini)
        told("diagnose", "--run", mini, "--texts", *TEXTS)
        told("layers", "--run", told_of[DROPOUT]["run"])
        draw_lab(told_of[TOKEN]["run"])
        for each in told_of.values():
            told("map", "--run", each["run"], "--out", str(Path(home) / "map.parquet"))
        corpora = {each["corpus"]["fingerprint"]: None for each in told_of.values()}
        runs = {name: open_run(each["run"]) for name, each in told_of.items()}
        write_example(DATA, [open_corpus(each) for each in corpora], runs, {LEFT_OUT: without_test_texts})
        print_size(DATA)


def left_out() -> None:
    """Pack the demo without the test texts beside the packaged demo, whose texts and untouched encoder it must have."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["EMBEDLAB_HOME"] = home
        run = open_run(train_left_out(home))
        packaged = packaged_corpus(run, MINI)
        demo = read_result(example_run(MINI))
        if read_result(run).knn.before != demo.knn.before:
            sys.exit("The packaged demo was trained from another encoder than this run. Pack the example as a whole.")
        write_run_result(DATA / LEFT_OUT, run, {run.id: LEFT_OUT, fingerprint_of(run): packaged.fingerprint})
        print_size(DATA / LEFT_OUT)


def train_left_out(home: str) -> str:
    """Train the demo without the test texts, and return the run's id; nothing is measured beyond its result."""
    only_the_result = {"maps": False, "live_map": False}
    settings = settings_file(home, TEST_TEXTS_LEFT_OUT | only_the_result)
    return told("train", *settings, "--name", "demo, test texts left out")["run"]


def settings_file(home: str, settings: dict) -> list[str]:
    """Write settings of a run, without measuring its layers and length; return the option that names the file."""
    file = Path(home) / "settings.json"
    file.write_text(json.dumps(settings | {"inside": False}))
    return ["--settings", str(file)]


def packaged_corpus(run: RunFolder, kind: ExampleKind) -> ExampleCorpus:
    """Return the packaged corpus of this kind; exit if the run was trained on other texts."""
    packaged = example_corpus(kind)
    hashes = [text_hash(text) for text in open_corpus(fingerprint_of(run)).texts]
    if hashes != packaged.hashes.tolist():
        sys.exit("The packages installed here have other texts than the packaged example. Pack it as a whole.")
    return packaged


def print_size(folder: Path) -> None:
    """Print the bytes and the number of the files in a folder."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    print(f"{sum(file.stat().st_size for file in files):,} bytes, {len(files)} files")


def lab(run_id: str | None) -> None:
    """Pack the four experiments of a token layer on docs; its vectors may differ in the last bits."""
    with tempfile.TemporaryDirectory() as home:
        if run_id is None:
            os.environ["EMBEDLAB_HOME"] = home
            run_id = told("train", *RANDOM)["run"]
        draw_lab(run_id)
        run = open_run(run_id)
        packaged_corpus(run, TOKEN)
        write_lab(DATA / TOKEN, run)
        print_size(DATA / TOKEN / "lab")


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
    elif sys.argv[1:2] == ["left-out"]:
        left_out()
    else:
        main()
