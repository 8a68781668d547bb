"""Zips of strangers: their names, and their members after the zip was found honest; what unpacks is counted."""

import stat
import zipfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path, PurePosixPath

from embedlab.damage import damage_said
from embedlab.errors import CorpusError
from embedlab.limits import LIMITS, check_unpacked
from embedlab.progress import Progress
from embedlab.reader_process import read_limited
from embedlab.reader_worker import Answer


def zip_names(path: Path, name: str = "") -> list[str]:
    """The names in a zip; none of any other file."""
    if not path.is_file() or not zipfile.is_zipfile(path):
        return []
    name = name or path.name
    return read_limited(f"{__name__}:listed_names", path, {"file_name": name}, name=name)[0]["names"]


def listed_names(path: Path, *, file_name: str, progress: Progress) -> Answer:
    """In the process that reads: the names in a zip, whose directory may be as long as the file."""
    with damage_said(file_name, path), zipfile.ZipFile(path) as archive:
        return {"names": archive.namelist()[: LIMITS.archive_members]}, None


def checked_members(archive: zipfile.ZipFile, path: Path, *, name: str) -> Iterator[tuple[zipfile.ZipInfo, bytes]]:
    """Every file of a zip with its bytes, after the zip was found honest; what unpacks is counted as it comes."""
    refuse_dishonest(archive, name)
    unpacked, packed = 0, max(1, path.stat().st_size)
    for member in archive.infolist():
        if member.is_dir():
            continue
        parts = []
        with archive.open(member) as file:
            while part := file.read(2**20):
                parts.append(part)
                unpacked += len(part)
                advice = "Give the path of the unpacked folder."
                check_unpacked(unpacked, packed, name, code="E-ARCHIVE-TOO-BIG", advice=advice)
        yield member, b"".join(parts)


def refuse_dishonest(archive: zipfile.ZipFile, name: str) -> None:
    """Refuse what nobody zips to be read: too many members, passwords, links, devices, and members that share bytes.

    That is how 27 kB become 500 MB; older Pythons read them without complaint.
    """
    members = archive.infolist()
    if len(members) > LIMITS.archive_members:
        message = f"{name!r} has {len(members):,} members; at most {LIMITS.archive_members:,} are read."
        raise CorpusError("E-ARCHIVE-TOO-BIG", message)
    for member in members:
        mode = member.external_attr >> 16
        if member.flag_bits & 0x1:
            raise CorpusError("E-ARCHIVE-ENCRYPTED", f"{name!r} is encrypted. Zip it again without a password.")
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
            message = f"{name!r} contains a link or device ({member.filename[:80]!r}). Zip the files themselves."
            raise CorpusError("E-ARCHIVE-LINK", message)
    # a header of at least 30 bytes is before each member
    ranges = ((each.header_offset, each.header_offset + 30 + each.compress_size) for each in members)
    for (_, end), (following, _) in pairwise([*sorted(ranges), (archive.start_dir, 0)]):
        if end > following:
            message = f"Members of {name!r} overlap, as in a zip bomb. Zip the files again."
            raise CorpusError("E-ARCHIVE-OVERLAP", message)


def unpack_into(path: Path, *, folder: str, file_name: str, progress: Progress) -> Answer:
    """In the process that reads: write the members of a zip into a folder."""
    with damage_said(file_name, path), zipfile.ZipFile(path) as archive:
        for member, content in checked_members(archive, path, name=file_name):
            target = Path(folder) / member_path(member.filename)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    return {}, None


def member_path(name: str) -> PurePosixPath:
    """The name of a zip's member as folders and file within the zip, whatever it tries."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    parts = [part if len(part.encode()) < 256 else part[-60:] for part in parts]  # that a disk can hold
    return PurePosixPath(*parts) if parts else PurePosixPath("unnamed")
