"""A run for others: its neighbors, its encoder in another format, all of it as HTML or a ZIP, and a push to the hub."""

import json
import os
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.corpora.base import open_corpus
from embedlab.damage import read_array
from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN
from embedlab.errors import RunError
from embedlab.hub import endpoint
from embedlab.hub_push import TOKEN, hub_token, upload
from embedlab.jobs.requests.drawing import ExportEncoder, PushedRun, PushRun, WriteNeighbors, WriteReplay
from embedlab.numbers import counted, in_bytes
from embedlab.progress import Progress
from embedlab.report.exports import bytes_of_files, pushed_files, require_encoder
from embedlab.report.replay import replay_content, replay_page
from embedlab.runs.drawn_map import rows_to_draw
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import atomic_write, read_json, write_json

TEXTS_AT_ONCE = 20_000
_SOUGHT = {
    EUCLIDEAN: "They are computed when its maps are drawn: draw them on the page Run, Map.",
    COSINE: "They are computed when all its labeled texts are predicted: do that on the page Run, Scores, Classes.",
}


def neighbors(folder: RunFolder, request: WriteNeighbors, progress: Progress) -> None:
    """Writes ``neighbors.parquet`` into the job's folder.

    Columns ``id neighbors distances``: two lists per text, nearest first, excluding itself; in corpus order.
    """
    of, out, side, distance = open_run(request.run), folder.path / "neighbors.parquet", request.side, request.distance
    graph = of.neighbors(side, distance)
    if not (graph / "graph.json").exists():
        raise RunError(
            "E-NO-NEIGHBORS",
            f"The neighbors of run {of.id} ({DISTANCES[distance]}) have not been computed yet. {_SOUGHT[distance]}",
        )
    drawn_rows, facts = rows_to_draw(open_corpus(fingerprint_of(of))), read_json(graph / "graph.json")
    texts, near = len(drawn_rows), read_array(graph / "indices.npy", dimensions=2, is_mapped=True)
    apart = read_array(graph / "distances.npy", dimensions=2, is_mapped=True)
    schema = pa.schema(
        {"id": pa.int64(), "neighbors": pa.list_(pa.int32()), "distances": pa.list_(pa.float32())},
        metadata={"embedlab": json.dumps({**facts, "run": of.id, "encoder": side})},
    )
    with atomic_write(out) as temporary, pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
        for start in range(0, texts, TEXTS_AT_ONCE):
            part = slice(start, start + TEXTS_AT_ONCE)
            near_part = np.asarray(near[part])  # padded text indices, which become lists of corpus rows
            is_there = near_part >= 0
            ends = pa.array(np.concatenate([[0], np.cumsum(is_there.sum(axis=1))]), pa.int32())
            nearest = pa.ListArray.from_arrays(ends, pa.array(drawn_rows[near_part[is_there]], pa.int32()))
            distances = pa.ListArray.from_arrays(ends, pa.array(np.asarray(apart[part])[is_there], pa.float32()))
            ids = pa.array(drawn_rows[part], pa.int64())
            writer.write_table(pa.table([ids, nearest, distances], schema=schema))
            progress(f"Writing the neighbors of {texts:,} texts", min(part.stop, texts), texts)
    written = {"out": str(out), "texts": texts, "neighbors": int(near.shape[1]), "bytes": out.stat().st_size}
    write_json(folder.result, {**written, **facts, "file": out.name})


def encoder(folder: RunFolder, settings: ExportEncoder, progress: Progress) -> None:
    """Writes ``encoder.zip`` into this job's folder: the run's encoder in another format, or its adapter."""
    of, out = open_run(settings.run), folder.path / "encoder.zip"
    if settings.format == "adapter":
        from embedlab.tasks.adapter_export import write_adapter  # torch takes seconds to import

        written = write_adapter(of, out, progress)
    else:
        from embedlab.tasks.smaller_encoder import write_smaller

        written = write_smaller(of, out, progress, format_=settings.format, dimensions=settings.dimensions)
    write_json(folder.result, written.model_copy(update={"file": out.name}).model_dump(exclude_unset=True))


def replay(folder: RunFolder, request: WriteReplay, progress: Progress) -> None:
    """Writes ``replay.html`` into this job's folder."""
    progress("Writing the replay")
    written = write_replay(open_run(request.run), folder.replay, with_texts=request.with_texts)
    write_json(folder.result, written._asdict())


class WrittenReplay(NamedTuple):
    """The file, and the texts and points that it holds."""

    run: str
    out: str
    texts: int
    points: int
    bytes: int


def write_replay(run: RunFolder, out: Path, *, with_texts: bool) -> WrittenReplay:
    """Write the file."""
    content = replay_content(run, open_corpus(fingerprint_of(run)), with_texts=with_texts)
    with atomic_write(out) as temporary:
        temporary.write_bytes(replay_page(content))
    texts = len(content["texts"]) if with_texts else 0
    return WrittenReplay(run.id, str(out), texts, content["points"], out.stat().st_size)


def write_run(of: RunFolder, out: Path, progress: Progress) -> int:
    """Write a ZIP of everything that the run found, without locks and checkpoints; returns the number of files."""
    files = [
        file
        for file in sorted(of.path.rglob("*"))
        if file.is_file() and file.suffix != ".part" and file.name not in ("run.lock", "progress.json", "job.json")
        if file.relative_to(of.path).parts[0] not in ("control", "checkpoints", "workers", of.encoder_so_far.name)
    ]
    with atomic_write(out) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, file in enumerate(files):
            progress("Exporting", number, len(files))
            archive.write(file, f"{of.id}/{file.relative_to(of.path).as_posix()}")
    return len(files)


def push(folder: RunFolder, request: PushRun, progress: Progress) -> None:
    """Push the encoder and its card to the hub: with downloads and summaries the only task that opens a connection."""
    of = open_run(request.run)
    require_encoder(of)
    token = hub_token()
    os.environ[TOKEN] = token  # also where it came from the file: what is written is cleaned of the environment's
    files = pushed_files(of, request.to)
    size = bytes_of_files(files)
    progress(f"Pushing {counted(len(files), 'file')} ({in_bytes(sum(size.values()))}) to {request.to}")
    message = f"An encoder fine-tuned with embedlab, run {of.id}"
    commit = upload(request.to, files, token=token, is_public=request.public, message=message)
    url = f"{endpoint()}/{request.to}"
    pushed = PushedRun(run=of.id, to=request.to, public=request.public, files=size, url=url, commit=commit)
    write_json(folder.result, pushed.model_dump())
