"""``moves``: what moved between two encoders of a corpus, and whether it helped."""

from typing import Annotated

import numpy as np

from embedlab.cli.arguments import Command, Option
from embedlab.cli.options import RunId
from embedlab.distance import DISTANCES, EUCLIDEAN
from embedlab.jobs.requests.drawing import MeasureMoves
from embedlab.jobs.runner import submit_once, wait
from embedlab.numbers import percent
from embedlab.runs.drawn_map import UNTOUCHED
from embedlab.runs.folder import RunFolder
from embedlab.runs.map_readings import Moves, moves_of
from embedlab.runs.result import read_result
from embedlab.runs.state import State
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.vectors.faults import W_VECTORS

SHOWN = 10  # groups and texts that are printed


def moves(
    terminal,
    *,
    run: RunId,
    against: Annotated[
        str | None, Option("another run on the same corpus (default: the untouched encoder)", "ID")
    ] = None,
    most: Annotated[int, Option("how many ranked texts (default 100)", "TEXTS")] = 100,
) -> tuple[dict, int]:
    """Movement and class effect above the noise floor; measured first where it was not yet. Rows count from 0."""
    from embedlab.corpora.base import open_corpus

    folder = open_run(run)
    other = UNTOUCHED if against in (None, UNTOUCHED) else open_run(against).id
    measured = moves_of(folder, other) or _measured(folder, other, terminal)
    ranked = np.flatnonzero(measured.above)
    effect = np.nan_to_num(measured.effect[ranked])
    ranked = ranked[np.lexsort((ranked, -np.abs(effect), -measured.movement[ranked]))][:most]
    corpus = open_corpus(fingerprint_of(folder))
    texts = [
        {
            "row": int(measured.rows[position]),
            "label": None if corpus.labels is None else corpus.labels[measured.rows[position]],
            "movement": round(float(measured.movement[position]), 4),
            "class_effect": None if np.isnan(measured.effect[position]) else round(float(measured.effect[position]), 4),
            "nearest_before": _rows(measured.nearest_before[position]),
            "nearest_after": _rows(measured.nearest_after[position]),
        }
        for position in ranked
    ]
    result = read_result(folder)
    warnings = [] if result is None else [{"code": W_VECTORS, "message": each} for each in result.vector_faults]
    return {**measured.facts, "ranked": int(measured.above.sum()), "movers": texts, "warnings": warnings}, 0


def show_moves(result: dict) -> list[str]:
    """How many texts moved and were helped or hurt, the groups that moved most, and the first movers."""
    floor = result["floor"]
    noise = "" if floor["value"] is None else f" ({floor['value']:.2f})"
    moved = f"{_share(result['moved'])} of {result['texts']:,} texts moved above noise{noise}"
    lines = [f"{moved}; neighbors by {DISTANCES[EUCLIDEAN]}", floor["sentence"]]
    if result["helped"]["share"] is not None:
        lines.append(f"{_share(result['helped'])} of the labelled texts were helped, {_share(result['hurt'])} hurt")
    lines += [result["labels_read"]["sentence"]] if result.get("labels_read") else []
    for each in result["classes"][:SHOWN]:
        mean, low, high = each["movement"]
        line = f"  {each['name']:<32} {each['texts']:>6,}  movement {mean:.2f} ({low:.2f} … {high:.2f})"
        lines.append(line + ("" if each["effect"] is None else f"  class effect {each['effect'][0]:+.2f}"))
    for each in result["movers"][:SHOWN]:
        effect = "" if each["class_effect"] is None else f", class effect {each['class_effect']:+.1f}"
        lines.append(f"  row {each['row']}: movement {each['movement']:.2f}{effect}")
    return lines + [each["message"] for each in result["warnings"]]


def _measured(run: RunFolder, against: str, terminal) -> Moves:
    from embedlab.tasks.fetch import error_of

    facts = wait(submit_once(MeasureMoves(run=run.id, against=against)), terminal.worker)
    if facts.state is not State.FINISHED:
        raise error_of(facts)
    return moves_of(run, against)


def _share(of: dict) -> str:
    return percent(of["share"]) if of["share"] is not None else "none"


def _rows(near: np.ndarray) -> list[int]:
    return near[near >= 0].tolist()


COMMANDS = {"moves": Command(moves, show_moves, runs=("run", "against"))}
