"""What a run takes of a machine: cores, a GPU, and memory as far as a run or a timing before it tells."""

import os
from dataclasses import dataclass

from embedlab.errors import EmbedlabError, SettingsError
from embedlab.jobs.expectation import LOOKED_AT, of_timing, timing_of
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State, read_state
from embedlab.runs.store import decisive, list_runs, read_settings

CPUS = "EMBEDLAB_EXECUTOR_CPUS"
_CHANGE_NO_MEMORY = ("seed", "epochs", "max_steps")


@dataclass(frozen=True)
class Demand:
    """``gpus``: None where the run takes one if there is one; ``memory_bytes``: None where nothing tells."""

    cpus: int = 1
    gpus: int | None = 0
    memory_bytes: int | None = None


@dataclass(frozen=True)
class Machine:
    """What one machine of a cluster has in all."""

    cpus: float
    gpus: float = 0
    memory_bytes: float = float("inf")


def demand_of(folder: RunFolder) -> Demand:
    """By the run's settings, what is foretold of them, and how many cores a run is to have."""
    settings = read_settings(folder)["settings"]
    gpus = {"cuda": 1, "auto": None}.get(settings.get("device") or "auto", 0)
    return Demand(cpus_asked(), gpus, _foretold_bytes(settings))


def _foretold_bytes(settings: dict) -> int | None:
    """The most memory of the newest finished run asked for alike, its length aside; else what a timing foretold."""
    told = decisive(settings, but=_CHANGE_NO_MEMORY)
    for other in list_runs()[:LOOKED_AT]:
        try:
            state = read_state(other)
            alike = state.state is State.FINISHED and state.peak_bytes
            if alike and decisive(read_settings(other)["settings"], but=_CHANGE_NO_MEMORY) == told:
                return state.peak_bytes
        except EmbedlabError:
            continue
    job = timing_of(settings)
    found = of_timing(job) if job is not None and read_state(job).state is State.FINISHED else None
    return None if found is None else found.peak_bytes


def cpus_asked() -> int:
    """Cores for each run on a cluster: ``EMBEDLAB_EXECUTOR_CPUS``, else one."""
    return whole_number(CPUS, 1)


def whole_number(name: str, otherwise: int) -> int:
    """A number of one or more from the environment."""
    asked = os.environ.get(name, "").strip()
    if not asked:
        return otherwise
    if not asked.isdecimal() or int(asked) < 1:
        raise SettingsError("E-SETTING", f"{name} is a whole number of 1 or more, but found {asked!r}.")
    return int(asked)


def settled(demand: Demand, machines: list[Machine]) -> Demand:
    """With its GPU decided: one where any machine has one."""
    if demand.gpus is not None:
        return demand
    return Demand(demand.cpus, int(any(each.gpus >= 1 for each in machines)), demand.memory_bytes)


def places(demand: Demand, machines: list[Machine]) -> int:
    """How many such runs these machines can work on at once."""
    return sum(_on(demand, each) for each in machines)


def why_nowhere(demand: Demand, machines: list[Machine]) -> str:
    """A sentence for a run that fits none of them."""
    if demand.gpus and not any(each.gpus >= demand.gpus for each in machines):
        return "The run asks for a GPU (device=cuda), and no machine of the cluster has one."
    most = max(machines, key=lambda each: each.memory_bytes, default=Machine(0, 0, 0))
    if demand.memory_bytes and most.memory_bytes < demand.memory_bytes:
        return (
            f"The run would take {demand.memory_bytes / 1e9:.1f} GB of memory, and the largest machine of the cluster "
            f"has {most.memory_bytes / 1e9:.1f} GB."
        )
    cores = max((each.cpus for each in machines), default=0)
    return f"The run is to have {demand.cpus} cores ({CPUS}), and the largest machine of the cluster has {cores:.0f}."


def _on(demand: Demand, machine: Machine) -> int:
    wanted = (
        (demand.cpus, machine.cpus),
        (demand.gpus or 0, machine.gpus),
        (demand.memory_bytes or 0, machine.memory_bytes),
    )
    return int(min((there // needed for needed, there in wanted if needed), default=0))
