"""--dimensions keeps the first dimensions of each vector, in embed and evaluate; too many are one sentence."""

import json
import time

import numpy as np
import pytest

from embedlab.cli import main
from embedlab.report.result_lines import show_evaluate
from embedlab.runs.evaluations import Evaluations
from embedlab.runs.store import fingerprint_of


def test_the_first_dimensions_are_kept(toy_corpus, tmp_path, capsys):
    common = ["embed", "--encoder", "words", "--corpus", toy_corpus.fingerprint, "--json"]
    whole, cut = (tmp_path / f"{name}.npy" for name in ("whole", "cut"))
    assert main([*common, "--out", str(whole)]) == 0
    capsys.readouterr()
    began = time.perf_counter()
    assert main([*common, "--out", str(cut), "--dimensions", "8"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["dim"] == 8 and 0 <= said["seconds"] <= time.perf_counter() - began + 0.01
    np.testing.assert_array_equal(np.load(cut), np.load(whole)[:, :8])
    assert main([*common, "--out", str(cut), "--dimensions", "9999"]) == 2
    assert "Choose a number from 1 to" in capsys.readouterr().out


def test_cut_vectors_are_measured_and_never_stored_as_the_runs(token_run, tmp_path, call):
    """The same numbers as the first dimensions of its vectors as a file; what is stored with the run stays."""
    kept = Evaluations(token_run.path)
    before = kept.all()
    np.save(tmp_path / "cut.npy", np.load(token_run.embeddings("after"))[:, :8])
    corpus = fingerprint_of(token_run)
    code, of_run = call("evaluate", "--run", token_run.id, "--dimensions", "8", "--against", "untouched")
    assert code == 0 and of_run["dimensions"] == 8
    of_file = call("evaluate", "--embeddings", str(tmp_path / "cut.npy"), "--corpus", corpus)[1]
    assert of_run["metrics"] == of_file["metrics"]
    whole = call("evaluate", "--embeddings", str(tmp_path / "cut.npy"), "--corpus", corpus, "--dimensions", "3")[1]
    assert whole["metrics"] != of_file["metrics"]
    assert kept.all() == before
    assert show_evaluate(of_run)[0] == "the first 8 dimensions of each vector"


MISTAKES = {
    "more than there are": (["--run", "{run}", "--dimensions", "9999"], "Choose a number from 1 to"),
    "none": (["--run", "{run}", "--dimensions", "0"], "Choose a number from 1 to"),
    "of a baseline": (["--baseline", "svd", "--corpus", "{corpus}", "--dimensions", "8"], "--baseline was given"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_dimensions_that_are_not_there_are_one_sentence(name, token_run, call):
    arguments, said = MISTAKES[name]
    places = {"run": token_run.id, "corpus": fingerprint_of(token_run)}
    code, found = call("evaluate", *[argument.format(**places) for argument in arguments])
    assert code == 2 and said in found["error"]["message"], found
