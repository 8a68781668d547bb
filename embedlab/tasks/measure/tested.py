"""The ten folds that accuracy of an encoder is measured by, where it is measured by ten folds."""

from embedlab.corpora.base import Corpus
from embedlab.metrics.split import Split, fold_splits, untested_rows
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import LabelExposure
from embedlab.runs.result import read_result
from embedlab.tasks.measure.embedded import labels_of
from embedlab.tasks.measure.folds import why_no_folds


def folds_to_test(
    corpus: Corpus, split: Split | None, read: LabelExposure, of: RunFolder | None = None
) -> tuple[Split, ...]:
    """Return the folds of the corpus, whose results a run ``of`` this corpus has; none where the split is tested.

    Development texts are searched and never tested. The split is tested where labels trained an encoder, or where the
    labelled texts are too many for ten folds.
    """
    result = None if of is None else read_result(of)
    has_no_folds = result is not None and result.folds is None
    if split is None or read.saw_labels or has_no_folds or why_no_folds(corpus, split):
        return ()
    untested = untested_rows(split, corpus.copies)
    folds = fold_splits(labels_of(corpus), corpus.kept, shuffled=True, copies=corpus.copies, untested=untested)
    return tuple(folds)
