"""A part is one file and one list entry: one each is added to a copy of embedlab and driven to a number or a map."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).resolve().parents[1]
PARTS = {  # the file in tests/throwaway/ -> where it goes, its list, and its entry there
    "objective": ("objectives/sigmoid.py", "objectives/__init__.py", "Sigmoid"),
    "augmentation": ("augmentations/word_order.py", "augmentations/__init__.py", "WordOrder"),
    "listener": ("tasks/fine_tune/listeners/step_count.py", "tasks/fine_tune/listeners/__init__.py", "StepCount"),
    "metric": ("metrics/first_number.py", "metrics/__init__.py", "FirstNumber"),
    "diagnostic": ("diagnostics/vector_length.py", "diagnostics/__init__.py", "VectorLength"),
    "baseline": (
        "baselines/text_length.py", "baseline_methods.py",
        'BaselineMethod("text-length", "Text length", "How long a text is.", "text_length.TextLength")',
    ),
    "map_method": (
        "maps/first_two.py", "map_methods.py", 'MapMethod("first-two", "First two numbers", "", "first_two.FirstTwo")',
    ),
}  # fmt: skip
TINY = "--set batch_size=16 --set vocabulary_size=300 --set max_steps=4 --set maps=false --set inside=false".split()


@pytest.fixture(scope="module")
def extended(tmp_path_factory) -> Path:
    """A copy of the package with seven parts more, each a file and an entry."""
    home = tmp_path_factory.mktemp("extended")
    package = shutil.copytree(ROOT / "embedlab", home / "embedlab")  # with compiled kernels
    for name, (file, listed, entry) in PARTS.items():
        shutil.copy(Path(__file__).parent / "throwaway" / f"{name}.py", package / file)
        registry = (package / listed).read_text(encoding="utf-8")
        if "(" not in entry:
            place = f"embedlab.{file.removesuffix('.py').replace('/', '.')}"
            asked = registry.find("def _parts")  # parts that are imported when one is asked for
            indent = "    " if asked >= 0 else ""
            first = registry.index(f"\n{indent}from embedlab.", max(asked, 0))
            registry = f"{registry[:first]}\n{indent}from {place} import {entry}{registry[first:]}"
        ends = [end for end in ("    ],\n)", "    ]\n\n\n") if end in registry] or ["]"]
        before, end, after = registry.rpartition(ends[0])
        listing = before.rstrip().removesuffix(",")
        (package / listed).write_text(f"{listing}, {entry}{end}{after}", encoding="utf-8")
    return home


@pytest.mark.slow
def test_each_is_driven_to_a_number_or_a_map_by_the_command_line(called, toy_texts_file, tmp_path):
    listed = {(part["kind"], part["key"]) for part in called("parts")["parts"]}
    assert {
        ("objective", "sigmoid"), ("augmentation", "word-order"), ("metric", "first-number"),
        ("map method", "first-two"), ("baseline", "text-length"), ("diagnostic", "vector-length"),
    } <= listed  # fmt: skip
    asked = ("--corpus", str(toy_texts_file), "--encoder", "token", "--recipe", "sigmoid+word-order")
    trained = called("train", *asked, *TINY)
    run = trained["run"]
    assert trained["steps"] == 4 and 0 <= trained["knn"]["after"] <= 1
    counted = Path(trained["paths"]["run"], "counted.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(counted[place]) for place in (0, -1)] == [{"step": 0, "count": 0}, {"step": 4, "count": 4}]
    told = called("methods", run)
    assert "fine-tuned with Sigmoid loss on views by Shuffled words (van den Oord et al., 2018)" in told["text"]
    measured = called("evaluate", "--run", run, "--metrics", "first-number", "--against", "untouched")
    assert 0 <= measured["metrics"]["first-number"]["value"] <= 1
    stands = called("evaluate", "--corpus", trained["corpus"]["fingerprint"], "--baseline", "text-length")
    assert 0 <= stands["metrics"]["knn"]["value"] <= 1
    looked = called("diagnose", "--run", run, "--only", "vector-length")["diagnostics"]["vector-length"]
    assert looked["before"]["mean"] > 0 and looked["sentence"].startswith("The mean length is ")
    file = tmp_path / "map.parquet"
    called("map", "--run", run, "--method", "first-two", "--out", str(file))
    assert np.isfinite([pq.read_table(file)[axis].to_numpy() for axis in "xy"]).all()


@pytest.fixture
def toy_texts_file(tmp_path) -> Path:
    """The toy corpus as a file."""
    from toy_corpora import toy_texts

    texts, labels = toy_texts()
    lines = [json.dumps({"text": text, "label": label}) for text, label in zip(texts, labels, strict=True)]
    file = tmp_path / "toy.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


SHELL = """
import json, sys
from contextlib import redirect_stdout
from io import StringIO
from embedlab.cli import main
for line in sys.stdin:
    with redirect_stdout(StringIO()) as printed:
        code = main(json.loads(line))
    print(json.dumps([code, printed.getvalue()]), flush=True)
"""


@pytest.fixture
def called(extended, tmp_path):
    """``called("parts")``: what a command of that copy prints, in one process that has none of ours."""
    environment = {name: value for name, value in os.environ.items() if name != "EMBEDLAB_WORKER"}
    environment |= {"PYTHONPATH": str(extended), "EMBEDLAB_HOME": str(tmp_path / "store")}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": extended}
    with subprocess.Popen([sys.executable, "-c", SHELL], env=environment, **pipes) as shell:

        def asked(*command: str) -> dict:
            shell.stdin.write(json.dumps([*command, "--json"]) + "\n")
            shell.stdin.flush()
            code, printed = json.loads(shell.stdout.readline())
            assert code == 0, (command, printed)
            return json.loads(printed)

        yield asked
        shell.stdin.close()
