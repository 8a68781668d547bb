"""Bits are promised for one thread."""

import pytest
import torch


@pytest.fixture(autouse=True)
def one_thread():
    """Compute on one thread, as the comparison of bits asks."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
