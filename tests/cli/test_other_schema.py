"""A run folder of another schema: listed with one sentence, refused by every command that opens it, left as it is."""

import json

import pytest

from embedlab.cli import main
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import create_run
from embedlab.store_root import read_json, write_json


@pytest.fixture(params=[None, 1, 3])
def foreign(store, request) -> RunFolder:
    run = create_run("train", {"corpus": "a", "encoder": "token", "recipe": "crops"}, name="of another version")
    asked = read_json(run.settings) | {"schema": request.param}
    write_json(run.settings, {name: value for name, value in asked.items() if value is not None})
    write_json(run.result, {"accuracy": "in words of its own"})
    return run


def call(capfd, *arguments: str) -> tuple[int, dict]:
    code = main([*arguments, "--json", "--quiet"])
    return code, json.loads(capfd.readouterr().out)


@pytest.mark.parametrize("command", [
    ["runs", "show"], ["runs", "log"], ["runs", "stop"], ["runs", "resume"], ["methods"], ["classes"], ["compare"],
    ["moves", "--run"], ["layers", "--run"], ["length", "--run"], ["evaluate", "--run"], ["map", "--run"],
    ["runs", "rename"], ["runs", "export"],
], ids=" ".join)  # fmt: skip
def test_whoever_opens_it_says_one_sentence(foreign, capfd, tmp_path, command):
    out = ["--out", str(tmp_path / "out.zip")] if command[-1] == "export" else []
    out += ["--out", str(tmp_path / "out.parquet")] if command[0] == "map" else []
    named = ["another"] if command[-1] == "rename" else []
    code, told = call(capfd, *command, foreign.id, *named, *out)
    assert code == 2 and told["error"]["code"] == "E-SCHEMA" and foreign.id in told["error"]["message"]
    assert "another version of embedlab made it" in told["error"]["message"]


def test_it_is_listed_with_that_sentence_and_left_as_it_is_until_it_is_deleted(foreign, capfd):
    before = {file: file.read_bytes() for file in foreign.path.rglob("*") if file.is_file()}
    code, told = call(capfd, "runs", "list")
    (row,) = told["runs"]
    assert code == 0 and row["run"] == foreign.id and "Folders of schema 2 can be read" in row["error"]
    assert main(["runs", "list"]) == 0 and "another version of embedlab" in capfd.readouterr().out
    assert {file: file.read_bytes() for file in foreign.path.rglob("*") if file.is_file()} == before
    assert call(capfd, "runs", "delete", foreign.id)[0] == 0 and not foreign.path.exists()
