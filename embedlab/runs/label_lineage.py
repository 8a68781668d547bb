"""From which runs an encoder grew, and whether any of them was trained by labels, by which, and what that is called."""

from pathlib import Path

from embedlab.augmentations import AUGMENTATIONS
from embedlab.corpora.base import open_corpus
from embedlab.encoder_names import is_made_here, kind_of
from embedlab.errors import CorpusError, EmbedlabError, EncoderError
from embedlab.metrics.split import paper_split
from embedlab.runs.folder import RunFolder
from embedlab.runs.labels_read import (
    NO_LABELS,
    LabelsRead,
    labels_of_training,
    read_labels_read,
    says_saw_labels,
    write_labels_read,
)
from embedlab.runs.result import Phase, RunResult, read_result
from embedlab.runs.store import fingerprint_of, open_run, read_settings

_DEEPEST = 20  # phases that are followed back
UNTOUCHED_RECIPE = "untouched"
SUPERVISED = "supervised"  # the recipe that trains by labels, besides own combinations with pairs made of them
UNREAD_ONLY = (
    "Trained by labels, itself or through what it grew from: only texts whose labels it did not read are measured."
)
TEST_TEXTS_ONLY = "Test texts only, because this run's lineage was trained on labels."
NO_SUSPICIOUS_LABELS = (
    "Suspicious labels are not offered: this run's lineage was trained on labels, so its neighbors repeat them."
)
_CORPUS_GONE = "the corpus whose labels trained it is no longer in the store. Open that corpus again"
_PARENT_GONE = "the run it started from was trained by labels and was deleted. Train it anew"


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


def labels_read_by(reference: str) -> LabelsRead:
    """What an encoder read, named as ``--encoder`` does; of the catalog's, a hub's, token and scratch ones nothing."""
    if reference.startswith("run:"):
        return labels_read_of_run(open_run(reference.removeprefix("run:")))
    folder = _folder_of(reference)
    if folder is None:
        return NO_LABELS
    known, (run, side) = read_labels_read(folder), _run_around(folder)
    if known is None and run is not None:
        return labels_read_of_run(run, side)
    return known or NO_LABELS


def labels_read_of_run(run: RunFolder, side: str = "after") -> LabelsRead:
    """What a run's encoder had read ``before`` or ``after`` its training.

    Runs that were made before encoders kept this are told by their recipe and by what they started from.
    """
    known = read_labels_read(_encoder_of(run, side))
    if known is not None:
        return known
    if side == "before":
        return NO_LABELS if says_saw_labels(run.encoder) is not None else _read_at_start(run)
    started = labels_read_of_run(run, "before")
    return started | _own_labels(run) if is_supervised(run) else started


def labels_read_of_both(run: RunFolder) -> LabelsRead:
    """What its encoder before or after read: the two are compared on texts whose labels neither did."""
    return labels_read_of_run(run, "before") | labels_read_of_run(run)


def keep_labels_read(run: RunFolder, *, before: LabelsRead, after: LabelsRead) -> None:
    """Beside each encoder that the run saved; what it started from is kept also where nothing else of it is."""
    for folder, read in ((run.encoder, after), (run.best_encoder, after), (run.untouched_encoder, before)):
        if folder.is_dir() or (folder == run.untouched_encoder and read.saw_labels):
            write_labels_read(folder, read)


def saw_labels(run: RunFolder, side: str = "after") -> bool:
    """Whether a run's encoder, or any that it grew from, was trained by labels; without reading a corpus."""
    result = read_result(run) or RunResult()
    if side == "after" and (is_supervised(run) or result.saw_labels is not None):
        return result.saw_labels is not False
    known = says_saw_labels(run.untouched_encoder)
    if known is not None or says_saw_labels(run.encoder) is not None:
        return bool(known)
    return _saw_labels_at_start(run, result)


def is_supervised(run: RunFolder) -> bool:
    """Whether this run itself, whatever it started from, was trained by labels."""
    return (read_result(run) or RunResult()).supervised or trains_by_labels(_asked(run).get("recipe"))


def trains_by_labels(recipe: str | None) -> bool:
    """Whether this recipe, or the augmentation of this own combination, makes its pairs of labels."""
    augmentation = (recipe or "").partition("+")[2]
    return recipe == SUPERVISED or (augmentation in AUGMENTATIONS and "labels" in AUGMENTATIONS[augmentation].needs)


def word_of_before(run: RunFolder) -> str:
    """What a run's encoder before training is called."""
    return "trained by labels" if saw_labels(run, "before") else "untouched"


def run_title(run: RunFolder) -> str:
    """The run's own name, else what it trains: ``token · crops``."""
    try:
        asked = read_settings(run)
    except EmbedlabError:
        return run.id
    encoder, recipe = (asked["settings"].get(name, "?") for name in ("encoder", "recipe"))
    return asked["name"] or f"{encoder} · {word_of_before(run) if recipe == UNTOUCHED_RECIPE else recipe}"


def name_of_before(run: RunFolder) -> str:
    """The same in a sentence."""
    return "the encoder before, trained by labels" if saw_labels(run, "before") else "the untouched encoder"


def words_without_knn(run: RunFolder) -> str:
    """What is said of a trained run without kNN accuracy: no labels, or none that were not trained on."""
    why = "Without labels that it has not seen" if saw_labels(run) else "Without labels"
    return f"Trained. {why} there is no kNN accuracy; the maps show what changed."


def _read_at_start(run: RunFolder) -> LabelsRead:
    reference = _asked(run).get("encoder", "")
    if reference.startswith("run:") and _parent(reference) is None:
        if _lineage_says(read_result(run) or RunResult()):
            raise _unknown(run, _PARENT_GONE)
        return NO_LABELS
    return labels_read_by(reference)


def _saw_labels_at_start(run: RunFolder, result: RunResult) -> bool:
    reference = _asked(run).get("encoder", "")
    if reference.startswith("run:"):
        parent = _parent(reference)
        return _lineage_says(result) if parent is None else saw_labels(parent)
    folder = _folder_of(reference)
    if folder is None:
        return False
    known, (around, side) = says_saw_labels(folder), _run_around(folder)
    return saw_labels(around, side) if known is None and around is not None else bool(known)


def _own_labels(run: RunFolder) -> LabelsRead:
    try:
        corpus = open_corpus(fingerprint_of(run))
    except (EmbedlabError, FileNotFoundError):
        raise _unknown(run, _CORPUS_GONE) from None
    try:
        rows = paper_split(corpus.texts, corpus.labels, corpus.kept).train
    except CorpusError:  # no test texts: it was trained by all labels
        rows = corpus.kept
    return labels_of_training(corpus, rows)


def _unknown(run: RunFolder, why: str) -> EncoderError:
    return EncoderError(
        "E-LABELS-UNKNOWN", f"Measuring run {run.id} needs to know whose labels were trained on, but {why}."
    )


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


def _encoder_of(run: RunFolder, side: str) -> Path:
    return run.encoder if side == "after" else run.untouched_encoder


def _run_around(folder: Path) -> tuple[RunFolder | None, str]:
    """The run whose encoder lies in this folder, and which of its encoders."""
    folder = folder.resolve()
    run = RunFolder(folder.parent)
    side = "before" if folder == run.untouched_encoder else "after"
    is_of_run = folder in (run.encoder, run.best_encoder, run.untouched_encoder) and run.settings.is_file()
    return (run if is_of_run else None), side
