"""Hard negatives of stored pairs, mined by an encoder: a table of pairs that can be looked at, read and trained on."""

import numpy as np
import pyarrow as pa

from embedlab.augmentations.given_pairs import GivenPairsConfig
from embedlab.corpora.sets.pairs import corpus_of_pairs
from embedlab.corpora.sets.stored import GivenPairs, open_pairs, strings
from embedlab.encoder_catalog.names import is_made_here
from embedlab.encoders.load import load_encoder
from embedlab.errors import CorpusError
from embedlab.jobs.requests.corpora import MinedNegatives, MinedPair, MineNegatives, Mining, UsedPairs
from embedlab.numbers import counted
from embedlab.progress import Progress
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import open_run
from embedlab.store_root import write_json
from embedlab.table_files import write_parquet
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.hard_negatives import Candidates, Mined, mine, required
from embedlab.tasks.measure.subjects import OneEncoder

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
