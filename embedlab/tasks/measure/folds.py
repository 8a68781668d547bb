"""The labelled texts of a run over ten folds: predictions before and after, and the numbers of its verdict."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from embedlab.corpora.base import Corpus, open_corpus
from embedlab.distance import COSINE, EUCLIDEAN, Distance
from embedlab.errors import CorpusError, RunError
from embedlab.jobs.requests.measuring import PredictFolds
from embedlab.limits import LIMITS
from embedlab.measurement import ByDistance, Difference, Measurement, Note
from embedlab.metrics.split import Split, untested_rows
from embedlab.metrics.ten_fold import FoldPredictions, fold_difference, fold_predictions
from embedlab.metrics.votes import share
from embedlab.progress import Progress, in_words
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import labels_read_of_both, require_no_folds
from embedlab.runs.predictions import write_predictions
from embedlab.runs.reference_lines import right_by
from embedlab.runs.result import Folds, RunResult, WithVerdict, change_result, read_result
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.statistics.verdict import PairedCorrectness, differences
from embedlab.store_root import write_json
from embedlab.tasks.draw.drawing import graph_of
from embedlab.tasks.measure.corpus_cache import reference_folds_of
from embedlab.tasks.measure.embedded import labels_of, load_embeddings, split_of
from embedlab.tasks.measure.line_texts import LineTexts

SIDES = ("before", "after")


def run(folder: RunFolder, request: PredictFolds, progress: Progress) -> None:
    """Writes ``predictions_folds.parquet`` into the run's folder, and ``folds`` into its result."""
    judged = open_run(request.run)
    result = read_result(judged)
    if result is None or not all(judged.embeddings(name).exists() for name in SIDES):
        raise RunError(
            "E-NO-EMBEDDINGS",
            f"Ten folds need the embeddings of a finished run, but {judged.id} has none. Choose one that is finished.",
        )
    require_no_folds(labels_read_of_both(judged))
    corpus = open_corpus(fingerprint_of(judged))
    split, no_knn = split_of(corpus)
    left_out = why_no_folds(corpus, split)
    if no_knn is not None or left_out:
        reason = no_knn or left_out[0]
        raise CorpusError(reason.code, reason.message)
    folds = folds_of(judged, corpus, split, progress, trained=result.is_trained, texts=LineTexts.of_run(judged, corpus))
    keep_folds(judged, folds, of=result)
    write_json(folder.result, {"run": judged.id})


def keep_folds(run: RunFolder, folds: Folds | None, *, of: RunResult) -> None:
    """Store ten folds in the result that they were measured for.

    Raises
    ------
    RunError
        the run was trained further meanwhile, so that they are of another encoder (E-RUN-CHANGED).
    """

    def changed(result: RunResult) -> RunResult:
        if (result.weights_hash, result.steps) != (of.weights_hash, of.steps):
            message = f"Ten folds were measured for run {run.id}, but it was trained again meanwhile, so they are of "
            raise RunError("E-RUN-CHANGED", f"{message}another encoder and were not stored. Measure them again.")
        return result.model_copy(update={"folds": folds})

    change_result(run, changed)


def folds_of(
    folder: RunFolder, corpus: Corpus, split: Split | None, progress: Progress, *, trained: bool, texts: LineTexts
) -> Folds | None:
    """Predict the labelled texts by both distances, store that as Parquet, and compute the change over them.

    ``texts``: what the reference lines count. Development texts are neighbors and never tested, because their labels
    may choose. Without a change where nothing
    was trained; None where kNN is off or the labelled texts are too many.
    """
    if split is None or why_no_folds(corpus, split):
        return None
    untested = untested_rows(split, corpus.copies)
    sides = {name: load_embeddings(folder, name)[corpus.kept] for name in SIDES}
    same = np.array_equal(sides["before"], sides["after"])
    references = reference_folds_of(texts, progress)  # meanwhile the process of the maps finds the neighbors
    predicted: dict[Distance, dict[str, FoldPredictions]] = {}
    for distance in (EUCLIDEAN, COSINE):  # maps use the first one's graphs
        before = _predicted(folder, "before", sides["before"], corpus, untested, distance, progress)
        after = before if same else _predicted(folder, "after", sides["after"], corpus, untested, distance, progress)
        predicted[distance] = {"before": before, "after": after}
    rows = corpus.kept[before.rows]  # the same by both distances
    right_by_line = right_by(references, rows)
    _write(folder, corpus, rows, predicted, right_by_line)
    labels = labels_of(corpus)[rows]
    right = {
        distance: PairedCorrectness(
            of["before"].predictions == labels, of["after"].predictions == labels, right_by_line, texts.counted
        )
        for distance, of in predicted.items()
    }
    return folds_in_numbers(right, trained=trained, untested=len(untested))


def why_no_folds(corpus: Corpus, split: Split | None) -> list[Note]:
    """Says that the verdict is by the test texts because ten folds would take too long; empty otherwise."""
    if split is None:
        return []
    if len(corpus.labelled) > LIMITS.fold_texts:
        why = f"there are {len(corpus.labelled):,}, more than the limit of {LIMITS.fold_texts:,}"
    elif len(corpus.kept) > LIMITS.mapped_texts:
        why = f"they need the neighbors of all texts, and the limit is {LIMITS.mapped_texts:,} texts"
    else:
        return []
    message = f"Ten folds over the labeled texts were skipped: {why}. The verdict is by the test texts alone."
    return [Note(code="W-NO-FOLDS", message=message)]


def _predicted(
    folder: RunFolder,
    name: str,
    embeddings: np.ndarray,
    corpus: Corpus,
    untested: np.ndarray,
    distance: Distance,
    progress: Progress,
) -> FoldPredictions:
    """From the neighbor graph, of which maps also use the Euclidean one; both index the non-empty rows.

    untested: rows of the corpus
    """
    of_side = in_words(progress, lambda stage: f"{stage}, {name}, {distance}")
    graph = graph_of(folder, name, embeddings, of_side, distance)
    rows = corpus.kept
    return fold_predictions(
        embeddings=embeddings,
        labels=labels_of(corpus)[rows],
        graph=graph,
        copies=corpus.copies[rows],
        untested=np.searchsorted(rows, untested),
    )


def _write(
    folder: RunFolder,
    corpus: Corpus,
    rows: np.ndarray,
    predicted: dict[Distance, dict[str, FoldPredictions]],
    references: dict[str, np.ndarray],
) -> None:
    first = next(iter(predicted.values()))["before"]  # the same texts by both
    texts = {
        "row": pa.array(rows, pa.int64()),
        "label": pa.array(labels_of(corpus)[rows], pa.string()),
        "fold": pa.array(first.folds, pa.int8()),
        **{name: pa.array(correct, pa.bool_()) for name, correct in references.items()},
    }

    def columns_of(distance: Distance) -> dict[str, pa.Array]:
        sides = predicted[distance]
        columns = {name: pa.array(side.predictions, pa.string()) for name, side in sides.items()}
        return columns | {f"{name}_votes": pa.array(side.votes, pa.int8()) for name, side in sides.items()}

    write_predictions(folder.predictions_by_folds, texts, ByDistance.of(columns_of))


def folds_in_numbers(right: dict[Distance, PairedCorrectness], *, trained: bool, untested: int) -> Folds:
    """The numbers of ten folds, and how many more texts are neighbors alone."""
    return Folds(
        before=ByDistance.of(lambda each: _share_of(right[each].before)),
        after=ByDistance.of(lambda each: _share_of(right[each].after)),
        untested=untested,
        judged=ByDistance.of(lambda each: judged(right[each], fold_difference, trained=trained)),
    )


def _share_of(right: np.ndarray) -> Measurement:
    value, error = share(right)
    return Measurement(value=value, error=error, n=len(right))


def judged(right: PairedCorrectness, difference: Callable[..., Difference], *, trained: bool) -> WithVerdict:
    """The numbers of the verdict by one distance; without a change where nothing was trained."""
    against = differences(after=right.after, references=right.references, difference=difference)
    verdict = WithVerdict(against={name: each.change for name, each in against.items()})
    if not trained:
        return verdict
    return verdict.model_copy(update={"change": difference(before=right.before, after=right.after).change})
