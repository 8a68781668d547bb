"""What ``demo --json`` prints: field by field what ``train``, ``layers`` and ``length`` print, and the epochs."""

import json

import pytest
from doing import do, result_of

from embedlab.cli import diagnosing, running
from embedlab.cli.running import followed
from embedlab.cli.terminal import Terminal
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import read_state
from embedlab.training.demo import DEMO


@pytest.fixture
def demo(call, layered_run: RunFolder, monkeypatch) -> dict:
    """The object that ``demo`` prints where a small run with layers stands in for it, measured in this process."""
    monkeypatch.setattr(running, "_gather_ahead", lambda: None)
    monkeypatch.setattr(running, "submit", lambda request, **how: layered_run)
    monkeypatch.setattr(diagnosing, "submit_once", lambda request: do(request.task, request.stored))
    code, facts = call("demo")
    assert code == 0
    return facts


def test_the_demo_prints_what_train_prints_and_three_fields_more(call, demo, layered_run):
    trained = json.loads(json.dumps(followed(layered_run, Terminal(quiet=True)).facts))
    added = demo.keys() - trained.keys()
    assert {name: demo[name] for name in trained} == trained and added == {"epochs", "layers", "length"}
    assert demo["epochs"] == DEMO["epochs"] and demo["folds"]["n"] > 0 and demo["left_out"] is None
    for name in ("layers", "length"):
        assert call(name, "--run", layered_run.id) == (0, demo[name])


def test_a_run_is_printed_with_the_one_that_left_the_test_texts_out(call, layered_run):
    twin = do("train", read_state(layered_run).settings | {"train_on": "train_split"})
    followed_run = followed(layered_run, Terminal(quiet=True))
    for printed in (followed_run.facts, call("runs", "show", layered_run.id)[1]["result"]):
        left_out = printed["left_out"]
        assert left_out["sentence"] in followed_run.lines and left_out["read"]["after"] == printed["knn"]["after"]
        assert left_out["unread"]["run"] == twin.id
        assert left_out["unread"]["cosine"]["after"] == result_of(twin)["knn"]["cosine"]["after"]
