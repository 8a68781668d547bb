"""What is the user's stays: no sweep and no pruning removes a file because of its name, at any depth of the store."""

import hashlib
import os
import random
import string
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from builders import finished

from embedlab.half_written import part_of, target_of
from embedlab.jobs.storage import prune, prune_jobs, storage
from embedlab.runs.film_files import begin_film
from embedlab.runs.store import create_run, delete_run
from embedlab.scratch import USERS_ROOMS, new_scratch_folder, scratch_folder, sweep
from embedlab.store_root import ROOM_MARK, ROOMS, atomic_write, is_own_room, make_folder, store_root, whole_folder
from embedlab.trash import empty_trash, list_trash, move_to_trash

DAYS_AGO = time.time() - 3 * 24 * 3600
ODD = (
    *("shared-{}", "scratch-{}", ".{}.part", ".{}.old", "{}.part", ".{}.0a1b.part", ".{}.0A1B2C3D.part", "{}.npy"),
    *("{}.deleted", "step-{}", "{} copy.parquet", "after-tsne.parquet.{}", "frame-{}.npy", "{}.lock", "{}.json", ".{}"),
    *("waiting-{}", "{}.answer.json", "{}.question.json", "COMPLETE-{}", "ümläut {}", "line\nbreak {}", "'{}'"),
)  # fmt: skip


def fill(root: Path, number: int, rng: random.Random, inside: list[Path]) -> dict[Path, bytes]:
    """Write this many files of odd names into these folders and into folders of odd names below them."""
    contents = {}
    for index in range(number):
        word = "".join(rng.choices(string.ascii_lowercase + string.digits, k=6)) + str(index)
        folder = rng.choice(inside)
        if rng.random() < 0.3:
            folder = folder / rng.choice(ODD).format(f"d{word}")
            folder.mkdir()
        file = folder / rng.choice(ODD).format(word)
        content = hashlib.sha256(word.encode()).digest()[: rng.randrange(1, 32)]
        file.write_bytes(content)
        contents[file] = content
    return contents


def let_days_pass(root: Path) -> None:
    for folder, names, files in os.walk(root):
        for name in (*names, *files):
            os.utime(os.path.join(folder, name), (DAYS_AGO, DAYS_AGO), follow_symlinks=False)


def sweep_everything() -> None:
    """Run everything that removes files by itself or by kind."""
    storage()
    prune()
    prune_jobs()
    sweep()
    empty_trash()
    empty_trash(is_now=True)
    command = [sys.executable, "-m", "embedlab", "storage"]
    for words in (["show"], ["prune", "--yes"], ["trash"], ["trash", "--now"]):
        subprocess.run([*command, *words], check=True, capture_output=True)


@pytest.fixture
def lived_in(toy_corpus) -> Path:
    """A store with every room, a run with what can be pruned, jobs, a deleted run and a half-written file."""
    root = store_root()
    for room in ROOMS:
        make_folder(root / room)
    run = finished(toy_corpus)
    for file in (
        run.checkpoints / "step-000004" / "COMPLETE",
        run.map("after", "tsne"),
        run.neighbors("after", "cosine") / "graph.json",
        toy_corpus.folder / "vectors" / f"{0:024x}.npy",
        root / "maps" / f"{0:024x}" / "facts.json",
        part_of(run.result),
    ):
        make_folder(file.parent)
        file.write_bytes(b"1234")
    begin_film(run, np.arange(3))
    finished(toy_corpus, task="moves")
    delete_run(finished(toy_corpus, name="gone"))
    return root


@pytest.mark.parametrize("seed", [1, 2])
def test_a_thousand_files_of_odd_names_at_every_depth_outlive_every_sweep(lived_in, seed):
    folders = [lived_in, *(Path(folder, name) for folder, names, _ in os.walk(lived_in) for name in names)]
    contents = fill(lived_in, 500, random.Random(seed), folders)
    let_days_pass(lived_in)
    sweep_everything()
    lost = [str(file) for file, content in contents.items() if not file.exists() or file.read_bytes() != content]
    assert lost == []


def test_the_same_sweep_removes_what_is_embedlabs(lived_in):
    let_days_pass(lived_in)
    sweep_everything()
    left = [path for path in lived_in.rglob("*") if path.is_file()]
    assert not [path for path in left if target_of(path.name) or path.name in ("COMPLETE", "graph.json", "facts.json")]
    assert list_trash() == [] and not list((lived_in / "jobs").glob("*/settings.json"))


def test_the_commands_of_a_teacher_lose_nothing(store):
    """A lesson and a photo whose names begin as scratch folders used to, in a store that sweeps after a job."""
    files = {store / "lessons" / "shared-words.md": b"# words", store / "shared-photos" / "a.jpg": b"x"}
    files |= {store / "maps" / "paris.png": b"map", store / "trash" / "letter.txt": b"dear", store / "scratch-x": b"y"}
    for file, content in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    store_root()
    let_days_pass(store)
    sweep_everything()
    assert {file: file.read_bytes() for file in files} == files
    assert not is_own_room("maps") and not is_own_room("trash")
    assert storage()["foreign"].size == sum(map(len, files.values()))


def test_a_room_that_was_there_before_is_not_embedlabs_even_if_embedlab_writes_into_it(store, toy_corpus):
    (store / "maps").mkdir()
    make_folder(store / "maps" / f"{0:024x}")
    (store / "maps" / f"{0:024x}" / "facts.json").write_text("{}")
    assert not (store / "maps" / ROOM_MARK).exists()
    prune()
    assert (store / "maps" / f"{0:024x}" / "facts.json").exists()


def test_a_forged_or_linked_mark_is_none(store):
    make_folder(store_root() / "maps")
    assert is_own_room("maps")
    mark = store / "maps" / ROOM_MARK
    sentence = mark.read_text()
    mark.write_text("mine")
    assert not is_own_room("maps")
    mark.unlink()
    (store / "sentence").write_text(sentence)
    mark.symlink_to(store / "sentence")
    assert not is_own_room("maps")


@pytest.mark.parametrize("room", sorted(USERS_ROOMS))
def test_in_the_users_rooms_nothing_is_swept(store, room):
    half = store_root() / room / ".x.md.0a1b2c3d.part"
    make_folder(half.parent)
    half.write_text("x")
    let_days_pass(store)
    sweep_everything()
    assert half.exists()


@pytest.mark.parametrize("is_folder", [False, True])
def test_what_a_killed_export_left_beside_a_users_file_goes_with_the_next_one(tmp_path, store, is_folder):
    out = tmp_path / "exports" / "r.zip"
    writer = "whole_folder" if is_folder else "atomic_write"
    program = f"import os; from pathlib import Path; from embedlab.store_root import {writer}\n"
    program += f"with {writer}(Path({str(out)!r})) as part: print(part, flush=True); os._exit(9)"
    died = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    left = Path(died.stdout.strip())
    mine = out.with_name(".r.zip.notes.part")
    mine.write_text("mine")
    assert left.exists()
    if is_folder:
        with whole_folder(out) as part:
            (part / "a").write_text("new")
    else:
        with atomic_write(out) as part:
            part.write_text("new")
    assert not left.exists() and out.exists() and mine.read_text() == "mine"


def test_two_writers_of_one_file_do_not_remove_each_others_part(tmp_path, store):
    out = tmp_path / "r.zip"
    with atomic_write(out) as first, atomic_write(out) as second:
        assert first.exists() and second.exists()
        first.write_text("first"), second.write_text("second")
    assert out.read_text() == "first"  # the outer one ends last


def test_a_scratch_folder_needs_its_marker_to_be_swept(store):
    with scratch_folder() as mine:
        looks_alike = mine.with_name("0123456789abcdef")
        looks_alike.mkdir()
        (looks_alike / "letter").write_text("dear")
    left = new_scratch_folder()
    let_days_pass(store)
    sweep()
    assert (looks_alike / "letter").exists() and not left.exists() and not mine.exists()


def test_lock_files_of_single_runs_do_not_pile_up(store):
    from embedlab.store_root import alone

    with alone("neighbors-0abc-cosine"), alone("map-0def"):
        sweep()
        assert len(list((store / "locks").glob("*.lock"))) == 2
    sweep()
    assert list((store / "locks").glob("*.lock")) == []


def test_a_job_with_a_strangers_file_stays(toy_corpus):
    job, other = finished(toy_corpus, task="moves"), finished(toy_corpus, task="moves")
    (job.path / "control" / "notes.txt").write_text("mine")
    prune(["jobs"])
    assert job.settings.exists() and not other.path.exists()


def test_the_trash_removes_only_what_was_deleted(store):
    corpus = store_root() / "corpora" / "0123456789abcdef"
    make_folder(corpus)
    (corpus / "corpus.json").write_text("{}")
    entry = move_to_trash("corpus", "texts", [corpus])
    added = entry.folder / "corpora" / corpus.name / "letter.txt"
    added.write_text("dear")
    assert empty_trash(is_now=True) == 2 and added.read_text() == "dear" and list_trash() == []


def test_a_ghost_of_a_run_with_a_strangers_file_stays(store):
    from embedlab.runs.store import remove_ghost

    run = create_run("train", {})
    (run.path / "control" / "letter.txt").write_text("dear")
    run.settings.unlink()
    remove_ghost(run)
    assert (run.path / "control" / "letter.txt").exists()


def test_what_a_link_leads_to_is_not_removed(toy_corpus, tmp_path):
    run, linked = finished(toy_corpus), finished(toy_corpus)
    elsewhere = tmp_path / "elsewhere"
    linked.path.rename(elsewhere)
    linked.path.symlink_to(elsewhere)
    maps = tmp_path / "maps"
    maps.mkdir()
    (maps / "after-tsne.parquet").write_text("mine")
    (run.path / "maps").symlink_to(maps)
    before = {file: file.read_bytes() for file in elsewhere.rglob("*.json")}
    prune()
    delete_run(linked)
    empty_trash(is_now=True)
    assert not linked.path.is_symlink() and list_trash() == []
    assert {file: file.read_bytes() for file in elsewhere.rglob("*.json")} == before and before
    assert (maps / "after-tsne.parquet").read_text() == "mine"
