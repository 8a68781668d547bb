"""Work beside a page: kept when it is done, tried again when it failed; files are read once until they change."""

import os

import pytest

from embedlab.ui.frame import background


@pytest.fixture
def awaited(monkeypatch):
    """``awaited``, which waits here until the work is done."""
    monkeypatch.setattr(background, "WAIT_SECONDS", 30)
    return background.awaited


def test_what_failed_once_is_tried_again_and_what_was_found_is_kept(awaited):
    tried = []

    def work():
        tried.append(len(tried))
        if len(tried) == 1:
            raise OSError("the disk was away for a moment")
        return len(tried)

    with pytest.raises(OSError, match="for a moment"):
        awaited("a key of this test", work, "Looking")
    assert awaited("a key of this test", work, "Looking") == 2
    assert awaited("a key of this test", work, "Looking") == 2 and tried == [0, 1]


def test_a_file_is_read_once_until_it_changes_and_each_reader_has_its_own_results(tmp_path):
    path, reads = tmp_path / "file.txt", []

    @background.read_once(lambda path, ending="": [path])
    def length(path, ending=""):
        reads.append(ending)
        return len(path.read_text(encoding="utf-8") + ending) if path.exists() else None

    @background.read_once(lambda path: [path])
    def first(path):
        return path.read_text(encoding="utf-8")[:1]

    assert length(path) is None
    path.write_text("four", encoding="utf-8")
    assert [length(path), length(path), first(path)] == [4, 4, "f"] and reads == ["", ""]
    assert length(path, ending="!") == 5 and length(path, ending="!") == 5 and reads == ["", "", "!"]
    path.write_text("seven", encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert [length(path), first(path)] == [5, "s"]
