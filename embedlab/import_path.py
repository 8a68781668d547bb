"""Where a Python that is started here finds this package, and the libraries that its parent found."""

import os
from pathlib import Path

PACKAGE_PARENT = Path(__file__).resolve().parents[1]


def import_path() -> str:
    """The ``PYTHONPATH`` of a process: this package's folder, then as it was; clusters' modules set it."""
    return os.pathsep.join(filter(None, (str(PACKAGE_PARENT), os.environ.get("PYTHONPATH"))))
