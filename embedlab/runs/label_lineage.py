"""The runs that an encoder grew from, and the labels that trained any of them; hashes in the encoder's own folder.

So they hold when the run or its corpus is gone, in a copy of the folder, and on another corpus that shares texts.
"""

import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from embedlab.augmentations import AUGMENTATIONS
from embedlab.copies import normalised
from embedlab.corpora.base import Corpus
from embedlab.encoder_catalog.facts import FACTS, facts_if_whole
from embedlab.encoder_catalog.names import is_made_here, kind_of, taught_by
from embedlab.errors import CorpusError, EmbedlabError, EncoderError, SettingsError
from embedlab.metrics.split import Split, labelled_rows
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import Phase, RunResult, read_result
from embedlab.runs.store import open_run, run_if_readable, settings_of, stored_request
from embedlab.store_root import read_json, write_json
from embedlab.update import update

MOST_PHASES = 20  # that are followed back
UNTOUCHED_RECIPE = "untouched"
SUPERVISED = "supervised"  # the recipe that trains by labels, besides own combinations with pairs made of them
UNREAD_ONLY = "Trained by labels, itself or in an earlier phase: only texts whose labels it did not use are measured."
TEST_TEXTS_ONLY = "Test texts only, because this run's lineage was trained on labels."
NO_SUSPICIOUS_LABELS = (
    "Suspicious labels are not listed: this run's lineage was trained on labels, so its neighbors repeat them."
)
FILE = "labels_read.json"
_HASHED = "the first 16 hexadecimal digits of SHA-256 of the text in NFKC, casefold, single blanks"
_HASH = re.compile(r"[0-9a-f]{16}")
CARD_LINE = (
    f"\nIt was trained with labels, itself or an encoder it started from. `{FILE}` contains hashes of those texts.\n"
)


@dataclass(frozen=True)
class LabelExposure:
    """The texts, by hash, whose labels trained an encoder or any encoder that it grew from."""

    hashes: frozenset[str] = frozenset()
    saw_labels: bool = False

    def __or__(self, other: "LabelExposure") -> "LabelExposure":
        """The union of both."""
        return LabelExposure(self.hashes | other.hashes, self.saw_labels or other.saw_labels)

    def in_corpus(self, corpus: Corpus, rows: np.ndarray | None = None) -> np.ndarray:
        """Whether the label of each of these rows (default: all) was read, there or in a copy. -> (rows,) bool"""
        rows = np.arange(corpus.info.rows) if rows is None else rows
        if not self.hashes:
            return np.zeros(len(rows), bool)
        return np.fromiter((hash_of(corpus.texts[row]) in self.hashes for row in rows), bool, len(rows))


NO_LABELS = LabelExposure()


def hash_of(text: str) -> str:
    """A hash that is equal for copies of a text."""
    return hashlib.sha256(normalised(text).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def labels_of_training(corpus: Corpus, rows: np.ndarray) -> LabelExposure:
    """The labels read by training with labels on these rows."""
    return LabelExposure(frozenset(hash_of(corpus.texts[row]) for row in labelled_rows(corpus.labels, rows)), True)


def without_read_labels(split: Split, corpus: Corpus, read: LabelExposure) -> Split:
    """The split without test texts whose labels were read; the train part is unchanged, so all search the same texts.

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
    """Refuse ten folds over all labelled texts for an encoder trained with labels."""
    if read.saw_labels:
        raise SettingsError(
            "E-SAW-LABELS",
            "Ten folds test every labeled text, but this encoder, or one it started from, was trained on labels: "
            "they would test texts whose labels were used for training. Use the paper's split.",
        )


def write_labels_read(folder: Path, read: LabelExposure) -> None:
    """Store ``saw_labels`` among the facts of a saved encoder, and the hashes if labels were read."""
    if read.saw_labels:
        write_json(folder / FILE, {"format": 1, "hash": _HASHED, "hashes": sorted(read.hashes)})
        card = folder / "README.md"
        if card.is_file() and CARD_LINE not in (written := card.read_text(encoding="utf-8")):
            card.write_text(written + CARD_LINE, encoding="utf-8")
    update(
        folder / FACTS,
        lambda facts: facts.model_copy(update={"saw_labels": read.saw_labels}),
        read=lambda file: facts_if_whole(folder),
        write=lambda file, facts: facts.write(folder),
    )


def read_labels_read(folder: Path) -> LabelExposure | None:
    """The labels that the encoder in a folder read; None if the folder does not say, as with other people's."""
    flag = label_flag(folder)
    if not flag:
        return None if flag is None else NO_LABELS
    try:
        hashes = read_json(folder / FILE)["hashes"]
        if not all(isinstance(each, str) and _HASH.fullmatch(each) for each in hashes):
            raise ValueError
    except (ValueError, KeyError, TypeError):  # UnreadableFile is a ValueError
        raise EncoderError(
            "E-LABELS-READ",
            f"The encoder in {folder} was trained with labels, and {FILE} next to it lists the texts, but that file "
            f"is missing or damaged. Copy the whole folder of the encoder again.",
        ) from None
    return LabelExposure(frozenset(hashes), True)


def label_flag(folder: Path) -> bool | None:
    """``saw_labels`` among the facts of an encoder's folder; None if absent."""
    return facts_if_whole(folder).saw_labels


def lineage(encoder: str) -> list[Phase]:
    """Each earlier phase, the most recent first; None for a deleted run."""
    phases: list[Phase] = []
    while encoder.startswith("run:") and len(phases) < MOST_PHASES:
        run = encoder.removeprefix("run:")
        try:
            request = stored_request(open_run(run))
        except EmbedlabError:
            return [*phases, Phase(run=run, name="", recipe=None, encoder=None)]
        encoder = request.settings.get("encoder", "")
        phases.append(Phase(run=run, name=request.name, recipe=request.settings.get("recipe"), encoder=encoder))
    return phases


def first_encoder(encoder: str) -> str:
    """What its first phase started from: itself, unless it is a run's; empty if a run between was deleted."""
    earlier = lineage(encoder)
    return (earlier[-1].encoder if earlier else encoder) or ""


def labels_read_by(reference: str) -> LabelExposure:
    """The labels read by an encoder, named as for ``--encoder``; none for catalog, hub, token and scratch encoders."""
    reference = taught_by(reference)  # a distilled one what its teacher read
    if reference.startswith("run:"):
        return labels_read_of_run(open_run(reference.removeprefix("run:")))
    folder = _folder_of(reference)
    return NO_LABELS if folder is None else read_labels_read(folder) or NO_LABELS


def labels_read_of_run(run: RunFolder, side: str = "after") -> LabelExposure:
    """The labels that a run's encoder had read ``before`` or ``after`` its training."""
    exposure = read_labels_read(run.encoder if side == "after" else run.untouched_encoder)
    if exposure is None and saw_labels(run, side):
        raise EncoderError(
            "E-LABELS-UNKNOWN",
            f"Run {run.id} was trained with labels, and a file next to its encoder lists the texts, but the encoder "
            f"is gone. Train it again.",
        )
    return exposure or NO_LABELS


def labels_read_of_both(run: RunFolder) -> LabelExposure:
    """The labels read by either: both are compared on texts whose labels neither has read."""
    return labels_read_of_run(run, "before") | labels_read_of_run(run)


def keep_labels_read(run: RunFolder, *, before: LabelExposure, after: LabelExposure) -> None:
    """Store this next to each encoder that the run saved; also for its start, even if nothing else of it is stored."""
    for folder, read in ((run.encoder, after), (run.best_encoder, after), (run.untouched_encoder, before)):
        if folder.is_dir() or (folder == run.untouched_encoder and read.saw_labels):
            write_labels_read(folder, read)


def saw_labels(run: RunFolder, side: str = "after") -> bool:
    """Whether a run's encoder, or any that it grew from, was trained with labels; without opening a corpus."""
    result = read_result(run)
    if side == "after" and (result is not None or is_supervised(run)):
        return result is None or result.saw_labels
    flag = label_flag(run.untouched_encoder)
    if flag is not None or label_flag(run.encoder) is not None:
        return bool(flag)
    reference = taught_by(settings_of(run).get("encoder", ""))  # nothing of its own says it: what it started from
    if reference.startswith("run:"):
        parent = run_if_readable(reference.removeprefix("run:"))
        if parent is not None:
            return saw_labels(parent)
        phases = () if result is None else result.lineage  # its own result still names the recipe of a deleted run
        return any(trains_by_labels(phase.recipe) for phase in phases)
    folder = _folder_of(reference)
    return folder is not None and bool(label_flag(folder))


def is_supervised(run: RunFolder) -> bool:
    """Whether this run itself, whatever it started from, trains with labels."""
    return (read_result(run) or RunResult()).supervised or trains_by_labels(settings_of(run).get("recipe"))


def trains_by_labels(recipe: str | None) -> bool:
    """Whether this recipe, or the augmentation of this combination, makes its pairs from labels."""
    augmentation = (recipe or "").partition("+")[2]
    return recipe == SUPERVISED or (augmentation in AUGMENTATIONS and "labels" in AUGMENTATIONS[augmentation].needs)


def word_of_before(run: RunFolder) -> str:
    """The word for a run's encoder before training."""
    return "trained with labels" if saw_labels(run, "before") else "untouched"


def name_of_before(run: RunFolder) -> str:
    """The same within a sentence."""
    return "the encoder before, trained with labels" if saw_labels(run, "before") else "the untouched encoder"


def words_without_knn(run: RunFolder) -> str:
    """Why a trained run has no kNN accuracy: no labels, one class, too few texts, or none with an unread label.

    It may name a class: plain text, neither Markdown nor HTML.
    """
    result = read_result(run)
    if result is not None and result.is_unmeasured:
        return f"Trained. {result.why_no_knn}"
    without = "Without labels that it has not seen" if saw_labels(run) else "Without labels"
    reason = (result or RunResult()).reason_without_knn or f"{without} there is no kNN accuracy"
    return f"Trained. {reason}. The maps show what changed."


def _folder_of(reference: str) -> Path | None:
    if not reference or is_made_here(reference) or kind_of(reference) in ("run", "hf"):
        return None
    folder = Path(reference).expanduser()
    return folder if folder.is_dir() else None
