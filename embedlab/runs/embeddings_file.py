"""A run's embeddings before or after as Parquet: row of the corpus, label, vector."""

import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.corpora.base import Corpus
from embedlab.runs.folder import RunFolder

ROWS_AT_ONCE = 20_000


def embeddings_parquet(run: RunFolder, side: str, corpus: Corpus) -> bytes:
    """Columns ``id`` (row of the corpus, from 0), ``label`` where there are labels, ``embedding``; in corpus order.

    Only texts that are kept have a row: an empty one has no embedding.
    """
    vectors, kept = np.load(run.embeddings(side), mmap_mode="r", allow_pickle=False), corpus.kept
    fields = [pa.field("id", pa.int64()), pa.field("embedding", pa.list_(pa.float32(), vectors.shape[1]))]
    if corpus.labels is not None:
        fields.insert(1, pa.field("label", pa.string()))
    facts = {"run": run.id, "encoder": side, "corpus": corpus.fingerprint}
    schema = pa.schema(fields, metadata={"embedlab": json.dumps(facts)})
    out = io.BytesIO()
    with pq.ParquetWriter(out, schema, compression="zstd") as writer:
        for start in range(0, len(kept), ROWS_AT_ONCE):
            rows = kept[start : start + ROWS_AT_ONCE]
            writer.write_table(_table(rows, np.asarray(vectors[rows], np.float32), corpus, schema))
    return out.getvalue()


def _table(rows: np.ndarray, vectors: np.ndarray, corpus: Corpus, schema: pa.Schema) -> pa.Table:
    found = {"id": pa.array(rows, pa.int64())}
    if "label" in schema.names:
        found["label"] = pa.array([corpus.labels[row] for row in rows], pa.string())
    found["embedding"] = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
    return pa.table([found[name] for name in schema.names], schema=schema)
