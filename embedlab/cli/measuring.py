"""``corpus check`` and ``embed``: look at a corpus, turn its texts into vectors."""

import time

import numpy as np
import pyarrow as pa

from embedlab.cli.reading import corpus_of, load, output_file, reading_of
from embedlab.errors import RunError, UserError
from embedlab.jobs.executors import LOCAL, executor_of
from embedlab.jobs.executors.ray_cluster import RayCluster
from embedlab.jobs.offline import go_offline
from embedlab.progress import silent
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import whole_file
from embedlab.vectors.faults import CONSEQUENCE, FaultyRows, fault_notes, faults_in
from embedlab.vectors.files import save
from embedlab.vectors.laid import lay_in_order
from embedlab.vectors.opened import all_rows, open_vectors


def check(asked, terminal) -> tuple[dict, int]:
    """How its file was read, what is in it, and how many of its texts yield two crops.

    A reading that something speaks against is shown, too, with the reason and exit code 2.
    """
    from embedlab.augmentations.crop import number_of_crops
    from embedlab.corpora.checkup import kept_checkup

    corpus = load(asked.corpus, reading_of(asked) | {"accept_reading": True}, terminal)
    report = corpus.info.reading
    found = kept_checkup(corpus, crops_of=number_of_crops).model_dump(mode="json")
    found["reading"] = None if report is None else report.as_json
    if report is None or not report.doubts or asked.accept_reading:
        return found, 0
    return {"error": report.doubts[0].model_dump(mode="json"), **found}, UserError.exit_code


def embed(asked, terminal) -> tuple[dict, int]:
    """One row per row of the corpus, in file order; rows without a text are zero."""
    from embedlab.cli.post import after_step, asked_step

    out = output_file(asked.out, ".npy")
    steps = asked_step(asked.post, asked.sets)
    corpus = corpus_of(asked, terminal)
    began = time.perf_counter()
    embeddings = after_step(embeddings_of(asked, corpus, terminal), corpus.kept, steps, terminal)
    with whole_file(out) as beside:
        save(beside, embeddings)
    seconds = round(time.perf_counter() - began, 2)
    facts = {"out": str(out), "texts": len(corpus.kept), "dim": embeddings.shape[1], "seconds": seconds}
    faults = faults_in(embeddings, corpus.kept, corpus.copies)
    facts |= {"vectors": faults.as_json(), "warnings": fault_notes({"vectors": faults})}
    return facts | ({"post": next(iter(steps))} if steps else {}), 0


def embeddings_of(asked, corpus, terminal) -> np.ndarray:
    """(rows, dim), one row per corpus row, of ``--run``, ``--encoder`` or ``--embeddings``."""
    from embedlab.tasks.measure.embedded import load_embeddings
    from embedlab.tasks.measure.subjects import OneEncoder

    if getattr(asked, "embeddings", None) is not None:
        return read_rows_of(asked, corpus)[0]
    if asked.run is not None:
        folder = open_run(asked.run)
        if fingerprint_of(folder) == corpus.info.fingerprint and folder.embeddings("after").exists():
            return np.asarray(load_embeddings(folder, "after"))
    precision = getattr(asked, "precision", "auto")
    on_ray = executor_that_embeds(getattr(asked, "on", None)) == RayCluster.key
    return OneEncoder(encoder_of(asked, corpus, terminal), terminal, precision, on_ray=on_ray).rows(corpus)


def executor_that_embeds(asked: str | None) -> str:
    """The key of ``--on``; embedding is no run, so that a queue of batch jobs cannot take it."""
    chosen = LOCAL if asked is None else executor_of(asked)
    if chosen.key not in (LOCAL.key, RayCluster.key):
        raise RunError(
            "E-EXECUTOR",
            f"A corpus is embedded on this computer or over a Ray cluster, but --on is {chosen.key}. Leave it out, "
            "or start the command inside a job of its own.",
        )
    return chosen.key


def encoder_of(asked, corpus, terminal):
    """The encoder of ``--run`` (as it was left) or ``--encoder``; fetched first where it lies on a hub."""
    from embedlab.encoders.load import load_encoder
    from embedlab.tasks.encoders import encoder_of_run
    from embedlab.tasks.fetch import fetch_encoder_first

    go_offline()
    if asked.run is not None:
        return encoder_of_run(open_run(asked.run), "after")
    fetch_encoder_first(asked.encoder, terminal)
    return load_encoder(asked.encoder, corpus=corpus, progress=terminal)


def read_rows_of(asked, corpus) -> tuple[np.ndarray, np.ndarray, dict]:
    """The vectors of ``--embeddings``, one per row of the corpus, not a number where there is none; how they were read.

    -> (rows, dim), (rows without a vector,), {joined, warnings}
    """
    vectors = open_vectors(asked.embeddings, column=getattr(asked, "column", None))
    laid = np.empty((corpus.info.rows, vectors.dim), np.float32)
    joined = lay_in_order(vectors, corpus, laid, progress=silent, gaps=True, by=asked.vector_ids)
    without = np.setdiff1d(corpus.kept, joined.rows)
    reading = {"joined": joined.as_json(), "warnings": _stored_numbers(vectors)}
    if len(without):
        count = f"{len(without):,} of {joined.of:,} texts have no vector in {vectors.name!r}"
        said = f"{count} ({FaultyRows.of(without)}): {CONSEQUENCE}."
        reading["warnings"].append({"code": "W-NO-VECTOR", "message": said})
    return laid, without, reading


def read_embeddings(name: str, column: str | None = None) -> tuple[np.ndarray, pa.ChunkedArray | None, list[dict]]:
    """A file of vectors, .npy, .npz or Parquet, in its own order, the ids it came with, and what is said of it.

    -> (rows, dim) float32, (rows,)
    """
    vectors = open_vectors(name, column=column)
    ids = vectors.id_columns.usual
    return all_rows(vectors), vectors.read_ids(ids[0]) if ids else None, _stored_numbers(vectors)


def _stored_numbers(vectors) -> list[dict]:
    return [{"code": "I-STORED-NUMBERS", "message": vectors.remark}] if vectors.remark else []


def show_check(result: dict) -> list[str]:
    """The card, a line each."""
    reading = result["reading"]
    lines = [
        *([reading["sentence"]] if reading else []),
        f"{result['name']}: {result['texts']:,} {'text' if result['texts'] == 1 else 'texts'}, {result['classes']} "
        f"{'class' if result['classes'] == 1 else 'classes'}, {result['labelled']:,} labelled",
        f"characters: median {result['characters_median']:,.0f}, mean {result['characters_mean']:,.0f}, "
        f"longest {result['characters_max']:,}",
        f"{result['duplicates']:,} repeat an earlier text; {result['conflicts']:,} texts carry two labels; "
        f"{result['empty']:,} rows are empty",
        f"{result['texts_with_two_crops']:,} texts yield at least two crops",
        f"about {100 * result['truncated_share']:.1f} % are longer than {result['max_length']} tokens (estimated)",
    ]
    return lines + [f"fingerprint {result['fingerprint']}"]


def show_embed(result: dict) -> list[str]:
    """Where the vectors lie, and what is wrong with them."""
    lines = [f"{result['texts']:,} texts, {result['dim']} dimensions, {result['seconds']:.1f} s: {result['out']}"]
    return lines + [each["message"] for each in result["warnings"]]
