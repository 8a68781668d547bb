"""No name of a run, file, column, class or tag moves the cursor of a terminal, whether typed or stored."""

import json
import unicodedata

import pytest
from builders import leave_result
from test_plain_names import HOSTILE

from embedlab.cli import main
from embedlab.corpora.base import CORPORA, Draft, open_corpus, store_corpus
from embedlab.runs.selections import keep, list_selections
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, label_run, open_run, stored_request
from embedlab.runs.tags import tags_of
from embedlab.store_root import read_json, write_json


def is_safe(text: str) -> bool:
    """No control character but the end of a line, and no mark that turns the direction."""
    return not any(unicodedata.category(each) == "Cc" for each in text.replace("\n", "")) and "\u202e" not in text


def printed(capsys, *command: str) -> list[str]:
    """The lines of a command on both streams, of people and of ``--json``."""
    lines = []
    for flags in ([], ["--json"]):
        main([*command, *flags])
        both = capsys.readouterr()
        assert is_safe(both.out) and is_safe(both.err), (command, both)
        lines += [*both.out.splitlines(), *both.err.splitlines()]
    return lines


NAMES = {key: name for key, name in HOSTILE.items() if key != "surrogate"}  # which no argument of a process holds


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_names_are_clean_by_every_door(store, capsys, name):
    texts = [f"one text {number}. another sentence {number}." for number in range(8)]
    draft = Draft(name, name, texts, labels=[name, "b"] * 4, columns={f"{name} column": ["x"] * 8})
    corpus = store_corpus(draft)
    run = create_run("train", {"corpus": corpus.fingerprint, "encoder": "token", "recipe": "crops"}, name=name)
    keep(corpus, name, [1, 2])
    write_state(run, State.FINISHED)
    assert main(["runs", "rename", run.id, name, "--note", name]) == 0
    assert main(["runs", "tag", run.id, name]) == 0
    request = stored_request(run)
    entered = [request.name, request.note.replace("\n", ""), *tags_of(run), list_selections()[0].name]
    entered += [open_corpus(corpus.fingerprint).name, *corpus.info.columns]
    entered += [each.label for each in corpus.info.classes]
    CORPORA.rename(corpus.fingerprint, f"{name}x")
    entered.append(open_corpus(corpus.fingerprint).name)
    capsys.readouterr()
    assert all(map(is_safe, entered)) and not any("\n" in each or "\u2028" in each for each in entered), entered


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_what_a_stranger_stored_is_printed_safely(toy_corpus, tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    run = create_run("train", {"corpus": toy_corpus.fingerprint, "encoder": name, "recipe": "crops"})
    label_run(run, lambda stored: {"name": name, "note": name, "tags": [name]})
    leave_result(run, toy_corpus)
    write_state(run, State.FINISHED)
    file = CORPORA.place(toy_corpus.fingerprint) / "corpus.json"
    write_json(file, read_json(file) | {"name": name, "source": name})
    other = create_run("train", {"corpus": toy_corpus.fingerprint, "encoder": name, "recipe": name}, name=name)
    open_run(other.id)
    for command in (
        ["runs", "list"], ["runs", "show", run.id], ["runs", "log", run.id], ["runs", "show", other.id], ["corpora"],
        ["corpus", "check", toy_corpus.fingerprint], ["selections", "list"], ["find", "list"], ["study", "list"],
        ["methods", run.id], ["classes", "--run", run.id], ["compare", run.id, other.id], ["storage", "show"],
        ["runs", "export", run.id, "--out", f"{name}.zip"],
    ):  # fmt: skip
        lines = printed(capsys, *command)
        assert lines


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_refusals_print_typed_names_safely(toy_corpus, tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    for command in (
        ["runs", "show", name], ["runs", name], ["corpus", "check", name], ["corpus", "check", f"/nowhere/{name}.csv"],
        ["train", "--corpus", toy_corpus.fingerprint, "--encoder", name], ["evaluate", "--run", name],
        ["train", "--corpus", toy_corpus.fingerprint, "--set", name], ["study", "show", name], ["find", "show", name],
        ["embed", "--encoder", "token", "--corpus", toy_corpus.fingerprint, "--out", f"/nowhere/{name}"],
        ["selections", "show", name], ["learn", "check", f"{name}.md"], ["storage", "prune", "--kinds", name],
        ["compare", name], ["train", "--settings", f"{name}.json"], ["runs", "list", "--on", name],
    ):  # fmt: skip
        assert printed(capsys, *command)


FILES = {key: name for key, name in NAMES.items() if key != "NUL"}  # which no file system takes


@pytest.mark.parametrize("name", FILES.values(), ids=FILES)
def test_a_file_of_such_a_name_is_read_and_named_safely(store, tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    rows = [{f"{name} text": f"one text {number}. and more.", f"{name} label": name} for number in range(6)]
    file = tmp_path / f"{name}.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    lines = printed(capsys, "corpus", "check", file.name, "--text", f"{name} text")
    assert lines
    lines = printed(capsys, "corpus", "check", file.name)
    printed(capsys, "corpora")
    (info,) = CORPORA.infos() or [None]
    assert info is None or is_safe(info.name)
