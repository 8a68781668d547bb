"""A Hugging Face data set by id: its files at one commit, downloaded and read by our own readers."""

import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import pyarrow as pa

from embedlab.corpora.base import Draft, FetchedSource
from embedlab.corpora.files import read_table
from embedlab.corpora.formats.folders import choose_files, joined
from embedlab.corpora.proposal import Reading, checked_draft
from embedlab.corpora.tables import Table
from embedlab.errors import CorpusError
from embedlab.hub import connection, download_file, listing, split_reference, too_large
from embedlab.limits import LIMITS
from embedlab.numbers import counted, mebibytes
from embedlab.progress import Progress
from embedlab.table_files import is_list

Download = Callable[[Path, Callable[[int, int], None]], object]  # to a path; told of the bytes so far, and of how many


class HubSource(FetchedSource):
    """Any public data set of tables on the hub: hf:owner/name[@revision][:configuration[:split]], at one commit."""

    key = "hub"

    def matches(self, reference: str) -> bool:
        return dataset_reference(reference).startswith("hf:")

    def describe(self, reference: str, reading: Reading) -> str:
        return f"hub {dataset_reference(reference)} {reading.model_dump_json(exclude={'accept_reading'})}"

    def fetch(self, reference: str, reading: Reading, progress: Progress) -> Draft:
        part = parse_reference(reference)
        table, commit = fetch_dataset(part, progress=progress)
        return checked_draft(table, reading, source=f"hf:{part.dataset}@{commit}")


class HubPart(NamedTuple):
    """The part of a data set that is read; without ``configuration`` or ``split`` the usual one."""

    dataset: str  # owner/name
    revision: str = "main"
    configuration: str = ""
    split: str = ""


_PAGE = re.compile(
    r"(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co)/datasets/([\w.-]+/[\w.-]+)"
    r"(?:/(?:tree|commit)/([\w.-]+)|/viewer(?:/([\w.-]+)(?:/([\w.-]+))?)?)?/?(?:[?#].*)?",
    re.ASCII,
)
_LIKE_A_FILE = re.compile(r"\.[a-z]\w{1,7}")


def dataset_reference(reference: str) -> str:
    """``hf:owner/name`` of a data set's page, or of ``owner/name`` where no file is called so; else as it is."""
    reference = reference.strip()
    if page := _PAGE.fullmatch(reference):
        name, revision, *part = page.groups(default="")
        return ":".join(filter(None, (f"hf:{name}@{revision}".removesuffix("@"), *part)))
    written, *chosen = reference.split(":")
    name_of = split_reference(written)
    if name_of is None or len(chosen) > 2 or _LIKE_A_FILE.fullmatch(Path(name_of.repository).suffix.lower()):
        return reference
    return reference if Path(written).exists() else f"hf:{reference}"


def parse_reference(reference: str) -> HubPart:
    """The parts of ``hf:owner/name[@revision][:configuration[:split]]``."""
    reference = dataset_reference(reference)
    written, *chosen = reference.removeprefix("hf:").split(":")
    split = split_reference(written)
    if split is None or len(chosen) > 2:
        message = f"{reference.removeprefix('hf:')!r} is not the id of a data set. Expected hf:owner/name, "
        message = f"{message}hf:owner/name@revision or hf:owner/name:configuration:split, for example "
        raise CorpusError("E-DATASET-ID", f"{message}hf:mteb/biorxiv-clustering-p2p.")
    return HubPart(split.repository, split.revision or "main", *chosen)


def fetch_dataset(part: HubPart, *, usual: Sequence[str] = (), progress: Progress) -> tuple[Table, str]:
    """The rows of one split at one commit, and the commit (40 hex digits); ``usual``: the splits that come first."""
    dataset, revision = part.dataset, part.revision
    progress(f"Listing the files of {dataset}")
    with connection(f"data set {dataset!r} at revision {revision!r}"):
        commit, files = listing("dataset", dataset, revision)
    chosen, sentence = choose_files(files, dataset, configuration=part.configuration, split=part.split, usual=usual)
    tables = []
    for number, file in enumerate(chosen, start=1):
        what = f"{dataset} (file {number} of {len(chosen)})"
        if file.size > LIMITS.archive_bytes:
            raise too_large(what)
        load = partial(download_file, "dataset", dataset, commit, file)
        tables.append(downloaded(what, file.path, load, progress))
    return flattened(joined(tables, dataset.split("/")[1], f"{sentence} At commit {commit[:10]}.")), commit


def downloaded(what: str, address: str, download: Download, progress: Progress) -> Table:
    """The rows of a file; on the disk it has a name of ours, so that theirs never becomes a path."""
    with tempfile.TemporaryDirectory(prefix="embedlab-") as folder:
        path = Path(folder) / "table"
        with connection(what):
            download(path, lambda done, of: progress(f"Downloading {what} ({mebibytes(of)})", done, of))
        return read_table(path, progress=progress, name=PurePosixPath(address).name)


def flattened(table: Table) -> Table:
    """MTEB's nested layout, one row = one set with a list of texts and a list of labels, as one row per text."""
    columns = table.columns
    lists = [each.name for each in columns.schema if is_list(each.type)]
    texts_name = next((name for name in ("sentences", "texts") if name in columns.column_names), None)
    if texts_name is None or not {texts_name, "labels"} <= set(lists):
        return table
    by_text: dict[str, dict[str, str | int | None]] = {}  # text -> the row of the first set that has it
    rows = 0
    sets = zip(table.lists(texts_name), table.lists("labels"), strict=True)
    for number, (some_texts, some_labels) in enumerate(sets, start=1):
        if len(some_texts) != len(some_labels):
            message = f"Set {number} of {table.name!r} has {len(some_texts)} texts for {len(some_labels)} labels."
            raise CorpusError("E-NOT-A-TABLE", f"{message} The file is damaged.")
        rows += len(some_texts)
        for text, label in zip(some_texts, some_labels, strict=True):
            by_text.setdefault(text, {"text": text, "label": None if label is None else str(label), "set": number})
    schema = pa.schema({"text": pa.string(), "label": pa.string(), "set": pa.int64()})
    flat = replace(table, columns=pa.Table.from_pylist(list(by_text.values()), schema))
    joined = f"{counted(columns.num_rows, 'set')} with {counted(rows, 'text')} in total were joined"
    flat.say("I-SETS", f"{joined}; left out: {counted(rows - len(by_text), 'text')} that an earlier set already had.")
    return flat
