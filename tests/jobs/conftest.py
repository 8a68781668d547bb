"""Settings of a run that a worker trains within seconds."""

import pytest


@pytest.fixture
def tiny(toy_corpus) -> dict:
    """One epoch of a token layer on the toy corpus, without maps and without a look inside."""
    return {
        "corpus": toy_corpus.fingerprint,
        "encoder": "token",
        "epochs": 1,
        "batch_size": 16,
        "vocabulary_size": 300,
        "maps": False,
        "inside": False,
    }
