"""The untouched encoder's vectors of a corpus: embedded once for all runs that begin from it, and kept beside it."""

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import torch

from embedlab.limits import LIMITS
from embedlab.store_root import atomic_write
from embedlab.tasks.measure.embedded import embed_corpus
from embedlab.vectors.files import opened, save


def untouched_embeddings(encoder, corpus, *, device: str, progress, into: Path) -> np.ndarray:
    """(rows, dim) float32, as ``embed_corpus`` gives them, in ``into``; those of an equal encoder are copied there."""
    kept = keep_untouched(encoder, corpus, device=device, progress=progress)
    if kept is None:
        return embed_corpus(encoder, corpus, device=device, progress=progress, name="untouched", into=into)
    with atomic_write(into) as temporary:
        save(temporary, opened(kept))
    return opened(into)


def keep_untouched(encoder, corpus, *, device: str, progress) -> Path | None:
    """The file beside the corpus, embedded if it is not there; None where the vectors are too many to be kept."""
    file, shape = _file(encoder, corpus, device), (corpus.info.rows, encoder.dim)
    if _is_whole(file, shape):
        file.touch()  # used now: the last to go
        return file
    if 4 * shape[0] * shape[1] > LIMITS.kept_vectors_bytes:
        return None
    embed_corpus(encoder, corpus, device=device, progress=progress, name="untouched", into=file)
    _tidy(file.parent)
    return file


def are_kept(encoder, corpus, *, device: str) -> bool:
    """Whether they would be read."""
    return _file(encoder, corpus, device).exists()


def _file(encoder, corpus, device: str) -> Path:
    return corpus.folder / "vectors" / f"{_key(encoder, device)}.npy"


def _key(encoder, device: str) -> str:
    """Of all that the vectors depend on: weights, modules without weights, tokenizer, reading, arithmetic."""
    tokenizer = json.loads(encoder.tokenizer.to_str()) | {"truncation": None}  # that of the texts tokenized last
    said = [encoder.weights_hash(), repr(encoder), json.dumps(tokenizer), encoder.pooling, str(encoder.max_length)]
    said += [encoder.embedding_precision, torch.device(device).type, torch.__version__]
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:24]


def _is_whole(file: Path, shape: tuple[int, int]) -> bool:
    try:
        found = opened(file)
    except (OSError, ValueError, EOFError):
        return False
    return found.shape == shape and found.dtype == np.float32


def _tidy(folder: Path) -> None:
    """Those used longest ago go first."""
    newest = sorted(folder.glob("*.npy"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
    total = 0
    for file in newest:
        total += file.stat().st_size
        if total > LIMITS.kept_vectors_bytes:
            os.unlink(file)
