"""Runs of a study as a worker would have left them, without any training."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from embedlab.runs.store import append_row, create_run
from embedlab.store_root import write_json
from embedlab.studies.request import asked_study
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
    """``put(study, cell, right=…)``: a finished run of this cell, right on these test texts; or ``state=…``.

    ``cosine`` says who is right by cosine (left out: all as by Euclidean distance; None: a run from before cosine was
    kept); ``development`` is the share of 100 development texts, ``development_cosine`` the same by cosine. ``is_old``:
    the development value is the last live row's, of 20 texts.
    """

    def placed(
        study, cell, right=(), *, cosine=(), development=None, development_cosine=None, is_old=False,
        state="finished", before=0.25, usable=100, stopped=False,
    ):  # fmt: skip
        run = create_run("train", {"corpus": toy_corpus.fingerprint, "encoder": "token", "recipe": "crops"})
        facts = {"state": state, "since": "2026-01-01T00:00:00+00:00"}
        if state == "failed":
            facts["error"] = {"code": "E-NON-FINITE", "message": "The loss stopped being a number."}
        write_json(run.state, facts)
        if state == "finished":
            cosine = right if cosine == () else cosine
            sides = {"after": right} | ({"after_cosine": cosine} if cosine is not None else {})
            table = {"row": np.arange(len(right)), "label": ["a"] * len(right), "before": ["b"] * len(right)}
            said = {name: ["a" if each else "b" for each in side] for name, side in sides.items()}
            pq.write_table(pa.table({**table, **said}), run.predictions)
            tested = {"before": before, "test_texts": len(right), "standard_error": 0.1}
            knn = {**tested, "after": float(np.mean(right)), "best": 0.9}
            if cosine is not None:
                knn["cosine"] = {"before": before + 0.1, "after": float(np.mean(cosine)), "best": 0.95}
            write_json(run.result, {
                "steps": 10, "usable_texts": usable, "seconds": 2.0, "stopped": stopped,
                "kept": {"best_development": 0.99}, "knn": knn,
                "development": None if is_old or development is None else _development(development, development_cosine),
                "references": {"tfidf": {"value": 0.7, "cosine": 0.71, "standard_error": 0.1},
                               "svd": {"value": 0.65, "cosine": 0.66, "standard_error": 0.1}},
            })  # fmt: skip
            for step, value in ((0, 0.9), (10, development)):
                append_row(run.metrics, {"full": False, "step": step, "development": value, "development_texts": 20})
            append_row(run.metrics, {"full": True, "step": 10, "knn": knn["after"]})
        add_run(study, cell, run)
        return run

    return placed


def _development(share: float, cosine: float | None) -> dict:
    cosine = share if cosine is None else cosine
    kept = {"texts": 100, "step": 10, "before": 0.1, "after": share, "standard_error": _error(share)}
    return {**kept, "cosine": {"before": 0.1, "after": cosine, "standard_error": _error(cosine)}}


def _error(share: float) -> float:
    return (share * (1 - share) / 100) ** 0.5
