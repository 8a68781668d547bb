"""Text files in class folders, on disk or in a zip that is never extracted: the class is the first folder."""

import stat
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pyarrow as pa

from embedlab.corpora.decoding import decoded
from embedlab.corpora.notes import Note
from embedlab.corpora.tables import Table
from embedlab.errors import CorpusError
from embedlab.limits import LIMITS
from embedlab.progress import Progress, silent

_TEXT_SUFFIXES = frozenset({".txt", ".text", ".md", ".rst", ""})
_ARCHIVE_SUFFIXES = frozenset({".zip", ".gz", ".tgz", ".tar", ".7z", ".rar", ".bz2", ".xz", ".zst", ".jar"})
_JUNK = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".git"})
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # PK\3\4 … length of the name, length of the extra field


def read_folder(folder: Path, *, encoding: str | None = None, progress: Progress = silent) -> Table:
    """The text files of a folder, sorted; links are not followed out of it."""
    found, total = [], 0
    root = folder.resolve()
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.resolve().is_relative_to(root):
            total += path.stat().st_size
            _check_size(total, len(found) + 1, folder.name)
            found.append(path.relative_to(root))
    members = ((PurePosixPath(path.as_posix()), (root / path).read_bytes) for path in found)
    return _table(members, len(found), name=folder.name or "folder", encoding=encoding, progress=progress)


def read_zip(path: Path, *, name: str, encoding: str | None = None, progress: Progress = silent) -> Table:
    """The text files of a zip; members are read as bytes, their names are labels and nothing else."""
    with zipfile.ZipFile(path) as archive:
        count = len(archive.infolist())
        found = checked_members(archive, path, name=name)
        members = ((_display_path(member), _later(content)) for member, content in found)
        return _table(members, count, name=Path(name).stem, encoding=encoding, progress=progress)


def checked_members(archive: zipfile.ZipFile, path: Path, *, name: str) -> Iterator[tuple[zipfile.ZipInfo, bytes]]:
    """Every file of a zip with its bytes, after the zip was found honest; what unpacks is counted as it comes."""
    members = archive.infolist()
    if len(members) > LIMITS.archive_members:
        message = f"{name!r} has {len(members):,} members; at most {LIMITS.archive_members:,} are read."
        raise CorpusError("E-ARCHIVE-TOO-BIG", message)
    for member in members:
        mode = member.external_attr >> 16
        if member.flag_bits & 0x1:
            raise CorpusError("E-ARCHIVE-ENCRYPTED", f"{name!r} is encrypted. Zip it again without a password.")
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
            message = f"{name!r} holds a link or device ({member.filename[:80]!r}). Zip the files themselves."
            raise CorpusError("E-ARCHIVE-LINK", message)
    _refuse_overlaps(archive, path, name)
    unpacked, packed = 0, max(1, path.stat().st_size)
    for member in members:
        if member.is_dir():
            continue
        parts = []
        with archive.open(member) as file:
            while part := file.read(2**20):
                parts.append(part)
                unpacked += len(part)
                is_bomb = unpacked > LIMITS.archive_ratio_from_bytes and unpacked > LIMITS.archive_ratio * packed
                if unpacked > LIMITS.archive_bytes or is_bomb:
                    message = f"{name!r} unpacks to more than its limit (stopped at {unpacked / 2**20:,.0f} MiB)."
                    raise CorpusError("E-ARCHIVE-TOO-BIG", f"{message} Give the unpacked folder by its path.")
        yield member, b"".join(parts)


def _refuse_overlaps(archive: zipfile.ZipFile, path: Path, name: str) -> None:
    """Members that share bytes are how 27 kB become 500 MB; older Pythons read them without complaint."""
    ranges = []
    with path.open("rb") as file:
        for member in archive.infolist():
            file.seek(max(0, member.header_offset))  # a damaged directory may put it before the file
            header = file.read(_LOCAL_HEADER.size)
            if len(header) < _LOCAL_HEADER.size or not header.startswith(b"PK\x03\x04"):
                raise CorpusError("E-ARCHIVE-BROKEN", f"{name!r} is a damaged zip. Zip it again.")
            _, name_length, extra_length = _LOCAL_HEADER.unpack(header)
            content = member.header_offset + _LOCAL_HEADER.size + name_length + extra_length
            ranges.append((member.header_offset, content + member.compress_size))
    ranges.sort()
    starts = [start for start, _ in ranges[1:]] + [archive.start_dir]
    if any(end > following for (_, end), following in zip(ranges, starts, strict=True)):
        raise CorpusError("E-ARCHIVE-OVERLAP", f"Members of {name!r} overlap, as in a zip bomb. Zip the files again.")


def _table(members, count: int, *, name: str, encoding: str | None, progress: Progress) -> Table:
    paths, texts, notes = [], [], []
    ignored: dict[str, int] = {}
    for done, (path, content) in enumerate(members):
        progress(f"Reading {name}", done, count)
        if reason := _ignored(path, name):
            ignored[reason] = ignored.get(reason, 0) + 1
            continue
        text, guessed = decoded(content(), name=str(path), encoding=encoding)
        paths.append(path)
        texts.append(text)
        notes += guessed
    if not texts:
        found = ", ".join(f"{count} {reason}" for reason, count in ignored.items()) or "nothing"
        raise CorpusError(
            "E-NO-TEXTS", f"{name!r} holds no text files (.txt, .md), only {found}. Choose another folder."
        )
    folders = _class_folders(paths)
    columns = {"text": pa.array(texts, pa.large_string())}
    if any(folders):
        columns["label"] = pa.array(folders, pa.string())
    columns["file"] = pa.array([str(path) for path in paths], pa.string())
    table = Table(pa.table(columns), name)
    if ignored:
        table.say("W-IGNORED", f"Left out: {', '.join(f'{count} {reason}' for reason, count in ignored.items())}.")
    if notes:
        message = f"{notes[0].message} {len(notes) - 1} more such files." if len(notes) > 1 else notes[0].message
        table.notes.append(Note(code="W-ENCODING", message=message))
    return table


def _ignored(path: PurePosixPath, name: str) -> str | None:
    """Why a file is left out, or None; an archive within an archive is refused."""
    if _JUNK & set(path.parts) or path.name.startswith("._"):
        return "files of the operating system"
    suffix = path.suffix.casefold()
    if suffix in _ARCHIVE_SUFFIXES:
        message = f"{name!r} holds another archive ({str(path)[:80]!r}). Unpack it first."
        raise CorpusError("E-ARCHIVE-NESTED", message)
    return None if suffix in _TEXT_SUFFIXES or suffix[1:].isdigit() else f"{suffix[:10]} files"


def _class_folders(paths: list[PurePosixPath]) -> list[str | None]:
    """The first folder of each path, below a folder that all of them share."""
    parts = [path.parts for path in paths]
    while len({p[0] for p in parts}) == 1 and all(len(p) > 1 for p in parts):
        parts = [p[1:] for p in parts]
    return [p[0] if len(p) > 1 else None for p in parts]


def _display_path(member: zipfile.ZipInfo) -> PurePosixPath:
    """A member's name as folders and file, whatever it tries: it is shown, never opened."""
    parts = [part for part in member.filename.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return PurePosixPath(*parts) if parts else PurePosixPath("unnamed")


def _later(content: bytes):
    return lambda: content


def _check_size(size: int, count: int, name: str) -> None:
    if size > LIMITS.archive_bytes or count > LIMITS.archive_members:
        limit = f"{LIMITS.archive_members:,} files or {LIMITS.archive_bytes / 2**30:.0f} GiB"
        raise CorpusError("E-TOO-BIG", f"Folder {name!r} holds more than {limit}. Choose a smaller one.")
