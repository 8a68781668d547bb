"""Texts of a corpus as a table to read and to take away: Parquet as it is, CSV safe to open in a spreadsheet."""

import io
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.corpora.base import Corpus
from embedlab.runs.spreadsheet import as_csv_file, csv_of_rows


def texts_table(corpus: Corpus, rows: np.ndarray) -> pa.Table:
    """These rows with everything the corpus knows of them: row, title, text, label and the further columns."""
    columns = {"row": pa.array(np.asarray(rows), pa.int64())}
    if corpus.titles is not None:
        columns["title"] = _taken(corpus.titles, rows)
    columns["text"] = _taken(corpus.texts, rows)
    if corpus.labels is not None:
        columns["label"] = _taken(corpus.labels, rows)
    for name in corpus.info.columns:
        columns[name if name not in columns else f"{name} (column)"] = _taken(corpus.column(name), rows)
    return pa.table(columns)


def parquet_bytes(table: pa.Table) -> bytes:
    """For machines: every value exactly as it is."""
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def csv_bytes(table: pa.Table) -> bytes:
    """For people: a text that a spreadsheet would run as a formula gets an apostrophe in front."""
    batches = ([column.to_pylist() for column in batch.columns] for batch in table.to_batches(max_chunksize=10_000))
    rows = (row for columns in batches for row in zip(*columns, strict=True))
    return as_csv_file(csv_of_rows(chain([table.column_names], rows)))


def _taken(values, rows: np.ndarray) -> pa.Array:
    return pa.array([values[row] for row in rows])
