"""From which runs an encoder grew, and whether any of them was trained on labels, by which, and what that is called."""

import re
from pathlib import Path

from embedlab.augmentations import AUGMENTATIONS
from embedlab.encoder_names import is_made_here, kind_of
from embedlab.errors import EmbedlabError, EncoderError
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_exposure import (
    NO_LABELS,
    LabelExposure,
    label_flag,
    read_labels_read,
    write_labels_read,
)
from embedlab.runs.result import Phase, RunResult, read_result
from embedlab.runs.store import open_run, read_settings

_DEEPEST = 20  # phases that are followed back
UNTOUCHED_RECIPE = "untouched"
SUPERVISED = "supervised"  # the recipe that trains by labels, besides own combinations with pairs made of them
UNREAD_ONLY = "Trained by labels, itself or in an earlier phase: only texts whose labels it did not use are measured."
TEST_TEXTS_ONLY = "Test texts only, because this run's lineage was trained on labels."
NO_SUSPICIOUS_LABELS = (
    "Suspicious labels are not listed: this run's lineage was trained on labels, so its neighbors repeat them."
)


def lineage(encoder: str) -> list[Phase]:
    """Each earlier phase, the nearest first; what a deleted run was is None."""
    found: list[Phase] = []
    while encoder.startswith("run:") and len(found) < _DEEPEST:
        run = encoder.removeprefix("run:")
        try:
            asked = read_settings(open_run(run))
        except EmbedlabError:
            return [*found, Phase(run=run, name="", recipe=None, encoder=None)]
        encoder = asked["settings"].get("encoder", "")
        found.append(Phase(run=run, name=asked["name"], recipe=asked["settings"].get("recipe"), encoder=encoder))
    return found


def labels_read_by(reference: str) -> LabelExposure:
    """What an encoder read, named as ``--encoder`` does; of the catalog's, a hub's, token and scratch ones nothing."""
    if reference.startswith("run:"):
        return labels_read_of_run(open_run(reference.removeprefix("run:")))
    folder = _folder_of(reference)
    return NO_LABELS if folder is None else read_labels_read(folder) or NO_LABELS


def labels_read_of_run(run: RunFolder, side: str = "after") -> LabelExposure:
    """What a run's encoder had read ``before`` or ``after`` its training."""
    known = read_labels_read(run.encoder if side == "after" else run.untouched_encoder)
    if known is None and saw_labels(run, side):
        raise EncoderError(
            "E-LABELS-UNKNOWN",
            f"Run {run.id} was trained with labels, and a file next to its encoder lists the texts, but the encoder "
            f"is gone. Train it again.",
        )
    return known or NO_LABELS


def labels_read_of_both(run: RunFolder) -> LabelExposure:
    """What its encoder before or after read: the two are compared on texts whose labels neither did."""
    return labels_read_of_run(run, "before") | labels_read_of_run(run)


def keep_labels_read(run: RunFolder, *, before: LabelExposure, after: LabelExposure) -> None:
    """Beside each encoder that the run saved; what it started from is kept also where nothing else of it is."""
    for folder, read in ((run.encoder, after), (run.best_encoder, after), (run.untouched_encoder, before)):
        if folder.is_dir() or (folder == run.untouched_encoder and read.saw_labels):
            write_labels_read(folder, read)


def saw_labels(run: RunFolder, side: str = "after") -> bool:
    """Whether a run's encoder, or any that it grew from, was trained with labels; without reading a corpus."""
    result = read_result(run)
    if side == "after" and (result is not None or is_supervised(run)):
        return result is None or result.saw_labels
    known = label_flag(run.untouched_encoder)
    if known is not None or label_flag(run.encoder) is not None:
        return bool(known)
    return _saw_labels_at_start(run, result)


def is_supervised(run: RunFolder) -> bool:
    """Whether this run itself, whatever it started from, was trained with labels."""
    return (read_result(run) or RunResult()).supervised or trains_by_labels(_asked(run).get("recipe"))


def trains_by_labels(recipe: str | None) -> bool:
    """Whether this recipe, or the augmentation of this own combination, makes its pairs of labels."""
    augmentation = (recipe or "").partition("+")[2]
    return recipe == SUPERVISED or (augmentation in AUGMENTATIONS and "labels" in AUGMENTATIONS[augmentation].needs)


def word_of_before(run: RunFolder) -> str:
    """What a run's encoder before training is called."""
    return "trained with labels" if saw_labels(run, "before") else "untouched"


def name_of_before(run: RunFolder) -> str:
    """The same in a sentence."""
    return "the encoder before, trained with labels" if saw_labels(run, "before") else "the untouched encoder"


_WORKS_WITHOUT = re.compile(r"[;.] [Tt]raining and maps work without it.*", re.DOTALL)  # how such a reason goes on


def words_without_knn(run: RunFolder) -> str:
    """What is said of a trained run without kNN accuracy: no labels, one class, too few texts, or none it has not seen.

    It may name a class: plain text, neither Markdown nor HTML.
    """
    why = (read_result(run) or RunResult()).why_no_knn
    without = "Without labels that it has not seen" if saw_labels(run) else "Without labels"
    reason = _WORKS_WITHOUT.split(why)[0] if why else f"{without} there is no kNN accuracy"
    return f"Trained. {reason}. The maps show what changed."


def _saw_labels_at_start(run: RunFolder, result: RunResult | None) -> bool:
    reference = _asked(run).get("encoder", "")
    if reference.startswith("run:"):
        parent = _parent(reference)
        return _lineage_says(result or RunResult()) if parent is None else saw_labels(parent)
    folder = _folder_of(reference)
    return folder is not None and bool(label_flag(folder))


def _lineage_says(result: RunResult) -> bool:
    """Its own result remembers the recipe of a run that was deleted."""
    return any(trains_by_labels(phase.recipe) for phase in result.lineage)


def _asked(run: RunFolder) -> dict:
    try:
        return read_settings(run)["settings"]
    except EmbedlabError:
        return {}


def _parent(reference: str) -> RunFolder | None:
    try:
        return open_run(reference.removeprefix("run:"))
    except EmbedlabError:
        return None


def _folder_of(reference: str) -> Path | None:
    if not reference or is_made_here(reference) or kind_of(reference) in ("run", "hf"):
        return None
    folder = Path(reference).expanduser()
    return folder if folder.is_dir() else None
