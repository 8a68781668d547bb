"""The device on the pages: known at once, or asked of a process that may load torch."""

import threading

import pytest

from embedlab.device import Device
from embedlab.ui.frame import background


@pytest.fixture
def unknown(monkeypatch):
    """A build of torch that may find a GPU; nobody has looked yet."""
    monkeypatch.setattr(background, "known_device", lambda: None)
    background._looking.cache_clear()
    yield
    background._looking.cache_clear()


def test_what_only_torch_knows_is_looked_at_once_by_another_process(unknown, monkeypatch):
    asked, may_answer = [], threading.Event()

    def answered(module: str, kind: type[Device]) -> Device:
        asked.append(module)
        assert may_answer.wait(30)
        return kind("cuda", "NVIDIA A100", True, 5)

    monkeypatch.setattr(background, "asked_of_a_process", answered)
    assert background.device() is None and background.device() is None
    may_answer.set()
    background._looking().result(30)
    assert background.device() == Device("cuda", "NVIDIA A100", True, 5) and asked == ["embedlab.device"]


def test_the_process_says_what_torch_chooses(unknown):
    from embedlab.device import choose_device

    background._looking().result(60)
    assert background.device() == choose_device()
