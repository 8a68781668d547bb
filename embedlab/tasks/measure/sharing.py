"""A corpus embedded by one process, by several of a run, or by machines of a Ray cluster."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypedDict

import numpy as np

from embedlab.corpora.base import Corpus, open_corpus
from embedlab.device import choose_device
from embedlab.encoders.embed import ALL, embed_tokens, tokens_of
from embedlab.encoders.encoder import Encoder
from embedlab.encoders.load import load_encoder
from embedlab.encoders.processes import Processes, present
from embedlab.jobs.executors.ray_data import devices_of_cluster, over_cluster
from embedlab.progress import Progress, silent
from embedlab.prompts import Prompts
from embedlab.scratch import scratch_folder
from embedlab.vectors.files import ROWS_AT_ONCE

WORTH_SHARING = 64  # texts; the others load the encoder first

Parts = Iterator[tuple[int, np.ndarray]]  # the first row of each part, and the vectors of its rows
ProgressOfPart = Callable[[int, int], Progress]  # of a part, from its first and after its last row


def parts_here(encoder: Encoder, corpus: Corpus, progress_of_part: ProgressOfPart, *, device: str) -> Parts:
    """By this process, or by all processes of its run; the others receive no vectors."""
    with _called(encoder, corpus, device) as processes:
        for start, stop in _parts_of(corpus):
            share = ALL if processes is None else (processes.rank, processes.count)
            vectors = _vectors(encoder, corpus, start, stop, share, device, progress_of_part(start, stop))
            if processes is not None:
                processes.summed(vectors)
            yield start, vectors


def parts_on_ray(encoder: Encoder, corpus: Corpus, progress_of_part: ProgressOfPart) -> Parts:
    """By all devices of a Ray cluster; each embeds its share of each part."""
    count = devices_of_cluster() if encoder.layers and len(corpus.kept) >= WORTH_SHARING else 1
    pieces = [
        {"start": start, "stop": stop, "number": number} for start, stop in _parts_of(corpus) for number in range(count)
    ]
    with _handed(encoder, corpus) as handed:
        answers = over_cluster(OnRay, {"handed": handed, "count": count}, pieces, most=count)
        for start, stop in _parts_of(corpus):
            vectors = np.zeros((stop - start, encoder.dim), np.float32)
            for number in range(count):
                progress_of_part(start, stop)("Embedding", number, count)
                columns = next(answers)
                vectors[columns["row"]] = columns["vector"]
            yield start, vectors
        answers.close()


class OnRay:
    """The worker on one device of a cluster; Ray creates it there and calls it with one piece at a time."""

    def __init__(self, handed: dict, count: int):
        self.corpus, self.encoder = _taken(handed)
        self.device, self.count = choose_device("auto").name, count

    def __call__(self, piece: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The non-empty rows of the part, and their vectors. -> row: (n,), vector: (n, dim)"""
        start, stop, number = (int(piece[name][0]) for name in ("start", "stop", "number"))
        vectors = _vectors(self.encoder, self.corpus, start, stop, (number, self.count), self.device)
        rows = np.flatnonzero(vectors.any(axis=1))
        return {"row": rows, "vector": vectors[rows]}


def answer(request: dict, processes: Processes) -> None:
    """For the other processes of a run: embed with the first one whenever it calls."""
    corpus, encoder = _taken(request)
    for start, stop in _parts_of(corpus):
        processes.summed(_vectors(encoder, corpus, start, stop, (processes.rank, processes.count), request["device"]))


@contextmanager
def _called(encoder: Encoder, corpus: Corpus, device: str) -> Iterator[Processes | None]:
    """The processes of this run that share the work; None if it is alone, or sharing does not pay.

    A token layer takes longer to be handed on than to be read.
    """
    processes = present()
    if processes is None or processes.rank > 0 or not encoder.layers or len(corpus.kept) < WORTH_SHARING:
        yield None
        return
    with _handed(encoder, corpus) as handed:
        processes.call({**handed, "device": device})
        yield processes


class HandedEncoder(TypedDict):
    """An encoder in a folder of the store, and what another process needs to read the same."""

    encoder: str
    pooling: str
    max_length: int
    prompts: dict[str, Any]
    precision: str
    corpus: str


@contextmanager
def _handed(encoder: Encoder, corpus: Corpus) -> Iterator[HandedEncoder]:
    """The encoder in its current state, in the store until the block ends."""
    with scratch_folder() as scratch:
        folder = scratch / "encoder"
        encoder.save(folder)
        yield {
            "encoder": str(folder),
            "pooling": encoder.pooling,
            "max_length": encoder.max_length,
            "prompts": encoder.prompts.model_dump(),
            "precision": encoder.embedding_precision,
            "corpus": corpus.fingerprint,
        }


def _taken(handed: Mapping[str, Any]) -> tuple[Corpus, Encoder]:
    corpus = open_corpus(handed["corpus"])
    encoder = load_encoder(handed["encoder"], pooling=handed["pooling"], max_length=handed["max_length"])
    encoder.embedding_precision, encoder.prompts = handed["precision"], Prompts(**handed["prompts"])
    return corpus, encoder


def _parts_of(corpus: Corpus) -> list[tuple[int, int]]:
    """The ranges of corpus rows embedded at once: first, and last excluded."""
    rows = corpus.info.rows
    return [(start, min(start + ROWS_AT_ONCE, rows)) for start in range(0, rows, ROWS_AT_ONCE)]


def _vectors(
    encoder: Encoder,
    corpus: Corpus,
    start: int,
    stop: int,
    share: tuple[int, int],
    device: str,
    progress: Progress = silent,
) -> np.ndarray:
    """Vectors of corpus rows ``start`` to ``stop - 1``, zero where another process has them. -> (rows, dim)"""
    first, after = np.searchsorted(corpus.kept, [start, stop])
    rows = corpus.kept[first:after]
    vectors = np.zeros((stop - start, encoder.dim), np.float32)
    token_lists = tokens_of(encoder, corpus, rows, progress)
    vectors[rows - start] = embed_tokens(encoder, token_lists, device=device, share=share, progress=progress)
    return vectors
