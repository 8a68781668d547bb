"""What is wrong with a run's vectors stands on every page that measures them, and on none of a run without faults."""

import numpy as np
import pytest
from builders import change_result

SAID = "40 of 120 vectors are zero (rows 1, 2 …): nobody's neighbor."


@pytest.mark.parametrize(
    "page", ["evaluate", "neighbors", "maps", "layers", "length", "diagnostics", "compare", "result"]
)
def test_a_page_says_which_vectors_cannot_be_compared(open_page, made_run, page, monkeypatch):
    run = made_run()
    for side in ("before", "after"):
        run.embeddings(side).parent.mkdir(exist_ok=True)
        np.save(run.embeddings(side), np.random.default_rng(0).standard_normal((120, 4)).astype(np.float32))
    monkeypatch.setattr("embedlab.ui.components.run_maps.start_once", lambda *_: None)
    assert SAID not in shown(open_page(page, run=run.id, runs=run.id))
    change_result(run, warnings=[{"code": "W-VECTORS", "message": SAID}])
    at = open_page(page, run=run.id, runs=run.id)
    assert not at.exception and SAID in shown(at)
    assert page != "compare" or f"warning: {SAID}" in shown(at)  # of the only run, which need not be named


def shown(at) -> str:
    return " ".join(each.value for each in at.caption).replace("\\", "")
