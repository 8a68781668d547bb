"""The resources that a run needs: cores, a GPU, and memory as known from an earlier run or a timing."""

import os
import sys
from dataclasses import dataclass, replace
from typing import Any

import psutil

from embedlab.jobs.cost_estimate import timed
from embedlab.jobs.worker_process import PROCESSES, processes_of, whole_number
from embedlab.numbers import gigabytes
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs
from embedlab.runs.state import State, read_state
from embedlab.runs.store import decisive, stored_request

CPUS = "EMBEDLAB_EXECUTOR_CPUS"
_CHANGE_NO_MEMORY = ("seed", "epochs", "max_steps")


@dataclass(frozen=True)
class Resources:
    """The total of all its processes, on one machine.

    ``gpus``: None where each takes one if there are so many; ``memory_bytes``: None where nothing tells.
    """

    cpus: int = 1
    gpus: int | None = 0
    memory_bytes: int | None = None
    processes: int = 1

    @property
    def threads(self) -> int:
        """Threads of each process."""
        return self.cpus // self.processes


@dataclass(frozen=True)
class Machine:
    """The total resources of one machine of a cluster."""

    cpus: float
    gpus: float = 0
    memory_bytes: float = float("inf")


def resources_of(folder: RunFolder) -> Resources:
    """From the run's settings, its cost estimate, and the number of cores it should get."""
    settings = stored_request(folder).settings
    count, memory = processes_of(folder), _foretold_bytes(settings)
    gpus = {"cuda": count, "auto": None}.get(settings.get("device") or "auto", 0)
    return Resources(count * whole_number(CPUS, 1), gpus, None if memory is None else count * memory, count)


def _foretold_bytes(settings: dict) -> int | None:
    """The peak memory of the newest finished run with the same settings except its length, otherwise of a timing."""
    decides = decisive(settings, but=_CHANGE_NO_MEMORY)
    named = {name: settings[name] for name in ("encoder", "recipe") if settings.get(name) is not None}
    for other in find_jobs("train", standing=State.FINISHED, **named):
        peak_bytes = read_state(other).peak_bytes
        if peak_bytes and decisive(stored_request(other).settings, but=_CHANGE_NO_MEMORY) == decides:
            return peak_bytes
    timing = timed(settings)
    return None if timing is None else timing.peak_bytes


def settled(demand: Resources, machines: list[Machine]) -> Resources:
    """The same with GPUs decided: one per process if any machine has that many."""
    if demand.gpus is not None:
        return demand
    has_enough = any(each.gpus >= demand.processes for each in machines)
    return replace(demand, gpus=demand.processes if has_enough else 0)


def places(demand: Resources, machines: list[Machine]) -> int:
    """How many such runs these machines can work on at once."""
    return sum(_on(demand, each) for each in machines)


def why_nowhere(demand: Resources, machines: list[Machine]) -> str:
    """A sentence for a run that fits none of these machines."""
    gpus = max((each.gpus for each in machines), default=0)
    if demand.gpus and gpus < 1:
        return "The run asks for a GPU (device=cuda), but no machine of the cluster has one."
    if demand.gpus and gpus < demand.gpus:
        gpus_and_why = f"{demand.gpus} GPUs (device=cuda and {PROCESSES}={demand.processes})"
        return f"The run asks for {gpus_and_why}, but the machine of the cluster with the most has {gpus:.0f}."
    most = max(machines, key=lambda each: each.memory_bytes, default=Machine(0, 0, 0))
    if demand.memory_bytes and most.memory_bytes < demand.memory_bytes:
        return (
            f"The run would take {gigabytes(demand.memory_bytes)} of memory, but the largest machine of the cluster "
            f"has {gigabytes(most.memory_bytes)}."
        )
    cores = max((each.cpus for each in machines), default=0)
    return f"The run asks for {demand.cpus} cores ({CPUS}), but the largest machine of the cluster has {cores:.0f}."


def _on(demand: Resources, machine: Machine) -> int:
    pairs = (
        (demand.cpus, machine.cpus),
        (demand.gpus or 0, machine.gpus),
        (demand.memory_bytes or 0, machine.memory_bytes),
    )
    return int(min((there // needed for needed, there in pairs if needed), default=0))


def peak_bytes() -> int | None:
    """The peak memory of this process; None if the system does not tell."""
    if os.name == "nt":
        return psutil.Process().memory_info().peak_wset
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def gpu_in_use() -> Any:
    """``torch.cuda`` where this process has begun to use a GPU, otherwise None; torch is not loaded for it."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    return cuda if cuda is not None and cuda.is_initialized() else None


def device_peak_bytes() -> int | None:
    """The most memory that tensors of this process have held at once on its GPU; None without one."""
    cuda = gpu_in_use()
    return None if cuda is None else int(cuda.max_memory_allocated())
