"""A run by each pooling, also joined ones: trained, with its card, and measured layer by layer."""

import pytest
from doing import do

from embedlab.distance import SHOWN_FIRST
from embedlab.encoders.folder_format import THEIR_POOLING
from embedlab.report.model_card import model_card
from embedlab.runs.result import read_result
from embedlab.store_root import read_json


@pytest.mark.parametrize("pooling", [*THEIR_POOLING, "token-3", "mean+max"])
def test_a_run_by_any_pooling_has_its_card_and_its_layers(toy_corpus, pooling):
    run = do("train", {"corpus": toy_corpus.fingerprint, "encoder": "scratch:bert-tiny", "recipe": "simcse",
                       "vocabulary_size": 300, "pooling": pooling, "max_steps": 1, "batch_size": 8, "maps": False,
                       "inside": False, "live_texts": 0})  # fmt: skip
    exported = "mean" if pooling == "token-3" else pooling
    assert f"| Pooling | {exported} |" in model_card(run)
    do("layers", {"run": run.id})
    rows = [row for row in read_json(run.layers)["layers"] if row["pooling"] == pooling]
    values = [row["after"]["knn"][SHOWN_FIRST]["value"] for row in rows]
    folds = read_result(run).folds
    assert len(rows) == 3 and values[-1] == pytest.approx(folds.after.by(SHOWN_FIRST).value)
