"""``corpus check`` and ``embed``: look at a corpus, turn its texts into vectors."""

import time
from typing import Annotated, Literal

import numpy as np

from embedlab.cli.arguments import Command, Option
from embedlab.cli.options import Executor, Post, RunOrEncoder
from embedlab.cli.reading import CorpusReading, load, output_file
from embedlab.errors import RunError, UserError
from embedlab.jobs.executors import LOCAL, executor_of
from embedlab.jobs.executors.ray_cluster import RayCluster
from embedlab.jobs.offline import go_offline
from embedlab.numbers import counted, percent
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import atomic_write
from embedlab.vectors.faults import fault_notes, faults_in
from embedlab.vectors.files import save


def check(terminal, corpus: str, *, reading: CorpusReading) -> tuple[dict, int]:
    """How its file was read, what is in it, and how many of its texts yield two crops.

    A reading that something speaks against is shown, too, with the reason and exit code 2.
    """
    from embedlab.augmentations.crop import number_of_crops
    from embedlab.corpora.checkup import kept_checkup

    checked = load(corpus, reading.fields | {"accept_reading": True}, terminal)
    report = checked.info.reading
    found = kept_checkup(checked, crops_of=number_of_crops).model_dump(mode="json")
    found["reading"] = None if report is None else report.as_json
    if report is None or not report.doubts or reading.parsing.accept_reading:
        return found, 0
    return {"error": report.doubts[0].model_dump(mode="json"), **found}, UserError.exit_code


def embed(
    terminal,
    *,
    of: RunOrEncoder,
    corpus: str,
    out: Annotated[str, Option(metavar="FILE.npy")],
    precision: Annotated[
        Literal["auto", "fp32", "bf16"],
        Option("auto: bf16 where the device has it and the cosine to fp32 is at least 0.9999 for 64 texts"),
    ] = "auto",
    on: Executor = None,
    post: Post,
    reading: CorpusReading,
) -> tuple[dict, int]:
    """One row per row of the corpus, in file order; rows without a text are zero."""
    from embedlab.cli.post import after_step, asked_step

    file = output_file(out, ".npy")
    steps = asked_step(post.post, post.sets)
    texts = load(corpus, reading.fields, terminal)
    began = time.perf_counter()
    embeddings = _embeddings_of(of, texts, precision, on, terminal)
    embeddings = after_step(embeddings, texts.kept, steps, terminal)
    with atomic_write(file) as temporary:
        save(temporary, embeddings)
    seconds = round(time.perf_counter() - began, 2)
    facts = {"out": str(file), "texts": len(texts.kept), "dim": embeddings.shape[1], "seconds": seconds}
    faults = faults_in(embeddings, texts.kept, texts.copies)
    facts |= {"vectors": faults.as_json(), "warnings": fault_notes({"vectors": faults})}
    return facts | ({"post": next(iter(steps))} if steps else {}), 0


def _embeddings_of(of: RunOrEncoder, corpus, precision: str, on: str | None, terminal) -> np.ndarray:
    """(rows, dim), one row per corpus row."""
    from embedlab.tasks.measure.embedded import load_embeddings
    from embedlab.tasks.measure.subjects import OneEncoder

    if of.run is not None:
        folder = open_run(of.run)
        if fingerprint_of(folder) == corpus.info.fingerprint and folder.embeddings("after").exists():
            return np.asarray(load_embeddings(folder, "after"))
    on_ray = executor_that_embeds(on) == RayCluster.key
    return OneEncoder(encoder_of(of, corpus, terminal), terminal, precision, on_ray=on_ray).rows(corpus)


def executor_that_embeds(asked: str | None) -> str:
    """The key of ``--on``; embedding is no run, so that a queue of batch jobs cannot take it."""
    chosen = LOCAL if asked is None else executor_of(asked)
    if chosen.key not in (LOCAL.key, RayCluster.key):
        raise RunError(
            "E-EXECUTOR",
            f"A corpus is embedded on this computer or on a Ray cluster, but --on is {chosen.key}. Leave it out, "
            "or run the command inside its own job.",
        )
    return chosen.key


def encoder_of(of: RunOrEncoder, corpus, terminal):
    """The encoder of ``--run`` (as it was left) or ``--encoder``; fetched first where it lies on a hub."""
    from embedlab.encoders.load import load_encoder
    from embedlab.tasks.encoders import encoder_of_run
    from embedlab.tasks.fetch import fetch_encoder_first

    go_offline()
    if of.run is not None:
        return encoder_of_run(open_run(of.run), "after")
    fetch_encoder_first(of.encoder, terminal)
    return load_encoder(of.encoder, corpus=corpus, progress=terminal)


def show_check(result: dict) -> list[str]:
    """The card, a line each."""
    reading = result["reading"]
    lines = [
        *([reading["sentence"]] if reading else []),
        f"{result['name']}: {counted(result['texts'], 'text')}, {result['classes']} "
        f"{'class' if result['classes'] == 1 else 'classes'}, {result['labelled']:,} labelled",
        f"characters: median {result['characters_median']:,.0f}, mean {result['characters_mean']:,.0f}, "
        f"longest {result['characters_max']:,}",
        f"{counted(result['duplicates'], 'text repeats', 'texts repeat')} an earlier one; "
        f"{counted(result['conflicts'], 'text has', 'texts have')} two labels; "
        f"{counted(result['empty'], 'row is', 'rows are')} empty",
        f"{counted(result['texts_with_two_crops'], 'text yields', 'texts yield')} at least two crops",
        f"about {percent(result['truncated_share'])} are longer than {result['max_length']} tokens (estimated)",
    ]
    return lines + [f"fingerprint {result['fingerprint']}"]


def show_embed(result: dict) -> list[str]:
    """Where the vectors lie, and what is wrong with them."""
    lines = [
        f"{counted(result['texts'], 'text')}, {result['dim']} dimensions, {result['seconds']:.1f} s: {result['out']}"
    ]
    return lines + [each["message"] for each in result["warnings"]]


COMMANDS = {
    "corpus check": Command(check, show_check),
    "embed": Command(embed, show_embed, runs=("run",), encoders=("encoder",)),
}
