"""A run on the toy corpus that takes a second."""

import pytest
import torch


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


@pytest.fixture(autouse=True)
def one_thread():
    """Compute on one thread: bits are promised for that."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
