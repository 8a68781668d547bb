"""The whole way through a worker: a model from a hub, a server with a key, a killed process; the bytes are the same."""

import hashlib
import json
import os
import signal
import threading
from pathlib import Path

import pytest
from fake_endpoint import MODEL
from patience import until
from stand_in_hub import COMMIT, hub_of, serving

from embedlab.corpora.base import open_corpus
from embedlab.jobs.progress import FolderProgress
from embedlab.jobs.requests.corpora import Summarise
from embedlab.jobs.runner import request_stop, resume, submit, wait
from embedlab.runs.state import State, read_state
from embedlab.runs.store import create_run
from embedlab.store_root import read_json
from embedlab.tasks import TASKS

MANY = 60  # texts: the worker is still at work when it is killed, however late the test looks


@pytest.fixture
def hub(monkeypatch, language_model, tmp_path):
    """A hub whose one repository is the tiny model."""
    files = {file.name: file.read_bytes() for file in language_model.iterdir()} | {"modeling_evil.py": b"evil"}

    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub-cache"))  # the hub's library keeps files of its own
    with hub_of(serving({"owner/name": files}, []), monkeypatch):
        yield "hf:owner/name"


def finished(folder) -> dict:
    facts = wait(folder, poll_seconds=0.02)
    assert facts.state is State.FINISHED, (facts, folder.log.read_text(encoding="utf-8"))
    return read_json(folder.result)


def lines(corpus) -> int:
    return sum(file.read_bytes().count(b"\n") for file in corpus.folder.glob("summaries-*.jsonl"))


@pytest.mark.slow
def test_a_model_of_a_hub_writes_and_a_killed_worker_goes_on_to_the_same_bytes(toy_corpus, hub):
    settings = {"model": hub, "max_new_tokens": 24, "texts_at_once": 2}
    asked = {"corpus": toy_corpus.fingerprint, "summariser": "local", "settings": settings, "limit": MANY}
    folder = submit(Summarise(**asked))
    until(lambda: lines(toy_corpus) >= 2 or read_state(folder).is_over)
    os.kill(read_state(folder).pid, signal.SIGKILL)
    until(lambda: read_state(folder).state is State.INTERRUPTED)
    assert 2 <= lines(toy_corpus) < MANY and open_corpus(toy_corpus.fingerprint).summaries is None
    result = finished(resume(folder))
    corpus = open_corpus(toy_corpus.fingerprint)
    assert lines(corpus) == MANY and result["texts"] == MANY and result["model"] == hub and not result["extractive"]
    assert all(10 <= len(summaries) <= 15 for summaries in corpus.summaries if summaries)
    assert corpus.made_summaries.settings["top_k"] == 3 and corpus.made_summaries.versions["torch"]
    (stored,) = (corpus.folder.parents[1] / "encoders").glob("[!.]*")
    assert stored.name == f"owner--name@{COMMIT}" and not (stored / "modeling_evil.py").exists()

    table = (corpus.folder / "summaries.parquet").read_bytes()
    for file in corpus.folder.glob("summaries*"):
        file.unlink()
    whole = create_run("summarise", asked)
    TASKS["summarise"].run(whole, TASKS["summarise"].read(asked), FolderProgress(whole))
    assert (corpus.folder / "summaries.parquet").read_bytes() == table
    assert read_json(whole.result)["sha256"] == result["sha256"]


def everything_under(folder: Path) -> str:
    return "".join(file.read_bytes().decode("latin-1") for file in folder.rglob("*") if file.is_file())


def test_a_worker_asks_a_server_stops_when_told_and_never_writes_the_key(toy_corpus, endpoint, store, monkeypatch):
    monkeypatch.setenv("EMBEDLAB_ENDPOINT_KEY", "sk-canary-123")
    never = threading.Event()
    endpoint.behaviours = ["well"] * 11 + [never]
    settings = {"url": endpoint.url, "model": MODEL, "requests_at_once": 1, "retries": 0}
    asked = {"corpus": toy_corpus.fingerprint, "summariser": "endpoint", "settings": settings, "limit": 5}
    folder = submit(Summarise(**asked))
    until(lambda: len(endpoint.requests) == 12)
    request_stop(folder)
    assert wait(folder).state is State.STOPPED and lines(toy_corpus) == 2
    never.set()
    endpoint.behaviours = ["500 with the key"]
    folder = submit(Summarise(**asked))
    facts = wait(folder)
    assert facts.state is State.FAILED and facts.error.code == "E-ENDPOINT" and facts.exit_code == 2
    assert finished(submit(Summarise(**asked)))["requests"] == 15
    assert {headers["Authorization"] for headers in endpoint.headers} == {"Bearer sk-canary-123"}
    assert "canary" not in everything_under(store)
    digest = hashlib.sha256((toy_corpus.folder / "summaries.parquet").read_bytes()).hexdigest()
    assert json.loads((toy_corpus.folder / "summaries.json").read_text(encoding="utf-8"))["sha256"] == digest
