"""The paper's split for encoders that may have been trained by labels: only test texts whose labels none read."""

from embedlab.errors import CorpusError
from embedlab.metrics.split import Split
from embedlab.runs.labels_read import LabelsRead, without_read_labels
from embedlab.tasks.measure import split_of


def unseen_split(corpus, read: LabelsRead) -> tuple[Split | None, tuple[str, str] | None]:
    """As ``split_of``, without the test texts whose labels were read; where none is left, that is the reason."""
    split, reason = split_of(corpus)
    if split is None:
        return None, reason
    try:
        return without_read_labels(split, corpus, read), None
    except CorpusError as error:
        return None, (error.code, error.message)
