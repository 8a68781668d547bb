"""How much memory a worker took."""

import os
import sys

import psutil


def peak_bytes() -> int | None:
    """The most memory that this process ever had; None where the system does not say."""
    if os.name == "nt":
        return psutil.Process().memory_info().peak_wset
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
