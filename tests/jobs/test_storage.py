"""What lies in the store by kind, and pruning: what can be made again goes, what somebody uses or needs stays."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from builders import finished
from filelock import FileLock

from embedlab.errors import SettingsError
from embedlab.jobs.storage import KINDS, PRUNABLE, prune, prune_jobs, storage
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
from embedlab.scratch import QUIET_SECONDS, is_daily_sweep_due, scratch_folder, size_of, sweep
from embedlab.store_root import atomic_write, make_folder, store_root

LONG_AGO = time.time() - 2 * QUIET_SECONDS


def put(path: Path, size: int) -> Path:
    make_folder(path.parent)
    path.write_bytes(b"x" * size)
    return path


@pytest.fixture
def run(toy_corpus) -> RunFolder:
    """A finished run with 100 bytes of checkpoints, 200 of maps, 300 of neighbors, 400 of embeddings."""
    run = finished(toy_corpus)
    put(run.checkpoints / "step-000004" / "COMPLETE", 100)
    put(run.map("after", "tsne"), 200)
    put(run.neighbors("after", "cosine") / "indices.npy", 300)
    put(run.embeddings("after"), 400)
    return run


def test_each_file_is_counted_once_under_its_kind(run, toy_corpus):
    make_folder(store_root() / "encoders")
    before = storage()
    put(toy_corpus.folder / "vectors" / f"{0:024x}.npy", 50)
    put(store_root() / "encoders" / "x" / "weights", 60)
    put(store_root() / "runs" / run.id / ".maps.0a1b2c3d.part", 70)
    after = storage()
    grown = {key: after[key].size - before[key].size for key in KINDS if key != "other"}  # where the index lies
    grown = {key: size for key, size in grown.items() if size}
    assert grown == {"vectors": 50, "encoders": 60, "leftovers": 70}
    assert (before["checkpoints"].size, before["maps"].size, before["embeddings"].size) == (100, 200, 400)
    assert before["vectors"].size == 300
    in_runs = sum(file.stat().st_size for file in (store_root() / "runs").rglob("*") if file.is_file())
    of_runs = ("runs", "checkpoints", "embeddings", "maps", "vectors", "leftovers")
    assert sum(after[key].size for key in of_runs) == in_runs + 50


def test_pruning_frees_what_it_announced_and_leaves_what_cannot_be_made_again(run):
    announced = {key: part.prunable for key, part in storage().items() if key in PRUNABLE}
    assert announced["checkpoints"] == 100 and announced["maps"] == 200 and announced["vectors"] == 300
    assert prune() == announced
    assert not run.checkpoints.exists() and not run.map("after", "tsne").exists()
    assert run.embeddings("after").exists() and run.settings.exists()
    assert all(part.prunable == 0 for part in storage().values())


def test_a_run_that_can_be_resumed_keeps_its_checkpoints(run):
    for state in (State.STOPPED, State.FAILED, State.INTERRUPTED):
        write_state(run, state)
        assert prune(["checkpoints"]) == {"checkpoints": 0} and run.checkpoints.exists()


def test_imported_coordinates_stay(toy_corpus):
    made = finished(toy_corpus, task="bring")
    make_folder(store_root() / "runs")
    imported = RunFolder(made.path.rename(store_root() / "runs" / made.id))
    own = put(imported.map("after", "own"), 10)
    prune()
    assert own.exists()


@pytest.fixture
def at_work(monkeypatch):
    """``at_work(settings)``: a job with these is at work."""

    def begun(settings: dict) -> RunFolder:
        job = create_run("moves", settings)
        monkeypatch.setattr("embedlab.jobs.storage.at_work", lambda: [job])
        return job

    return begun


def test_what_a_job_at_work_uses_is_not_pruned(run, toy_corpus, at_work):
    other = finished(toy_corpus)
    put(other.map("after", "tsne"), 30)
    shared = put(toy_corpus.folder / "vectors" / f"{0:024x}.npy", 50)
    at_work({"run": "another", "against": run.id})
    assert prune()["maps"] == 30
    assert run.map("after", "tsne").exists() and shared.exists() and not other.map("after", "tsne").exists()


def test_a_run_whose_lock_a_worker_holds_is_not_pruned(run):
    with FileLock(run.lock):
        assert prune(["maps"]) == {"maps": 0}
    assert prune(["maps"]) == {"maps": 200}


def test_only_what_can_be_made_again_is_a_kind_to_prune(run):
    for kind in ("runs", "corpora", "nothing"):
        with pytest.raises(SettingsError, match="cannot be pruned. Choose from: checkpoints"):
            prune([kind])


def age(path: Path) -> Path:
    for each in (path, *(path.rglob("*") if path.is_dir() else ())):
        os.utime(each, (LONG_AGO, LONG_AGO))
    return path


def test_leftovers_go_once_nobody_holds_or_changes_them(run):
    old = age(put(run.path / ".result.json.0a1b2c3d.part", 5))
    folder = age(put(run.path / ".maps.0a1b2c3d.part" / "x.parquet", 6).parent)
    new = put(run.path / ".state.json.0a1b2c3d.part", 8)
    assert sweep() == 11
    assert not old.exists() and not folder.exists() and new.exists()


def test_a_replaced_folder_comes_back_if_its_successor_never_arrived(run):
    lost = age(put(run.path / ".encoder.0a1b2c3d.old" / "config.json", 6).parent)
    sweep()
    assert not lost.exists() and (run.encoder / "config.json").stat().st_size == 6
    replaced = age(put(run.path / ".encoder.0a1b2c3d.old" / "config.json", 7).parent)
    assert sweep() == 7 and not replaced.exists() and (run.encoder / "config.json").stat().st_size == 6


def test_a_half_written_file_stays_while_its_writer_lives(run):
    with atomic_write(run.result) as temporary:
        age(temporary)
        assert sweep() == 0 and temporary.exists()
        temporary.write_text("{}")
    assert run.result.read_text() == "{}"


def test_a_scratch_folder_is_swept_only_after_its_process_ended(store):
    with scratch_folder() as held:
        age(put(held / "vectors.npy", 9))
        assert sweep() == 0 and held.exists()
    assert not held.exists()
    program = (
        "import os; from embedlab.scratch import scratch_folder\n"
        "with scratch_folder() as folder: (folder / 'x').write_bytes(b'123'); print(folder, flush=True); os._exit(9)"
    )
    died = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    left = Path(died.stdout.strip())
    assert (left / "x").exists() and sweep() == 0  # it has just been written to
    age(left)
    assert sweep() >= 3 and not left.exists()


def test_a_write_that_succeeds_leaves_nothing_to_sweep(store):
    with atomic_write(store_root() / "sets" / "x.npy") as temporary, open(temporary, "wb") as file:
        np.save(file, np.zeros(3))
    assert storage()["leftovers"].size == 0 and size_of(store_root() / "sets" / "x.npy") == 152


def test_it_is_swept_once_a_day_after_a_job(store, monkeypatch):
    swept = []
    monkeypatch.setattr("embedlab.jobs.storage.sweep", lambda: swept.append(1))
    prune_jobs()
    prune_jobs()
    assert len(swept) == 1 and not is_daily_sweep_due()
    os.utime(store_root() / "index" / "swept", (LONG_AGO, LONG_AGO))
    prune_jobs()
    assert len(swept) == 2
