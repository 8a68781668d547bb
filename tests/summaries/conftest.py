"""A server that answers, a language model in a folder, and the newest job's facts."""

import os

import pytest
from fake_endpoint import FakeEndpoint
from tiny_language_models import saved_model


@pytest.fixture(autouse=True)
def environment_as_before():
    """What a task changes in this process's environment (it goes offline) is put back."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def endpoint(monkeypatch):
    """A well-behaved server; no key is set."""
    monkeypatch.delenv("EMBEDLAB_ENDPOINT_KEY", raising=False)
    fake = FakeEndpoint().start()
    yield fake
    fake.stop()


@pytest.fixture
def language_model(tmp_path):
    """A random GPT-2 that writes words."""
    return saved_model(tmp_path / "writer")
