"""The curves of a replay: kNN accuracy with its error, the reference lines, the loss; over steps."""

import math

from embedlab.runs.folder import RunFolder
from embedlab.runs.store import read_rows

REFERENCES = {"tfidf": ("TF-IDF", "dash"), "svd": ("TF-IDF → SVD-100", "dot")}
LOSSES = 400  # of more rows, means of neighboring ones are told


def replay_curves(run: RunFolder, result: dict) -> dict:
    """``curve``: ``[step, value, error, test texts]`` of the live and the full points; ``loss``: ``[step, loss]``."""
    rows = [row for row in read_rows(run.metrics)[0] if row.get("knn") is not None]
    told = {True: [], False: []}
    for row in rows:
        told[bool(row.get("full"))].append([row["step"], row["knn"], standard_error(row), row.get("test_texts")])
    references = [
        [*REFERENCES.get(name, (name, "dash")), line["value"]]
        for name, line in (result.get("references") or {}).items()
    ]
    losses = [
        [row["step"], row["loss"]]
        for row in read_rows(run.terms)[0]
        if row.get("loss") is not None and math.isfinite(row["loss"])
    ]
    return {
        "curve": {"live": told[False], "full": told[True], "references": references},
        "loss": _thinned(losses),
        "steps": result.get("steps") or 0,
    }


def standard_error(row: dict) -> float:
    """Binomial; 0 where the number of test texts is not known."""
    tested = row.get("test_texts") or 0
    return math.sqrt(row["knn"] * (1 - row["knn"]) / tested) if tested else 0.0


def _thinned(rows: list[list]) -> list[list]:
    if len(rows) <= LOSSES:
        return rows
    size = math.ceil(len(rows) / LOSSES)
    parts = [rows[at : at + size] for at in range(0, len(rows), size)]
    return [[part[-1][0], sum(loss for _, loss in part) / len(part)] for part in parts]
