"""Waiting for a run costs little memory: what trains, and what reads a corpus, is loaded by other processes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from embedlab.runs.store import list_runs, stored_request
from embedlab.training.demo import DEMO
from embedlab.training.settings import RunSettings

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ["torch", "transformers", "sklearn", "pandas"]
MOST_MEBIBYTES = 120
UP_TO_WAITING = f"""
import sys
import psutil
from embedlab.cli import main, running
from embedlab.runs.store import create_run

def waits(folder, on_progress):
    print([name for name in {HEAVY} if name in sys.modules], psutil.Process().memory_info().rss // 2**20)
    sys.exit(0)

running.submit = lambda request, on=None, **how: create_run(request.task, request.stored, **how)
running.wait = waits
main(sys.argv[1:])
"""


@pytest.mark.parametrize("command", [pytest.param("demo", marks=pytest.mark.slow), "train"])
def test_who_waits_has_loaded_neither_torch_nor_the_texts(toy_corpus, tmp_path, command):
    file = tmp_path / "texts.jsonl"
    file.write_text("\n".join(json.dumps({"text": text}) for text in toy_corpus.texts), encoding="utf-8")
    asked = {"demo": ["demo", "--seed", "3"], "train": ["train", "--corpus", file.name, "--set", "batch_size=16"]}
    done = subprocess.run(
        [sys.executable, "-c", UP_TO_WAITING, *asked[command]],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PATH": "", "EMBEDLAB_HOME": str(tmp_path / "store"), "PYTHONPATH": str(ROOT)},
        check=True,
    )
    loaded, _, mebibytes = done.stdout.strip().rpartition(" ")
    assert loaded == "[]" and int(mebibytes) < MOST_MEBIBYTES
    settings = stored_request(list_runs()[0]).settings
    if command == "demo":
        assert settings == RunSettings(**DEMO, seed=3).stored
    else:  # complete, as the worker would check it
        assert settings["corpus"] != toy_corpus.fingerprint and settings["batch_size"] == 16
        assert settings["objective"] and settings["augmentation"]
