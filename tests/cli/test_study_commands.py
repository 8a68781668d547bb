"""``study`` and ``methods``: a real study by its own workers, shown, gone on with, taken away; mistakes exit 2."""

import pytest

from embedlab.cli import main

TINY = ["--set", "batch_size=16", "--set", "vocabulary_size=300", "--set", "evaluate_every=4"]


def test_a_study_is_run_shown_listed_exported_and_its_run_described(call, toy_corpus, tmp_path, capfd):
    corpus = toy_corpus.info.fingerprint
    code, found = call(
        "study", "run", "temperature", "--corpus", corpus, "--values", "0.05,0.5", "--seeds", "0", *TINY
    )  # fmt: skip
    assert code == 0 and found["state"] == "finished" and found["runs"] == {"planned": 2, "finished": 2}
    assert [point["value"] for point in found["points"]] == [0.05, 0.5] and found["answer"].startswith("Best by dev")
    point, study = found["points"][0], found["study"]
    assert set(point["cosine"]) >= {"accuracy", "error", "sd", "low", "high", "before", "development"}
    assert point["development_is_whole"] and found["shown_by"] == "cosine" and "(cosine)" in found["cosine"]["answer"]
    assert "(Euclidean distance)" in found["answer"] and "(cosine)" not in found["answer"]
    assert found["series"] is None and all(each["measured"]["loss"]["value"] > 0 for each in found["points"])
    assert call("study", "show", study) == (0, found)
    assert call("study", "show", study, "--distance", "euclidean") == (0, {**found, "shown_by": "euclidean"})
    listed = call("study", "list")[1]
    assert [each["study"] for each in listed["studies"]] == [study]
    assert {kind["key"] for kind in listed["kinds"]} >= {"temperature", "corpus-size", "labels-needed"}
    for ending, begins in (
        (".csv", b"\xef\xbb\xbfvalue"),
        (".svg", b"<svg"),
        (".png", b"\x89PNG"),
        (".html", b"<!doctype html>"),
    ):
        out = tmp_path / f"study{ending}"
        code, written = call("study", "export", study, "--out", str(out))
        assert code == 0 and out.read_bytes().startswith(begins) and written["bytes"] == out.stat().st_size
        assert written["distance"] == "cosine"
    drawn = tmp_path / "study.svg"
    assert b"kNN accuracy (cosine)" in drawn.read_bytes()
    assert call("study", "export", study, "--out", str(drawn), "--distance", "euclidean")[1]["distance"] == "euclidean"
    assert b"kNN accuracy (Euclidean distance)" in drawn.read_bytes() and b"cosine" not in drawn.read_bytes()
    loss = ["--measure", "loss", "--distance", "euclidean"]
    assert call("study", "export", study, "--out", str(drawn), *loss)[0] == 0 and b"Final loss" in drawn.read_bytes()
    code, said = call("study", "export", study, "--out", str(drawn), "--measure", "beauty")
    assert code == 2 and "cannot draw 'beauty'" in said["error"]["message"]
    code, said = call("study", "export", study, "--out", str(drawn), "--view", "heat")
    assert code == 2 and "two settings" in said["error"]["message"]
    code, said = call("study", "export", study, "--out", str(drawn), "--view", "mean")
    assert code == 2 and "corpus=A,B" in said["error"]["message"]
    assert call("study", "stop", study)[0] == 2

    run = found["points"][0]["seeds"][0]["run"]
    code, described = call("methods", run)
    assert code == 0 and corpus in described["text"] and "@misc{crops," in described["bibtex"]
    assert described["citations"][0] == "crops"
    assert main(["study", "show", study]) == 0
    printed = capfd.readouterr().out
    assert "2 of 2 runs" in printed and "kNN accuracy (cosine):" in printed and found["cosine"]["answer"] in printed
    assert main(["study", "show", study, "--distance", "euclidean"]) == 0
    printed = capfd.readouterr().out
    assert "kNN accuracy (Euclidean distance):" in printed and found["answer"] in printed
    sweep = ["study", "run", "temperature", "--corpus", corpus, "--seeds", "0", *TINY, "--estimate"]
    code, told = call(*sweep, "--values", "0.05,0.5")
    assert code == 0 and (told["runs"], told["there"], told["seconds"]) == (2, 2, 0)
    code, told = call(*sweep, "--values", "0.05,0.5,1", "--set", "batch_size=8")
    assert code == 0 and (told["runs"], told["there"], told["known"]) == (3, 0, 3) and told["seconds"] > 0
    assert call("study", "delete", study, "--with-runs")[1] == {"study": study, "deleted": True, "runs": sorted(
        each["run"] for point in found["points"] for each in point["seeds"])}  # fmt: skip
    assert call("study", "show", study)[0] == 2 and call("runs", "show", run)[0] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["study", "run", "temprature", "--corpus", "{corpus}"], "temperature"),
        (["study", "run", "temperature", "--corpus", "{corpus}", "--values", "50"], "less than or equal to 10"),
        (["study", "run", "own", "--corpus", "{corpus}", "--values", "5"], "--setting"),
        (["study", "run", "own", "--corpus", "{corpus}", "--setting", "batchsize", "--values", "5"], "batch_size"),
        (["study", "run", "frozen-layers", "--corpus", "{corpus}"], "encoder with layers"),
        (["study", "run", "temperature", "--corpus", "{corpus}", "--seeds", "x"], "whole numbers"),
        (["study", "run", "temperature", "--corpus", "{corpus}", "--series", "recipe"], "recipe=crops,simcse"),
        (["study", "run", "temperature", "--corpus", "{corpus}", "--series", "recipe=crops,nothing"], "nothing"),
        (["study", "run", "domain-transfer", "--corpus", "{corpus}", "--values", "nothere"], "nothere"),
        (["study", "run", "temperature", "--corpus", "{corpus}", "--series", "corpus=nothere"], "nothere"),
        (["study", "show", "nothere1"], "nothere1"),
        (["study", "export", "nothere1", "--out", "x.svg"], "nothere1"),
        (["methods", "nothere1"], "nothere1"),
    ],
)
def test_a_mistake_exits_2_with_one_sentence(call, toy_corpus, arguments, said):
    code, found = call(*(each.format(corpus=toy_corpus.info.fingerprint) for each in arguments))
    assert code == 2 and said in found["error"]["message"] and found["error"]["code"].startswith("E-")


def test_detached_it_goes_on_by_itself_and_can_be_stopped_and_gone_on_with(call, toy_corpus):
    corpus = toy_corpus.info.fingerprint
    asked = ["--values", "0.05", "--seeds", "0", "--detach", "--set", "epochs=1000", *TINY]
    code, found = call("study", "run", "temperature", "--corpus", corpus, *asked)
    assert code == 0 and found["state"] == "queued"
    code, stopped = call("study", "stop", found["study"])
    assert code == 0 and stopped["state"] == "stopped"
    assert call("study", "show", found["study"])[1]["runs"]["finished"] == 0
