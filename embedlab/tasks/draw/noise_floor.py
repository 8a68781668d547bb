"""How much movement is noise: the untouched encoder's float32 against its bfloat16 embeddings, or two seeds."""

import time

import numpy as np
import torch

from embedlab.corpora.base import Corpus
from embedlab.encoders.embed import embed, embed_tokens, lend_tokens, tokens_of
from embedlab.encoders.encoder import Encoder
from embedlab.errors import EmbedlabError, StopRequested
from embedlab.metrics.movement import movement, nearest_others, noise_floor
from embedlab.neighbors import NeighborSearch, neighbor_graph
from embedlab.progress import Progress, in_words
from embedlab.runs.drawn_map import rows_to_draw
from embedlab.runs.folder import RunFolder
from embedlab.runs.map_readings import NoiseFloor
from embedlab.runs.store import embedding_precision_of
from embedlab.tasks.encoders import encoder_of_run

SEED = 42
SAMPLE, LEAST_SAMPLE = 2_000, 500
ALL_TEXTS = 20_000  # up to so many, every text is measured
QUICK_SECONDS = 60.0
SAMPLE_SECONDS = 120.0  # a processor without bfloat16 imitates it slowly: the sample shrinks to 500 at least
_TIMED = 64
BF16, SEEDS = "bf16", "seeds"


def floor_of_precision(
    drawn: RunFolder,
    corpus: Corpus,
    copies: np.ndarray,
    before: np.ndarray,
    progress: Progress,
    reader: Encoder | None = None,
) -> NoiseFloor:
    """By the untouched encoder in bfloat16, against its stored embeddings.

    copies: (texts,), before: (texts, 10) nearest texts by the stored embeddings; both count the kept rows.
    ``reader``: the trained encoder, whose token ids the untouched one can use.
    """
    try:
        progress("Loading the untouched encoder, for the noise floor")
        encoder = encoder_of_run(drawn, "before")
        if reader is not None:
            lend_tokens(reader, encoder)
    except StopRequested:
        raise
    except (EmbedlabError, OSError, KeyError):
        return NoiseFloor(
            None, None, 0, 0, "No noise floor: the untouched encoder of this run is not available to embed again."
        )
    texts = len(copies)
    as_stored = embedding_precision_of(drawn)
    a_text = 0.0 if texts <= LEAST_SAMPLE else _seconds_a_text(encoder, corpus)
    if a_text * texts < QUICK_SECONDS:
        moved, among = _among_all(encoder, corpus, copies, before, as_stored, progress), texts
    else:
        size = int(np.clip(SAMPLE_SECONDS / max(a_text, 1e-9), LEAST_SAMPLE, SAMPLE))
        moved = _among_sample(encoder, corpus, copies, _drawn(texts, size), progress)
        among = len(moved)
    return NoiseFloor(noise_floor(moved), BF16, len(moved), among, _how_measured(len(moved), among, texts))


def _seconds_a_text(encoder: Encoder, corpus: Corpus) -> float:
    """The time in bf16, from a few texts."""
    few = np.linspace(0, len(corpus.kept) - 1, min(_TIMED, len(corpus.kept))).astype(int)
    timed = [corpus.texts[row] for row in corpus.kept[few]]
    embed(encoder, timed[:4], precision="bf16")  # the first call also prepares
    began = time.perf_counter()
    embed(encoder, timed, precision="bf16")
    return (time.perf_counter() - began) / len(timed)


def floor_of_seeds(moved: np.ndarray) -> NoiseFloor:
    """The movement between two runs that differ only in their seed is noise. moved: (texts,)"""
    sentence = "Both runs differ only in their seed: 95 % of the texts move by no more than this between them."
    return NoiseFloor(noise_floor(moved), SEEDS, len(moved), len(moved), sentence)


def in_bf16(encoder: Encoder) -> None:
    """Round every weight to bfloat16 in place; products are rounded when it embeds with that precision."""
    with torch.no_grad():
        for weight in encoder.parameters():
            weight.copy_(weight.to(torch.bfloat16))


def _among_all(
    encoder: Encoder, corpus: Corpus, copies: np.ndarray, before: np.ndarray, as_stored: str, progress: Progress
) -> np.ndarray:
    """Every text embedded again in the precision that is not stored; above 20,000 texts the neighbors of 2,000 random
    ones are searched.
    """
    other = "bf16" if as_stored == "fp32" else "fp32"
    if other == "bf16":
        in_bf16(encoder)
    again = _embedded(encoder, corpus, rows_to_draw(corpus), other, progress)
    if len(again) <= ALL_TEXTS:
        graph = neighbor_graph(again, progress=_named(progress))
        return movement(before=before, after=nearest_others(graph.indices, copies))
    rows = _drawn(len(again), SAMPLE)
    near, _ = NeighborSearch(again).nearest(again[rows], k=91)
    return movement(before=before[rows], after=nearest_others(near, copies, text_of_list=rows))


def _among_sample(
    encoder: Encoder, corpus: Corpus, copies: np.ndarray, rows: np.ndarray, progress: Progress
) -> np.ndarray:
    """Random texts as a corpus of their own, embedded in both precisions."""
    sides = []
    for precision in ("fp32", "bf16"):
        if precision == "bf16":
            in_bf16(encoder)
        embeddings = _embedded(encoder, corpus, rows_to_draw(corpus)[rows], precision, progress)
        sides.append(nearest_others(neighbor_graph(embeddings).indices, copies[rows]))
    return movement(before=sides[0], after=sides[1])


def _embedded(encoder: Encoder, corpus: Corpus, rows: np.ndarray, precision: str, progress: Progress) -> np.ndarray:
    token_lists = tokens_of(encoder, corpus, rows, _named(progress))
    return embed_tokens(encoder, token_lists, precision=precision, progress=_named(progress))


def _named(progress: Progress) -> Progress:
    return in_words(progress, "{}, for the noise floor".format)


def _drawn(texts: int, size: int) -> np.ndarray:
    return np.sort(np.random.default_rng(SEED).choice(texts, min(size, texts), replace=False))


def _how_measured(measured: int, among: int, texts: int) -> str:
    line = "95 % of the texts move by no more than this between float32 and bfloat16 of the untouched encoder"
    if measured == texts:
        return f"{line}: measured on all {texts:,} texts."
    if among == texts:
        return f"{line}: measured on {measured:,} drawn texts among all {texts:,}."
    return f"{line}: measured on {measured:,} drawn texts as a separate corpus, not among all {texts:,}."
