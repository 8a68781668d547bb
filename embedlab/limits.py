"""Every size and time limit, and the sentences for what exceeds a corpus's limits."""

from dataclasses import dataclass

from embedlab.errors import CorpusError
from embedlab.numbers import mebibytes


@dataclass(frozen=True)
class Limits:
    """Sizes that the app accepts and times that it waits; bytes and seconds unless named otherwise."""

    upload_bytes: int = 200 * 2**20
    rows: int = 5_000_000
    columns: int = 2_000
    text_characters: int = 1_000_000
    archive_bytes: int = 2 * 2**30
    archive_members: int = 200_000
    archive_ratio: int = 200
    archive_ratio_from_bytes: int = 50 * 2**20
    config_bytes: int = 2**20
    small_file_bytes: int = 20 * 2**20  # of settings, lessons and lists that are read as a whole
    safetensors_header_bytes: int = 20 * 2**20
    language_model_parameters: int = 80_000_000_000
    language_model_bytes: int = 160_000_000_000
    endpoint_answer_bytes: int = 2**20
    short_context: int = 512  # tokens; of encoders that read no more, no default is fitted to time or texts
    evaluated_texts: int = 150_000  # labelled; of more a stratified sample is evaluated
    fold_texts: int = 150_000
    live_share_of_time: float = 0.2
    map_neighbors: int = 90
    mapped_rows: int = 100_000  # of a larger corpus texts are mapped from the disk
    exact_neighbors: int = 150_000  # texts; more have approximate neighbors on a CPU
    neighbor_recall: float = 0.95  # of the 15 nearest, at least
    recall_queries: int = 1_000
    kept_vectors_bytes: int = 2 * 2**30  # of untouched encoders, beside a corpus
    preview_texts: int = 50_000  # drawn first of a larger corpus
    mapped_texts: int = 500_000  # of a larger corpus a stratified sample of ``preview_texts`` is all that is drawn
    class_matrix: int = 300
    ask_idle_seconds: int = 300
    download_timeout_seconds: int = 30
    reading_seconds: int = 8  # of processor time for one file, and as many again per mebibyte of it (reader_process.py)
    reading_seconds_most: int = 3_600
    reading_clock_seconds: int = 30  # and six times the processor's
    reading_bytes: int = 768 * 2**20  # of memory, and so many times the size of the file
    reading_bytes_per_byte: int = 64
    reading_bytes_most: int = 4 * 2**30  # or half of the machine's memory

    @property
    def encoder_parameters(self) -> int:
        """As many as this machine's memory holds in fp32, two billion at least."""
        import psutil  # which the list of runs is shown without

        return max(2_000_000_000, psutil.virtual_memory().total // 4)


LIMITS = Limits()


def check_rows(rows: int, name: str) -> None:
    """Refuse more rows than a corpus may have."""
    if rows > LIMITS.rows:
        raise CorpusError("E-TOO-MANY-ROWS", f"{name!r} has more than {LIMITS.rows:,} rows. Take a sample of it.")


def check_columns(columns: int, name: str) -> None:
    """Refuse more columns than a table may have."""
    if columns > LIMITS.columns:
        raise CorpusError("E-TOO-BIG", f"{name!r} has {columns:,} columns; at most {LIMITS.columns:,} are read.")


def check_unpacked(size: int, packed: int, name: str, *, code: str, advice: str) -> None:
    """Refuse, while unpacking, what becomes too large, or too large for its compressed size, like a zip bomb."""
    is_bomb = size > LIMITS.archive_ratio_from_bytes and size > LIMITS.archive_ratio * packed
    if size > LIMITS.archive_bytes or is_bomb:
        message = f"{name!r} ({mebibytes(packed)}) unpacks to more than its limit"
        raise CorpusError(code, f"{message} (stopped at {size / 2**20:,.0f} MiB). {advice}")
