"""mteb is installed separately: without it the rest works, USEB included, and a set of it says how to install it."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from embedlab.benchmarks import BENCHMARKS
from embedlab.benchmarks.base import REQUIREMENTS
from embedlab.benchmarks.mteb import Adapter
from embedlab.errors import SettingsError
from embedlab.runs.store import create_run
from embedlab.tasks import TASKS

ROOT = Path(__file__).resolve().parents[2]
BESIDES_MTEB = {"datasets", "pytrec-eval-terrier", "sentence-transformers"}  # what it brings, and nothing else does
HIDDEN = ("mteb", "datasets", "pytrec_eval", "sentence_transformers", "polars", "dill", "multiprocess", "xxhash")
EVERYTHING = """
import importlib, pkgutil, sys
sys.modules.update(dict.fromkeys({hidden!r}))  # importing one of them fails, as where it is not installed
import embedlab
for found in pkgutil.walk_packages(embedlab.__path__, "embedlab."):
    if not found.name.endswith(("__main__", "ui.frame.main")):  # what runs when it is imported
        importlib.import_module(found.name)
from embedlab.cli import main
for words in (["parts"], ["encoders"], ["corpora"], ["benchmark", "--encoder", "bert", "--set", "unsee", "--needs"]):
    assert main([*words, "--json"]) == 0, words
"""


@pytest.fixture
def without(monkeypatch):
    """None of the packages is installed that come with mteb."""
    for name in HIDDEN:
        monkeypatch.setitem(sys.modules, name, None)  # importing it fails, and it is not found


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda each: each.key)
def test_a_set_is_refused_with_how_to_install_what_it_needs(store, without, benchmark):
    asked = {"encoder": "bert", "set": benchmark.key, "tasks": []}
    task = TASKS["benchmark"]
    if benchmark.reader == "useb":
        assert benchmark.not_installed is None
        return
    with pytest.raises(SettingsError, match=f"pip install -r {REQUIREMENTS}") as refused:
        task.run(create_run("benchmark", asked), task.read(asked), lambda stage, done=0, total=0: None)
    assert refused.value.code == "E-NOT-INSTALLED"


def test_nothing_is_missing_where_all_is_installed():
    assert [each.key for each in BENCHMARKS if each.not_installed] == []


def test_an_encoder_is_ready_for_the_sets_that_are_read_here(tiny, without):
    assert len(Adapter(tiny(), name="run").vectors_hash) == 64


def test_the_file_names_the_package_and_the_app_does_without():
    lines = (ROOT / REQUIREMENTS).read_text(encoding="utf-8").splitlines()
    (needed,) = (Requirement(line.partition("#")[0]) for line in lines if not line.startswith("#"))
    assert needed.name == "mteb" and importlib.metadata.version("mteb") in needed.specifier
    theirs = {Requirement(each).name for each in importlib.metadata.requires("mteb")}
    app = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    of_app = {Requirement(line.partition("#")[0]).name for line in app if line and not line.startswith("#")}
    assert theirs >= BESIDES_MTEB and of_app.isdisjoint({"mteb", *BESIDES_MTEB})


@pytest.mark.slow  # every file is imported, torch and Streamlit included
def test_every_file_is_imported_and_every_list_is_there_without_it(tmp_path):
    code = EVERYTHING.format(hidden=HIDDEN)
    environment = {"PYTHONPATH": str(ROOT), "EMBEDLAB_HOME": str(tmp_path / "store"), "PATH": ""}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
