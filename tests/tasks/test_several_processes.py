"""A whole run by two processes: the folder of a plain run, its numbers, Stop, resume, and an error in the second."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from doing import do

from embedlab.cli import main as call_main
from embedlab.encoders.load import load_encoder
from embedlab.jobs.progress import FolderProgress
from embedlab.jobs.runner import submit, wait
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State, read_state
from embedlab.runs.store import create_run, read_rows
from embedlab.store_root import read_json
from embedlab.tasks.measure import sharing
from embedlab.tasks.measure.embedded import load_embeddings
from embedlab.training.settings import RunSettings
from embedlab.worker.work import main

WORKER = [sys.executable, "-S", "-E", str(Path(__file__).resolve().parents[1] / "warm_worker.py")]


@pytest.fixture
def plain(toy_corpus, tmp_path) -> dict:
    """Settings of a run of eight steps without dropout."""
    encoder = load_encoder("scratch:bert-tiny", corpus=toy_corpus, vocabulary_size=300)
    encoder.model.config.hidden_dropout_prob = encoder.model.config.attention_probs_dropout_prob = 0.0
    encoder.save(tmp_path / "encoder")
    return {
        "corpus": toy_corpus.info.fingerprint,
        "encoder": str(tmp_path / "encoder"),
        "recipe": "crops",
        "batch_size": 16,
        "training_length": 24,
        "precision": "fp32",
        "evaluate_every": 4,
        "checkpoint_every": 2,
        "live_map": False,
        "maps": False,
        "inside": False,
    }


def a_meeting() -> dict[str, str]:
    """What torchrun tells two processes of where they meet."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    told = {"TORCHELASTIC_RUN_ID": "test", "WORLD_SIZE": "2"}
    return {**told, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}


@pytest.fixture
def two(monkeypatch):
    """``two(folder)``: how the run's worker ended, which is this process, and how a second one; as torchrun starts."""
    monkeypatch.setattr("embedlab.worker.work.go_offline", lambda: None)

    def run(folder: RunFolder, **other) -> tuple[int, int]:
        meeting = a_meeting()
        second = {**os.environ, **meeting, "RANK": "1", "LOCAL_RANK": "1", **other}
        with monkeypatch.context() as patch, open(folder.log, "wb") as log:
            process = subprocess.Popen([*WORKER, str(folder.path)], env=second, stdout=log, stderr=log)
            for name, value in {**meeting, "RANK": "0", "LOCAL_RANK": "0"}.items():
                patch.setenv(name, value)
            try:
                ended = main(str(folder.path)), process.wait(timeout=60)
            finally:
                process.kill()
        said = folder.log.read_text()
        assert "Traceback" not in said, said
        return ended

    return run


def files(folder: RunFolder) -> set[str]:
    return {str(path.relative_to(folder.path)) for path in folder.path.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_stop_ends_both_after_one_step_and_two_or_one_go_on(plain, two, monkeypatch):
    folder, say, stops = create_run("train", plain), FolderProgress.__call__, [3, 5]

    def stops_twice(self, stage, done=0, total=0):
        if stage == "Fine-tuning" and done in stops:
            stops.remove(done)
            folder.stop.parent.mkdir(exist_ok=True)
            folder.stop.touch()
        say(self, stage, done, total)

    monkeypatch.setattr(FolderProgress, "__call__", stops_twice)
    for steps in (3, 5):
        assert two(folder) == (3, 0)
        facts = read_state(folder)
        assert facts.state is State.STOPPED and facts.processes == 2 and read_json(folder.result)["steps"] == steps
        folder.stop.unlink()
    assert main(str(folder.path)) == 0
    facts, losses = read_state(folder), [row["loss"] for row in read_rows(folder.terms)]
    assert facts.state is State.FINISHED and facts.processes == 1
    assert losses == pytest.approx([row["loss"] for row in read_rows(do("train", plain).terms)], rel=1e-5)


def test_what_goes_wrong_in_the_second_process_is_the_sentence_of_the_run(plain, two, tmp_path):
    folder = create_run("train", plain)
    assert two(folder, EMBEDLAB_HOME=str(tmp_path / "another store")) == (2, 0)
    facts = read_state(folder)
    assert facts.state is State.FAILED and plain["corpus"] in facts.error.message
    assert not read_rows(folder.terms)


def test_an_error_in_the_first_process_lets_the_second_go(plain, two):
    folder = create_run("train", {**plain, "frozen_layers": 40})
    assert two(folder) == (2, 0)
    assert "frozen_layers" in read_state(folder).error.message


def test_a_token_layer_is_trained_by_one_process(plain, two):
    folder = create_run("train", {**plain, "encoder": "token", "vocabulary_size": 300, "training_length": None})
    assert two(folder) == (0, 0)
    facts = read_state(folder)
    assert facts.state is State.FINISHED and facts.processes == 1 and "processes" not in facts.device_line


def test_as_many_processes_as_are_asked_for_train_one_run_and_it_is_that_of_one(plain, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setenv("EMBEDLAB_PROCESSES", "2")
        folder = submit(RunSettings(**plain))
    alone = do("train", plain)
    facts = wait(folder)
    assert facts.state is State.FINISHED, folder.log.read_text()
    assert facts.state is State.FINISHED and facts.processes == 2 and read_state(alone).processes == 1
    assert facts.device_line.startswith("2 processes on ")
    of_its_worker = {"log.txt", "run.lock", "workers/0001.json", "workers/started.json", "resources.jsonl", "beat.json"}
    assert files(folder) - files(alone) <= of_its_worker and not files(alone) - files(folder)
    weights = [load_encoder(str(each.encoder)).weights() for each in (folder, alone)]
    distance = sum(float((weights[0][name] - weights[1][name]).norm() ** 2) for name in weights[1]) ** 0.5
    assert distance <= 1e-5 * sum(float(value.norm() ** 2) for value in weights[1].values()) ** 0.5
    assert np.array_equal(*(load_embeddings(each, "before") for each in (folder, alone)))  # to the bit
    ours, theirs = (np.asarray(load_embeddings(each, "after")) for each in (folder, alone))
    assert np.linalg.norm(ours - theirs) <= 1e-4 * np.linalg.norm(theirs)
    assert [row["step"] for row in read_rows(folder.terms)] == list(range(1, 9))
    assert read_json(folder.result)["knn"] == read_json(alone.result)["knn"]


@pytest.fixture
def read_here(monkeypatch) -> list:
    """Which share of a part this process read, and the rows it found."""
    found, real = [], sharing.embed_tokens

    def spied(*args, share, **more):
        vectors = real(*args, share=share, **more)
        found.append((share, vectors.any(axis=1)))
        return vectors

    monkeypatch.setattr(sharing, "embed_tokens", spied)
    return found


def test_untouched_and_trained_each_embed_a_share_and_parts_are_joined_row_for_row(plain, two, read_here, monkeypatch):
    untouched = {**plain, "recipe": "untouched"}
    for name in ("batch_size", "training_length", "evaluate_every", "checkpoint_every"):
        untouched.pop(name)
    folder = create_run("train", untouched)
    assert two(folder) == (0, 0)
    (share, mine), stored = read_here[0], np.asarray(load_embeddings(folder, "after"))
    assert share == (0, 2) and 0 < mine.sum() < len(mine) and stored.any(axis=1).all()
    assert read_state(folder).processes == 2
    read_here.clear()
    alone = do("train", untouched)
    assert [share for share, _ in read_here] in ([], [(0, 1)])
    assert np.array_equal(stored, load_embeddings(alone, "after"))


THREADS = """
import os, pathlib
from embedlab.encoders.processes import joined

with joined():
    import torch.distributed.nn.functional
print([name for task in pathlib.Path("/proc/self/task").iterdir() if "gloo" in (name := (task / "comm").read_text())])
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the system does not list threads as files")
def test_no_thread_of_the_group_outlives_it():
    """One that does may abort a process that exits ("terminate called without an active exception")."""
    meeting = {**os.environ, **a_meeting()}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", THREADS],
            env={**meeting, "RANK": rank, "LOCAL_RANK": rank},
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in ("0", "1")
    ]
    assert [process.communicate(timeout=60)[0] for process in processes] == ["[]\n", "[]\n"]


@pytest.mark.slow
def test_the_command_embed_is_shared_and_writes_the_same_file(plain, read_here, tmp_path, monkeypatch, capsys):
    out, meeting = str(tmp_path / "together.npy"), a_meeting()
    command = ["embed", "--encoder", plain["encoder"], "--corpus", plain["corpus"], "--precision", "fp32", "--json"]
    second = subprocess.Popen(
        [sys.executable, "-m", "embedlab", *command, "--out", str(tmp_path / "never.npy")],
        env={**os.environ, **meeting, "RANK": "1", "LOCAL_RANK": "1"},
        stderr=subprocess.PIPE,
        text=True,
    )
    with monkeypatch.context() as patch:
        for name, value in {**meeting, "RANK": "0", "LOCAL_RANK": "0"}.items():
            patch.setenv(name, value)
        try:
            assert call_main([*command, "--out", out]) == 0
            _, said = second.communicate(timeout=60)
        finally:
            second.kill()
    assert second.returncode == 0 and "Traceback" not in said, said
    assert read_here[0][0] == (0, 2) and not (tmp_path / "never.npy").exists()
    assert call_main([*command, "--out", str(tmp_path / "alone.npy")]) == 0
    assert np.array_equal(np.load(out), np.load(tmp_path / "alone.npy"))
