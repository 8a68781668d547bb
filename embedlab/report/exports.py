"""Files of a run to export: its encoder as a ZIP with an up-to-date model card, its embeddings as Parquet."""

import io
import json
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.corpora.base import Corpus
from embedlab.damage import read_array
from embedlab.report.model_card import CARD, model_card
from embedlab.runs.folder import RunFolder


def encoder_bytes(run: RunFolder) -> int:
    """The size of its files; the ZIP is about as large, because weights hardly compress."""
    return sum(file.stat().st_size for file in _files(run))


def encoder_zip(run: RunFolder) -> bytes:
    """The folder ``encoder-<run>``, zipped on disk so that only the finished file is held in memory."""
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for path in _files(run):
                name = f"encoder-{run.id}/{path.relative_to(run.encoder).as_posix()}"
                archive.write(path, name, zipfile.ZIP_STORED if path.suffix == ".safetensors" else None)
            archive.writestr(f"encoder-{run.id}/{CARD}", model_card(run))
        file.seek(0)
        return file.read()


def _files(run: RunFolder) -> list[Path]:
    """All files except the card, which is written anew, and files still being written."""
    files = sorted(file for file in run.encoder.rglob("*") if file.is_file())
    return [file for file in files if file != run.encoder / CARD and file.suffix != ".part"]


ROWS_AT_ONCE = 20_000


def embeddings_parquet(run: RunFolder, side: str, corpus: Corpus) -> bytes:
    """Columns ``id`` (row of the corpus, from 0), ``label`` where there are labels, ``embedding``; in corpus order.

    Only texts that are kept have a row: an empty one has no embedding.
    """
    vectors, text_rows = read_array(run.embeddings(side), dimensions=2, is_mapped=True), corpus.kept
    fields = [pa.field("id", pa.int64()), pa.field("embedding", pa.list_(pa.float32(), vectors.shape[1]))]
    if corpus.labels is not None:
        fields.insert(1, pa.field("label", pa.string()))
    facts = {"run": run.id, "encoder": side, "corpus": corpus.fingerprint}
    schema = pa.schema(fields, metadata={"embedlab": json.dumps(facts)})
    out = io.BytesIO()
    with pq.ParquetWriter(out, schema, compression="zstd") as writer:
        for start in range(0, len(text_rows), ROWS_AT_ONCE):
            rows = text_rows[start : start + ROWS_AT_ONCE]
            writer.write_table(_table(rows, np.asarray(vectors[rows], np.float32), corpus, schema))
    return out.getvalue()


def _table(rows: np.ndarray, vectors: np.ndarray, corpus: Corpus, schema: pa.Schema) -> pa.Table:
    columns = {"id": pa.array(rows, pa.int64())}
    if corpus.labels is not None:
        columns["label"] = pa.array([corpus.labels[row] for row in rows], pa.string())
    columns["embedding"] = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
    return pa.table([columns[name] for name in schema.names], schema=schema)
