"""The device that is known without torch is the one that torch chooses."""

import pytest

from embedlab import device
from embedlab.device import Device, choose_device, known_device


@pytest.fixture
def asked_anew():
    """What was found before is forgotten, and what a test says as well."""
    known_device.cache_clear()
    yield
    known_device.cache_clear()


def test_what_is_known_without_torch_is_what_torch_says():
    assert known_device() in (None, choose_device())


@pytest.mark.parametrize(
    ("flags", "has_bf16"), [("fpu avx2 avx512f", False), ("fpu avx512_bf16", True), ("amx_tile amx_bf16", True)]
)
def test_a_processor_has_bf16_by_its_flags(asked_anew, monkeypatch, tmp_path, flags, has_bf16):
    (tmp_path / "cpuinfo").write_text(f"processor\t: 0\nflags\t\t: {flags}\n", encoding="utf-8")
    monkeypatch.setattr(device, "_CPU", tmp_path / "cpuinfo")
    monkeypatch.setattr(device.importlib.metadata, "version", lambda name: "2.13.0+cpu")
    monkeypatch.setattr(device.os, "sched_getaffinity", lambda process: {0, 1, 5}, raising=False)
    assert known_device() == Device("cpu", "3 cores, bf16" if has_bf16 else "3 cores", has_bf16)


@pytest.mark.parametrize(("version", "is_linux"), [("2.13.0+cu130", True), ("2.13.0", True), ("2.13.0+cpu", False)])
def test_where_torch_may_know_a_gpu_it_has_to_be_asked(asked_anew, monkeypatch, tmp_path, version, is_linux):
    if is_linux:
        (tmp_path / "cpuinfo").write_text("flags : avx2", encoding="utf-8")
    monkeypatch.setattr(device, "_CPU", tmp_path / "cpuinfo")
    monkeypatch.setattr(device.importlib.metadata, "version", lambda name: version)
    assert known_device() is None
