"""Which files of a folder of tables make one corpus, on the hub or the disk, and their rows as one table."""

import re
from pathlib import PurePosixPath

import pyarrow as pa

from embedlab.corpora.tables import Table
from embedlab.errors import CorpusError
from embedlab.hub import HubFile
from embedlab.store_root import by_number

FORMATS = (".parquet", ".jsonl", ".json", ".csv", ".tsv", ".txt")  # preferred in this order
SPLITS = ("train", "test", "validation", "valid", "val", "dev")
_NOT_ROWS = frozenset({"dataset_infos.json", "dataset_info.json", "state.json", "requirements.txt", "license.txt"})


def choose_files(files: list[HubFile], dataset: str, *, split: str | None = None) -> tuple[list[HubFile], str]:
    """The files that make one corpus: one format, one configuration, one split; and the sentence that says so."""
    tables = [file for file in files if _is_table(file)]
    if not tables:
        message = f"{dataset!r} has no data files ({', '.join(FORMATS)}), only {_listed([f.path for f in files])}."
        raise CorpusError("E-NOT-A-TABLE", f"{message} Choose another data set.")
    suffix = next(found for found in FORMATS if any(format_of(file.path) == found for file in tables))
    tables = [file for file in tables if format_of(file.path) == suffix]
    groups = sorted({group_of(file) for file in tables})
    group = next((name for name in ("", "default") if name in groups), groups[0])
    tables = [file for file in tables if group_of(file) == group]
    splits = sorted({split_of(file) for file in tables})
    chosen_split = split if split in splits else next((name for name in (*SPLITS, "") if name in splits), "")
    chosen = sorted((file for file in tables if split_of(file) == chosen_split), key=lambda file: by_number(file.path))
    said = f"Read {_listed([file.path for file in chosen])}."
    left = [name for name in splits if name and name != chosen_split] + [name for name in groups if name != group]
    return chosen, said + (f" Not read: {_listed(left)}." if left else "")


def joined(tables: list[Table], name: str, sentence: str) -> Table:
    """The rows of several files, one after the other; ``sentence`` says which files they are."""
    columns = pa.concat_tables([table.columns for table in tables], promote_options="permissive")
    reports = [each.report for each in tables]
    report = reports[0].having(
        rows=sum(each.rows for each in reports),
        left_out=tuple(left for each in reports for left in each.left_out),
        doubts=tuple(doubt for each in reports for doubt in each.doubts),
    )
    table = Table(columns, name, [note for each in tables for note in each.notes], report)
    table.say("I-FILES", sentence)
    table.remark(sentence.rstrip("."))
    return table


def format_of(path: str | PurePosixPath) -> str:
    """The ending, without that of gzip."""
    return PurePosixPath(str(path).removesuffix(".gz")).suffix.casefold()


def words_of(name: str) -> list[str]:
    """The words that a file's or folder's name is made of."""
    return re.split(r"[^a-z]+", name.casefold())


def split_of(file: HubFile) -> str:
    """train, test … as it stands in the file's name or else in a folder's; ``""`` if nowhere."""
    words = (word for part in reversed(PurePosixPath(file.path).parts) for word in words_of(part))
    return same_split(next((word for word in words if word in SPLITS), ""))


def same_split(name: str) -> str:
    """One name for the splits that go by several."""
    return "validation" if name in ("valid", "val", "dev") else name


def group_of(file: HubFile) -> str:
    """The folder that several configurations of a data set lie in, without a folder named like a split."""
    folders = PurePosixPath(file.path).parent.parts
    return "/".join(folder for folder in folders if folder not in (*SPLITS, "data"))


def _is_table(file: HubFile) -> bool:
    parts = PurePosixPath(file.path).parts
    is_odd = "\\" in file.path or "\0" in file.path or file.path.startswith("/") or ".." in parts
    is_hidden = any(part.startswith(".") for part in parts)
    return format_of(file.path) in FORMATS and not is_odd and not is_hidden and parts[-1].casefold() not in _NOT_ROWS


def _listed(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "") if names else "nothing"
