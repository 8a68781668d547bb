"""Push to the hub: what is published is what was listed, private unless asked, and every refusal is a sentence."""

import contextlib
import io
import json
import os

import numpy as np
import pytest
from stand_in_hub import COMMIT, hub_of, taking

from embedlab.cli import main
from embedlab.cli.terminal import Terminal
from embedlab.encoders.embed import embed
from embedlab.encoders.load import load_encoder
from embedlab.jobs.executors.local import Local
from embedlab.report.model_card import origins
from embedlab.runs.store import list_runs, settings_of
from embedlab.store_root import store_root
from embedlab.worker.work import _work

TOKEN = "hf_canary_4d1f09"


def worked_here(self, folder, job=None) -> str:
    """In place of a process: the same work in this one, its log in the log."""
    with open(folder.log, "a", encoding="utf-8") as log, contextlib.redirect_stdout(log):
        with contextlib.redirect_stderr(log):
            _work(folder)
    return str(os.getpid())


class World:
    """What the hub has, which of it is private, and what it was asked."""

    def __init__(self):
        self.repositories, self.private, self.asked = {}, set(), []


@pytest.fixture
def hub(monkeypatch):
    """A hub that takes pushes to ``anna`` by one token; the worker's work is done in this process."""
    world = World()
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(Local, "submit", worked_here)
    with hub_of(taking(world.repositories, world.asked, world.private, token=TOKEN, owner="anna"), monkeypatch):
        yield world


def pushed(run, *more: str, to: str = "anna/docs-encoder", capsys) -> tuple[int, dict]:
    """The exit code and the JSON of ``runs push``."""
    capsys.readouterr()
    code = main(["runs", "push", run.id, "--to", to, *more, "--json", "--quiet"])
    return code, json.loads(capsys.readouterr().out)


def test_what_was_listed_is_published_privately_and_loads_again_from_there(hub, token_run, capsys):
    code, listed = pushed(token_run, capsys=capsys)
    assert code == 0 and listed["pushed"] is False and not hub.asked
    code, result = pushed(token_run, "--yes", capsys=capsys)
    assert code == 0 and result["pushed"] is True and result["commit"] == COMMIT
    published = hub.repositories["anna/docs-encoder"]
    assert {path: len(data) for path, data in published.items()} == listed["files"] == result["files"]
    assert hub.private == {"anna/docs-encoder"} and result["url"].endswith("/anna/docs-encoder")
    assert published["model.safetensors"] == (token_run.encoder / "model.safetensors").read_bytes()
    theirs, ours = (load_encoder(name) for name in ("hf:anna/docs-encoder", str(token_run.encoder)))
    assert np.array_equal(embed(theirs, ["stars and comets"]), embed(ours, ["stars and comets"]))


def test_the_card_names_the_repository_data_licences_and_labels_and_no_path_of_this_computer(
    hub, token_run, tmp_path, capsys
):
    facts = token_run.encoder / "embedlab.json"
    facts.write_text(json.dumps(json.loads(facts.read_text()) | {"reference": str(tmp_path / "secret-project")}))
    _, result = pushed(token_run, "--public", "--yes", capsys=capsys)
    published = hub.repositories["anna/docs-encoder"]
    card = published["README.md"].decode()
    assert 'SentenceTransformer("anna/docs-encoder")' in card and "--encoder hf:anna/docs-encoder" in card
    assert set(result["origins"]) == {
        "Corpus", "Labels", "License of the corpus", "License of what it started from", "Started from",
    }  # fmt: skip
    assert all(text in card.replace("**", "") for text in result["origins"].values())
    assert not hub.private
    assert not [
        path for path, data in published.items() if b"secret-project" in data or str(store_root()).encode() in data
    ]


def test_the_card_is_quoted_as_plain_text(token_run, monkeypatch):
    """As the page lists it: no address of a link, no backslash before a mark."""
    settings = settings_of(token_run) | {"encoder": "minilm"}
    monkeypatch.setattr("embedlab.report.model_card.settings_of", lambda run: settings)
    token_run.result.unlink()  # which remembers what it began with
    listed = origins(token_run)
    assert listed["Started from"].endswith("(sentence-transformers/all-MiniLM-L6-v2)")
    assert not any(mark in text for text in listed.values() for mark in ("](", "**", "\\"))


def test_the_token_is_written_nowhere(hub, token_run, tmp_path, capsys, monkeypatch):
    from embedlab.private import secret_file

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    secret_file("HF_TOKEN").parent.mkdir(parents=True, exist_ok=True)
    secret_file("HF_TOKEN").write_text(f"{TOKEN}\nx")  # no header can hold it, and the client's error repeats it
    secret_file("HF_TOKEN").chmod(0o600)
    monkeypatch.setenv("HF_TOKEN", "")
    code, result = pushed(token_run, "--yes", capsys=capsys)
    assert code == 2 and result["error"]["code"] == "E-NO-NETWORK" and TOKEN not in json.dumps(result)
    secret_file("HF_TOKEN").write_text(TOKEN)
    monkeypatch.setenv("HF_TOKEN", "")
    assert pushed(token_run, "--yes", capsys=capsys)[0] == 0
    files = [path for path in store_root().rglob("*") if path.is_file()]
    assert len(list_runs("jobs")) == 2 and not [path for path in files if TOKEN.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    ("to", "environment", "code"),
    [
        ("anna/docs-encoder", {"HF_TOKEN": ""}, "E-HUB-TOKEN"),
        ("anna/docs-encoder", {"HF_TOKEN": "hf_of_somebody_else"}, "E-HUB-TOKEN"),
        ("anna/docs-encoder", {"HF_HUB_OFFLINE": "1"}, "E-NO-NETWORK"),
        ("anna/docs-encoder", {"HF_ENDPOINT": "http://127.0.0.1:9"}, "E-NO-NETWORK"),
        ("bert/docs-encoder", {}, "E-HUB-PERMISSION"),
        ("anna/full", {}, "E-HUB-TAKEN"),
        ("anna/empty-public", {}, "E-HUB-TAKEN"),
        ("docs-encoder", {}, "E-HUB-NAME"),
        ("anna/docs-encoder@main", {}, "E-HUB-NAME"),
    ],
)
def test_each_refusal_is_a_sentence_and_publishes_nothing(
    hub, token_run, tmp_path, capsys, monkeypatch, to, environment, code
):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    before = {"anna/full": {"README.md": b"an older one"}, "anna/empty-public": {".gitattributes": b""}}
    hub.repositories.update({name: dict(files) for name, files in before.items()})
    status, result = pushed(token_run, "--yes", to=to, capsys=capsys)
    assert (status, result["error"]["code"]) == (2, code) and result["error"]["message"].endswith(".")
    assert hub.repositories == before


def test_an_empty_repository_that_a_failed_push_left_is_used(hub, token_run, capsys):
    hub.repositories["anna/docs-encoder"] = {".gitattributes": b""}
    hub.private.add("anna/docs-encoder")
    assert pushed(token_run, "--yes", capsys=capsys)[0] == 0
    assert "model.safetensors" in hub.repositories["anna/docs-encoder"]


def test_a_run_without_an_encoder_has_none_to_push(hub, token_run, capsys):
    (token_run.encoder / "modules.json").unlink()
    code, result = pushed(token_run, "--yes", capsys=capsys)
    assert (code, result["error"]["code"]) == (2, "E-NO-ENCODER") and not hub.asked


@pytest.mark.parametrize(("typed", "agreed"), [("y\n", True), ("Yes\n", True), ("\n", False), ("n\n", False)])
def test_whoever_sits_at_a_terminal_is_asked(typed, agreed, monkeypatch, capsys):
    class Typed(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Typed(typed))
    assert Terminal().confirmed(["two files"], "Push?") is agreed
    assert capsys.readouterr().err == "two files\nPush? [y/N] "
    assert not Terminal(as_json=True).confirmed(["two files"], "Push?")
