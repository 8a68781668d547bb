"""Runs of a study as a worker would have left them, without any training."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from embedlab.runs.store import append_row, create_run
from embedlab.store_root import write_json
from embedlab.studies.asking import asked_study
from embedlab.studies.store import add_run, create_study


@pytest.fixture
def study_of(toy_corpus):
    """``study_of("temperature", values=…, seeds=…)``: a study on the toy corpus, and what it was asked."""

    def made(key: str, **asked):
        settings = asked_study(key, toy_corpus.info, **asked)
        return create_study(settings), settings

    return made


@pytest.fixture
def put(toy_corpus):
    """``put(study, cell, right=…)``: a finished run of this cell, right on these test texts; or ``state=…``."""

    def placed(study, cell, right=(), *, development=None, state="finished", before=0.25, usable=100, stopped=False):
        run = create_run("train", {"corpus": toy_corpus.fingerprint, "encoder": "token", "recipe": "crops"})
        facts = {"state": state, "since": "2026-01-01T00:00:00+00:00"}
        if state == "failed":
            facts["error"] = {"code": "E-NON-FINITE", "message": "The loss stopped being a number."}
        write_json(run.state, facts)
        if state == "finished":
            right = np.asarray(right, bool)
            table = {"row": np.arange(len(right)), "label": ["a"] * len(right), "before": ["b"] * len(right)}
            pq.write_table(pa.table({**table, "after": ["a" if each else "b" for each in right]}), run.predictions)
            share = float(right.mean())
            write_json(run.result, {
                "steps": 10, "usable_texts": usable, "seconds": 2.0, "stopped": stopped,
                "kept": {"best_development": 0.99},
                "knn": {"before": before, "after": share, "best": 0.9, "standard_error": 0.1, "test_texts": len(right)},
                "references": {"tfidf": {"value": 0.7}, "svd": {"value": 0.65}},
            })  # fmt: skip
            for step, value in ((0, 0.9), (10, development)):
                append_row(run.metrics, {"full": False, "step": step, "development": value})
            append_row(run.metrics, {"full": True, "step": 10, "knn": share})
        add_run(study, cell, run)
        return run

    return placed
