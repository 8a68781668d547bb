"""What the store keeps under its content's fingerprint, with one JSON beside it that says what it is called."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Self, TypeVar

from pydantic import Field

from embedlab.augmentations.fit import TwoViews
from embedlab.config import Config, validated
from embedlab.corpora.notes import Note, ReadingReport
from embedlab.damage import read_table
from embedlab.errors import CorpusError, EmbedlabError
from embedlab.plain_text import clean_name
from embedlab.store_root import read_json, store_root, whole_folder, write_json
from embedlab.trash import move_to_trash
from embedlab.update import update

if TYPE_CHECKING:
    import pyarrow as pa

FINGERPRINT = re.compile(r"[0-9a-f]{16}")
NAME_CHARACTERS = 80


def name_of_missing(reference: str) -> str:
    """The name of a corpus that is not stored: a fingerprint is that of a deleted one."""
    return f"deleted corpus {reference[:6]}" if FINGERPRINT.fullmatch(reference) else reference


class StoredInfo(Config):
    """The description of a stored content, whatever its kind."""

    format: int = 1
    name: str
    fingerprint: str
    source: str = Field(description="Where it came from: a path, docs, a catalog key or hf:owner/name@commit.")
    notes: tuple[Note, ...] = ()
    reading: ReadingReport | None = Field(None, description="How the latest file was read.")


InfoT = TypeVar("InfoT", bound=StoredInfo)


@dataclass(frozen=True)
class ContentStore(Generic[InfoT]):
    """One kind of content."""

    folder: str  # in the store
    file: str  # of the info, in the folder of each content
    info_class: type[InfoT]
    code: str  # of the error where nothing has a fingerprint
    what: str  # in that sentence

    @property
    def called(self) -> str:
        """Return what one content of this kind is called: corpus, evaluation set, pairs."""
        return self.what.rpartition(" ")[0]

    @property
    def root(self) -> Path:
        """The folder of this kind in the store."""
        return store_root() / self.folder

    def info_in(self, folder: Path) -> InfoT:
        """The description in a stored content's folder."""
        return validated(self.info_class, read_json(folder / self.file), where=self.file)

    def holds(self, fingerprint: str) -> bool:
        """Whether it is stored; what is no fingerprint is never a path."""
        return bool(FINGERPRINT.fullmatch(fingerprint)) and (self.root / fingerprint / self.file).is_file()

    def place(self, fingerprint: str) -> Path:
        """The folder of a stored content; refused with what there is."""
        if self.holds(fingerprint):
            return self.root / fingerprint
        stored = ", ".join(f"{info.fingerprint} ({info.name})" for info in self.infos()[:10]) or "none yet"
        raise CorpusError(self.code, f"No stored {self.what} the fingerprint {fingerprint!r}. Stored: {stored}.")

    def infos(self) -> list[InfoT]:
        """The descriptions of all contents that can be read, by name."""
        infos = filter(None, self._stored().values())
        return sorted(infos, key=lambda info: (info.name.casefold(), info.fingerprint))

    def unreadable(self) -> dict[str, str]:
        """The sentence for each of which that JSON is damaged, or made by a newer embedlab, by its fingerprint."""
        why = "cannot be read. Update embedlab if a newer version made it; otherwise add its file again or delete the "
        why += "folder"
        damaged = (each for each, info in self._stored().items() if info is None)
        return {each: f"{self.file} in the store's folder {self.folder}/{each} {why}." for each in damaged}

    def _stored(self) -> dict[str, InfoT | None]:
        """Every content's description by its fingerprint, None where it cannot be read."""
        folders = (file.parent for file in self.root.glob(f"*/{self.file}"))
        return {each.name: self.info_if_whole(each) for each in folders if FINGERPRINT.fullmatch(each.name)}

    def info_if_whole(self, folder: Path) -> InfoT | None:
        """The description in a folder; None where it cannot be read."""
        with suppress(OSError, EmbedlabError):
            return self.info_in(folder)
        return None

    def keep(self, info: InfoT, write: Callable[[Path], None]) -> Path:
        """Store what ``write`` puts into a folder; of content that is there already only what it is called.

        The same content in another file gets that file's name, notes and reading. One whose description is damaged is
        written anew.
        """
        info = info.model_copy(update={"name": clean_name(info.name) or "unnamed"})
        folder = self.root / info.fingerprint
        if not self.holds(info.fingerprint):
            with whole_folder(folder) as temporary:
                write(temporary)
                write_json(temporary / self.file, info.model_dump(mode="json"))
            return folder
        if self.info_if_whole(folder) is None:
            write(folder)

        def changed(existing: InfoT | None) -> InfoT | None:
            return info if existing is None or (info.reading is not None and existing != info) else None

        update(folder / self.file, changed, read=lambda file: self.info_if_whole(folder), write=_write_info)
        return folder

    def rename(self, fingerprint: str, name: str) -> InfoT:
        """Give a content another name: one line of at most 80 characters, not an empty one."""
        name = " ".join(clean_name(name).split())[:NAME_CHARACTERS].strip()
        if not name:
            raise CorpusError("E-NAME", f"A name is needed, of at most {NAME_CHARACTERS} characters.")
        folder = self.place(fingerprint)
        return update(
            folder / self.file,
            lambda info: info.model_copy(update={"name": name}),
            read=lambda file: self.info_in(folder),
            write=_write_info,
        )

    def delete(self, fingerprint: str) -> None:
        """Move it to the trash, from which it can be restored for a day; runs on it stay, without their texts."""
        folder = self.place(fingerprint)
        info = self.info_if_whole(folder)
        move_to_trash(self.called, fingerprint if info is None else info.name, [folder])

    def keep_tables(self, info: InfoT, tables: "dict[str, pa.Table]") -> Path:
        """Store tables, each of which becomes a Parquet file of its name."""
        import pyarrow.parquet as pq

        def write(folder: Path) -> None:
            for name, table in tables.items():
                pq.write_table(table, folder / f"{name}.parquet", compression="zstd")

        return self.keep(info, write)


def _write_info(file: Path, info: StoredInfo | None) -> None:
    assert info is not None, "only a new description is written"
    write_json(file, info.model_dump(mode="json"))


class ClassSize(Config):
    """One class and how many texts carry its label."""

    label: str
    texts: int


class CorpusInfo(StoredInfo):
    """The contents of corpus.json, which describes a stored corpus."""

    rows: int = Field(description="Rows of the file, excluded ones included.")
    texts: int = Field(description="Rows with a text.")
    labelled: int = Field(description="Texts with a label.")
    classes: tuple[ClassSize, ...] = Field(description="By size, largest first, then by name.")
    columns: tuple[str, ...] = Field(description="Further columns, kept for hover and color.")
    roles: dict[str, str | tuple[str, ...] | None] = Field(description="Which column of the source each role was.")
    unlabeled: str | None = Field(description="The label value that meant no label.")
    two_views: TwoViews = Field(description="In at most 2,000 texts, drawn with a fixed seed.")
    licence: str | None = None
    versions: dict[str, str] = {}

    @property
    def has_two_classes(self) -> bool:
        """Whether labels tell texts apart."""
        return len(self.classes) >= 2

    @property
    def has_knn(self) -> bool:
        """Whether kNN accuracy can be measured, if texts differ: by two classes of at least two texts."""
        return sum(each.texts > 1 for each in self.classes) >= 2


CORPORA = ContentStore("corpora", "corpus.json", CorpusInfo, "E-CORPUS", "corpus has")
list_corpora = CORPORA.infos


class StoredContent:
    """Something that is stored, opened: its folder and what its JSON says. Columns are read as they are needed."""

    shelf: ContentStore  # where its kind stands

    def __init__(self, folder: Path):
        self.folder, self.info = folder, self.shelf.info_in(folder)

    @classmethod
    def opened(cls, fingerprint: str) -> Self:
        """The stored one of that fingerprint."""
        return cls(cls.shelf.place(fingerprint))

    @property
    def name(self) -> str:
        """The user's name for it."""
        return self.info.name

    @property
    def fingerprint(self) -> str:
        """16 hex digits over its content."""
        return self.info.fingerprint

    def values(self, table: str, column: str) -> list:
        """One column of a Parquet file in its folder."""
        return read_table(self.folder / f"{table}.parquet", [column]).column(0).to_pylist()
