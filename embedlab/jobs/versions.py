"""What numbers depend on besides settings: versions of Python, of libraries, and of embedlab's own code."""

import hashlib
import importlib.metadata
import platform
from contextlib import suppress
from functools import cache
from pathlib import Path

PACKAGES = ("torch", "transformers", "tokenizers", "numpy", "scipy", "scikit-learn", "openTSNE", "umap-learn")
_PACKAGE = Path(__file__).resolve().parents[1]


def library_versions() -> dict[str, str]:
    """Versions of Python and of the installed packages; a machine that only trains may lack those for maps."""
    versions = {"python": platform.python_version()}
    for name in PACKAGES:
        with suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return versions


def versions_here() -> dict[str, str]:
    """The same with embedlab's own code."""
    return {**library_versions(), "embedlab": _own_code()}


def difference(theirs: dict[str, str], here: dict[str, str], host: str) -> str | None:
    """A sentence if a worker on ``host`` has other versions than the process that started the run; None if all are
    equal.

    A library that only one of them has is no difference.
    """
    differing = [
        f"{name} {here[name]} there and {theirs[name]} here"
        for name in theirs
        if name in here and here[name] != theirs[name]
    ]
    if not differing:
        return None
    return (
        f"The worker on {host} has other versions than the computer that started the run: {', '.join(differing)}. "
        "Its numbers would differ: install the same versions there."
    )


@cache
def _own_code() -> str:
    """A hash of the content, so that two checkouts of one state agree."""
    digest = hashlib.sha256()
    for file in sorted(_PACKAGE.rglob("*.py")):
        digest.update(file.relative_to(_PACKAGE).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:12]
