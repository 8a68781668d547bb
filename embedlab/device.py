"""The device a run uses: chosen by itself or by name, with the line a page shows.

``python -m embedlab.device`` says it to a process that never loads torch.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from embedlab.errors import SettingsError
from embedlab.later import torch

_CPU = Path("/proc/cpuinfo")
LIMITED = {"mps"}  # torch's kinds of device that have neither float64 nor sparse tensors


def is_limited(device: str | torch.device) -> bool:
    """Whether it lacks float64 and sparse tensors."""
    return torch.device(device).type in LIMITED


@dataclass(frozen=True)
class Device:
    """``name`` is torch's (``cuda``), ``line`` is for people; free memory is None where nothing can be said."""

    name: str
    line: str
    supports_bf16: bool
    free_bytes: int | None = None


def choose_device(wish: str = "auto") -> Device:
    """The wished device (``auto`` takes CUDA, then Apple's MPS, then the CPU); one that is absent is refused."""
    present = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if wish == "auto":
        wish = next(name for name, is_present in present.items() if is_present)
    if not present.get(wish, False):
        available = ", ".join(name for name, is_present in present.items() if is_present)
        raise SettingsError("E-DEVICE", f"Device {wish!r} is not available. Choose from: auto, {available}.")
    if wish == "mps":
        return Device("mps", "Apple GPU (MPS)", False)
    if wish == "cpu":
        _first_vector_calls()
        return _cpu_with([name for name, is_there in torch.cpu.get_capabilities().items() if is_there])
    free, total = torch.cuda.mem_get_info()
    supports_bf16 = torch.cuda.is_bf16_supported(including_emulation=False)
    name = f"{torch.cuda.get_device_name()}, {free / 2**30:.0f} of {total / 2**30:.0f} GB free"
    return Device("cuda", name + ", bf16" * supports_bf16, supports_bf16, free)


@cache
def known_device() -> Device | None:
    """What is chosen by itself where that is known without torch: the CPU, of a build for it alone on Linux."""
    if not importlib.metadata.version("torch").endswith("+cpu") or not _CPU.exists():
        return None
    return _cpu_with(_CPU.read_text(encoding="utf-8").split())


@contextmanager
def on_threads(count: int) -> Iterator[None]:
    """Let torch compute on so many threads until the block ends."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def line_of(device: Device, processes: int = 1) -> str:
    """The device in words, and by how many processes it is used."""
    if processes == 1:
        return device.line
    return f"{processes} × {device.line}" if device.name == "cuda" else f"{processes} processes on {device.line}"


def _cpu_with(instructions: list[str]) -> Device:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    supports_bf16 = "amx_bf16" in instructions or "avx512_bf16" in instructions  # else emulated, slower than float32
    return Device("cpu", f"{cores} core{'s' * (cores != 1)}" + ", bf16" * supports_bf16, supports_bf16)


@cache
def _first_vector_calls() -> None:
    """Call MKL's vector functions once on one thread, so that no two threads make the first call at once.

    Where they do, on a busy machine, one of them may be handed a faster, less accurate version, and its half of the
    array differs from the fifth digit on (seen of ``sqrt`` in Adam's first step, in 5 of 24 fresh processes of torch
    2.13.0); afterwards every call is the same.
    """
    functions = "acos asin atan cos cosh erf erfc erfinv exp expm1 log log10 log1p log2 sin sinh sqrt tan tanh".split()
    for dtype in (torch.float32, torch.float64):
        for function in functions:
            getattr(torch, function)(torch.full((8,), 0.5, dtype=dtype))


if __name__ == "__main__":
    json.dump(asdict(choose_device()), sys.stdout)
