"""Workers that must not connect: hub libraries are switched offline; a download started from one is switched back."""

import os

_HUB = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "DISABLE_SAFETENSORS_CONVERSION")
_ASKED = "EMBEDLAB_ASKED_"  # before what the user had set, kept for the workers that may connect


def go_offline() -> None:
    """From now on no hub library opens a connection in this process."""
    for name in _HUB:
        os.environ.setdefault(_ASKED + name, os.environ.get(name, ""))
        os.environ[name] = "1"


def as_the_user_had_it(environment: dict[str, str]) -> dict[str, str]:
    """The environment of a new worker, without the changes of ``go_offline``."""
    restored = {name: value for name, value in environment.items() if not name.startswith(_ASKED)}
    for name in _HUB:
        if (earlier := environment.get(_ASKED + name)) is not None:
            restored.pop(name, None)
            restored |= {name: earlier} if earlier else {}
    return restored
