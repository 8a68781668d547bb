"""Refusals of the machine (``machine_refusals.py``) as sentences that name the file or folder that is refused."""

import errno
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from embedlab.errors import EmbedlabError, StoreError, UserError
from embedlab.limits import LIMITS
from embedlab.machine_refusals import CLOSED, DISK_FULL, READ_ONLY, Refusal, TooLargeToRead, refusal_of
from embedlab.progress import Progress
from embedlab.store_root import LostStore, is_in_store, named_root, require_regular


def trouble_said(error: BaseException, *, name: str = "", path: Path | None = None) -> EmbedlabError | None:
    """Return the sentence for what the machine refused; None if it refused nothing, as with damaged bytes.

    ``name`` is what the user calls the file that is being read, and ``path`` where it lies, as far as that is known:
    without a path in the error they tell whose refusal it is.
    """
    if isinstance(error, RuntimeError) and "home directory" in str(error):  # of Path.expanduser
        return UserError(
            "E-PATH", "A path begins with ~ and a user that this computer does not have. Write it in full."
        )
    refusal = refusal_of(error)
    if refusal is None:
        return None
    named = (getattr(error, name, None) for name in ("filename", "filename2"))
    paths = [Path(os.fsdecode(each)) for each in named if isinstance(each, str | bytes)]
    if refusal is DISK_FULL:
        return _full(paths)
    if refusal is READ_ONLY:
        return not_writable(error, paths)
    if refusal is CLOSED:
        return _closed_to_us(error, paths, name, path)
    return refused(refusal, error, what=repr(name) if name else repr(str(paths[-1])) if paths else "A file")


def refused(refusal: Refusal, error: BaseException, *, what: str = "A file") -> EmbedlabError:
    """Return the sentence of a row about ``what``, a file."""
    why = getattr(error, "strerror", None) or "the system refuses it"
    message = refusal.sentence.format(what=what, why=f"{why[0].lower()}{why[1:]}".rstrip("."))
    if refusal.exit_code == EmbedlabError.exit_code:
        return EmbedlabError(refusal.code, message)
    kind = UserError if refusal.about_file else StoreError
    return kind(refusal.code, message)


def _full(paths: Sequence[Path]) -> UserError:
    target = next((refused for refused in paths if not _is_ours(refused)), None)
    ours = f"in the store ({named_root()}) or for temporary files ({_temporary()})"
    where = ours if target is None else f"for {target}"
    return StoreError(  # which never blames the file that is being read
        DISK_FULL.code,
        f"The disk is full: there is no space left {where}. Free some space there, or set EMBEDLAB_HOME and TMPDIR "
        f"to folders on another disk.",
    )


def _closed_to_us(error: BaseException, paths: Sequence[Path], name: str, path: Path | None) -> UserError | None:
    if path is not None and (not is_in_store(path) or _is_upload(path)):
        for refused in paths:
            if refused.absolute().is_relative_to(path.absolute()):
                return _closed(refused, name if refused == path else "")
    if any(_is_ours(refused) for refused in paths) or (not paths and str(named_root()) in str(error)):
        return not_writable(error, paths)
    if paths:
        return _closed(paths[-1], name if _is_upload(paths[-1]) else "", reading=bool(name))
    if path is None:
        return None
    return not_writable(error) if os.access(path, os.R_OK) else _closed(path, name)  # what is readable was not refused


@contextmanager
def kept_if_possible(progress: Progress, *, is_cache: bool = False) -> Iterator[None]:
    """Around what keeps a measurement: where the store cannot be written to, a progress with ``not_kept`` is given the
    reason, and the measurement goes on. A worker has no such progress: what it cannot keep, nobody sees.

    ``is_cache``: it is made again whenever it is needed, so nobody hears of it.
    """
    try:
        yield
    except (OSError, LostStore) as error:
        not_kept = getattr(progress, "not_kept", None)
        is_ours = isinstance(error, EmbedlabError)  # as a damaged file, which is also an OSError
        reason = error if isinstance(error, LostStore) else None if is_ours else trouble_said(error)
        if not isinstance(reason, UserError) or (not_kept is None and not is_cache):
            raise
        if not_kept is not None and not is_cache:
            not_kept(reason)


def small_file(path: Path) -> bytes:
    """The content of a file that a user names and that is read as a whole.

    Raises
    ------
    OSError
        also where it is a pipe or device, which may never end, or is too large to be read so.
    """
    path, most = path.expanduser(), LIMITS.small_file_bytes
    require_regular(path)
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise TooLargeToRead(errno.EFBIG, f"it has more than {most:,} bytes", str(path))
    return content


def not_writable(error: BaseException | None = None, paths: Sequence[Path] = ()) -> UserError:
    """The error for a store that cannot be written to."""
    why = getattr(error, "strerror", None) or "you have no permission, or its disk is read-only"
    where = next((refused for refused in paths if not _is_ours(refused)), named_root())
    what = "The store" if where == named_root() else "The output folder"
    return StoreError(
        "E-STORE-WRITE",
        f"{what} ({where}) cannot be written to: {why.lower()}. Make it writable, or set EMBEDLAB_HOME to a folder "
        f"that is.",
    )


def refuse_closed_folders(folder: Path, name: str) -> None:
    """Refuse a user's folder if one inside it is not readable: its files would be left out silently.

    Raises
    ------
    UserError
        the system does not let us look into it, or into one below.
    """

    def refused(error: OSError) -> None:
        raise trouble_said(error, name=name, path=folder) or error

    for _ in os.walk(folder, onerror=refused, followlinks=False):
        pass


def _closed(refused: Path, name: str, *, reading: bool = True) -> UserError:
    label = name or refused.name or str(refused)
    if not reading and refused.suffix in (".part", ".old"):  # names of ours, in a folder of the user's
        refused = refused.parent
    is_folder = False
    with suppress(OSError):
        is_folder = refused.is_dir()
    if not reading:
        message = f"You have no permission to open or write {str(refused)!r}. Choose another place, or ask its owner."
    elif is_folder:
        message = f"You have no permission to list the folder {label!r}."
        message += " Ask its owner, or grant it to yourself: chmod u+rx."
    else:
        message = f"You have no permission to read {label!r}, so its content is unknown."
        message += " Ask its owner, or grant it to yourself: chmod u+r."
    return StoreError("E-FOLDER-PERMISSION" if is_folder else "E-FILE-PERMISSION", message)


def _is_upload(path: Path) -> bool:
    """Whether it is a file of the user's, which lies in the store."""
    return path.parent == named_root().resolve() / "uploads"


def _is_ours(path: Path) -> bool:
    """Whether it lies in the store, or among a process's temporary files."""
    return not _is_upload(path) and (is_in_store(path) or path.parent == _temporary())


def _temporary() -> Path | None:
    try:
        return Path(tempfile.gettempdir())
    except OSError:
        return None
