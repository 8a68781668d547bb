"""What is wrong with a run's vectors stands on every page that measures them, and on none of a run without faults."""

import numpy as np
import pytest

from embedlab.runs.result import RunResult
from embedlab.store_root import read_json, write_json

SAID = "40 of 120 vectors are zero (rows 1, 2 …): nobody's neighbor."


@pytest.mark.parametrize(
    "page", ["evaluate", "neighbors", "maps", "layers", "length", "diagnostics", "compare", "train"]
)
def test_a_page_says_which_vectors_cannot_be_compared(open_page, made_run, page, monkeypatch):
    run = made_run()
    for side in ("before", "after"):
        run.embeddings(side).parent.mkdir(exist_ok=True)
        np.save(run.embeddings(side), np.random.default_rng(0).standard_normal((120, 4)).astype(np.float32))
    monkeypatch.setattr("embedlab.ui.components.run_maps.start_once", lambda *_: None)
    assert SAID not in shown(open_page(page, run=run.id, runs=run.id))
    result = read_json(run.result)
    write_json(run.result, {**result, "warnings": [{"code": "W-VECTORS", "message": SAID}]})
    at = open_page(page, run=run.id, runs=run.id)
    assert not at.exception and SAID in shown(at)


def test_an_older_run_says_how_many_vectors_knn_could_not_compare(made_run):
    result = read_json(made_run().result)
    result["knn"]["zero_vectors"] = 3
    assert "3 labelled texts have a zero" in RunResult.model_validate(result).vector_faults[0]


def shown(at) -> str:
    return " ".join(each.value for each in at.caption).replace("\\", "")
