"""Paths that are none: an empty name, an unknown user's home, devices, a pipe, a name of thousands of characters."""

import os

import pytest

from embedlab.cli import main

LONG = "a" * 5_000
ODD = ["", " ", "~nosuchuser/x.csv", "/proc/self/mem", "/dev/zero", "/dev/null", LONG, f"/{LONG}.csv", "a\0b", "pipe"]


@pytest.mark.parametrize("path", ODD, ids=lambda path: repr(path[:20]))
@pytest.mark.parametrize("command", [["corpus", "check"], ["train", "--estimate", "--corpus"]], ids=" ".join)
def test_one_sentence_and_no_traceback(store, tmp_path, monkeypatch, capsys, command, path):
    monkeypatch.chdir(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert main([*command, path, "--quiet"]) == 2
    message = capsys.readouterr().err.strip()
    assert message and "Traceback" not in message and message.endswith((".", "?"))
