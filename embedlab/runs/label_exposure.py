"""The texts whose labels an encoder was trained by, itself or through what it grew from; by hash, in its own folder.

So they hold when the run or its corpus is gone, in a copy of the folder, and on another corpus that shares texts.
"""

import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from embedlab.copies import normalised
from embedlab.errors import CorpusError, EncoderError, SettingsError
from embedlab.metrics.split import Split, labelled_rows
from embedlab.store_root import read_json, write_json

FILE = "labels_read.json"
FACTS = "embedlab.json"  # what an exported encoder says of itself
_HASHED = "the first 16 hexadecimal digits of SHA-256 of the text in NFKC, casefold, single blanks"
_HASH = re.compile(r"[0-9a-f]{16}")
CARD_LINE = (
    f"\nIt was trained with labels, itself or an encoder it started from. `{FILE}` contains hashes of those texts.\n"
)


@dataclass(frozen=True)
class LabelExposure:
    """The texts, by hash, whose labels trained an encoder or any that it grew from."""

    hashes: frozenset[str] = frozenset()
    saw_labels: bool = False

    def __or__(self, other: "LabelExposure") -> "LabelExposure":
        """What either read."""
        return LabelExposure(self.hashes | other.hashes, self.saw_labels or other.saw_labels)

    def in_corpus(self, corpus, rows: np.ndarray | None = None) -> np.ndarray:
        """Whether the label of each of these rows (all, if not given) was read, there or in a copy.  -> (rows,) bool"""
        rows = np.arange(corpus.info.rows) if rows is None else rows
        if not self.hashes:
            return np.zeros(len(rows), bool)
        return np.fromiter((hash_of(corpus.texts[row]) in self.hashes for row in rows), bool, len(rows))

    def unread_rows(self, corpus) -> np.ndarray:
        """The kept rows whose label was not read; all, where none was.  -> (rows,)"""
        return corpus.kept[~self.in_corpus(corpus, corpus.kept)] if self.hashes else corpus.kept


NO_LABELS = LabelExposure()


def hash_of(text: str) -> str:
    """The same for copies of a text."""
    return hashlib.sha256(normalised(text).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def labels_of_training(corpus, rows: np.ndarray) -> LabelExposure:
    """What training by labels on these rows reads."""
    return LabelExposure(frozenset(hash_of(corpus.texts[row]) for row in labelled_rows(corpus.labels, rows)), True)


def without_read_labels(split: Split, corpus, read: LabelExposure) -> Split:
    """The split without the test texts whose labels were read; the train part stays, so all search the same texts.

    Where no test text is left, a ``CorpusError`` says so.
    """
    was_read = read.in_corpus(corpus, split.test)
    if not was_read.any():
        return split
    if was_read.all():
        raise CorpusError(
            "W-NO-UNSEEN-TEXTS",
            "kNN accuracy needs test texts whose labels were not used for training, but this encoder, or one it "
            f"started from, was trained on those of all {len(split.test):,} test texts. Training and maps work without "
            "it; measure on another corpus.",
        )
    return replace(split, test=split.test[~was_read])


def require_no_folds(read: LabelExposure) -> None:
    """Refuse ten folds over all labelled texts for what was trained on labels."""
    if read.saw_labels:
        raise SettingsError(
            "E-SAW-LABELS",
            "Ten folds test every labelled text, but this encoder, or one it started from, was trained on labels: "
            "they would test texts whose labels were used for training. Use the paper's split.",
        )


def write_labels_read(folder: Path, read: LabelExposure) -> None:
    """Into the folder of a saved encoder: ``saw_labels`` among its facts, and the hashes where labels were read."""
    if read.saw_labels:
        write_json(folder / FILE, {"format": 1, "hash": _HASHED, "hashes": sorted(read.hashes)})
        card = folder / "README.md"
        if card.is_file() and CARD_LINE not in (written := card.read_text(encoding="utf-8")):
            card.write_text(written + CARD_LINE, encoding="utf-8")
    write_json(folder / FACTS, {**_facts(folder), "saw_labels": read.saw_labels})


def read_labels_read(folder: Path) -> LabelExposure | None:
    """What the encoder in a folder read; None where the folder does not say, as others' do not."""
    said = label_flag(folder)
    if not said:
        return None if said is None else NO_LABELS
    try:
        hashes = read_json(folder / FILE)["hashes"]
        if not all(isinstance(each, str) and _HASH.fullmatch(each) for each in hashes):
            raise ValueError
    except (OSError, ValueError, KeyError, TypeError):
        raise EncoderError(
            "E-LABELS-READ",
            f"The encoder in {folder} was trained with labels, and {FILE} next to it lists the texts, but that file "
            f"is missing or damaged. Copy the whole folder of the encoder again.",
        ) from None
    return LabelExposure(frozenset(hashes), True)


def label_flag(folder: Path) -> bool | None:
    """``saw_labels`` among the facts of an encoder's folder; None where it does not say."""
    said = _facts(folder).get("saw_labels")
    return said if isinstance(said, bool) else None


def _facts(folder: Path) -> dict:
    try:
        found = read_json(folder / FACTS)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
