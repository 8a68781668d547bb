"""The same as ``evaluate`` where further texts have to be embedded, which waits for the device."""

from embedlab.tasks.evaluate import run

__all__ = ["run"]
