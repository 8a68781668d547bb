"""Corpora and runs: read texts, fine-tune an encoder on them, open runs of the store, import embeddings."""

from __future__ import annotations

import sys
import warnings
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from embedlab.api.following import from_a_notebook, progress_bar, worked
from embedlab.api.run import Run, run_folder
from embedlab.augmentations.fit import ENCODER, proposed_recipe
from embedlab.config import validated
from embedlab.corpora.base import Corpus, store_corpus
from embedlab.corpora.files import read_table
from embedlab.corpora.proposal import Reading, checked_draft
from embedlab.errors import CorpusError
from embedlab.jobs.executors import executor_of
from embedlab.jobs.requests.corpora import BringVectors, ImportedRun, VectorFile
from embedlab.jobs.runner import submit
from embedlab.paths import absolute
from embedlab.plain_text import printable
from embedlab.progress import Progress
from embedlab.runs import store
from embedlab.runs.index.find import damaged
from embedlab.training.settings import RunSettings

if TYPE_CHECKING:
    import pandas as pd

Source: TypeAlias = "Corpus | str | PathLike[str] | pd.DataFrame"
Vectors: TypeAlias = "np.ndarray | str | PathLike[str]"


@from_a_notebook
def load_corpus(
    source: Source,
    *,
    text: str | None = None,
    label: str | None = None,
    name: str | None = None,
    progress: bool = True,
    **reading: Any,
) -> Corpus:
    """A corpus in the store: its texts in file order, with labels, titles and further columns.

    ``source``: a DataFrame, ``docs`` (built in), a catalog name, ``hf:owner/name``, the path of a file or folder (CSV,
    JSON Lines, Parquet, XLSX, text files …) or the fingerprint of a stored corpus. ``text`` and ``label``: its
    columns, by default inferred; ``label=""`` for none. ``reading``: title, summaries, unlabeled, encoding, separator,
    quoting, sheet, header_row, accept_reading. How a file was read is written to standard error.

    Raises
    ------
    CorpusError
        no such file or column, not a table, undecodable, no texts left, or doubts about the reading.
    NetworkError
        the corpus must be downloaded, and there is no connection.
    """
    if isinstance(source, Corpus):
        return source
    fields = {"text": text, "label": label, "name": name, **reading}
    settings = validated(Reading, {key: value for key, value in fields.items() if value is not None})
    with progress_bar(progress) as says:
        if isinstance(source, str | PathLike):
            from embedlab.tasks.fetch import corpus_first

            corpus = corpus_first(str(source), settings, says)
        else:
            corpus = _of_frame(source, settings, says)
    report = corpus.info.reading
    for sentence in [*([report.sentence] if report else []), *(note.message for note in corpus.info.notes)]:
        if progress:
            print(printable(sentence), file=sys.stderr)
    return corpus


def _of_frame(frame: Any, reading: Reading, progress: Progress) -> Corpus:
    """A DataFrame, read through its Parquet file; its index is dropped."""
    if not hasattr(frame, "to_parquet"):
        raise CorpusError(
            "E-NOT-A-TABLE", f"A corpus is a path, a name or a DataFrame, but a {type(frame).__name__} was given."
        )
    with TemporaryDirectory() as folder:
        file = Path(folder) / "frame.parquet"
        try:
            frame.rename(columns=str).to_parquet(file, index=False, engine="pyarrow")
        except (TypeError, ValueError) as error:  # ArrowInvalid is a ValueError
            message = f"The DataFrame cannot be stored as a table: {error}. Give each column one type."
            raise CorpusError("E-NOT-A-TABLE", message) from error
        name = reading.name or "DataFrame"
        table = read_table(file, reading, progress, name=name)
        table.report = table.report.having(format="DataFrame")
        return store_corpus(checked_draft(table, reading, source=name))


@from_a_notebook
def train(
    corpus: Source,
    *,
    encoder: str | None = None,
    recipe: str | None = None,
    epochs: int | None = None,
    name: str = "",
    seed: int = 0,
    on: str | None = None,
    wait: bool = True,
    progress: bool = True,
    **settings: Any,
) -> Run:
    """Fine-tune an encoder on a corpus, in a worker, and return the finished run.

    ``corpus``: as ``load_corpus`` takes it. ``encoder`` and ``recipe``: keys of ``python -m embedlab parts``; without
    both, what the corpus's texts suggest. ``settings``: any other setting of a run by its name, those of the objective
    and the augmentation as dicts: ``batch_size=32, objective={"temperature": 0.1}``. ``on``: local, ray or slurm.
    ``wait=False`` returns at once; the run outlives the notebook. ``KeyboardInterrupt`` stops the run, keeps its best
    encoder, and is raised again; its note says how to open the run.

    Raises
    ------
    UserError
        a wrong setting, corpus or combination of parts, before or by the worker.
    EmbedlabError
        the run failed or was interrupted.
    """
    executor_of(on)
    named = {"encoder": encoder, "recipe": recipe, "epochs": epochs, "seed": seed}
    values = settings | {key: value for key, value in named.items() if value is not None}
    validated(RunSettings, {"corpus": "?", **values})  # a wrong setting is an error before a corpus is read
    texts = load_corpus(corpus, progress=progress)
    if encoder is None and recipe is None:
        values |= {"encoder": ENCODER, "recipe": proposed_recipe(texts.info.two_views).recipe}
    run = Run(submit(validated(RunSettings, {**values, "corpus": texts.fingerprint}), name=name, on=on))
    return run.wait(progress=progress) if wait else run


def list_runs() -> list[Run]:
    """Every run of the store, newest first, wherever it was started; an unreadable one gives a warning."""
    unreadable = damaged()
    for sentence in unreadable.values():
        warnings.warn(sentence, stacklevel=2)
    return [Run(folder) for folder in store.list_runs() if folder.id not in unreadable]


def open_run(run: str) -> Run:
    """The run with this id.

    Raises
    ------
    RunError
        there is none, or its folder cannot be read.
    """
    return Run(run_folder(run))


@from_a_notebook
def import_embeddings(
    corpus: Source,
    before: Vectors | None = None,
    after: Vectors | None = None,
    *,
    coordinates: Vectors | None = None,
    coordinates_after: Vectors | None = None,
    column: str | None = None,
    ids: str | None = None,
    name: str = "",
    progress: bool = True,
) -> Run:
    """A run made from imported vectors: kNN accuracy, verdict and maps like any other, but no encoder.

    ``before`` and ``after``: arrays (rows, dim), one row per row of the corpus, or files (.npy, .npz, Parquet) that
    are joined with it by their ids, else by row; without ``after`` nothing is compared. ``coordinates`` and
    ``coordinates_after``: maps (rows, 2). ``column`` and ``ids`` as ``--column`` and ``--vector-ids``.

    Raises
    ------
    UserError
        the vectors cannot be read or joined with the corpus, or none were given.
    """
    texts = load_corpus(corpus, progress=progress)
    given = {"before": before, "after": after, "coordinates": coordinates, "coordinates_after": coordinates_after}
    with TemporaryDirectory() as folder:
        files = {
            role: VectorFile(
                path=_vector_file(vectors, Path(folder) / f"{role}.npy"),
                column=column if role in ("before", "after") else None,
                ids=ids,
            )
            for role, vectors in given.items()
            if vectors is not None
        }
        request = BringVectors.model_validate({"corpus": texts.fingerprint, "name": name, **files})
        imported = worked(request, ImportedRun, progress=progress)
    return open_run(imported.run)


def _vector_file(vectors: Vectors, file: Path) -> str:
    """The absolute path of a file of vectors; an array is first written to ``file``."""
    if isinstance(vectors, np.ndarray):
        np.save(file, vectors, allow_pickle=False)
        return str(file)
    return absolute(vectors)
