"""``embed``, ``map`` and ``figure``: texts to vectors, optionally post-processed (``--post``), and vectors to maps."""

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from embedlab.cli.arguments import Option, Outcome, given, options
from embedlab.cli.reading import (
    VECTORS,
    Column,
    CorpusReading,
    Executor,
    NamedRun,
    Post,
    RunOrEncoder,
    load,
    output_file,
    words_of,
)
from embedlab.cli.terminal import Terminal
from embedlab.config import Config, validated, with_settings
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.distance import Distance
from embedlab.errors import RunError, SettingsError
from embedlab.jobs.executors import LOCAL, executor_of
from embedlab.jobs.executors.ray_cluster import RayCluster
from embedlab.jobs.requests.drawing import DrawFigure
from embedlab.map_methods import ALL_MAPS, ANY_OF_EQUAL, MAP_METHODS
from embedlab.measurement import Note
from embedlab.numbers import counted, percent
from embedlab.offline import go_offline
from embedlab.postprocessing import POSTPROCESSING
from embedlab.postprocessing.base import Processed
from embedlab.runs.drawn_map import rows_to_draw, write_map
from embedlab.runs.store import embedding_precision_of, fingerprint_of, open_run
from embedlab.store_root import atomic_write
from embedlab.vectors.dimensions import first_dimensions
from embedlab.vectors.faults import fault_notes, faults_in
from embedlab.vectors.files import save, taken
from embedlab.vectors.laid import in_own_order

if TYPE_CHECKING:  # torch takes seconds to import
    from embedlab.encoders.encoder import Encoder


Dimensions = Annotated[int | None, Option("keep only the first N dimensions of each vector", "N")]


@options(only_one=True, required=True)
class Vectors:
    """The vectors to draw."""

    run: NamedRun | None = None
    embeddings: Annotated[str | None, Option(metavar=VECTORS)] = None


@options()
class Figure:
    """The content and size of a figure of a run's maps: fields of ``DrawFigure``."""

    run: NamedRun
    method: Annotated[str, Option(choices=ALL_MAPS)] = "tsne"
    against: Annotated[
        str | None, Option("another run on the left instead of this one's map before training", "ID", names="run")
    ] = None
    maps: Annotated[Literal["both", "left", "right"] | None, Option("both side by side (default), or one")] = None
    format: Annotated[Literal["pdf", "svg", "png"] | None, Option("default: by --out")] = None
    width_mm: Annotated[float | None, Option("85 is one column, 174 (default) two", "MM", flag="--width")] = None
    dpi: Annotated[int | None, Option("of the points, and of a PNG (default 300)")] = None
    names: Annotated[
        Literal["map", "legend", "none"] | None, Option("where class names are written (default: map)")
    ] = None
    title: Annotated[str | None, Option("a line above the maps")] = None
    caption: Annotated[bool, Option("leave out method, seed, texts and measure below")] = True
    selection: Annotated[str | None, Option("a selection; only its texts keep their colors", "ID")] = None
    distance: Annotated[
        Distance | None, Option("distance of the kNN accuracy in the corner (default: the map's own)")
    ] = None


def embed(
    terminal: Terminal,
    *,
    of: RunOrEncoder,
    corpus: str,
    out: Annotated[str, Option(metavar="FILE.npy")],
    precision: Annotated[
        Literal["auto", "fp32", "bf16"],
        Option("auto: bf16 where the device has it and the cosine to fp32 is at least 0.9999 for 64 texts"),
    ] = "auto",
    on: Executor = None,
    dimensions: Dimensions = None,
    post: Post,
    reading: CorpusReading,
) -> Outcome:
    """One row per row of the corpus, in file order; rows without a text are zero."""
    file = output_file(out, ".npy")
    steps = chosen_step(post.post, post.sets)
    texts = load(corpus, reading, terminal)
    began = time.perf_counter()
    embeddings = first_dimensions(_embeddings_of(of, texts, precision, on, terminal), dimensions)
    embeddings = after_step(embeddings, texts.kept, steps, terminal)
    with atomic_write(file) as temporary:
        save(temporary, embeddings)
    seconds = round(time.perf_counter() - began, 2)
    count, dim = len(texts.kept), embeddings.shape[1]
    faults = faults_in(embeddings, texts.kept, texts.copies)
    facts = {"out": str(file), "texts": count, "dim": dim, "seconds": seconds}
    facts |= {"vectors": faults.model_dump(mode="json"), **({"post": next(iter(steps))} if steps else {})}
    lines = [f"{counted(count, 'text')}, {dim} dimensions, {seconds:.1f} s: {file}"]
    return Outcome(facts, lines, warnings=fault_notes({"vectors": faults}))


def _embeddings_of(of: RunOrEncoder, corpus: Corpus, precision: str, on: str | None, terminal: Terminal) -> np.ndarray:
    """(rows, dim), one row per corpus row."""
    from embedlab.tasks.measure.embedded import load_embeddings
    from embedlab.tasks.measure.subjects import OneEncoder

    if of.run is not None:
        folder = open_run(of.run)
        precision = embedding_precision_of(folder) if precision == "auto" else precision
        if fingerprint_of(folder) == corpus.info.fingerprint and folder.embeddings("after").exists():
            return np.asarray(load_embeddings(folder, "after"))
    executor = LOCAL if on is None else executor_of(on)
    if executor.key not in (LOCAL.key, RayCluster.key):  # embedding is not a run, so a batch queue cannot take it
        raise RunError(
            "E-EXECUTOR",
            f"A corpus is embedded on this computer or on a Ray cluster, but --on is {executor.key}. Leave it out, "
            "or run the command inside its own job.",
        )
    on_ray = executor.key == RayCluster.key
    return OneEncoder(encoder_of(of, corpus, terminal), terminal, precision, on_ray=on_ray).rows(corpus)


def encoder_of(of: RunOrEncoder, corpus: Corpus | None, terminal: Terminal) -> "Encoder":
    """The encoder of ``--run`` (as saved) or ``--encoder``."""
    from embedlab.tasks.encoders import encoder_of_run

    if of.run is None:
        return named_encoder(of.reference, corpus, terminal)
    go_offline()
    return encoder_of_run(open_run(of.run), "after")


def named_encoder(reference: str, corpus: Corpus | None, terminal: Terminal) -> "Encoder":
    """The encoder of this name, downloaded first if it is on a hub."""
    from embedlab.encoders.load import load_encoder
    from embedlab.tasks.fetch import fetch_encoder_first

    go_offline()
    fetch_encoder_first(reference, terminal)
    return load_encoder(reference, corpus=corpus, progress=terminal)


def draw_map(
    terminal: Terminal,
    *,
    of: Vectors,
    column: Column = None,
    method: Annotated[str, Option(choices=tuple(MAP_METHODS.keys()))] = "tsne",
    onto: Annotated[str | None, Option("start from this run's map after training, on the same corpus", "ID")] = None,
    dimensions: Dimensions = None,
    post: Post,
    out: Annotated[str, Option(metavar="FILE.parquet")],
) -> Outcome:
    """Two coordinates for every text that has a vector, in corpus order."""
    from embedlab.maps import MAPS
    from embedlab.tasks.draw.drawing import MapDrawing, map_alone, places_after
    from embedlab.tasks.measure.embedded import load_embeddings

    file, part = output_file(out, ".parquet"), MAPS[method]
    steps = chosen_step(post.post, [setting for setting in post.sets if is_of_post(setting)])
    values = with_settings({}, [setting for setting in post.sets if not is_of_post(setting)])
    config = validated(part.config_class, values, where="map")
    start = None
    if onto is not None and of.run is None:
        raise SettingsError(
            "E-ONTO",
            "--onto aligns the map of one run with that of another, but there is no --run. Give one with --run.",
        )
    if of.run is not None:
        folder = open_run(of.run)
        if onto is not None:
            start = places_after(MapDrawing(folder, part, config, terminal), open_run(onto))
        corpus = open_corpus(fingerprint_of(folder))
        rows, notes = rows_to_draw(corpus), list[Note]()
        embeddings = load_embeddings(folder, "after")
        faults = faults_in(embeddings, rows, corpus.copies)
        embeddings = taken(embeddings, rows)
    else:
        assert of.embeddings is not None, "the parser requires one of the two"
        embeddings, ids, notes = in_own_order(of.embeddings, column)
        rows, faults = np.arange(len(embeddings)) if ids is None else ids, faults_in(embeddings)
    began = time.perf_counter()
    embeddings = first_dimensions(embeddings, dimensions)
    embeddings = after_step(embeddings, np.arange(len(embeddings)), steps, terminal)
    layout = map_alone(embeddings, part, config, start, terminal)
    write_map(file, rows, layout.coordinates)
    seconds = round(time.perf_counter() - began, 2)
    used = layout.used
    facts = {"out": str(file), "texts": len(rows), "method": part.key, "seed": used.seed, "seconds": seconds}
    facts |= {"vectors": faults.model_dump(mode="json")}
    facts |= used.model_dump(include={"approximate", "recall_15", "queries"}, exclude_unset=True)
    facts |= {} if onto is None else {"onto": onto}
    facts |= {"used": used.model_dump(exclude_unset=True), **({"post": next(iter(steps))} if steps else {})}
    lines = [f"{part.key} of {len(rows):,} texts, seed {used.seed}, {seconds:.1f} s: {file}"]
    if used.recall_15 is not None and used.queries is not None:  # the neighbors are approximate
        queries = counted(used.queries, "text")
        lines.append(f"neighbors approximate, recall@15 {percent(used.recall_15)} on {queries}, {ANY_OF_EQUAL}")
    return Outcome(facts, lines, warnings=[*notes, *fault_notes({"vectors": faults})])


def figure(
    terminal: Terminal, *, picture: Figure, out: Annotated[str, Option(metavar="FILE.pdf|.svg|.png")]
) -> Outcome:
    """One map, or both side by side."""
    from embedlab.tasks.draw.figure import drawn_figure

    ending = Path(out).suffix.removeprefix(".")
    settings = validated(DrawFigure, {"format": ending, **given(picture)}, where="figure")
    drawn = drawn_figure(settings, output_file(out, f".{settings.format}"), terminal)
    lines = [f"{counted(drawn.texts, 'text')}, {drawn.width:,} × {drawn.height:,} pixels: {drawn.out}"]
    if drawn.unseen:
        lines.append(f"No font on this computer has {drawn.unseen}: boxes are drawn instead. SVG keeps them.")
    return Outcome(asdict(drawn), lines)


PREFIX = "post."  # of the settings of a step


def is_of_post(setting: str) -> bool:
    """Whether ``SETTING=VALUE`` belongs to a post-processing step."""
    return setting.strip().startswith(PREFIX)


def chosen_steps(written: str, settings: Sequence[str]) -> dict[str, Config]:
    """The steps of a comma list with their settings, none for ``none``; settings of other steps are refused."""
    steps = {key: POSTPROCESSING[key] for key in words_of(written) if key != "none"}
    for setting in settings:
        if not is_of_post(setting):
            message = "--set takes settings of a step here, such as post.flow.epochs=5,"
            raise SettingsError("E-SETTING", f"{message} but found {setting!r}. Leave it out.")
    values = with_settings({}, [setting.strip().removeprefix(PREFIX) for setting in settings])
    for key in values:
        if key not in steps:
            raise SettingsError(
                "E-SETTING", f"--set names post.{key}, but --post is {written!r}. Add {key!r} to --post."
            )
    return {key: validated(step.config_class, values.get(key, {}), where=f"post.{key}") for key, step in steps.items()}


def chosen_step(written: str, settings: Sequence[str]) -> dict[str, Config]:
    """At most one step of ``--post`` with its settings, because the vectors written come from one."""
    steps = chosen_steps(written, settings)
    if len(steps) > 1:
        raise SettingsError("E-SETTING", f"--post takes one step here, but found {written!r}. Choose one of them.")
    return steps


def after_step(embeddings: np.ndarray, rows: np.ndarray, steps: dict[str, Config], terminal: Terminal) -> np.ndarray:
    """Embeddings (rows, dim) after the step, or unchanged without one; prints its remarks."""
    for processed in fitted_steps(embeddings, rows, steps, terminal).values():
        embeddings = processed.embeddings
    return embeddings


def fitted_steps(
    embeddings: np.ndarray, rows: np.ndarray, steps: dict[str, Config], terminal: Terminal
) -> dict[str, Processed]:
    """The embeddings (rows, dim) after each step by key; prints the steps' remarks."""
    fitted: dict[str, Processed] = {}
    for key, config in steps.items():
        fitted[key] = POSTPROCESSING[key].fit_transform(embeddings, rows, config, terminal)
        for remark in fitted[key].used["remarks"]:
            terminal.note(remark)
    return fitted
