"""Deleting from the store: hidden at once, removed from disk, and marked so that late writers do not bring it back."""

import os
import secrets
import shutil
import time
from contextlib import suppress
from pathlib import Path

from embedlab.store_root import TOMBSTONE, in_store, make_folder, store_root, tombstone_of

_TOMBSTONE_SECONDS = 7 * 24 * 3600  # no worker begins so long after it was started


def discard(path: Path) -> None:
    """Delete a folder of the store: hidden at once, then removed from disk.

    A run, job, study or Find leaves a tombstone, so that writers that are late do not bring it back; what lies in one
    leaves none.
    """
    trash = store_root() / "trash"
    make_folder(trash)
    for old in trash.glob(f"*{TOMBSTONE}"):
        with suppress(FileNotFoundError):  # another process tidies too
            if time.time() - old.stat().st_mtime > _TOMBSTONE_SECONDS:
                old.unlink()
    tombstone = tombstone_of(path) if len(in_store(path)) == 2 else None
    if tombstone is not None:
        tombstone.touch(mode=0o600)
    gone = trash / f"{path.name}-{secrets.token_hex(4)}"
    try:
        os.replace(path, gone)
    except OSError:
        if tombstone is not None:
            tombstone.unlink(missing_ok=True)
        raise
    if gone.is_dir() and not gone.is_symlink():
        shutil.rmtree(gone, ignore_errors=True)
    else:
        gone.unlink(missing_ok=True)
