"""A check-up of a corpus: classes, lengths, copies, contradictions, and what text crops can make of it."""

from contextlib import suppress

import numpy as np
from pydantic import Field

from embedlab.augmentations.crop import number_of_crops
from embedlab.config import Config, validated
from embedlab.corpora.base import Corpus
from embedlab.corpora.notes import Note
from embedlab.corpora.stored.shelf import ClassSize
from embedlab.counting import estimated_tokens
from embedlab.errors import EmbedlabError
from embedlab.store_root import read_json, write_json

ENCODER_LIMIT = 512  # tokens; what BERT and its kin read


class Conflict(Config):
    """One text that carries several labels."""

    text: str
    labels: tuple[str, ...]
    rows: tuple[int, ...]


class Histogram(Config):
    """Counts between edges; one edge more than counts."""

    edges: tuple[int, ...]
    counts: tuple[int, ...]


class Checkup(Config):
    """What one should know of a corpus before training on it."""

    name: str
    fingerprint: str
    rows: int
    texts: int
    labelled: int
    classes: int
    class_sizes: tuple[ClassSize, ...]
    empty: int = Field(description="Rows without a text.")
    characters_mean: float
    characters_median: float
    characters_std: float
    characters_max: int
    characters: Histogram
    duplicates: int = Field(description="Texts that repeat an earlier one, ignoring letter case, width and whitespace.")
    conflicts: int = Field(description="Distinct texts with two or more labels.")
    conflict_examples: tuple[Conflict, ...]
    max_length: int = Field(description="The encoder's limit in tokens.")
    truncated_share: float = Field(description="Share of texts with more tokens than the limit.")
    tokens_estimated: bool = Field(True, description="Tokens are estimated from words and characters, not counted.")
    texts_with_two_crops: int = Field(description="Texts that text crops can train on.")
    notes: tuple[Note, ...]


def kept_checkup(corpus: Corpus) -> Checkup:
    """The check-up that lies beside the corpus; made, and put there, when there is none that can be read."""
    file = corpus.folder / "checkup.json"
    if file.is_file():
        with suppress(EmbedlabError, ValueError):
            existing = validated(Checkup, read_json(file), where=file.name)
            return existing.model_copy(update={"name": corpus.name, "notes": corpus.info.notes})
    checkup = check(corpus)
    write_json(file, checkup.model_dump(mode="json"))
    return checkup


def check(corpus: Corpus, *, max_length: int = ENCODER_LIMIT) -> Checkup:
    """Made anew; ``max_length``: tokens that an encoder reads."""
    texts = corpus.texts.at(corpus.kept)
    counted = ((len(text), estimated_tokens(text), number_of_crops(text) > 1) for text in texts)  # in one pass
    columns = np.dtype([("characters", int), ("tokens", float), ("has_two_crops", bool)])
    measured = np.fromiter(counted, columns, len(texts))
    lengths = measured["characters"]
    conflicts, duplicates = _copies(corpus)
    return Checkup(
        **{each: getattr(corpus.info, each) for each in ("name", "fingerprint", "rows", "labelled", "notes")},
        texts=len(lengths),
        classes=len(corpus.info.classes),
        class_sizes=corpus.info.classes,
        empty=int(corpus.excluded.sum()),
        characters_mean=float(lengths.mean()),
        characters_median=float(np.median(lengths)),
        characters_std=float(lengths.std()),
        characters_max=int(lengths.max()),
        characters=_histogram(lengths),
        duplicates=duplicates,
        conflicts=len(conflicts),
        conflict_examples=tuple(conflicts[:10]),
        max_length=max_length,
        truncated_share=float((measured["tokens"] > max_length).mean()),
        texts_with_two_crops=int(measured["has_two_crops"].sum()),
    )


def _histogram(lengths: np.ndarray) -> Histogram:
    """Thirty bins up to the 99th percentile, and one for what is longer."""
    top = max(30, int(np.ceil(np.percentile(lengths, 99) / 30)) * 30)
    edges = np.append(np.arange(0, top + 1, top // 30), max(top + 1, int(lengths.max()) + 1))
    counts, _ = np.histogram(lengths, bins=edges)
    return Histogram(edges=tuple(edges.tolist()), counts=tuple(counts.tolist()))


def _copies(corpus: Corpus) -> tuple[list[Conflict], int]:
    """The texts with several labels, and how many texts repeat an earlier one."""
    rows_with_text, numbers = corpus.kept, corpus.copies[corpus.kept]
    duplicates = len(rows_with_text) - len(np.unique(numbers))
    if corpus.label_codes is None or not duplicates:
        return [], duplicates
    codes, names = corpus.label_codes
    has_label = codes[rows_with_text] >= 0
    pairs = np.unique(
        np.column_stack([numbers[has_label], codes[rows_with_text][has_label]]), axis=0
    )  # (text, label) once each
    torn, labels = np.unique(pairs[:, 0], return_counts=True)
    order = np.argsort(numbers, kind="stable")  # (texts,), the copies of a text side by side, in file order
    ordered, conflicts = numbers[order], []
    for number in torn[labels > 1]:
        first, after = np.searchsorted(ordered, [number, number + 1])
        rows = rows_with_text[order[first:after]].tolist()
        several = sorted({names[code] for code in codes[rows] if code >= 0})
        conflicts.append(Conflict(text=corpus.texts[rows[0]][:200], labels=tuple(several), rows=tuple(rows)))
    return conflicts, duplicates
