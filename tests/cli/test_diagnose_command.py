"""``diagnose``: every key of a run, before and after; typed texts, scored pairs, another run or any encoder before."""

import csv

import numpy as np
import pytest
from built_once import TOKEN, once
from doing import asked_of, do, result_of
from toy_corpora import store_toy

from embedlab.cli import main
from embedlab.diagnostics import DIAGNOSTICS
from embedlab.report.contract import printed_curve
from embedlab.runs.evaluations import read_diagnosed
from embedlab.runs.store import create_run, open_run
from embedlab.tasks.measure import diagnose as diagnose_task

TEXTS = ("the star and the comet", "butter in the oven")


@once
def barely_trained_run() -> str:
    """Two steps of a random BERT of two layers."""
    layered = {"encoder": "scratch:bert-tiny", "recipe": "dropout", "epochs": 1, "max_steps": 2, "max_length": 64}
    return do("train", {**TOKEN, **layered, "corpus": store_toy().fingerprint}).id


@pytest.fixture
def trained(barely_trained_run) -> dict:
    """That run, as ``train`` printed it."""
    return result_of(barely_trained_run)


@pytest.mark.slow
def test_every_diagnostic_of_a_run_has_both_sides_its_unit_and_a_sentence(call, trained, capfd):
    code, found = call("diagnose", "--run", trained["run"], "--texts", *TEXTS)
    assert code == 0 and list(found["diagnostics"]) == DIAGNOSTICS.keys()
    for key, told in found["diagnostics"].items():
        assert set(told) == {"before", "after", "unit", "sentence"}, (key, told.get("reason"))
        assert told["before"] and told["after"] and told["unit"] == DIAGNOSTICS[key].unit
    assert main(["diagnose", "--run", trained["run"], "--texts", *TEXTS]) == 0
    assert len(capfd.readouterr().out.splitlines()) == len(DIAGNOSTICS.keys())
    cka = found["diagnostics"]["cka"]
    assert cka["before"]["cka"] == [1, 1, 1] and 0 < cka["after"]["weights"][2] < 0.1
    readout = found["diagnostics"]["readout"]["after"]["ways"]
    (own,) = (way for way in readout if way["name"] == "mean, last layer, cosine")
    assert own["value"] == pytest.approx(trained["knn"]["cosine"]["after"])
    parts = found["diagnostics"]["accuracy-by-length"]["after"]["parts"]
    right = sum(part["knn"] * part["texts"] for part in parts)
    assert right == pytest.approx(trained["knn"]["cosine"]["after"] * trained["knn"]["test_texts"])
    assert found["diagnostics"]["length-curve"]["before"]["copies"][-1] == 100
    kept = {key: read_diagnosed(open_run(trained["run"]), key) for key in DIAGNOSTICS.keys()}
    after = {key: each.after for key, each in kept.items()}  # its pages show them
    after["layers"] = printed_curve(after["layers"])
    assert after == {key: told["after"] for key, told in found["diagnostics"].items()}
    assert kept["word-deletion"].texts == [*TEXTS] and kept["attention-gain"].texts == [TEXTS[0]]
    assert kept["hubness"].texts == [] and kept["hubness"].pictures["after"]


def test_what_is_missing_is_a_reason_and_the_rest_is_measured(call, toy_corpus):
    corpus = toy_corpus.info.fingerprint
    asked = ("diagnose", "--encoder", "token", "--corpus", corpus)
    code, found = call(*asked, "--only", "cosines,word-deletion,intra-text")
    told = found["diagnostics"]
    assert code == 0 and told["cosines"]["after"] is None and told["cosines"]["before"]["pairs"] > 0
    assert "Type them (--texts A B)" in told["word-deletion"]["reason"]
    assert "tokens have no context" in told["intra-text"]["reason"]
    code, found = call(*asked, "--only", "cosine")
    assert code != 0 and "cosines" in str(found)


def test_an_empty_text_is_not_replaced_by_the_next(call, trained):
    asked = ("diagnose", "--run", trained["run"], "--only", "attention-gain,word-deletion,hubness", "--texts")
    code, found = call(*asked, " ", "the star and the comet")
    told = found["diagnostics"]
    assert code == 0 and told["hubness"]["sentence"]
    assert "a text of your own" in told["attention-gain"]["reason"]
    assert "two texts of your own" in told["word-deletion"]["reason"]
    code, found = call(*asked, "star", "the star and the comet")
    assert "needs a text of 3 tokens, but this one has" in found["diagnostics"]["attention-gain"]["reason"]


def test_scored_pairs_take_the_place_of_the_corpus_s_own(call, toy_corpus, tmp_path):
    file = tmp_path / "pairs.csv"
    with open(file, "w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["sentence1", "sentence2", "score"])
        rows.writerows([["star comet moon", "galaxy star dust", 5], ["oven flour salt", "court law judge", 0]] * 6)
    asked = ("diagnose", "--encoder", "token", "--corpus", toy_corpus.info.fingerprint, "--pairs", str(file))
    told = call(*asked, "--only", "alignment,word-order")[1]["diagnostics"]
    assert told["alignment"]["before"]["positives"] == "pairs with a score above 4"
    assert told["alignment"]["before"]["pairs"] == 6 and told["word-order"]["before"]["pairs"] == 12


def test_another_run_stands_as_before(call, trained):
    run = trained["run"]
    own = call("diagnose", "--run", run, "--only", "norms,cka")[1]["diagnostics"]
    found = call("diagnose", "--run", run, "--against", run, "--only", "norms,cka")[1]["diagnostics"]
    assert found["norms"]["before"] == found["norms"]["after"] == own["norms"]["after"]
    assert found["cka"]["after"]["cka"] == pytest.approx([1, 1, 1]) and found["cka"]["after"]["weights"] == [0, 0, 0]


def test_the_worker_keeps_what_the_command_prints(call, trained):
    run = open_run(trained["run"])
    job = create_run("diagnose", {"run": run.id, "keys": ["norms", "word-deletion"], "texts": list(TEXTS)})
    diagnose_task.run(job, asked_of(job), lambda *_: None)
    printed = call("diagnose", "--run", run.id, "--only", "norms", "--texts", *TEXTS)[1]["diagnostics"]["norms"]
    kept = read_diagnosed(run, "norms")
    assert (kept.before, kept.after, kept.sentence) == (printed["before"], printed["after"], printed["sentence"])
    words = read_diagnosed(run, "word-deletion")
    assert words.texts == list(TEXTS) and words.pictures["after"][0].kind == "words"
    assert np.isfinite(words.number("drop")).all()
