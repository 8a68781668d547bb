"""A Hugging Face data set by id: its files at one commit, downloaded and read by our own readers."""

import re
import tempfile
from functools import partial
from pathlib import Path, PurePosixPath

import pyarrow as pa

from embedlab.corpora.base import Corpus, remember, remembered, store_corpus
from embedlab.corpora.files import read_table
from embedlab.corpora.tables import Reading, Table, draft_of
from embedlab.errors import CorpusError
from embedlab.hub import HubFile, connection, download_file, listing, split_reference, too_large
from embedlab.limits import LIMITS
from embedlab.progress import Progress, silent
from embedlab.store_root import by_number

FORMATS = (".parquet", ".jsonl", ".json", ".csv", ".tsv", ".txt")  # preferred in this order
SPLITS = ("train", "test", "validation", "valid", "val", "dev")
_NOT_ROWS = frozenset({"dataset_infos.json", "dataset_info.json", "state.json", "requirements.txt", "license.txt"})


class HubSource:
    """Any public data set of tables on the hub."""

    key = "hub"
    title = "Hugging Face data set"
    sentence = "hf:owner/name or hf:owner/name@revision; the files of one commit, read as tables."
    connects = True

    def matches(self, reference: str) -> bool:
        return reference.startswith("hf:")

    def is_stored(self, reference: str, reading: Reading) -> bool:
        return remembered(_key(reference, reading)) is not None

    def load(self, reference: str, reading: Reading, progress: Progress = silent) -> Corpus:
        """Fetched once, then opened from the store; deleting the corpus or naming a revision fetches anew."""
        dataset, revision = parse_reference(reference)
        if corpus := remembered(_key(reference, reading)):
            return corpus
        table, commit = fetch_dataset(dataset, revision, progress=progress)
        draft = draft_of(table, reading, source=f"hf:{dataset}@{commit}")
        return remember(_key(reference, reading), store_corpus(draft))


def parse_reference(reference: str) -> tuple[str, str]:
    """(owner/name, revision) of ``hf:owner/name[@revision]``."""
    found = split_reference(reference.removeprefix("hf:"))
    if found is None:
        message = f"{reference.removeprefix('hf:')!r} is not the id of a data set. Expected hf:owner/name or"
        raise CorpusError(
            "E-DATASET-ID", f"{message} hf:owner/name@revision, for example hf:mteb/biorxiv-clustering-p2p."
        )
    return found.repository, found.revision or "main"


def fetch_dataset(
    dataset: str, revision: str, *, split: str | None = None, progress: Progress = silent
) -> tuple[Table, str]:
    """The rows of one split at one commit, and the commit (40 hex digits)."""
    progress(f"Listing the files of {dataset}")
    with connection(f"data set {dataset!r} at revision {revision!r}"):
        commit, files = listing("dataset", dataset, revision)
    chosen, said = choose_files(files, dataset, split=split)
    tables = [
        _read(dataset, commit, file, f"{dataset} (file {number} of {len(chosen)})", progress)
        for number, file in enumerate(chosen, start=1)
    ]
    columns = pa.concat_tables([table.columns for table in tables], promote_options="permissive")
    table = Table(columns, dataset.split("/")[1], [note for found in tables for note in found.notes])
    table.say("I-FILES", f"{said} At commit {commit[:10]}.")
    return flattened(table), commit


def _read(dataset: str, commit: str, file: HubFile, what: str, progress: Progress) -> Table:
    """One file's rows; on the disk it has a name of ours, so that theirs never becomes a path."""
    if file.size > LIMITS.archive_bytes:
        raise too_large(what)
    with tempfile.TemporaryDirectory(prefix="embedlab-") as folder:
        path = Path(folder) / "table"
        said = partial(progress, f"Downloading {what} ({file.size / 2**20:,.1f} MiB)")
        with connection(what):
            download_file("dataset", dataset, commit, file, path, said)
        return read_table(path, progress=progress, name=PurePosixPath(file.path).name)


def choose_files(files: list[HubFile], dataset: str, *, split: str | None = None) -> tuple[list[HubFile], str]:
    """The files that make one corpus: one format, one configuration, one split; and the sentence that says so."""
    tables = [file for file in files if _is_table(file)]
    if not tables:
        message = f"{dataset!r} has no file of rows ({', '.join(FORMATS)}), only {_listed([f.path for f in files])}."
        raise CorpusError("E-NOT-A-TABLE", f"{message} Choose another data set.")
    suffix = next(found for found in FORMATS if any(format_of(file) == found for file in tables))
    tables = [file for file in tables if format_of(file) == suffix]
    groups = sorted({group_of(file) for file in tables})
    group = next((name for name in ("", "default") if name in groups), groups[0])
    tables = [file for file in tables if group_of(file) == group]
    splits = sorted({split_of(file) for file in tables})
    chosen_split = split if split in splits else next((name for name in (*SPLITS, "") if name in splits), "")
    chosen = sorted((file for file in tables if split_of(file) == chosen_split), key=lambda file: by_number(file.path))
    said = f"Read {_listed([file.path for file in chosen])}."
    left = [name for name in splits if name and name != chosen_split] + [name for name in groups if name != group]
    return chosen, said + (f" Not read: {_listed(left)}." if left else "")


def format_of(file: HubFile) -> str:
    """The ending, without that of gzip."""
    return PurePosixPath(file.path.removesuffix(".gz")).suffix.casefold()


def split_of(file: HubFile) -> str:
    """train, test … as it stands in the file's name or else in a folder's; ``""`` if nowhere."""
    for part in reversed(PurePosixPath(file.path.casefold()).parts):
        for word in re.split(r"[^a-z]+", part):
            if word in SPLITS:
                return "validation" if word in ("valid", "val", "dev") else word
    return ""


def group_of(file: HubFile) -> str:
    """The folder that several configurations of a data set lie in, without a folder named like a split."""
    folders = PurePosixPath(file.path).parent.parts
    return "/".join(folder for folder in folders if folder not in (*SPLITS, "data"))


def flattened(table: Table) -> Table:
    """MTEB's nested layout, one row = one set with a list of texts and a list of labels, as one row per text."""
    columns = table.columns
    texts_name = next((name for name in ("sentences", "texts") if name in columns.column_names), None)
    if texts_name is None or "labels" not in columns.column_names:
        return table
    nested = [columns.column(name).type for name in (texts_name, "labels")]
    if not all(pa.types.is_list(kind) or pa.types.is_large_list(kind) for kind in nested):
        return table
    texts, labels, sets, seen, rows = [], [], [], set(), 0
    pairs = zip(columns.column(texts_name).to_pylist(), columns.column("labels").to_pylist(), strict=True)
    for number, (some_texts, some_labels) in enumerate(pairs, start=1):
        if len(some_texts or []) != len(some_labels or []):
            message = (
                f"Set {number} of {table.name!r} has {len(some_texts or [])} texts for {len(some_labels or [])} labels."
            )
            raise CorpusError("E-NOT-A-TABLE", f"{message} The file is damaged.")
        for text, label in zip(some_texts or [], some_labels or [], strict=True):
            rows += 1
            if text not in seen:
                seen.add(text)
                texts.append(text)
                labels.append(None if label is None else str(label))
                sets.append(number)
    flat = Table(pa.table({"text": texts, "label": labels, "set": sets}), table.name, table.notes)
    sets_said = f"{columns.num_rows} sets of {rows:,} texts together were joined"
    flat.say("I-SETS", f"{sets_said}; {rows - len(texts):,} texts that had come in an earlier set were left out.")
    return flat


def _is_table(file: HubFile) -> bool:
    parts = PurePosixPath(file.path).parts
    is_odd = "\\" in file.path or "\0" in file.path or file.path.startswith("/") or ".." in parts
    is_hidden = any(part.startswith(".") for part in parts)
    return format_of(file) in FORMATS and not is_odd and not is_hidden and parts[-1].casefold() not in _NOT_ROWS


def _listed(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "") if names else "nothing"


def _key(reference: str, reading: Reading) -> str:
    return f"hub {reference} {reading.model_dump_json()}"
