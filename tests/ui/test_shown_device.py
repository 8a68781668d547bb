"""The device on the pages: known at once, or asked of a process that may load torch."""

import threading

import pytest

from embedlab.encoders.device import Device
from embedlab.ui.frame import state


@pytest.fixture
def unknown(monkeypatch):
    """A build of torch that may find a GPU; nobody has looked yet."""
    monkeypatch.setattr(state, "known_device", lambda: None)
    state._looking.cache_clear()
    yield
    state._looking.cache_clear()


def test_what_only_torch_knows_is_looked_at_once_by_another_process(unknown, monkeypatch):
    asked, may_answer = [], threading.Event()

    def answered(module: str) -> dict:
        asked.append(module)
        assert may_answer.wait(30)
        return {"name": "cuda", "line": "NVIDIA A100", "supports_bf16": True, "free_bytes": 5}

    monkeypatch.setattr(state, "answered", answered)
    assert state.device() is None and state.device() is None
    may_answer.set()
    state._looking().result(30)
    assert state.device() == Device("cuda", "NVIDIA A100", True, 5) and asked == ["embedlab.encoders.device"]


def test_the_process_says_what_torch_chooses(unknown):
    from embedlab.encoders.device import choose_device

    state._looking().result(60)
    assert state.device() == choose_device()
