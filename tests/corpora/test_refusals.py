"""A store that cannot be written to, a full disk, a closed file and a closed folder are said as what they are."""

import builtins
import errno
import io
import json
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from embedlab import table_files
from embedlab.cli import main
from embedlab.corpora import load_corpus
from embedlab.corpora.files import read_table
from embedlab.corpora.proposal import Reading
from embedlab.corpora.sets.pairs import read_pairs
from embedlab.corpora.sets.reading import read_set
from embedlab.damage import damage_said
from embedlab.disk_trouble import trouble_said
from embedlab.encoders.load import load_encoder
from embedlab.errors import CorpusError, StoreError
from embedlab.store_root import store_root
from embedlab.vectors.opened import open_vectors

NAMES = ["ships", "stars"]


@pytest.fixture
def files(tmp_path, store) -> dict[str, Path]:
    """One of each kind that is read, outside of the store."""
    texts = [
        f"A text about {of}, the {number}th of them, long enough to be read." for number in range(10) for of in NAMES
    ]
    labels = NAMES * 10
    own = tmp_path / "mine"
    (own / "rooms" / "a").mkdir(parents=True)
    (own / "rooms" / "a" / "1.txt").write_text(texts[0], encoding="utf-8")
    (own / "encoder").mkdir()
    (own / "encoder" / "config.json").write_text("{}", encoding="utf-8")
    columns = {"text": texts, "label": labels}
    pq.write_table(pa.table(columns), own / "texts.parquet")
    rows = [json.dumps({"text": text, "label": label}) for text, label in zip(texts, labels, strict=True)]
    (own / "texts.jsonl").write_text("\n".join(rows), encoding="utf-8")
    lines = [f'"{text}",{label}' for text, label in zip(texts, labels, strict=True)]
    (own / "texts.csv").write_text("\n".join(["text,label", *lines]), encoding="utf-8")
    pairs = [json.dumps({"anchor": text, "positive": text[:50]}) for text in texts]
    (own / "pairs.jsonl").write_text("\n".join(pairs), encoding="utf-8")
    judged = [json.dumps({"sentence1": text, "sentence2": text[:50], "score": 3.0}) for text in texts]
    (own / "sts.jsonl").write_text("\n".join(judged), encoding="utf-8")
    np.save(own / "own.npy", np.ones((20, 4), np.float32))
    return {each.name: each for each in own.iterdir()}


@pytest.fixture
def closed(monkeypatch):
    """Closes a file or folder to us, as permission bits do to everyone but root."""

    def close(place: Path) -> None:
        for module, name in ((io, "open"), (builtins, "open"), (os, "scandir"), (os, "listdir")):
            real = getattr(module, name)

            def checked(path=".", *more, real=real, **named):
                if isinstance(path, str | os.PathLike) and Path(path) == place:
                    raise PermissionError(errno.EACCES, "Permission denied", str(path))
                return real(path, *more, **named)

            monkeypatch.setattr(module, name, checked)

    return close


def read(files: dict, name: str):
    """As the commands and pages read a file of this name."""
    path = files[name]
    if name == "encoder":
        return load_encoder(str(path))
    if name == "own.npy":
        return open_vectors(path)
    if name == "sts.jsonl":
        return read_set(str(path))
    if name == "pairs.jsonl":
        return read_pairs(path)
    return load_corpus(str(path), Reading())


CORPORA = ["texts.csv", "texts.jsonl", "texts.parquet", "rooms"]
STORED = [*CORPORA, "sts.jsonl", "pairs.jsonl"]
FILES = ["texts.csv", "texts.jsonl", "texts.parquet", "sts.jsonl", "pairs.jsonl", "own.npy"]


@pytest.mark.parametrize("name", FILES)
def test_a_file_without_permission_is_not_called_damaged(name, files, closed):
    closed(files[name])
    with pytest.raises(StoreError, match=f"no permission to read {name!r}") as refused:
        read(files, name)
    assert refused.value.code == "E-FILE-PERMISSION" and "damaged" not in refused.value.message


def test_a_closed_file_of_a_folder_of_texts_or_of_an_encoder_is_named(files, closed):
    closed(files["rooms"] / "a" / "1.txt")
    with pytest.raises(StoreError, match="'1.txt'") as refused:
        read(files, "rooms")
    assert refused.value.code == "E-FILE-PERMISSION"
    closed(files["encoder"] / "config.json")
    with pytest.raises(StoreError, match="'config.json'") as refused:
        read(files, "encoder")
    assert refused.value.code == "E-FILE-PERMISSION"


@pytest.mark.parametrize("place", ["rooms", "rooms/a", "encoder"])
def test_a_folder_without_permission_is_not_left_out_in_silence(place, files, closed):
    name = place.partition("/")[0]
    closed(files[name].parent / place)
    with pytest.raises(StoreError, match="the folder") as refused:
        read(files, name)
    assert refused.value.code == "E-FOLDER-PERMISSION"


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES])
@pytest.mark.parametrize("name", STORED)
def test_a_store_that_cannot_be_written_to_is_no_damaged_file(name, number, files, monkeypatch, capsys):
    root, real = str(store_root()), os.mkdir

    def refused(path, *more, **named):
        if str(path).startswith(root):
            raise OSError(number, os.strerror(number), str(path))
        return real(path, *more, **named)

    monkeypatch.setattr(os, "mkdir", refused)
    assert command(files, name) == 2
    said = json.loads(capsys.readouterr().out)["error"]
    assert said["code"] == "E-STORE-WRITE" and root in said["message"] and name not in said["message"]


@pytest.mark.parametrize("name", STORED)
def test_a_full_disk_is_no_damaged_file(name, files, monkeypatch, capsys):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "Error writing bytes to file. Detail: [errno 28] No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert command(files, name) == 2
    said = json.loads(capsys.readouterr().out)["error"]
    assert said["code"] == "E-DISK" and str(store_root()) in said["message"] and name not in said["message"]


def command(files: dict, name: str) -> int:
    path = str(files[name])
    if name == "sts.jsonl":
        return main(["evaluate", "--baseline", "tfidf", "--on", path, "--json", "--quiet"])
    if name == "pairs.jsonl":
        return main(["train", "--pairs", path, "--encoder", "token", "--recipe", "ranking", "--json", "--quiet"])
    return main(["corpus", "check", path, "--json", "--quiet"])


def test_what_is_put_aside_while_a_large_file_is_read_is_not_its_damage(files, monkeypatch):

    monkeypatch.setattr(table_files, "HELD_BYTES", 0)
    for number, code in ((errno.ENOSPC, "E-DISK"), (errno.EROFS, "E-STORE-WRITE")):

        def refused(file, *_, number=number, **__):
            raise OSError(number, f"Failed to open local file '{file}'")

        monkeypatch.setattr(pa.ipc, "new_file", refused)
        with pytest.raises(StoreError) as said:
            load_corpus(str(files["texts.jsonl"]), Reading())
        assert said.value.code == code and "damaged" not in said.value.message


def test_a_damaged_file_is_still_called_damaged(files):
    with pytest.raises(CorpusError, match="may be damaged"), damage_said("t.zip"):
        raise OSError("Bad magic")  # as of libraries that read bytes: without a number of the system's


@pytest.mark.parametrize("inside", ["", "below/it"])
def test_a_store_that_is_a_file_or_below_one_is_said(inside, tmp_path, monkeypatch, capsys):
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    monkeypatch.setenv("EMBEDLAB_HOME", str(tmp_path / "notes.txt" / inside))
    with pytest.raises(StoreError, match="notes.txt' is a file") as refused:
        store_root()
    assert refused.value.code == "E-STORE-HOME"
    assert main(["runs", "list", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "E-STORE-HOME"


def test_a_store_below_a_folder_that_is_read_only_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDLAB_HOME", str(tmp_path / "new"))

    def refused(path, *_, **__):
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    monkeypatch.setattr(os, "mkdir", refused)
    with pytest.raises(StoreError, match="read-only file system") as said:
        store_root()
    assert said.value.code == "E-STORE-HOME"


def test_a_file_that_cannot_be_written_where_it_was_asked_for_is_said(files, toy_corpus, monkeypatch, capsys):
    out, real = files["texts.csv"].parent / "out.npy", os.replace

    def refused(source, to, **named):
        if Path(to) == out:
            raise PermissionError(errno.EACCES, "Permission denied", str(source), None, str(to))
        return real(source, to, **named)

    monkeypatch.setattr(os, "replace", refused)
    asked = ["embed", "--encoder", "token", "--corpus", toy_corpus.fingerprint, "--out", str(out), "--json", "--quiet"]
    assert main(asked) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "E-FILE-PERMISSION"


def test_a_closed_file_among_temporary_files_or_uploads_is_still_the_users(files, closed, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(files["texts.csv"].parent))
    closed(files["texts.csv"])
    with pytest.raises(StoreError, match="no permission to read 'texts.csv'"):
        load_corpus(str(files["texts.csv"]), Reading())
    upload = store_root() / "uploads" / "0123.csv"
    upload.parent.mkdir()
    upload.write_bytes(files["rooms"].joinpath("a", "1.txt").read_bytes())
    closed(upload)
    with pytest.raises(StoreError, match="no permission to read 'mine.csv'"):
        read_table(upload, name="mine.csv")


def test_a_place_to_write_that_is_closed_or_full_is_named(files):
    out = files["texts.csv"].parent / "out.npy"
    closed_to_us = trouble_said(PermissionError(errno.EACCES, "Permission denied", str(out)))
    assert closed_to_us.code == "E-FILE-PERMISSION" and f"write {str(out)!r}" in closed_to_us.message
    beside = trouble_said(PermissionError(errno.EACCES, "Permission denied", str(out.with_name(".out.npy.0a1b.part"))))
    assert beside.code == "E-FOLDER-PERMISSION" and repr(str(out.parent)) in beside.message
    full = trouble_said(OSError(errno.ENOSPC, "No space left on device", str(out)))
    assert full.code == "E-DISK" and str(out) in full.message
    assert trouble_said(OSError(errno.EINVAL, "Invalid argument")) is None
    assert trouble_said(ValueError("no")) is None
