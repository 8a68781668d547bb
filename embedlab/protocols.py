"""The ways to test labelled texts, and their names: which of them are tested, among which others."""

PAPER_SPLIT = "paper"  # one part of ten, drawn once
TEN_FOLDS = "folds"  # shuffled; what a run's verdict and accuracy are by, unless labels trained it
PUBLISHED_FOLDS = "cv10"  # not shuffled, as published with the ICLR data set
PROTOCOLS = {PAPER_SPLIT: "paper's split", TEN_FOLDS: "ten folds", PUBLISHED_FOLDS: "published folds, file order"}


def protocol_in_words(protocol: str) -> str:
    """``ten folds``; a name that is not one of the three as it is."""
    return PROTOCOLS.get(protocol, protocol)


def texts_tested(protocol: str, n: int) -> str:
    """``over ten folds of 9,724 labeled texts``, or ``on 1,079 test texts``: the end of a sentence on an accuracy."""
    if protocol in (TEN_FOLDS, PUBLISHED_FOLDS):
        return f"over {protocol_in_words(protocol)} of {n:,} labeled texts"
    return f"on {n:,} test texts"
