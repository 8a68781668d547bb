"""A run on the toy corpus that takes a second."""

import pytest


@pytest.fixture
def tiny(toy_corpus) -> dict:
    """Settings of a run that takes a second."""
    return {
        "corpus": toy_corpus.info.fingerprint,
        "encoder": "token",
        "recipe": "crops",
        "batch_size": 16,
        "epochs": 2,
        "vocabulary_size": 300,
        "evaluate_every": 4,
        "maps": False,
    }
