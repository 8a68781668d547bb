"""Runs of a study as a worker would have left them, without any training."""

import numpy as np
import pytest
from builders import development as chosen_by
from builders import in_words, knn, leave_predictions, leave_result, leave_state, lines

from embedlab.runs.store import create_run
from embedlab.studies.request import asked_study
from embedlab.studies.store import Study, add_run


@pytest.fixture
def study_of(toy_corpus):
    """``study_of("temperature", values=…, seeds=…)``: a study on the toy corpus, and what it was asked."""

    def made(key: str, **asked):
        settings = asked_study(key, toy_corpus.info, **asked)
        return Study.create(settings), settings

    return made


@pytest.fixture
def put(toy_corpus):
    """``put(study, cell, right=…)``: a finished run of this cell, right on these test texts; or ``state=…``.

    ``cosine`` says who is right by cosine (left out: all as by Euclidean distance); ``development`` is the share of 100
    development texts, ``development_cosine`` the same by cosine.
    """

    def placed(
        study, cell, right=(), *, cosine=(), development=None, development_cosine=None,
        state="finished", before=0.25, usable=100, stopped=False,
    ):  # fmt: skip
        run = create_run("train", {"corpus": toy_corpus.fingerprint, "encoder": "token", "recipe": "crops"})
        error = {"code": "E-NON-FINITE", "message": "The loss became NaN or infinite."}
        leave_state(run, state, **({"error": error} if state == "failed" else {}))
        if state == "finished":
            cosine = right if cosine == () else cosine
            sides = ((["b"] * len(right), in_words(side)) for side in (right, cosine))
            leave_predictions(run, ["a"] * len(right), *sides)
            by_cosine = (before + 0.1, float(np.mean(cosine)), 0.95)
            leave_result(
                run, steps=10, usable_texts=usable, seconds=2.0, stopped=stopped, kept={"best_development": 0.99},
                knn=knn((before, float(np.mean(right)), 0.9), by_cosine, n=len(right)),
                development=None if development is None else chosen_by(0.1, (development, development_cosine)),
                references=lines(n=len(right), tfidf=(0.7, 0.71), svd=(0.65, 0.66)),
            )  # fmt: skip
        add_run(study, cell, run)
        return run

    return placed
