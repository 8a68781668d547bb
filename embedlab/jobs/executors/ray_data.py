"""One computation spread over all devices of a Ray cluster by Ray Data; for work that is not a run of its own."""

import logging
import os
import socket
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType

import numpy as np

from embedlab.errors import RunError
from embedlab.jobs.executors.ray_cluster import ANSWER_SECONDS, REQUIREMENTS, authentication
from embedlab.jobs.worker_process import environment_elsewhere

Columns = dict[str, np.ndarray]  # of one length


def devices_of_cluster() -> int:
    """How many workers fit at once: one per GPU of the cluster, or one per machine if it has none.

    Raises
    ------
    RunError
        Ray is not installed, or no cluster answers.
    """
    with _connected() as ray:
        machines, gpus = _machines(ray)
        return gpus or len(machines)


def over_cluster(worker: type, arguments: dict, pieces: list[dict], *, most: int) -> Generator[Columns, None, None]:
    """The results of ``worker(**told)`` called with each piece, in order.

    As many such objects as there are devices, ``most`` in all, work at once. ``worker`` is importable on each machine;
    it is called with the columns of one piece, each of length one, and returns columns.
    """
    with _connected() as ray:
        machines, gpus = _machines(ray)
        cores = 1 if gpus else int(min(each["CPU"] for each in machines))
        data = ray.data.DataContext.get_current()
        data.execution_options.preserve_order, data.enable_progress_bars = True, False
        made = ray.data.from_items(pieces, override_num_blocks=len(pieces)).map_batches(
            worker,
            fn_constructor_kwargs=arguments,
            batch_size=1,
            compute=ray.data.ActorPoolStrategy(size=min(gpus or len(machines), most)),
            num_cpus=cores,
            num_gpus=1 if gpus else 0,
            runtime_env={"env_vars": environment_elsewhere("shared", threads=cores)},
        )
        try:
            yield from made.iter_batches(batch_size=None, prefetch_batches=0)
        except (ray.exceptions.RayError, RuntimeError) as error:
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            why = lines[-1].rpartition("Error: ")[2][:400]  # the last line of what the machine met
            raise RunError("E-EXECUTOR", f"A machine of the Ray cluster failed: {why}") from error


def _machines(ray: ModuleType) -> tuple[list[dict[str, float]], int]:
    """The resources of each living machine with cores, and the total number of GPUs."""
    machines = [node["Resources"] for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
    return machines, int(sum(each.get("GPU", 0) for each in machines))


@contextmanager
def _connected() -> Iterator[ModuleType]:
    """Ray, connected to the cluster in ``RAY_ADDRESS`` or on this computer."""
    if find_spec("ray") is None:
        raise RunError("E-EXECUTOR", f"Ray's package is not installed. Install {REQUIREMENTS}.")
    if "ray" not in sys.modules:  # which reads it once
        os.environ.update(authentication())
    os.environ.setdefault("RAY_TQDM_PATCH_PRINT", "0")  # Ray puts its own print in place; numba cannot compile that
    import ray

    where = os.environ.get("RAY_ADDRESS") or "auto"
    logging.disable(logging.WARNING)  # how Ray plans its work says nothing to a user
    try:
        if where != "auto":  # Ray itself would try for minutes
            host, _, port = where.rpartition("//")[2].rpartition(":")
            socket.create_connection((host, int(port)), timeout=ANSWER_SECONDS).close()
        ray.init(address=where, log_to_driver=False)
        yield ray
    except (OSError, ValueError) as error:
        at = "on this computer" if where == "auto" else f"at {where}"
        raise RunError(
            "E-EXECUTOR",
            f"No Ray cluster answers {at}. Start one with “ray start --head”, set RAY_ADDRESS, or leave out --on.",
        ) from error
    finally:
        ray.shutdown()
        logging.disable(logging.NOTSET)
