"""Bits are compared here: the device is chosen first, as every worker does."""

import pytest

from embedlab.device import choose_device


@pytest.fixture(autouse=True, scope="session")
def device():
    """The first vector calls are made on one thread."""
    return choose_device("cpu")
