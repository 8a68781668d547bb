"""How much of a file is read: its rows, its columns and its bytes once unpacked; more is refused in a sentence."""

from embedlab.errors import CorpusError
from embedlab.limits import LIMITS
from embedlab.numbers import mebibytes


def check_rows(rows: int, name: str) -> None:
    """Refuse more rows than a corpus may have."""
    if rows > LIMITS.rows:
        raise CorpusError("E-TOO-MANY-ROWS", f"{name!r} has more than {LIMITS.rows:,} rows. Take a sample of it.")


def check_columns(columns: int, name: str) -> None:
    """Refuse more columns than a table may have."""
    if columns > LIMITS.columns:
        raise CorpusError("E-TOO-BIG", f"{name!r} has {columns:,} columns; at most {LIMITS.columns:,} are read.")


def check_unpacked(size: int, packed: int, name: str, *, code: str, advice: str) -> None:
    """Refuse, while it is unpacked, what becomes too many bytes, or too many for those on the disk, as a bomb does."""
    is_bomb = size > LIMITS.archive_ratio_from_bytes and size > LIMITS.archive_ratio * packed
    if size > LIMITS.archive_bytes or is_bomb:
        message = f"{name!r} ({mebibytes(packed)}) unpacks to more than its limit"
        raise CorpusError(code, f"{message} (stopped at {size / 2**20:,.0f} MiB). {advice}")
