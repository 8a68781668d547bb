"""What every request is: typed settings that know their task."""

from typing import ClassVar

from embedlab.config import Config
from embedlab.store_root import Json


class Request(Config):
    """The request of one job. ``settings.json`` holds all its fields, so equal requests give equal files."""

    task: ClassVar[str]  # key of the task that does it (embedlab/tasks)

    @property
    def stored(self) -> Json:
        """Plain values of every field, as in ``settings.json``."""
        return self.model_dump(mode="json")

    @property
    def waits_for(self) -> str:
        """The device that it needs, ``auto`` for the best one; None for a task without one."""
        return "auto"
