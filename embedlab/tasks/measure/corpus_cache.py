"""What is computed once per corpus and stored with it: its reference lines, and vectors of untouched encoders."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
import torch

from embedlab.corpora.base import Corpus
from embedlab.disk_trouble import kept_if_possible
from embedlab.encoders.encoder import Encoder
from embedlab.limits import LIMITS
from embedlab.measurement import PAPER_SPLIT, TEN_FOLDS
from embedlab.metrics.split import Split
from embedlab.metrics.tfidf import reference_lines, reference_vectors
from embedlab.metrics.votes import KNNResult
from embedlab.own_files import written_in
from embedlab.progress import Progress, silent
from embedlab.runs.reference_lines import REFERENCES_FILE, KeptLine, keep_lines, read_lines
from embedlab.store_root import atomic_write
from embedlab.tasks.measure.embedded import embed_corpus, fitted_rows, labels_of, split_of
from embedlab.tasks.measure.line_texts import LineTexts
from embedlab.vectors.exact import Matrix
from embedlab.vectors.files import ROWS_AT_ONCE, opened, save


@contextmanager
def reference_lines_aside(texts: LineTexts, progress: Progress) -> Iterator[Callable[[], dict[str, KeptLine]]]:
    """What returns ``reference_lines_of``: of a small corpus they are measured by a thread during the block."""
    with ThreadPoolExecutor(1, "references") as thread:
        if texts.corpus.info.rows <= ROWS_AT_ONCE:
            yield thread.submit(reference_lines_of, texts, silent).result
        else:
            yield lambda: reference_lines_of(texts, progress)


def reference_lines_of(texts: LineTexts, progress: Progress) -> dict[str, KeptLine]:
    """``tfidf`` and ``svd`` on all test texts of the paper's split; empty without kNN accuracy."""
    split, _ = split_of(texts.corpus)
    if split is None:
        return {}
    return _kept_or_measured(
        _file_of_lines(texts), texts, split, "Measuring TF-IDF and SVD, the reference lines", progress
    )


def _file_of_lines(texts: LineTexts) -> Path:
    """Return the file beside the corpus that holds the lines of these texts."""
    return texts.corpus.folder / REFERENCES_FILE.replace(".json", f"{texts.suffix}.json")


def reference_folds_of(texts: LineTexts, progress: Progress) -> dict[str, KeptLine]:
    """Each reference line over the ten shuffled folds of the labelled texts, as a run's verdict tests them.

    Kept in the same file, as ``folds`` of each line; a file without them gets them.
    """
    lines, (split, _) = reference_lines_of(texts, progress), split_of(texts.corpus)
    if split is not None and not all(line.folds is not None for line in lines.values()):
        progress(f"Measuring TF-IDF and SVD on all {len(texts.corpus.labelled):,} labeled texts")
        by_folds = _lines_by_split(texts, split, protocol=TEN_FOLDS)
        lines = {
            key: line.model_copy(update={"folds": KeptLine.of(by_folds[key], line.counted)})
            for key, line in lines.items()
        }
        with kept_if_possible(progress, is_cache=True):
            keep_lines(_file_of_lines(texts), lines)
    return {key: line.folds for key, line in lines.items() if line.folds is not None}


def live_references_of(texts: LineTexts, split: Split, progress: Progress) -> dict[str, KeptLine]:
    """The same lines on the texts of a live curve, stored by those texts."""
    rows = np.concatenate([split.train, split.test, [len(split.test)]]).astype(np.int64)
    key = hashlib.sha256(rows.tobytes()).hexdigest()[:16]
    file = texts.corpus.folder / f"references-2{texts.suffix}-{key}.json"
    return _kept_or_measured(file, texts, split, "Measuring TF-IDF and SVD on the texts of the live curve", progress)


def _kept_or_measured(
    file: Path, texts: LineTexts, split: Split, stage: str, progress: Progress
) -> dict[str, KeptLine]:
    if stored := read_lines(file):
        return stored
    progress(stage)
    results = _lines_by_split(texts, split)
    lines = {key: KeptLine.of(result, texts.counted) for key, result in results.items()}
    with kept_if_possible(progress, is_cache=True):
        keep_lines(file, lines)
    return lines


# of small corpora, for all protocols; by the suffix of what is counted
_vectors: WeakKeyDictionary[Corpus, dict[str, dict[str, Matrix]]] = WeakKeyDictionary()


def _lines_by_split(texts: LineTexts, split: Split, *, protocol: str = PAPER_SPLIT) -> dict[str, KNNResult]:
    """Fitted on all texts, or on those evaluated; by corpus rows."""
    corpus = texts.corpus
    rows, labels = fitted_rows(corpus), labels_of(corpus)
    if rows is not None:
        some = [texts.texts[row] for row in rows]
        results = reference_lines(some, labels[rows], split.among(rows), protocol=protocol)
        return {key: replace(each, test_rows=rows[each.test_rows]) for key, each in results.items()}
    vectors = _vectors.get(corpus, {}).get(texts.suffix) or reference_vectors(texts.texts)
    if corpus.info.rows <= ROWS_AT_ONCE:
        _vectors.setdefault(corpus, {})[texts.suffix] = vectors
    return reference_lines(texts.texts, labels, split, protocol=protocol, vectors=vectors)


def untouched_embeddings(
    encoder: Encoder, corpus: Corpus, *, device: str, progress: Progress, into: Path
) -> np.ndarray:
    """(rows, dim) float32 as from ``embed_corpus``, written to ``into``; copied if an equal encoder stored them."""
    stored = keep_untouched(encoder, corpus, device=device, progress=progress)
    if stored is None:
        return embed_corpus(encoder, corpus, device=device, progress=progress, name="untouched", into=into)
    with atomic_write(into) as temporary:
        save(temporary, opened(stored))
    return opened(into)


def keep_untouched(encoder: Encoder, corpus: Corpus, *, device: str, progress: Progress) -> Path | None:
    """The file next to the corpus, embedded if missing; None if the vectors are too many to store."""
    file, shape = _file_of(encoder, corpus, device), (corpus.info.rows, encoder.dim)
    if _is_whole(file, shape):
        file.touch()  # used now: the last to go
        return file
    if 4 * shape[0] * shape[1] > LIMITS.kept_vectors_bytes:
        return None
    embed_corpus(encoder, corpus, device=device, progress=progress, name="untouched", into=file)
    total = 0
    stored = [file.parent / name for name in written_in(file.parent, "vectors")]
    for each in sorted(stored, key=lambda each: each.stat().st_mtime_ns, reverse=True):
        total += each.stat().st_size
        if total > LIMITS.kept_vectors_bytes:  # the least recently used go
            os.unlink(each)
    return file


def are_kept(encoder: Encoder, corpus: Corpus, *, device: str) -> bool:
    """Whether they are stored."""
    return _file_of(encoder, corpus, device).exists()


def _file_of(encoder: Encoder, corpus: Corpus, device: str) -> Path:
    """Named by all that the vectors depend on: weights, modules without weights, tokenizer, reading, precision."""
    tokenizer = json.loads(encoder.tokenizer.to_str()) | {"truncation": None}  # that of the texts tokenized last
    read_by = [encoder.weights_hash(), repr(encoder), json.dumps(tokenizer), encoder.pooling, str(encoder.max_length)]
    read_by += [encoder.prompts.of("document"), str(encoder.prompts.are_pooled), str(encoder.dim)]
    read_by += [encoder.embedding_precision, torch.device(device).type, torch.__version__]
    key = hashlib.sha256("\n".join(read_by).encode()).hexdigest()[:24]
    return corpus.folder / "vectors" / f"{key}.npy"


def _is_whole(file: Path, shape: tuple[int, int]) -> bool:
    try:
        vectors = opened(file)
    except (OSError, ValueError, EOFError):
        return False
    return vectors.shape == shape and vectors.dtype == np.float32
