"""Settings of a run on the toy corpus that takes a second."""

import pytest
from built_once import TOKEN


@pytest.fixture
def tiny(toy_corpus) -> dict:
    """Those of ``token_run``, which is there without another training."""
    return {**TOKEN, "corpus": toy_corpus.fingerprint}
