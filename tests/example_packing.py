"""Makes the example's files of finished runs: small, without a word of the corpus's texts or of this machine."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.corpora.base import Corpus
from embedlab.runs.example import text_hash
from embedlab.runs.folder import RunFolder
from embedlab.store_root import read_json, write_json
from embedlab.tasks.lesson_packing import write_lab

MOST_ROWS = 200  # of terms.jsonl, evenly spaced
PLACES = 2**12  # along each axis of a map: more than a screen tells apart
_PLAIN = ("live.json", "metrics.jsonl", "predictions.parquet", "labels_read.json", "film", "layers", "length",
          "diagnostics", "moves/before.json", "moves/before-classes.parquet")  # fmt: skip
_STATE = ("state", "started", "ended", "since", "settings", "fingerprint", "device_line", "precision", "versions")


def write_example(out: Path, corpora: list[Corpus], runs: dict[str, RunFolder], results: dict[str, RunFolder]) -> None:
    """Write the names of each corpus's texts and each run under its own name.

    Of the runs in ``results`` only settings, state and result are written.
    """
    shutil.rmtree(out, ignore_errors=True)
    renamed = {run.id: name for name, run in (runs | results).items()}
    for corpus in corpora:
        renamed[corpus.fingerprint] = _write_corpus(out / "corpora" / corpus.name, corpus)
    for name, run in runs.items():
        _write_run(out / name, run, renamed)
    for name, run in results.items():
        write_run_result(out / name, run, renamed)


def _write_corpus(out: Path, corpus: Corpus) -> str:
    out.mkdir(parents=True)
    hashes = [text_hash(text) for text in corpus.texts]
    fingerprint = hashlib.sha256(np.array(hashes, "<i8").tobytes()).hexdigest()[:16]
    columns = {
        "title": pa.array(corpus.titles, pa.string()),
        "label": pa.array(corpus.labels, pa.string()),
        "excluded": pa.array(corpus.excluded, pa.bool_()),
        "hash": pa.array(hashes, pa.int64()),
    }
    pq.write_table(pa.table(columns), out / "corpus.parquet", compression="zstd", compression_level=19)
    info = corpus.info.model_dump(mode="json") | {"fingerprint": fingerprint, "columns": [], "notes": []}
    write_json(out / "corpus.json", info)
    return fingerprint


def write_run_result(out: Path, run: RunFolder, renamed: dict[str, str]) -> None:
    """Write settings, state and result of a run, with the ids in ``renamed`` replaced by names."""
    out.mkdir(exist_ok=True)
    result = read_json(run.result) | {"paths": {}}
    state = {name: value for name, value in read_json(run.state).items() if name in _STATE}
    for name, content in (("result.json", result), ("state.json", state), ("settings.json", read_json(run.settings))):
        write_json(out / name, _renamed(content, renamed))


def _write_run(out: Path, run: RunFolder, renamed: dict[str, str]) -> None:
    write_run_result(out, run, renamed)
    rows = run.terms.read_text(encoding="utf-8").splitlines()
    sampled = np.unique(np.linspace(0, len(rows) - 1, min(MOST_ROWS, len(rows))).astype(int))
    (out / "terms.jsonl").write_text("".join(f"{rows[row]}\n" for row in sampled), encoding="utf-8")
    for name in _PLAIN:
        source, target = run.path / name, out / name
        target.parent.mkdir(exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        elif source.suffix == ".json" and source.is_file():
            write_json(target, _renamed(read_json(source), renamed))
        elif source.is_file():
            shutil.copy2(source, target)
    (out / "maps").mkdir()
    for name in ("before", "after"):
        _write_map(out, run, name)
    write_lab(out, run)


def _write_map(out: Path, run: RunFolder, name: str) -> None:
    """Places rounded to a grid finer than a screen, their bytes side by side, which packs them well."""
    table = pq.read_table(run.map(name, "tsne"))
    rounded = {axis: _rounded(table.column(axis).to_numpy()) for axis in ("x", "y")}
    table = pa.table({"id": table.column("id").cast(pa.int32()), **rounded})
    path = RunFolder(out).map(name, "tsne")
    split = {"use_dictionary": False, "use_byte_stream_split": ["x", "y"], "compression": "zstd"}
    pq.write_table(table, path, compression_level=19, **split)
    write_json(RunFolder(out).map_facts(name, "tsne"), read_json(run.map_facts(name, "tsne")))


def _rounded(places: np.ndarray) -> np.ndarray:
    """Whole multiples of a power of two, so that most of their bits are nought.  (texts,) -> (texts,) float32"""
    step = 2.0 ** np.ceil(np.log2(np.ptp(places) / PLACES))
    return (np.round(places / step) * step).astype(np.float32)


def _renamed(content: Any, renamed: dict[str, str]) -> Any:
    """The same JSON with these words in place of others."""
    written = json.dumps(content)
    for old, new in renamed.items():
        written = written.replace(old, new)
    return json.loads(written)
