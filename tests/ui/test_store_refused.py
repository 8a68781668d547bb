"""A store that cannot be made or written to is a sentence on the page, never a traceback."""

import errno
import os

from seen import words


def test_a_store_that_is_a_file_is_said_on_the_page(open_page, tmp_path, monkeypatch):
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    monkeypatch.setenv("EMBEDLAB_HOME", str(tmp_path / "notes.txt"))
    at = open_page("corpus")
    assert not at.exception
    assert "notes.txt' is a file" in words(at)


def test_a_store_that_cannot_be_written_to_is_said_on_every_page(open_page, store, monkeypatch):
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode, **more: path != store.resolve() and real(path, mode, **more))
    for page in ("corpus", "train"):
        at = open_page(page)
        assert not at.exception
        assert f"The store ({store}) cannot be written to" in words(at)


def test_a_file_that_is_shown_while_the_store_is_closed_is_not_called_damaged(open_page, store, tmp_path, monkeypatch):
    rows = [f'{{"text": "The body of post {n}, of some words.", "kind": "{"ab"[n % 2]}"}}' for n in range(40)]
    (tmp_path / "posts.jsonl").write_text("\n".join(rows), encoding="utf-8")
    at, real = open_page("corpus"), os.mkdir
    at.session_state["corpus.source"] = "Your file"
    at.run()

    def refused(path, *more, **named):
        if str(path).startswith(str(store)):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path, *more, **named)

    monkeypatch.setattr(os, "mkdir", refused)
    at.text_input(key="corpus.path").set_value(str(tmp_path / "posts.jsonl")).run()
    assert not at.exception
    (said,) = [error.value for error in at.error]
    assert "cannot be written to" in said and "damaged" not in said
