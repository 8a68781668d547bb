"""A training step alone and beside two busy processes, with threads that spin at a barrier and with threads that sleep.

python -m tests.benchmarks.beside_other_work
"""

import os
import statistics
import subprocess
import sys
from contextlib import contextmanager

TURNS = 3
STEPS = """
import time, torch
torch.set_num_threads(2)
layer = torch.nn.TransformerEncoderLayer(384, 12, 1536, batch_first=True)
texts, optimiser = torch.randn(16, 64, 384), torch.optim.AdamW(layer.parameters())
def step():
    optimiser.zero_grad()
    layer(texts).pow(2).mean().backward()
    optimiser.step()
for _ in range(3):
    step()
began = time.perf_counter()
for _ in range(20):
    step()
print((time.perf_counter() - began) / 20)
"""
BUSY = "while True: pass"


def main() -> None:
    """Print the median seconds of a step of one layer of MiniLM's size, both ways in turns."""
    print(f"{os.cpu_count()} cores")
    for busy in (0, 2):
        seconds = {"spinning": [], "sleeping": []}
        with beside(busy):
            for _ in range(TURNS):
                for way, found in seconds.items():
                    found.append(step_seconds(way))
        told = {way: statistics.median(found) for way, found in seconds.items()}
        ratio = told["spinning"] / told["sleeping"]
        said = ", ".join(f"{way} {value:.3f} s" for way, value in told.items())
        print(f"beside {busy} busy processes: {said}, {ratio:.1f} ×")


def step_seconds(way: str) -> float:
    """In a process of its own, because OpenMP reads its environment once."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OMP_")}
    if way == "sleeping":
        environment["OMP_WAIT_POLICY"] = "PASSIVE"
    printed = subprocess.run([sys.executable, "-c", STEPS], env=environment, check=True, capture_output=True, text=True)
    return float(printed.stdout)


@contextmanager
def beside(busy: int):
    """With this many processes that never rest."""
    others = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(busy)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


if __name__ == "__main__":
    main()
