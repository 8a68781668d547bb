"""Evaluation sets that Finds make of few labels: candidates, known from those of files by their source."""

from embedlab.corpora.sets.stored import SetInfo, list_sets

KIND = "candidates"
_SOURCE = "labels of "


def source_of(corpus: str) -> str:
    """What such a set of the corpus with this fingerprint says of its origin."""
    return f"{_SOURCE}{corpus}"


def is_of_labels(info: SetInfo) -> bool:
    """Whether a Find made it."""
    return info.kind == KIND and info.source.startswith(_SOURCE)


def is_by_labels(judge: str | None) -> bool:
    """Whether the set of this fingerprint is one."""
    return any(info.fingerprint == judge and is_of_labels(info) for info in list_sets())
