"""What a store may meet: a disk that is read-only or full, a file in its place, its loss while somebody works in it."""

import builtins
import errno
import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_CHANGES = ("mkdir", "replace", "rename", "link", "symlink", "truncate")  # of os, which take a path first
_REMOVES = ("unlink", "remove", "rmdir", "utime", "chmod")  # which a full disk allows


def refuse_writes(patch: pytest.MonkeyPatch, store: Path, number: int, *, after: int = 0) -> None:
    """From now on this process's writes below the store fail with this error, but for the first few."""
    left = iter(range(after))

    def check(path: Any) -> None:
        is_path = isinstance(path, str | bytes | os.PathLike)
        if is_path and Path(os.fsdecode(path)).absolute().is_relative_to(store) and next(left, None) is None:
            raise OSError(number, os.strerror(number), os.fsdecode(path))

    def refusing(real: Callable, is_write: Callable[..., bool]) -> Callable:
        def called(*arguments: Any, **named: Any) -> Any:
            if is_write(*arguments, **named):
                for path in arguments[:2]:
                    check(path)
            return real(*arguments, **named)

        return called

    opened = refusing(builtins.open, lambda file, mode="r", *more, **named: not set(mode) <= set("rbtU"))
    patch.setattr(builtins, "open", opened)
    patch.setattr(io, "open", opened)
    patch.setattr(os, "open", refusing(os.open, lambda path, flags, *more, **named: flags & (os.O_WRONLY | os.O_RDWR)))
    for name in _CHANGES + (_REMOVES if number == errno.EROFS else ()):
        patch.setattr(os, name, refusing(getattr(os, name), lambda *arguments, **named: True))


def _lost(patch: pytest.MonkeyPatch, store: Path) -> None:
    shutil.rmtree(store)


def _a_file(patch: pytest.MonkeyPatch, store: Path) -> None:
    shutil.rmtree(store)
    store.write_text("x", encoding="utf-8")


TROUBLES: dict[str, Callable[[pytest.MonkeyPatch, Path], None]] = {
    "read-only": lambda patch, store: refuse_writes(patch, store, errno.EROFS),
    "full": lambda patch, store: refuse_writes(patch, store, errno.ENOSPC),
    "full after five writes": lambda patch, store: refuse_writes(patch, store, errno.ENOSPC, after=5),
    "full after twenty writes": lambda patch, store: refuse_writes(patch, store, errno.ENOSPC, after=20),
    "a file": _a_file,
    "lost": _lost,
}
