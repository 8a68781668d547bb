"""The untouched encoder's vectors of a corpus: embedded once for all runs that begin from it, and kept beside it."""

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import torch

from embedlab.limits import LIMITS
from embedlab.store_root import whole_file
from embedlab.tasks.measure.embedded import embed_corpus


def untouched_embeddings(encoder, corpus, *, device: str, progress) -> np.ndarray:
    """(rows, dim) float32, as ``embed_corpus`` gives them; those of an equal encoder are read, not computed again."""
    file = _file(encoder, corpus, device)
    known = _read(file, (corpus.info.rows, encoder.dim))
    if known is not None:
        file.touch()  # used now: the last to go
        return known
    found = embed_corpus(encoder, corpus, device=device, progress=progress, name="untouched")
    if found.nbytes <= LIMITS.kept_vectors_bytes:
        with whole_file(file) as beside, open(beside, "wb") as opened:
            np.save(opened, found, allow_pickle=False)
        _tidy(file.parent)
    return found


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


def _read(file: Path, shape: tuple[int, int]) -> np.ndarray | None:
    try:
        found = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return found if found.shape == shape and found.dtype == np.float32 else None


def _tidy(folder: Path) -> None:
    """Those used longest ago go first."""
    newest = sorted(folder.glob("*.npy"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
    total = 0
    for file in newest:
        total += file.stat().st_size
        if total > LIMITS.kept_vectors_bytes:
            os.unlink(file)
