"""embed --dimensions keeps the first dimensions of each vector; more than there are is one sentence."""

import json

import numpy as np

from embedlab.cli import main


def test_the_first_dimensions_are_kept(toy_corpus, tmp_path, capsys):
    common = ["embed", "--encoder", "words", "--corpus", toy_corpus.fingerprint, "--json"]
    whole, cut = (tmp_path / f"{name}.npy" for name in ("whole", "cut"))
    assert main([*common, "--out", str(whole)]) == 0
    capsys.readouterr()
    assert main([*common, "--out", str(cut), "--dimensions", "8"]) == 0
    assert json.loads(capsys.readouterr().out)["dim"] == 8
    np.testing.assert_array_equal(np.load(cut), np.load(whole)[:, :8])
    assert main([*common, "--out", str(cut), "--dimensions", "9999"]) == 2
    assert "Choose a number from 1 to" in capsys.readouterr().out
