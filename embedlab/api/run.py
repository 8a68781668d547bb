"""A run as a notebook holds it: its state, its numbers with their intervals, its encoder, its maps, its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from embedlab.api.display import drawn_maps, maps_of_run, run_html, run_sentences
from embedlab.api.following import followed, from_a_notebook, no_result_yet, require_finished, stopped, worked
from embedlab.baseline_methods import baseline_title
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN, Distance
from embedlab.errors import RunError, SettingsError
from embedlab.figures.notebook import Figure
from embedlab.jobs.requests.drawing import DrawMaps
from embedlab.jobs.runner import resume
from embedlab.map_methods import MAP_METHODS, OWN_MAP
from embedlab.measurement import ByDistance, Measurement
from embedlab.numbers import accuracy, in_points
from embedlab.report.verdict_words import verdict_sentence
from embedlab.runs.curve import curve_points
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import is_own, no_encoder
from embedlab.runs.index.find import newest_job
from embedlab.runs.kept import record_ending
from embedlab.runs.predictions import judged_texts
from embedlab.runs.result import Accuracy, RunResult, accuracy_of, read_result, references_of
from embedlab.runs.state import State, read_state
from embedlab.runs.store import fingerprint_of, read_rows, settings_of, stored_request
from embedlab.training.titles import run_title

if TYPE_CHECKING:
    import pandas as pd

TABLES = ("curve", "terms", "predictions")


@dataclass(frozen=True)
class KnnAccuracy:
    """The run's kNN accuracy by both distances, as every page shows it: shares between 0 and 1.

    ``cosine`` and ``euclidean`` each have ``before``, ``after`` (of the selected encoder), their binomial standard
    errors, ``protocol`` (``folds``; ``paper`` of runs that saw labels), ``change`` (``difference``, ``low``, ``high``:
    after minus before with its 95 % interval, paired over the tested texts; None where nothing was trained) and
    ``against`` (the same against each reference). ``references``: TF-IDF and SVD on the same texts, by their keys
    ``tfidf`` and ``svd``.
    """

    cosine: Accuracy
    euclidean: Accuracy
    references: Mapping[str, ByDistance[Measurement]]
    counted: str  # words or characters, which the references count

    @property
    def test_texts(self) -> int:
        """The number of tested texts."""
        return self.euclidean.test_texts

    @property
    def k(self) -> int:
        """The number of neighbors that vote."""
        return self.euclidean.k

    def by(self, distance: Distance) -> Accuracy:
        """The numbers by one distance."""
        return self.cosine if distance == COSINE else self.euclidean

    def __repr__(self) -> str:
        lines = [f"kNN accuracy (k = {self.k}) {self.euclidean.tested}"]
        for distance, name in DISTANCES.items():
            numbers = self.by(distance)
            change = numbers.change
            gain = "" if change is None else f", {in_points(change.difference, change.low, change.high)}"
            before = accuracy(numbers.before, numbers.standard_error_before)
            lines.append(f"  {name}: {before} → {accuracy(numbers.after, numbers.standard_error)}{gain}")
        for key, line in self.references.items():
            values = (f"{accuracy(line.by(each).value, line.by(each).error)} ({DISTANCES[each]})" for each in DISTANCES)
            lines.append(f"  {baseline_title(key, self.counted)}: {', '.join(values)}")
        return "\n".join(lines)


class OwnEncoder:
    """A run's encoder without sentence-transformers: the same vectors through the same method ``encode``."""

    def __init__(self, run: RunFolder):
        from embedlab.tasks.encoders import encoder_of_run

        self._encoder = encoder_of_run(run, "after")

    def encode(self, sentences: str | Sequence[str]) -> np.ndarray:
        """One float32 vector per text, zero for a text without tokens. -> (texts, dim), or (dim,) for a single text"""
        from embedlab.device import choose_device
        from embedlab.encoders.embed import embed

        texts = [sentences] if isinstance(sentences, str) else list(sentences)
        device = choose_device("auto").name
        vectors = embed(self._encoder.to(device), texts, device=device)
        return vectors[0] if isinstance(sentences, str) else vectors


@dataclass(frozen=True)
class Run:
    """One run of the store, wherever it was started: this notebook, the app or the command line.

    ``folder`` names its files. Whatever is read is read from them anew, so that a run that is still training can be
    looked at: ``state``, ``to_pandas()``. Results raise ``RunError`` while there is none.
    """

    folder: RunFolder

    @property
    def id(self) -> str:
        """Sortable by time; accepted by ``open_run`` and every command."""
        return self.folder.id

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self.folder.path

    @property
    def name(self) -> str:
        """The name it was given, otherwise what it trains."""
        return run_title(self.folder)

    @property
    def state(self) -> State:
        """queued, running, finished, failed, stopped or interrupted."""
        return read_state(self.folder).state

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting that it was trained with, by name."""
        return settings_of(self.folder)

    @property
    def corpus(self) -> Corpus:
        """Its corpus.

        Raises
        ------
        CorpusError
            the corpus is no longer in the store.
        """
        return open_corpus(fingerprint_of(self.folder))

    @property
    def result(self) -> RunResult:
        """Everything that it measured, as in ``result.json``.

        Raises
        ------
        RunError
            there is no result: the run is queued or running, or was stopped or interrupted before.
        EmbedlabError
            the run failed; the sentence says why.
        """
        record_ending(self.folder)  # its worker may have gone without a word
        result = read_result(self.folder)
        if result is None:
            raise no_result_yet(self.folder)
        return result

    @property
    def knn(self) -> KnnAccuracy | None:
        """kNN accuracy before and after by both distances, with references; None for a corpus without labels.

        Raises as ``result``. ``result.why_no_knn`` says why there is none.
        """
        result = self.result
        cosine, euclidean = accuracy_of(result, COSINE), accuracy_of(result, EUCLIDEAN)
        if cosine is None or euclidean is None:
            return None
        by = ByDistance.of(lambda each: references_of(result, each))
        lines = {key: ByDistance(by.euclidean[key], by.cosine[key]) for key in by.either}
        units = next((line.counted for line in result.references.values()), "words")
        return KnnAccuracy(cosine, euclidean, lines, units)

    @property
    def verdict(self) -> str:
        """*Helped*, *No clear change* or *Hurt* in a sentence with its intervals; empty without labels."""
        return verdict_sentence(self.result)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Remarks of the run on its corpus, encoder and vectors, a sentence each."""
        return tuple(each.message for each in self.result.warnings)

    @cached_property
    def encoder(self) -> Any:
        """The selected encoder, ready to ``encode(texts)``; loaded once.  -> (texts, dim) float32

        A ``sentence_transformers.SentenceTransformer`` of ``path / "encoder"`` where that package is installed, else an
        ``OwnEncoder`` with the same vectors.

        Raises
        ------
        RunError
            there is no encoder: the run has not ended, or its vectors were imported.
        """
        if is_own(self.folder):
            raise no_encoder(self.folder)
        if not (self.folder.encoder / "modules.json").exists():
            raise no_result_yet(self.folder)
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            return OwnEncoder(self.folder)
        return SentenceTransformer(str(self.folder.encoder), local_files_only=True)

    @from_a_notebook
    def wait(self, *, progress: bool = True) -> Run:
        """Wait until the run has ended and its maps are drawn, and return it; ``KeyboardInterrupt`` stops it cleanly.

        Raises as ``train``.
        """
        state = followed(self.folder, progress=progress)
        if state.state is not State.STOPPED or read_result(self.folder) is None:
            require_finished(self.folder, state)
        maps = newest_job(DrawMaps.task, run=self.id)  # its worker begins it before it ends
        if maps is not None:
            followed(maps, progress=progress)
        return self

    @from_a_notebook
    def stop(self) -> Run:
        """Stop after the step and wait until the best encoder so far, which is kept, has been measured.

        Raises
        ------
        RunError
            the run is over already.
        """
        if self.state.is_over:
            raise RunError("E-RUN-OVER", f"Run {self.id} is already {self.state}: there is nothing to stop.")
        stopped(self.folder)
        return self

    @from_a_notebook
    def resume(self, *, wait: bool = True, progress: bool = True) -> Run:
        """Continue an interrupted, stopped or failed run from its newest checkpoint. Raises as ``train``."""
        resume(self.folder)
        return self.wait(progress=progress) if wait else self

    @from_a_notebook
    def map(self, method: str = "tsne", *, progress: bool = True) -> Figure:
        """The maps before and after as a plotly figure; a worker draws them first if necessary.

        ``method``: tsne, umap or pca; own for imported coordinates. The map after begins where the map before ended.

        Raises
        ------
        UnknownPartError
            there is no such method.
        RunError
            the run has no embeddings.
        """
        key = OWN_MAP if method == OWN_MAP else MAP_METHODS[method].key
        if key not in (OWN_MAP,) and len(drawn_maps(self.folder, key)) < 2:
            worked(DrawMaps(run=self.id, method=key), dict, progress=progress)
        if not drawn_maps(self.folder, key):
            raise RunError("E-NOT-DRAWN", f"Run {self.id} has no coordinates of its own. Choose tsne, umap or pca.")
        return maps_of_run(self.folder, key)

    def to_pandas(self, table: Literal["curve", "terms", "predictions"] = "curve") -> pd.DataFrame:
        """One of its tables as a DataFrame; empty until something is recorded.

        - ``curve``: a row per live point: step, texts, seconds, ``knn`` and ``standard_error`` by cosine, the same by
          Euclidean distance (``knn_euclidean``), test_texts; shares between 0 and 1.
        - ``terms``: a row per recorded step: loss, its terms, learning rate, texts per second.
        - ``predictions``: a row per tested text: row (in the corpus), label, and what its neighbors predict ``before``
          and ``after`` (cosine).
        """
        import pandas as pd

        if table not in TABLES:
            raise SettingsError("E-TABLE", f"There is no table {table!r}. Choose from: {', '.join(TABLES)}.")
        if table == "terms":
            return pd.DataFrame(read_rows(self.folder.terms))
        if table == "curve":
            rows = [row for row in read_rows(self.folder.metrics) if row.get("knn") is not None]
            both = (curve_points(rows, distance) for distance in (COSINE, EUCLIDEAN))
            points = [
                {
                    "step": row["step"],
                    **{name: row.get(name) for name in ("texts", "seconds", "full", "test_texts")},
                    "knn": by_cosine.knn,
                    "standard_error": by_cosine.error,
                    "knn_euclidean": by_euclidean.knn,
                    "standard_error_euclidean": by_euclidean.error,
                }
                for row, by_cosine, by_euclidean in zip(rows, *both, strict=True)
            ]
            return pd.DataFrame(points)
        predictions = judged_texts(self.folder, COSINE)
        columns = ("rows", "labels", "before", "after")
        named = {} if predictions is None else {name: getattr(predictions, name) for name in columns}
        return pd.DataFrame(named).rename(columns={"rows": "row", "labels": "label"})

    def __repr__(self) -> str:
        return f"Run({self.id!r}, {self.state}, {self.name!r}): {run_sentences(self.folder)[0]}"

    def _repr_html_(self) -> str:
        """For a notebook: the verdict, the curve and both maps, without a script; every text is escaped."""
        return run_html(self.folder)


def run_folder(run: Run | str) -> RunFolder:
    """The folder of a run, given itself or its id.

    Raises
    ------
    RunError
        no run has this id, or it is the id of a job.
    """
    if isinstance(run, Run):
        return run.folder
    from embedlab.runs.store import open_run

    folder = open_run(run)
    if folder.path.parent.name != "runs":
        task = stored_request(folder).task
        raise RunError(
            "E-UNKNOWN-RUN", f"A run is needed, but {run} is a job ({task}). List runs with embedlab.list_runs()."
        )
    return folder
