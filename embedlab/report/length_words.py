"""The length attack in words: what repeating does, on which pairs, and how many copies fit."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from embedlab.metrics.length_results import COPIES, AttackedPairs, CopiesFit, CopiesRead, ScoredLength
from embedlab.numbers import count, from_to
from embedlab.report.verdict_words import REPEATED, change_in_words
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import word_of_before
from embedlab.runs.vectors import Flight

FELT = 0.02  # of a mean cosine: less is called hardly a change


def cosines(table: pa.Table, *, kind: str, encoder: str) -> dict[str, np.ndarray]:
    """``before``, ``after`` and ``effective_copies`` for one kind of pairs and one encoder. each: (pairs,)"""
    part = table.filter(pc.and_(pc.equal(table["kind"], kind), pc.equal(table["encoder"], encoder)))
    return {name: part[name].to_numpy() for name in ("before", "after", "effective_copies")}


def answer(run: RunFolder, result: AttackedPairs) -> str:
    """``Repeating a text makes unrelated texts look more alike: mean similarity 0.21 → 0.58 untouched, …``"""
    means = {
        name: (result.encoders[encoder].before.mean, result.encoders[encoder].after.mean)
        for encoder, name in (("tuned", "fine-tuned"), ("untouched", word_of_before(run)))
        if encoder in result.encoders
    }
    first = next(iter(means.values()))
    change = first[1] - first[0]
    opening = "Repeating a text hardly changes how similar unrelated texts look"
    if abs(change) >= FELT:
        opening = f"Repeating a text makes unrelated texts look {'more' if change > 0 else 'less'} similar"
    changes = ", ".join(f"{from_to(before, after)} {name}" for name, (before, after) in means.items())
    return f"{opening}: mean similarity {changes}."


def copies_range(copies: CopiesRead) -> str:
    """``Every text repeated m = 3 … 17 times, 8.3 on average``"""
    if copies.min == copies.max:
        return f"Every text repeated m = {copies.min:.0f} times"
    return f"Every text repeated m = {copies.min:.0f} … {copies.max:.0f} times, {copies.mean:.1f} on average"


def copies_sentence(most: int, read: CopiesRead) -> str:
    """Explains m, the number of copies, and why it differs from the paper's."""
    if read.min >= most:
        return f"m is {count(most)}: this many copies of each text fit."
    return f"m is the largest number up to {count(most)} at which the encoder truncates neither text of the pair."


def scores_table(scores: ScoredLength, names: dict[str, str]) -> pa.Table:
    """One row for each way to repeat; each encoder's Spearman and by how much it differs from the texts as they are."""
    columns: dict[str, list] = {"Texts of a pair": list(REPEATED.values())}
    for encoder, name in names.items():
        each = scores.encoders[encoder]
        changed = (each.first, each.both)
        columns[f"Spearman, {name}"] = [each.none.value, *(one.value for one in changed)]
        columns[f"change, {name}"] = ["", *(change_in_words(one.change) for one in changed)]
    return pa.table(columns)


def truncation_sentence(repeated: CopiesFit, m: int) -> str:
    """Says how many of the m copies the encoder reads."""
    most = plain_count(max(repeated.effective_copies))
    if repeated.truncated_from is None:
        return f"The encoder reads all {count(max(repeated.copies))} copies of both texts: nothing is truncated."
    if m < repeated.truncated_from:
        return f"At m = {m} the encoder reads every copy. Of the longer text it reads at most {most} copies."
    return (
        f"At m = {m} the encoder reads {most} copies of the longer text and truncates the rest, so m is really {most}."
    )


def flight_sentence(path: Mapping[str, Flight], at: int, beginning: str) -> str:
    """``Repeated 25 times, the text keeps 7 of its 10 nearest texts fine-tuned, and 2 of 10 untouched.``"""
    counts = [
        f"{path[side].stays[at]} of {'its ' if first else ''}{len(path[side].near[0].rows)}"
        f"{' nearest texts' if first else ''} {name}"
        for side, name, first in (("after", "fine-tuned", True), ("before", beginning, not path["after"].is_known))
        if path[side].is_known
    ]
    opening = f"Repeated {COPIES[at]} times" if at else "As it is"
    return f"{opening}, the text keeps {', and '.join(counts)}."


def flight_table(path: Mapping[str, Flight]) -> pa.Table:
    """One row per m and encoder: the place on the map, if drawn, how many neighbors stay, and which."""
    rows = []
    for side in ("before", "after"):
        flown = path[side]
        for m, stays, position, near in zip(flown.copies, flown.stays, flown.places, flown.near, strict=True):
            x, y = position or (None, None)
            nearest = " ".join(map(str, near.rows))
            rows.append({"encoder": side, "copies": m, "x": x, "y": y, "kept": stays, "nearest rows": nearest})
    return pa.Table.from_pylist(rows)


def way(places: list, at: int) -> list[tuple[str, float, float]]:
    """A dot for each m, and a name at the start and at m."""
    marks = [("", *position) for position in places if position is not None]
    named = {0: "as it is"} | ({at: f"{COPIES[at]} times"} if at else {})
    return marks + [(name, *places[which]) for which, name in named.items() if places[which] is not None]


def plain_count(number: float) -> str:
    """``2.5``, ``3``"""
    return f"{number:.1f}".removesuffix(".0")
