"""What the system refuses (no room, no permission, a disk that is read-only), said of what it is about."""

import errno
import os
import tempfile
from pathlib import Path

from embedlab.errors import StoreError, UserError
from embedlab.store_root import is_disk_full, is_in_store, named_root

_REFUSED = (errno.EACCES, errno.EPERM)
_UPLOADS = "uploads"  # the room of the store with files of the user's


def trouble_said(error: BaseException, *, name: str = "", path: Path | None = None) -> UserError | None:
    """The sentence for an error of the system; None where it is no refusal of the system's, as of damaged bytes.

    ``name`` is what the user calls the file that is being read, and ``path`` where it lies, as far as that is known:
    without a path in the error they tell whose refusal it is.
    """
    if not isinstance(error, OSError) and not is_disk_full(error):
        return None
    places = [Path(os.fsdecode(each)) for each in (getattr(error, "filename", None), getattr(error, "filename2", None))
              if isinstance(each, str | bytes)]  # fmt: skip
    if is_disk_full(error):
        return disk_full()
    if "No usable temporary directory" in str(error):
        return StoreError(
            "E-TEMP",
            "No folder for temporary files can be written to. Make room there, or let TMPDIR name a folder that "
            "you may write to.",
        )
    number = getattr(error, "errno", None)
    if number == errno.EROFS:
        return not_writable(error, places)
    if number not in _REFUSED:
        return None
    if any(_is_ours(place) for place in places) or (not places and str(named_root()) in str(error)):
        return not_writable(error, places)
    if places:
        return _refused_file(places[0], name if places[0].name == Path(name).name or _is_upload(places[0]) else "")
    if path is None or os.access(path, os.R_OK):  # it can be read, so what was refused is ours
        return not_writable(error, places) if path is not None else None
    return _refused_file(path, name)


def disk_full() -> UserError:
    """There is no room for what is written, which is never the file that is read."""
    return StoreError(
        "E-DISK",
        f"The disk is full: there is no room in the store ({named_root()}) or for temporary files "
        f"({_temporary()}). Make room there, or let EMBEDLAB_HOME and TMPDIR name folders on another disk.",
    )


def not_writable(error: BaseException, places: list[Path] = ()) -> UserError:
    """The store may not be written to."""
    why = getattr(error, "strerror", None) or "refused"
    where = next((place for place in places if not _is_ours(place)), named_root())
    what = "The store" if where == named_root() else "The folder of what is written"
    return StoreError(
        "E-STORE-WRITE",
        f"{what} ({where}) cannot be written to: {why.lower()}. Make it writable for you, or let EMBEDLAB_HOME name a "
        "folder that is.",
    )


def refuse_closed_folders(folder: Path, name: str) -> None:
    """A folder of the user's whose files are about to be listed: one in it that is closed would be left out in silence.

    Raises
    ------
    UserError
        the system does not let us look into it, or into one below.
    """

    def refused(error: OSError) -> None:
        raise trouble_said(error, name=name, path=folder) or error

    for _ in os.walk(folder, onerror=refused, followlinks=False):
        pass


def _refused_file(place: Path, name: str) -> UserError:
    shown = name or (place.name if place.name else str(place))
    if _is_folder(place):
        return StoreError(
            "E-FOLDER-PERMISSION",
            f"You have no permission to look into the folder {shown!r}. Ask its owner, or open it to you: chmod u+rx.",
        )
    return StoreError(
        "E-FILE-PERMISSION",
        f"You have no permission to read {shown!r}; nothing is known of what is in it. Ask its owner, or open it to "
        "you: chmod u+r.",
    )


def _is_folder(place: Path) -> bool:
    try:
        return place.is_dir()
    except OSError:
        return False


def _is_upload(place: Path) -> bool:
    return place.parent == named_root().resolve() / _UPLOADS


def _is_ours(place: Path) -> bool:
    """In the store, or among the temporary files that a process makes."""
    if _is_upload(place):
        return False
    temporary = _temporary()
    is_temporary = temporary is not None and place.parent == temporary
    return is_in_store(place) or is_temporary or place.name.startswith(("scratch-", "embedlab-"))


def _temporary() -> Path | None:
    try:
        return Path(tempfile.gettempdir())
    except OSError:
        return None
