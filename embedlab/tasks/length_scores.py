"""Spearman on scored pairs under the length attack, by a run's encoder before and after."""

import numpy as np

from embedlab.config import validated
from embedlab.corpora.evaluation_sets import EvaluationSet, open_set
from embedlab.diagnostics.length import LengthConfig
from embedlab.diagnostics.scored_length import scored_attack
from embedlab.encoders.device import choose_device
from embedlab.errors import CorpusError
from embedlab.metrics.sts import STS
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import open_run
from embedlab.store_root import write_json
from embedlab.tasks.encoders import encoder_of_run


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``run``, ``set`` (a fingerprint) and ``copies`` -> ``length/scores.json`` of that run."""
    measured = open_run(asked["run"])
    config = validated(LengthConfig, {k: v for k, v in asked.items() if k in LengthConfig.model_fields}, where="length")
    encoders = {"untouched": encoder_of_run(measured, "before"), "tuned": encoder_of_run(measured, "after")}
    found = scored(encoders, open_set(asked["set"]), config.copies, progress)
    write_json(measured.length_scores, found)
    write_json(folder.result, found)


def scored(encoders: dict, pairs: EvaluationSet, copies: int, progress) -> dict:
    """What each encoder's Spearman does when texts are repeated; pairs without a score are left out."""
    if STS.key not in pairs.info.serves:
        serves = ", ".join(pairs.info.serves)
        message = f"{pairs.name!r} has no scored pairs: it serves {serves}. Give sentence1, sentence2 and score."
        raise CorpusError("E-NOT-SERVED", message)
    given = pairs.column("score")
    kept = [row for row, value in enumerate(given) if value is not None]
    first, second = ([texts[row] for row in kept] for texts in (pairs.column("sentence1"), pairs.column("sentence2")))
    scores, device = np.array([given[row] for row in kept], float), choose_device("auto").name
    found = {"set": pairs.name, "fingerprint": pairs.fingerprint, "copies": copies}
    for name, encoder in encoders.items():
        found[name] = scored_attack(
            encoder.to(device), first=first, second=second, scores=scores, copies=copies, device=device,
            progress=progress,
        )  # fmt: skip
    return found
