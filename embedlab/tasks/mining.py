"""Hard negatives of stored pairs: texts that an encoder finds close to an anchor and that do not belong to it.

The rule is that of sentence-transformers' ``mine_hard_negatives``: of the nearest texts, an anchor's own positives and
those too similar or too dissimilar are removed; from a range of ranks among the others, negatives are taken. The result
is a table of pairs that can be looked at, read and trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa

from embedlab.augmentations.given_pairs import GivenPairsConfig
from embedlab.copies import numbered_copies
from embedlab.corpora.sets.pairs import corpus_of_pairs
from embedlab.corpora.sets.stored import GivenPairs, open_pairs, strings
from embedlab.encoder_catalog.names import is_made_here
from embedlab.encoders.load import load_encoder
from embedlab.errors import CorpusError
from embedlab.jobs.requests.corpora import MinedNegatives, MinedPair, MineNegatives, Mining, UsedPairs
from embedlab.neighbors.search import NeighborSearch
from embedlab.numbers import counted
from embedlab.progress import Progress, silent
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import open_run
from embedlab.store_root import write_json
from embedlab.table_files import write_parquet
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.measure.subjects import OneEncoder

_AT_ONCE = 2**22  # candidates that are filtered at once
EXAMPLES = 20  # pairs that are shown with their negatives


def run(folder: RunFolder, request: MineNegatives, progress: Progress) -> None:
    """Writes ``mined.parquet`` into the job's folder; the result says how many pairs it has, and shows the first."""
    pairs = open_pairs(request.pairs)
    if request.encoder.startswith("run:"):
        encoder = encoder_of_run(open_run(request.encoder.removeprefix("run:")), "after")
    else:
        corpus = corpus_of_pairs(pairs) if is_made_here(request.encoder) else None
        encoder = load_encoder(request.encoder, corpus=corpus, progress=progress)
    table, result = mined_pairs(pairs, OneEncoder(encoder, progress), request.settings, progress)
    write_parquet(folder.mined, table)
    write_json(folder.result, result.model_dump(mode="json"))


def mined_pairs(
    pairs: GivenPairs, subject: OneEncoder, settings: Mining, progress: Progress
) -> tuple[pa.Table, MinedNegatives]:
    """Each matching pair with texts of other pairs that the encoder places near its anchor.

    A row is an anchor, its positive, and its negatives in columns of their own; the result says how many there are and
    shows the first ``EXAMPLES``. Pairs with fewer negatives are left out; raises an error if none is left.
    """
    rows = matching(pairs)
    anchors, positives = ([texts[row] for row in rows] for texts in (pairs.anchors, pairs.positives))
    candidates = Candidates.of(anchors, positives, [text for row in rows for text in pairs.negatives[row]])
    mined = mine(
        candidates,
        anchors=subject.embed(candidates.anchors, "query"),
        texts=subject.embed(candidates.texts),
        settings=settings,
        device=subject.on.name,
        progress=progress,
    )
    required(mined, len(rows), settings)
    columns = {"anchor": [anchors[row] for row in mined.rows], "positive": [positives[row] for row in mined.rows]}
    for number, of_rank in enumerate(mined.negatives.T.tolist(), 1):
        columns[f"negative_{number}"] = [candidates.texts[text] for text in of_rank]
    table = pa.table({name: strings(texts) for name, texts in columns.items()})
    return table, MinedNegatives(
        pairs=UsedPairs(name=pairs.info.name, fingerprint=pairs.fingerprint, used=len(rows)),
        mined=len(mined.rows),
        without=len(rows) - len(mined.rows),
        negatives=settings.negatives,
        anchors=len(candidates.anchors),
        texts=len(candidates.texts),
        removed=mined.removed,
        positive_score=round(float(mined.positive_scores.mean()), 4),
        negative_score=round(float(mined.scores.mean()), 4),
        settings=settings,
        examples=_examples(table, mined),
    )


def matching(pairs: GivenPairs) -> np.ndarray:
    """The rows of matching texts: all, or of scored pairs those that the recipe ``ranking`` takes."""
    if pairs.scores is None:
        return pairs.kept
    least = GivenPairsConfig().least_score
    rows = np.flatnonzero(np.array(pairs.scores) >= least)
    if not len(rows):
        raise CorpusError(
            "E-PAIRS",
            f"Mining needs matching pairs, but all {counted(len(pairs.scores), 'pair')} of {pairs.info.name!r} have a "
            f"score below {least:g} of 1. Choose another file, or another scale.",
        )
    return rows


def _examples(table: pa.Table, mined: Mined) -> list[MinedPair]:
    """The first pairs with their negatives and scores."""
    rows = [list(row.values()) for row in table.slice(0, EXAMPLES).to_pylist()]
    return [
        MinedPair(
            anchor=anchor,
            positive=positive,
            positive_score=round(float(mined.positive_scores[row]), 4),
            negatives=negatives,
            scores=[round(float(score), 4) for score in mined.scores[row]],
        )
        for row, (anchor, positive, *negatives) in enumerate(rows)
    ]


@dataclass(frozen=True)
class Candidates:
    """The different anchors of pairs, and the texts that are searched for negatives; copies count as one text.

    ``anchor_of``, ``text_of``: the anchor and the positive of each pair, by position.  (pairs,) int
    ``excluded``: anchor · texts + text for every positive of an anchor and for copies of the anchor itself.
    """

    anchors: list[str]
    texts: list[str]
    anchor_of: np.ndarray
    text_of: np.ndarray
    excluded: np.ndarray

    @classmethod
    def of(cls, anchors: Sequence[str], positives: Sequence[str], more: Sequence[str] = ()) -> Candidates:
        """``more``: further texts to search, such as negatives that the pairs already have."""
        of_texts, of_anchors = np.split(numbered_copies(chain(positives, more, anchors)), [len(positives) + len(more)])
        count = int(of_texts.max()) + 1
        first_texts = np.unique(of_texts, return_index=True)[1]
        different, first_anchors, anchor_of = np.unique(of_anchors, return_index=True, return_inverse=True)
        searched = [*positives, *more]
        text_of = of_texts[: len(positives)]
        itself = np.flatnonzero(different < count)  # anchors that are also among the texts
        excluded = np.concatenate([anchor_of * count + text_of, itself * count + different[itself]])
        return cls(
            anchors=[anchors[row] for row in first_anchors],
            texts=[searched[row] for row in first_texts],
            anchor_of=anchor_of,
            text_of=text_of,
            excluded=np.unique(excluded),
        )

    @property
    def most_positives(self) -> int:
        """The pairs of the anchor that has most."""
        return int(np.bincount(self.anchor_of).max())


@dataclass(frozen=True)
class Mined:
    """The pairs that have all their negatives, nearest first.

    ``rows``: of the pairs.  (pairs,) int · ``negatives``: positions in ``Candidates.texts``.  (pairs, negatives) int
    ``scores``: their cosines to the anchor.  (pairs, negatives) · ``positive_scores``: of the positives.  (pairs,)
    ``removed``: how many candidates each condition removed, over all anchors.
    """

    rows: np.ndarray
    negatives: np.ndarray
    scores: np.ndarray
    positive_scores: np.ndarray
    removed: dict[str, int]


def mine(
    candidates: Candidates,
    *,
    anchors: np.ndarray,
    texts: np.ndarray,
    settings: Mining,
    device: str = "cpu",
    progress: Progress = silent,
) -> Mined:
    """Hard negatives of each pair by cosine; the same ones for all pairs of an anchor.

    anchors: (anchors, dim), texts: (texts, dim)
    """
    count, negatives = len(candidates.anchors), settings.negatives
    last = settings.last_rank(candidates.most_positives)
    width = last + candidates.most_positives  # the positives also take ranks
    positive_scores = _cosines(anchors[candidates.anchor_of], texts[candidates.text_of])
    lowest = np.full(count, np.inf)
    np.minimum.at(lowest, candidates.anchor_of, positive_scores)
    search = NeighborSearch(texts, distance="cosine", device=device)
    chosen = np.full((count, negatives), -1)
    scores = np.full((count, negatives), -np.inf)
    removed = dict.fromkeys(("positives", "absolute_margin", "relative_margin", "max_score", "min_score"), 0)
    rng, at_once = np.random.default_rng(settings.seed), max(1, _AT_ONCE // min(width, len(texts)))
    for start in range(0, count, at_once):
        rows = slice(start, start + at_once)
        progress(f"Mining negatives of {counted(count, 'anchor')} among {counted(len(texts), 'text')}", start, count)
        near, distances = search.nearest(anchors[rows], k=width)
        cosines = np.where(near < 0, -np.inf, 1.0 - distances)
        keys = np.arange(start, start + len(near))[:, None] * len(texts) + near
        _remove("positives", np.isin(keys, candidates.excluded), cosines, removed)
        for name, is_out in _conditions(cosines, lowest[rows, None], settings).items():
            _remove(name, is_out, cosines, removed)
        order = np.argsort(
            np.isneginf(cosines), axis=1, kind="stable"
        )  # nearest first, ties in file order, as searched
        order = order[:, settings.range_min : last]
        ranked = np.take_along_axis(cosines, order, axis=1)
        if settings.sampling == "random":
            draws = np.where(np.isneginf(ranked), np.inf, rng.random(ranked.shape))
            drawn = np.sort(np.argsort(draws, axis=1, kind="stable")[:, :negatives], axis=1)
            order, ranked = np.take_along_axis(order, drawn, axis=1), np.take_along_axis(ranked, drawn, axis=1)
        most = min(negatives, order.shape[1])
        chosen[rows, :most] = np.take_along_axis(near, order[:, :most], axis=1)
        scores[rows, :most] = ranked[:, :most]
    complete = np.flatnonzero(np.isfinite(scores).all(axis=1)[candidates.anchor_of])
    anchor_rows = candidates.anchor_of[complete]
    return Mined(complete, chosen[anchor_rows], scores[anchor_rows], positive_scores[complete], removed)


def required(mined: Mined, pairs: int, settings: Mining) -> None:
    """Raise an error if no pair has all its negatives, with the conditions that removed candidates."""
    if len(mined.rows):
        return
    reasons = [f"{count:,} by {name}" for name, count in mined.removed.items() if count and name != "positives"]
    removed = f"; candidates were removed: {', '.join(reasons)}" if reasons else ""
    raise CorpusError(
        "E-NO-NEGATIVES",
        f"None of {counted(pairs, 'pair')} has {counted(settings.negatives, 'text')} as negatives{removed}. Lower "
        "negatives, range_min or the margins, raise range_max, or give more pairs.",
    )


def _conditions(cosines: np.ndarray, lowest: np.ndarray, settings: Mining) -> dict[str, np.ndarray]:
    """Which candidates each condition that is set removes. cosines: (anchors, width), lowest: (anchors, 1)"""
    conditions = {}
    if settings.absolute_margin is not None:
        conditions["absolute_margin"] = cosines + settings.absolute_margin > lowest
    if settings.relative_margin is not None:
        conditions["relative_margin"] = cosines > lowest - np.abs(lowest) * settings.relative_margin
    if settings.max_score is not None:
        conditions["max_score"] = cosines > settings.max_score
    if settings.min_score is not None:
        conditions["min_score"] = cosines < settings.min_score
    return conditions


def _remove(name: str, is_out: np.ndarray, cosines: np.ndarray, removed: dict[str, int]) -> None:
    """Take candidates away in place, and count those that were still there."""
    removed[name] += int((is_out & np.isfinite(cosines)).sum())
    cosines[is_out] = -np.inf


def _cosines(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Row by row; 0 where a vector is zero. (rows, dim), (rows, dim) -> (rows,)"""
    lengths = np.linalg.norm(one, axis=1).astype(np.float64) * np.linalg.norm(other, axis=1)
    products = np.einsum("nd,nd->n", one, other, dtype=np.float64)
    return np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
