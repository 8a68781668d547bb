"""Which device a run computes on, known without torch where that is possible."""

import importlib.metadata
from functools import cache

_ELSEWHERE = ("endpoint", "extractive")  # summarisers that leave the device to others, and wait for their own kind


def device_of(settings: dict) -> str:
    """``cpu``, ``cuda`` or ``mps``: what settings ask for, else the best there is; an endpoint stands for itself."""
    if settings.get("summariser") in _ELSEWHERE:
        return settings["summariser"]
    asked = settings.get("device") or "auto"
    return _best() if asked == "auto" else asked


@cache
def _best() -> str:
    if importlib.metadata.version("torch").endswith("+cpu"):
        return "cpu"
    from embedlab.encoders.device import choose_device

    return choose_device("auto").name
