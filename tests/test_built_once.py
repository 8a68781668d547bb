"""What is built once is built by one process, and what a test does to its copy is not in the next."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from built_once import build_once, copied_into, original_of

from embedlab.runs.store import list_runs
from embedlab.store_root import read_json
from embedlab.tasks.encoders import encoder_of_run


def test_a_copy_opens_in_a_store_of_its_own(token_run, store):
    assert [run.path for run in list_runs()] == [token_run.path]
    paths = [Path(path) for path in read_json(token_run.result)["paths"].values()]
    assert paths and all(path.exists() and path.is_relative_to(store) for path in paths)
    assert encoder_of_run(token_run, "after").dim == 768


def test_what_a_test_does_to_its_copy_is_not_in_the_next(token_run, tmp_path, pytestconfig):
    for file in (token_run.metrics, token_run.embeddings("after")):
        with open(file, "r+b") as opened:
            opened.write(b"changed")
    token_run.result.unlink()
    again = copied_into(tmp_path / "again", original_of("token_run", pytestconfig))
    assert again.id == token_run.id and again.path != token_run.path and read_json(again.result)["run"] == again.id
    assert not any(file.read_bytes().startswith(b"changed") for file in (again.metrics, again.embeddings("after")))


def test_a_corpus_that_was_stored_before_stays_as_it_is(toy_corpus, store, pytestconfig, token_run):
    file = toy_corpus.folder / "corpus.parquet"
    os.utime(file, ns=(1, 1))
    copied_into(store, original_of("token_run", pytestconfig))
    assert file.stat().st_mtime_ns == 1


def test_the_first_who_needs_it_builds_it_and_what_a_failure_left_is_gone(tmp_path):
    folder, tries = tmp_path / "built-once" / "it", []

    def build() -> str:
        home = Path(os.environ["EMBEDLAB_HOME"])
        home.mkdir(parents=True)
        tries.append(home)
        if len(tries) == 1:
            raise OSError("The disk is full.")
        return "0run"

    with pytest.raises(OSError, match="full"):
        build_once(folder, build)
    with ThreadPoolExecutor(2) as both:
        list(both.map(lambda _: build_once(folder, build), range(2)))
    assert tries == [folder / "store"] * 2
