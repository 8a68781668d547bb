"""Folders of files: text files in class folders, on disk or unpacked from a zip, or tables of one split.

The class of a text is its first folder; tables lie on the hub as on the disk.
"""

import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path, PurePath, PurePosixPath

import pyarrow as pa

from embedlab.corpora.formats.characters import TextFile
from embedlab.corpora.names import SPLIT_NAMES
from embedlab.corpora.notes import LeftOut
from embedlab.corpora.tables import Table, require
from embedlab.errors import CorpusError
from embedlab.hub import HubFile
from embedlab.limits import LIMITS
from embedlab.numbers import by_number, counted, gibibytes
from embedlab.progress import Progress, silent

FORMATS = (".parquet", ".jsonl", ".json", ".csv", ".tsv", ".txt")  # preferred in this order
SPLITS = ("train", "test", "validation", "valid", "val", "dev")
_NOT_ROWS = frozenset({"dataset_infos.json", "dataset_info.json", "state.json", "requirements.txt", "license.txt"})
_TEXT_SUFFIXES = frozenset({".txt", ".text", ".md", ".rst", ""})
_ARCHIVE_SUFFIXES = frozenset({".zip", ".gz", ".tgz", ".tar", ".7z", ".rar", ".bz2", ".xz", ".zst", ".jar"})
_JUNK = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".git"})
_ABOUT = frozenset({"readme", "license", "licence", "copying", "changelog"})  # of a folder, beside its classes
_UNLABELLED = frozenset({"unsup", "unsupervised", "unlabeled", "unlabelled"})  # folders of texts without a class


def read_folder(folder: Path, name: str, *, encoding: str | None = None, progress: Progress = silent) -> Table:
    """The text files of a folder, sorted; of links only those that stay in it or lead into a hub's cache."""
    files, links = files_of(folder)
    paths, texts, spelled = [], [], []
    left = Counter({"links to files or folders elsewhere (copy them, or give the folder they point to)": links})
    for done, path in enumerate(map(PurePosixPath, files)):
        progress(f"Reading {name}", done, len(files))
        if reason := _ignored(path, name):
            left[reason] += 1
            continue
        file = TextFile(partial(io.BytesIO, (folder / path).read_bytes()), str(path), encoding)
        paths.append(path)
        texts.append(file.whole())
        spelled.append(file.spelling)
    if not texts:
        others = f", only {_counted(left)}" if left.total() else ""
        raise CorpusError("E-NO-TEXTS", f"{name!r} contains no text files (.txt, .md){others}. Choose another folder.")
    labels, splits, keep = _classes(paths)
    left["files outside the class folders"] += len(paths) - len(keep)
    names, kinds = ("text", "label", "split", "file"), (pa.large_string(), *[pa.string()] * 3)
    whole = pa.table([texts, labels, splits, list(map(str, paths))], pa.schema(zip(names, kinds, strict=True)))
    filled = [name for name in names if name in ("text", "file") or whole[name].null_count < len(paths)]
    table = Table(whole.select(filled).take(pa.array(keep, pa.int64())), name)
    if left.total():
        table.say("W-IGNORED", f"Left out: {_counted(left)}.")
    if notes := [note for spelling in spelled for note in spelling.notes]:
        table.say("W-ENCODING", notes[0].message + (f" {len(notes) - 1} more such files." if len(notes) > 1 else ""))
    table.report = table.report.having(
        format="folder of text files",
        encoding=", ".join(sorted({spelling.encoding for spelling in spelled})),
        rows=len(keep) + left.total(),
        left_out=tuple(LeftOut(rows=number, reason=reason) for reason, number in left.items() if number),
        remarks=("each folder is a class",) if any(labels) else (),
    )
    return table


def files_of(folder: Path) -> tuple[list[Path], int]:
    """The files in it, as paths within it, and how many links to elsewhere were left out."""
    paths, total, links = [], 0, 0
    root = folder.resolve()
    repository = root.parent.parent  # whose folder blobs the links in …/snapshots/<commit> of the hub's cache lead to
    is_snapshot = root.parent.name == "snapshots" and repository.name.partition("--")[0] in ("datasets", "models")
    inside = repository / "blobs" if is_snapshot and (repository / "blobs").is_dir() else root
    for path in sorted(root.rglob("*")):
        if path.is_symlink() and not (path.is_file() and path.resolve().is_relative_to(inside)):
            links += 1
        elif path.is_file():
            total += path.stat().st_size
            paths.append(path.relative_to(root))
            if total > LIMITS.archive_bytes or len(paths) > LIMITS.archive_members:
                limit = f"{LIMITS.archive_members:,} files or {gibibytes(LIMITS.archive_bytes)}"
                raise CorpusError("E-TOO-BIG", f"Folder {folder.name!r} holds more than {limit}. Choose a smaller one.")
    return paths, links


def holds_tables(paths: Iterable[PurePath]) -> bool:
    """Whether tables are among these files and, but for what explains them, no texts."""
    names = [path for path in paths if not _JUNK & set(path.parts)]
    is_text = {path: path.suffix.casefold() in _TEXT_SUFFIXES - {""} for path in names}
    texts = (path for path in names if is_text[path] and path.stem.casefold() not in _ABOUT)
    return not any(texts) and any(not is_text[path] and format_of(path.as_posix()) in FORMATS for path in names)


def _counted(left: Counter) -> str:
    one = {reason: reason.replace("files", "file", 1) for reason in left}
    return ", ".join(counted(number, one[reason], reason) for reason, number in left.items() if number)


def _ignored(path: PurePosixPath, name: str) -> str | None:
    """The reason to leave a file out, or None; an archive within an archive is refused."""
    if _JUNK & set(path.parts) or path.name.startswith("._"):
        return "operating system files"
    if any(part.startswith(".") and part.strip(". ") for part in path.parts):
        return "hidden files"
    suffix = path.suffix.casefold()
    if suffix in _ARCHIVE_SUFFIXES:
        message = f"{name!r} contains another archive ({str(path)[:80]!r}). Unpack it first."
        raise CorpusError("E-ARCHIVE-NESTED", message)
    return None if suffix in _TEXT_SUFFIXES or suffix[1:].isdigit() else f"{suffix[:10]} files"


def _classes(paths: list[PurePosixPath]) -> tuple[list[str | None], list[str | None], list[int]]:
    """The class and the split of each file, and which files are texts of the corpus.

    The class is the first folder below a folder that all share; of folders such as ``train/pos`` and ``test/neg`` it is
    the second, and the first is the split. Files beside class folders that lie in splits (lists of addresses), and what
    explains the folder or states its licence, are no texts.
    """
    parts = [path.parts for path in paths]
    while len({p[0] for p in parts}) == 1 and all(len(p) > 1 for p in parts):
        parts = [p[1:] for p in parts]
    first, second = ([p[depth] if len(p) > depth + 1 else None for p in parts] for depth in (0, 1))
    nothing: list[str | None] = [None] * len(parts)
    has_folders, has_inner = any(first), any(second)
    if _are_splits(first):
        splits, labels = first, second
        keep = [row for row, p in enumerate(parts) if len(p) > 1 + has_inner]
    else:
        splits, labels = (second if _are_splits(second) else nothing), first
        is_about = [has_folders and len(p) == 1 and PurePosixPath(p[0]).stem.casefold() in _ABOUT for p in parts]
        keep = [row for row, is_out in enumerate(is_about) if not is_out]
    labels = [None if label is not None and label.casefold() in _UNLABELLED else label for label in labels]
    return labels, splits, keep


def _are_splits(folders: Sequence[str | None]) -> bool:
    names = {folder.casefold() for folder in folders if folder is not None}
    return bool(names) and names <= set(SPLIT_NAMES)


def choose_files(
    files: list[HubFile], dataset: str, *, configuration: str = "", split: str = "", usual: Sequence[str] = ()
) -> tuple[list[HubFile], str]:
    """The files that make one corpus: one format, one configuration, one split; and the sentence that says so.

    Without ``split`` the first of the ``usual`` ones that is there, else of ``SPLITS``.
    """
    tables = [file for file in files if _is_table(file)]
    if not tables:
        message = f"{dataset!r} has no data files ({', '.join(FORMATS)}), only {_listed([f.path for f in files])}."
        raise CorpusError("E-NOT-A-TABLE", f"{message} Choose another data set.")
    suffix = next(ending for ending in FORMATS if any(format_of(file.path) == ending for file in tables))
    tables = [file for file in tables if format_of(file.path) == suffix]
    groups = sorted({group_of(file) for file in tables})
    group = configuration or next((name for name in ("", "default") if name in groups), groups[0])
    require(group, groups, "configuration", dataset)
    tables = [file for file in tables if group_of(file) == group]
    splits = sorted({split_of(file) for file in tables})
    order = (*map(same_split, usual), *SPLITS, "")
    chosen_split = same_split(split) or next((name for name in order if name in splits), "")
    require(chosen_split, splits, "split", dataset)
    chosen = sorted((file for file in tables if split_of(file) == chosen_split), key=lambda file: by_number(file.path))
    sentence = f"Read {_listed([file.path for file in chosen])}."
    left = [name for name in splits if name and name != chosen_split] + [name for name in groups if name != group]
    return chosen, sentence + (f" Not read: {_listed(left)}." if left else "")


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
    return "/".join(each for each in PurePosixPath(file.path).parent.parts if each not in (*SPLITS, "data"))


def _is_table(file: HubFile) -> bool:
    parts = PurePosixPath(file.path).parts
    is_odd = "\\" in file.path or "\0" in file.path or file.path.startswith("/") or ".." in parts
    is_hidden = any(part.startswith(".") for part in parts)
    return format_of(file.path) in FORMATS and not is_odd and not is_hidden and parts[-1].casefold() not in _NOT_ROWS


def _listed(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "") if names else "nothing"
