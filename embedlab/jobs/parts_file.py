"""The parts file: what a worker wrote about every part, read by the app's process, which never loads torch."""

import hashlib
import importlib.metadata
from functools import cache, lru_cache
from pathlib import Path

from embedlab.store_root import read_json, store_root

_COUNTED = ("torch", "transformers", "openTSNE", "umap-learn", "scikit-learn", "pydantic")
_PACKAGE = Path(__file__).resolve().parents[1]


def parts_file() -> Path:
    """Named by the versions of what it speaks about and by embedlab's own source."""
    return store_root() / f"parts-{_versions()}.json"


def read_parts() -> dict | None:
    """The parts, or None while no worker has written them; one copy for all who ask, which nobody changes."""
    try:
        written = parts_file().stat()
        return _read(parts_file(), written.st_mtime_ns, written.st_size)
    except (FileNotFoundError, ValueError):
        return None


@lru_cache(maxsize=2)
def _read(path: Path, written: int, size: int) -> dict:
    return read_json(path)


@cache
def _versions() -> str:
    digest = hashlib.sha256()
    for name in _COUNTED:
        digest.update(f"{name} {importlib.metadata.version(name)}\n".encode())
    for file in sorted(_PACKAGE.rglob("*.py")):
        digest.update(
            f"{file.relative_to(_PACKAGE).as_posix()} {file.stat().st_size} {file.stat().st_mtime_ns}\n".encode()
        )
    return digest.hexdigest()[:16]
