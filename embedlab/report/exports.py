"""Files of a run to export: its encoder as a ZIP with an up-to-date model card, its embeddings; both may be cut."""

import io
import json
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import JsonValue

from embedlab.corpora.base import Corpus
from embedlab.damage import read_array
from embedlab.encoder_catalog.facts import FACTS, read_saved_facts
from embedlab.errors import RunError
from embedlab.report.model_card import CARD, model_card, started_from
from embedlab.runs.example import is_example
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import is_own
from embedlab.runs.state import State, read_state
from embedlab.runs.store import is_measured
from embedlab.store_root import atomic_write, read_json
from embedlab.vectors.dimensions import first_dimensions, within


def without_encoder(run: RunFolder) -> str | None:
    """Why this run has no encoder to export; None if it has one."""
    state = read_state(run).state
    if is_example(run):
        return "The packaged example comes without its encoder. Train your own on Home."
    if is_own(run):
        return "This run was imported from files, so there is no encoder to export."
    if state is State.FAILED:
        return "This run failed, so there is no encoder to export."
    if not state.is_over and not is_measured(run):
        return "The encoder can be exported as soon as it is measured."
    return None if (run.encoder / "modules.json").exists() else "This run has saved no encoder."


def require_encoder(run: RunFolder) -> None:
    """Raise RunError where ``without_encoder`` has a reason."""
    if (why := without_encoder(run)) is not None:
        raise RunError("E-NO-ENCODER", f"{why} Choose another run than {run.id}.")


def encoder_bytes(run: RunFolder) -> int:
    """The size of its files; the ZIP is about as large, because weights hardly compress."""
    return sum(file.stat().st_size for file in _files(run))


def cut_files(run: RunFolder, dimensions: int | None) -> dict[str, dict[str, JsonValue]]:
    """The JSON files of the encoder that keep only the first ``dimensions`` of a vector (``truncate_dim``), by name."""
    if dimensions is None:
        return {}
    facts = read_saved_facts(run.encoder)
    truncated = {"truncate_dim": within(dimensions, facts.dim)}
    cut = facts.model_copy(update={"dim": dimensions})
    return {FACTS: cut.model_dump(exclude_none=True), OF_MODEL: read_json(run.encoder / OF_MODEL) | truncated}


def encoder_zip(run: RunFolder, dimensions: int | None = None) -> bytes:
    """The folder ``encoder-<run>``, zipped on disk so that only the finished file is held in memory.

    ``dimensions``: the first so many that it keeps of each vector.
    """
    cut = cut_files(run, dimensions)
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for path in _files(run):
                inner = path.relative_to(run.encoder).as_posix()
                if inner not in cut:
                    kind = zipfile.ZIP_STORED if path.suffix == ".safetensors" else None
                    archive.write(path, f"encoder-{run.id}/{inner}", kind)
            for inner, content in cut.items():
                archive.writestr(f"encoder-{run.id}/{inner}", json.dumps(content, indent=1, ensure_ascii=False))
            archive.writestr(f"encoder-{run.id}/{CARD}", model_card(run, dimensions=dimensions))
        file.seek(0)
        return file.read()


def zip_folder(folder: Path, out: Path) -> int:
    """Write a folder as a ZIP that has it at its top; returns the number of files."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    with (
        atomic_write(out) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        for file in files:
            kind = zipfile.ZIP_STORED if file.suffix == ".safetensors" else None
            archive.write(file, file.relative_to(folder.parent).as_posix(), kind)
    return len(files)


def pushed_files(run: RunFolder, name: str) -> dict[str, Path | bytes]:
    """What a push uploads, by its path in the repository ``name``: the encoder's files and a card with that name.

    Paths of this computer are left out: ``embedlab.json`` says what it started from as the card does.
    """
    files: dict[str, Path | bytes] = {path.relative_to(run.encoder).as_posix(): path for path in _files(run)}
    facts = read_saved_facts(run.encoder).model_copy(update={"reference": started_from(run)})
    files[FACTS] = facts.model_dump_json(indent=1, exclude_none=True).encode()
    return {**files, CARD: model_card(run, on_hub=name).encode()}


def bytes_of_files(files: dict[str, Path | bytes]) -> dict[str, int]:
    """The size of each, in bytes."""
    return {path: len(file) if isinstance(file, bytes) else file.stat().st_size for path, file in files.items()}


def _files(run: RunFolder) -> list[Path]:
    """All files except the card, which is written anew, and files still being written."""
    files = sorted(file for file in run.encoder.rglob("*") if file.is_file())
    return [file for file in files if file != run.encoder / CARD and file.suffix != ".part"]


OF_MODEL = "config_sentence_transformers.json"
ROWS_AT_ONCE = 20_000


def cut_embeddings(run: RunFolder, side: str, dimensions: int) -> bytes:
    """An ``.npy`` file of the first dimensions of each vector."""
    out = io.BytesIO()
    np.save(out, first_dimensions(read_array(run.embeddings(side), dimensions=2, is_mapped=True), dimensions))
    return out.getvalue()


def embeddings_parquet(run: RunFolder, side: str, corpus: Corpus, dimensions: int | None = None) -> bytes:
    """Columns ``id`` (row of the corpus, from 0), ``label`` where there are labels, ``embedding``; in corpus order.

    Only texts that are kept have a row: an empty one has no embedding. ``dimensions``: the first so many of each.
    """
    vectors, text_rows = read_array(run.embeddings(side), dimensions=2, is_mapped=True)[:, :dimensions], corpus.kept
    fields = [pa.field("id", pa.int64()), pa.field("embedding", pa.list_(pa.float32(), vectors.shape[1]))]
    if corpus.labels is not None:
        fields.insert(1, pa.field("label", pa.string()))
    facts = {"run": run.id, "encoder": side, "corpus": corpus.fingerprint}
    schema = pa.schema(fields, metadata={"embedlab": json.dumps(facts)})
    out = io.BytesIO()
    with pq.ParquetWriter(out, schema, compression="zstd") as writer:
        for start in range(0, len(text_rows), ROWS_AT_ONCE):
            rows = text_rows[start : start + ROWS_AT_ONCE]
            numbers = pa.array(np.asarray(vectors[rows], np.float32).ravel())
            columns = [pa.array(rows, pa.int64()), pa.FixedSizeListArray.from_arrays(numbers, vectors.shape[1])]
            if corpus.labels is not None:
                columns.insert(1, pa.array([corpus.labels[row] for row in rows], pa.string()))
            writer.write_table(pa.table(columns, schema=schema))
    return out.getvalue()
