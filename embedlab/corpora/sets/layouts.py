"""Folders and zips of queries, documents and judgements, as BEIR and the hub lay them out: which file is what."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from embedlab.archives import member_path, unpack_into, zip_names
from embedlab.corpora.files import read_table
from embedlab.corpora.formats.folders import FORMATS, SPLITS, format_of, joined, same_split, words_of
from embedlab.corpora.notes import ReadOptions
from embedlab.corpora.tables import Table
from embedlab.damage import damage_said
from embedlab.errors import CorpusError
from embedlab.progress import Progress
from embedlab.reader_process import read_limited

_ENDINGS = (*FORMATS, ".trec", ".qrels", ".qrel")
_ROLES = {
    "documents": {"corpus", "documents", "docs", "collection", "passages"},
    "queries": {"queries", "query", "topics"},
    "qrels": {"qrels", "qrel", "judgements", "judgments", "relevance"},
}
_DEEP = 5  # folders that are looked into: from the hub's cache to a file in corpus/ of a commit


@dataclass(frozen=True)
class RetrievalFiles:
    """The files of one data set; judgements by split, ``""`` where no name tells one."""

    name: str
    documents: list[Path]
    queries: list[Path]
    qrels: dict[str, list[Path]]

    def of_split(self, split: str | None, usual: Sequence[str]) -> tuple[str, list[Path]]:
        """The judgements of that split, else of the first usual one, else of the only one."""
        alike = {same_split(name): name for name in self.qrels}
        only = [next(iter(self.qrels))] if len(self.qrels) == 1 else []
        candidates = [*usual, *only] if split is None else [split]
        chosen = next((alike[name] for name in map(same_split, candidates) if name in alike), None)
        if chosen is None:
            there = ", ".join(name or "(unnamed)" for name in sorted(self.qrels)) or "none"
            raise CorpusError(
                "E-SPLIT",
                f"{self.name!r} has documents but no judgments for the split {split or usual[0]!r}. It has: {there}. "
                "Choose one with --split, or put the judgments (qrels/test.tsv) into the folder.",
            )
        return chosen, self.qrels[chosen]

    def joined(self, paths: list[Path], options: ReadOptions, progress: Progress) -> Table:
        """The rows of these files, one after the other."""
        tables = [read_table(path, options, progress).sound(options) for path in paths]
        return tables[0] if len(tables) == 1 else joined(tables, self.name, f"{len(paths)} files")

    def sentence(self, qrels: list[Path]) -> str:
        """Which files they are."""
        parts = {"documents": self.documents, "queries": self.queries, "judgements": qrels}
        return ", ".join(
            f"{what} from {paths[0].name!r}" + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
            for what, paths in parts.items()
            if paths
        )


@contextmanager
def unpacked_if_zip(path: Path, name: str) -> Iterator[RetrievalFiles | None]:
    """The data set of a folder or zip; None of any other file. A zip is unpacked aside for that long."""
    with damage_said(name):
        members = map(member_path, zip_names(path, name))
        if path.is_dir():
            yield _of_folder(path, path.name)
        elif "documents" in [_role(each) for each in members if format_of(each) in _ENDINGS]:
            with TemporaryDirectory() as aside:
                arguments = {"folder": aside, "file_name": name}
                read_limited(f"{unpack_into.__module__}:unpack_into", path, arguments, name=name)
                yield _of_folder(Path(aside), name)
        else:
            yield None


def files_beside(path: Path) -> RetrievalFiles | None:
    """The data set that a file of judgements lies in: its folder, or the one above ``qrels``; None without one."""
    folder = path.absolute().parent
    folder = folder.parent if folder.name.casefold() in _ROLES["qrels"] else folder
    files = [file for file in _files(folder, deep=1) if _root(file) == PurePosixPath() or _role(file) == "qrels"]
    return _found(folder, files, folder.name)


def _of_folder(folder: Path, name: str) -> RetrievalFiles:
    if (dataset := _found(folder, _files(folder), name)) is None:
        raise CorpusError(
            "E-SET-FOLDER",
            f"{name!r} is a folder without documents. Expected: corpus.jsonl (_id, title, text), queries.jsonl "
            "(_id, text) and qrels/test.tsv (query-id, corpus-id, score), as in BEIR; also as .gz, .csv or .parquet. "
            "Or give a file.",
        )
    return dataset


def _found(folder: Path, files: list[PurePosixPath], name: str) -> RetrievalFiles | None:
    """Which of the files plays which role; None where none holds documents."""
    of_role = {role: [file for file in files if _role(file) == role] for role in _ROLES}
    newest = {}  # of the commits of one repository in the hub's cache, which stand together
    for root in sorted(set(map(_root, of_role["documents"])), key=lambda root: (folder / root).stat().st_mtime):
        newest[root.parent if root.parent.name == "snapshots" else root] = root
    roots = list(newest.values())
    if not roots:
        return None
    if len(roots) > 1:
        message = f"{name!r} holds {len(roots)} data sets: {', '.join(sorted(map(str, roots))[:8])}."
        raise CorpusError("E-SET-FOLDER", f"{message} Give one of them.")
    root = roots[0]
    documents, queries = (
        [folder / file for file in _one_format([each for each in of_role[role] if _root(each) == root])]
        for role in ("documents", "queries")
    )
    here = [file for file in of_role["qrels"] if file.is_relative_to(root)] or of_role["qrels"]
    paths = [folder / file for file in _one_format(here)]
    paths = paths or [sibling / file for sibling in _siblings(folder / root) for file in _one_format(_files(sibling))]
    qrels: dict[str, list[Path]] = {}
    for path in paths:
        qrels.setdefault(_split(PurePosixPath(path)), []).append(path)
    if len(qrels) > 1 and set(qrels) & set(SPLITS):
        qrels = {split: split_paths for split, split_paths in qrels.items() if split in SPLITS}
    return RetrievalFiles(name, documents, queries, qrels)


def _files(folder: Path, *, deep: int = _DEEP) -> list[PurePosixPath]:
    """The tables in it, links followed, as paths within it."""
    tables, seen = [], set()
    for current, folders, names in os.walk(folder, followlinks=True):
        within = Path(current).relative_to(folder)
        if os.path.realpath(current) in seen or len(within.parts) > deep:
            folders.clear()
            continue
        seen.add(os.path.realpath(current))
        folders[:] = sorted(each for each in folders if not each.startswith((".", "__MACOSX")))
        paths = (PurePosixPath(within.as_posix(), each) for each in sorted(names) if not each.startswith("."))
        tables += [path for path in paths if format_of(path) in _ENDINGS and (folder / path).is_file()]
    return tables


def _role(path: PurePosixPath) -> str | None:
    """The role of a file, by the nearest of its name and its folders that tells; judgements where only a split does."""
    if format_of(path) in (".trec", ".qrels", ".qrel"):
        return "qrels"
    for part in reversed(path.parts):
        words = words_of(part)
        for role, names in _ROLES.items():
            if names.intersection(words) and not (role != "qrels" and "qrels" in words):
                return role
    return "qrels" if _split(path) in SPLITS else None


def _split(path: PurePosixPath) -> str:
    return next((word for word in words_of(path.name) if word in SPLITS), "")


def _root(path: PurePosixPath) -> PurePosixPath:
    """The folder of the data set: without ``corpus`` or ``queries``, where a part has a folder of its own."""
    parent = path.parent
    is_part = (_ROLES["documents"] | _ROLES["queries"]).intersection(words_of(parent.name))
    return parent.parent if is_part else parent


def _siblings(root: Path) -> list[Path]:
    """The folders of a BEIR data set's judgements, which the hub keeps in a repository of their own."""
    root = root.absolute()
    if root.parent.name == "snapshots":
        cached = root.parent.parent
        return sorted(cached.with_name(f"{cached.name}-qrels").glob("snapshots/*"))[-1:]
    sibling = root.with_name(f"{root.name}-qrels")
    return [sibling] if sibling.is_dir() else []


def _one_format(files: Sequence[PurePosixPath]) -> list[PurePosixPath]:
    """The files of the preferred format: the same rows in two formats are read once."""
    first = min((_ENDINGS.index(format_of(file)) for file in files), default=0)
    return [file for file in files if format_of(file) == _ENDINGS[first]]
