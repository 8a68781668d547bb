"""The device a run uses: chosen by itself or by name, with the line a page shows."""

import os
from dataclasses import dataclass
from functools import cache

import torch

from embedlab.errors import SettingsError


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
        found = ", ".join(name for name, is_present in present.items() if is_present)
        raise SettingsError("E-DEVICE", f"Device {wish!r} is not there. Choose from: auto, {found}.")
    return {"cuda": _cuda, "mps": _mps, "cpu": _cpu}[wish]()


def line_of(device: Device, processes: int = 1) -> str:
    """The device in words, and by how many processes it is used."""
    if processes == 1:
        return device.line
    return f"{processes} × {device.line}" if device.name == "cuda" else f"{processes} processes on {device.line}"


def _cuda() -> Device:
    free, total = torch.cuda.mem_get_info()
    supports_bf16 = torch.cuda.is_bf16_supported(including_emulation=False)
    name = f"{torch.cuda.get_device_name()}, {free / 2**30:.0f} of {total / 2**30:.0f} GB free"
    return Device("cuda", name + ", bf16" * supports_bf16, supports_bf16, free)


def _mps() -> Device:
    return Device("mps", "Apple GPU (MPS)", False)


def _cpu() -> Device:
    _first_vector_calls()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # Elsewhere bf16 is emulated and slower than float32.
    instructions = torch.cpu.get_capabilities()
    supports_bf16 = bool(instructions.get("amx_bf16") or instructions.get("avx512_bf16"))
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
