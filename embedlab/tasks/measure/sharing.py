"""A corpus embedded by all processes of a run: each reads every n-th batch, and the first one gets the vectors."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from embedlab.corpora.base import open_corpus
from embedlab.encoders.embed import ALL, embed
from embedlab.encoders.load import load_encoder
from embedlab.encoders.processes import Processes, present
from embedlab.progress import Progress, silent
from embedlab.store_root import store_root
from embedlab.vector_files import ROWS_AT_ONCE

WORTH_SHARING = 64  # texts; the others load the encoder first


@contextmanager
def shared(encoder, corpus, *, device: str) -> Iterator[Processes | None]:
    """For the first process: the others embed the same corpus by this encoder, part by part, until the block ends.

    None where there are no others, or where a share would not be worth it: a token layer takes longer to be handed on.
    """
    processes = present()
    if processes is None or processes.rank > 0 or not encoder.layers or len(corpus.kept) < WORTH_SHARING:
        yield None
        return
    with TemporaryDirectory(prefix="shared-", dir=store_root()) as handed:
        encoder.save(Path(handed) / "encoder")
        processes.call(
            {
                "encoder": str(Path(handed) / "encoder"),
                "pooling": encoder.pooling,
                "max_length": encoder.max_length,
                "precision": encoder.embedding_precision,
                "corpus": corpus.fingerprint,
                "device": device,
            }
        )
        yield processes


def answer(asked: dict, processes: Processes) -> None:
    """For the others: embed with the first process what it calls for."""
    corpus = open_corpus(asked["corpus"])
    encoder = load_encoder(asked["encoder"], pooling=asked["pooling"], max_length=asked["max_length"])
    encoder.embedding_precision = asked["precision"]
    for start, stop in parts_of(corpus):
        embed_part(encoder, corpus, start, stop, device=asked["device"], processes=processes)


def parts_of(corpus) -> list[tuple[int, int]]:
    """The rows of a corpus that are embedded at once: from, and up to but without."""
    rows = corpus.info.rows
    return [(start, min(start + ROWS_AT_ONCE, rows)) for start in range(0, rows, ROWS_AT_ONCE)]


def embed_part(
    encoder, corpus, start: int, stop: int, *, device: str, processes: Processes | None, progress: Progress = silent
) -> np.ndarray:
    """The vectors of corpus rows ``start`` to ``stop - 1``; with others, in the first process only.  -> (rows, dim)

    They depend on these rows alone, and not on how many processes read them.
    """
    first, after = np.searchsorted(corpus.kept, [start, stop])
    rows = corpus.kept[first:after]
    vectors = np.zeros((stop - start, encoder.dim), np.float32)
    share = ALL if processes is None else (processes.rank, processes.count)
    vectors[rows - start] = embed(encoder, corpus.texts.at(rows), device=device, share=share, progress=progress)
    if processes is not None:
        processes.summed(vectors)
    return vectors
