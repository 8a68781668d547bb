"""``train --settings FILE``: the run exactly as the file says, flags before it, and its mistakes by name."""

import json

import pytest
from doing import queued

from embedlab.runs.store import list_runs, open_run, stored_request

TINY = {"batch_size": 16, "vocabulary_size": 300, "live_texts": 0, "maps": False, "inside": False, "max_steps": 2}


@pytest.fixture
def submitted(monkeypatch):
    """What would have been started."""
    asked = []

    def noted(request, *, name="", on=None):
        asked.append(request.stored)
        return queued(request, name=name)

    monkeypatch.setattr("embedlab.cli.running.submit", noted)
    return asked


@pytest.fixture
def file_of(tmp_path, monkeypatch):
    """``file_of(seed=1)``: ``mine.json`` in the present folder, with these settings."""
    monkeypatch.chdir(tmp_path)

    def written(text: str | None = None, **settings) -> str:
        (tmp_path / "mine.json").write_text(json.dumps(settings) if text is None else text, encoding="utf-8")
        return "mine.json"

    return written


def test_the_run_is_as_the_file_says(call, file_of, toy_corpus, submitted):
    file = file_of(corpus=toy_corpus.fingerprint, encoder="scratch:bert-tiny", recipe="simcse", seed=7, epochs=2,
                   objective={"temperature": 0.2, "head": "none"}, **TINY)  # fmt: skip
    code, found = call("train", "--settings", file, "--detach")
    assert code == 0 and found["state"] == "queued"
    (asked,) = submitted
    assert (asked["corpus"], asked["encoder"], asked["recipe"]) == (
        toy_corpus.fingerprint, "scratch:bert-tiny", "simcse"
    )  # fmt: skip
    assert (asked["seed"], asked["epochs"], asked["batch_size"]) == (7, 2, 16)
    assert asked["objective"]["temperature"] == 0.2 and asked["objective"]["head"] == "none"
    assert stored_request(list_runs()[0]).settings == asked


def test_flags_beside_it_win(call, file_of, toy_corpus, submitted):
    file = file_of(corpus="no such corpus", recipe="crops", seed=7, epochs=2, objective={"temperature": 0.2}, **TINY)
    flags = ["--corpus", toy_corpus.fingerprint, "--seed", "0", "--set", "objective.temperature=0.3"]
    assert call("train", "--settings", file, "--detach", *flags)[0] == 0
    (asked,) = submitted
    assert (asked["corpus"], asked["seed"], asked["epochs"]) == (toy_corpus.fingerprint, 0, 2)
    assert asked["objective"]["temperature"] == 0.3 and asked["encoder"] == "token"


def test_a_file_trains(call, file_of, toy_corpus):
    code, found = call("train", "--settings", file_of(corpus=toy_corpus.fingerprint, **TINY))
    assert code == 0 and found["steps"] == 2
    assert open_run(found["run"]).encoder.is_dir()


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"sede": 1}, "sede"),
        ({"seed": "many"}, "seed"),
        ({"seed": [1]}, "seed"),
        ({"epochs": 0}, "epochs"),
        ({"corpus": 5}, "corpus"),
        ({"encoder": ["token"]}, "encoder"),
        ({"recipe": "crop"}, "'crop'"),
        ({"recipe": ["crops"]}, "recipe"),
        ({"recipe": None}, "recipe"),
        ({"objective": 3}, "objective"),
        ({"objective": {"temperatur": 3}}, "objective.temperatur"),
        ({"augmentation": {"sentences": "two"}}, "augmentation.sentences"),
        ({"maps": "perhaps"}, "maps"),
    ],
)
def test_a_mistake_in_it_is_said_with_file_and_key(call, file_of, toy_corpus, submitted, settings, key):
    code, found = call("train", "--settings", file_of(**{"corpus": toy_corpus.fingerprint, **settings}), "--detach")
    assert code == 2 and not submitted
    assert found["error"]["message"].startswith("Settings file 'mine.json'") and key in found["error"]["message"]


def test_a_mistake_beside_it_is_not_the_files(call, file_of, toy_corpus):
    code, found = call("train", "--settings", file_of(corpus=toy_corpus.fingerprint), "--set", "batch_size=1")
    assert code == 2 and "batch_size" in found["error"]["message"] and "mine.json" not in found["error"]["message"]


def test_broken_json_names_the_file(call, file_of):
    code, found = call("train", "--settings", file_of('{"seed": 1,'))
    assert code == 2 and "Settings file 'mine.json' is not JSON" in found["error"]["message"]


def test_without_a_corpus_in_either_one_is_asked_for(call, file_of):
    for command in (["--settings", file_of(seed=1)], []):
        code, found = call("train", *command)
        assert code == 2 and "A corpus is needed" in found["error"]["message"]
