"""A file or folder appears whole or not at all."""

import os
import pickle
from functools import partial

import pytest

from embedlab.damage import read_array, read_arrays, read_table
from embedlab.errors import EmbedlabError
from embedlab.numbers import by_number
from embedlab.runs.store import read_rows
from embedlab.store_root import (
    LostStore,
    MissingKey,
    UnreadableFile,
    atomic_write,
    read_json,
    store_root,
    whole_folder,
    write_json,
)


@pytest.mark.parametrize("make", [os.mkfifo, partial(os.symlink, "/dev/zero")], ids=["pipe", "device"])
def test_what_never_ends_is_not_read(tmp_path, make):
    make(file := tmp_path / "file")
    for read in (read_json, read_array, read_arrays, read_table):
        with pytest.raises(UnreadableFile, match="pipe or device"):
            read(file)
    assert read_rows(file) == []


def test_a_store_whose_mark_never_ends_is_refused(store):
    mark = store_root() / ".store-id"
    mark.unlink()
    os.mkfifo(mark)
    with pytest.raises(LostStore, match="pipe or device"):
        store_root()


def test_a_failed_write_leaves_the_old_file_and_nothing_beside_it(tmp_path):
    file = tmp_path / "state.json"
    write_json(file, {"a": 1})
    with pytest.raises(ValueError, match="boom"), atomic_write(file) as temporary:
        temporary.write_text("half", encoding="utf-8")
        raise ValueError("boom")
    assert read_json(file) == {"a": 1} and [p.name for p in tmp_path.iterdir()] == ["state.json"]


def test_a_failed_folder_leaves_the_old_one(tmp_path):
    folder = tmp_path / "encoder"
    with whole_folder(folder) as temporary:
        (temporary / "weights").write_text("old", encoding="utf-8")
    with pytest.raises(OSError, match="full"), whole_folder(folder) as temporary:
        (temporary / "weights").write_text("new", encoding="utf-8")
        raise OSError("disk full")
    assert (folder / "weights").read_text(encoding="utf-8") == "old" and len(list(tmp_path.iterdir())) == 1


def test_at_each_failing_system_call_the_old_or_the_new_folder_is_there(tmp_path, monkeypatch):
    for failing in range(1, 12):
        folder = tmp_path / f"f{failing}"
        with whole_folder(folder) as temporary:
            (temporary / "weights").write_text("old", encoding="utf-8")
        calls = {"n": 0}

        def counted(real, calls=calls, failing=failing):
            def call(*a, **k):
                calls["n"] += 1
                if calls["n"] == failing:
                    raise OSError("injected")
                return real(*a, **k)

            return call

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", counted(os.fsync))
            patch.setattr(os, "replace", counted(os.replace))
            try:
                with whole_folder(folder) as temporary:
                    (temporary / "weights").write_text("new", encoding="utf-8")
            except OSError:
                pass
        found = [p for p in tmp_path.glob(f"*f{failing}*") if (p / "weights").exists()]
        assert any((p / "weights").read_text(encoding="utf-8") in ("old", "new") for p in found)
        assert folder.exists(), f"at call {failing} the folder was gone"


def test_numbers_in_names_count_as_numbers():
    names = ["step-1000000", "step-999999", "step-1000001", "step-000420"]
    assert sorted(names, key=by_number) == ["step-000420", "step-999999", "step-1000000", "step-1000001"]
    names = ["2_Dense", "10_Dense", "1_Pooling", "a", "1", "workers/10000.json", "workers/9999.json"]
    assert sorted(names, key=by_number) == [
        "1", "1_Pooling", "2_Dense", "10_Dense", "a", "workers/9999.json", "workers/10000.json"
    ]  # fmt: skip


def test_a_key_that_a_file_lacks_is_a_sentence_about_the_file(tmp_path):
    file = tmp_path / "result.json"
    write_json(file, {"set": {"name": "pairs"}, "rows": [{"a": 1}]})
    content = read_json(file)
    assert content == {"set": {"name": "pairs"}, "rows": [{"a": 1}]} and content["set"]["name"] == "pairs"
    for missing in (lambda: content["knn"], lambda: content["set"]["counts"], lambda: content["rows"][0]["b"]):
        with pytest.raises(MissingKey, match=r"result\.json cannot be read: it has no '") as caught:
            missing()
        assert isinstance(caught.value, EmbedlabError)
    assert content.get("knn") is None and type(pickle.loads(pickle.dumps(content))) is dict
