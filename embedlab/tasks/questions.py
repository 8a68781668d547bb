"""Questions about texts to the resident process, which keeps encoders warm and exits after five idle minutes."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from filelock import FileLock, Timeout
from pydantic_core import to_jsonable_python

from embedlab.diagnostics.length import bench, repeated
from embedlab.disk_trouble import trouble_said
from embedlab.distance import DISTANCES, EUCLIDEAN, Distance
from embedlab.encoders.embed import embed
from embedlab.encoders.encoder import Encoder
from embedlab.errors import EmbedlabError, SettingsError, UserError
from embedlab.jobs.questions import (
    POLL_SECONDS,
    AxesAnswer,
    ask_folder,
    give,
    give_array,
    next_question,
    remove_old_answers,
    tidy_arrays,
)
from embedlab.jobs.requests.working import AnswerTexts
from embedlab.limits import LIMITS
from embedlab.metrics.length_results import Bench
from embedlab.progress import Progress
from embedlab.runs.drawn_map import read_places, right_map
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import is_own, no_encoder
from embedlab.runs.store import open_run
from embedlab.runs.vectors import Flight, NearRows, StoredVectors, TwoTexts, between, nearest_by, stored_vectors
from embedlab.store_root import Json
from embedlab.tasks.encoders import encoder_of_run
from embedlab.vectors.exact import usable


def run(folder: RunFolder, request: AnswerTexts, progress: Progress) -> None:
    """Answer until no question has come for a while; a second process exits at once."""
    try:
        with FileLock(ask_folder() / "ask.lock", timeout=0):
            remove_old_answers()
            tidy_arrays()
            _serve(progress)
    except Timeout:
        return


def _serve(progress: Progress) -> None:
    last = time.monotonic()
    while time.monotonic() - last < LIMITS.ask_idle_seconds:
        progress("Waiting for questions")
        waiting = next_question()
        if waiting is None:
            time.sleep(POLL_SECONDS)
            continue
        number, question = waiting
        give(number, _answer(question))
        last = time.monotonic()


def _answer(question: Json) -> Json:
    try:
        if (kind := KINDS.get(question.get("kind", ""))) is None:
            message = f"A question is one of {', '.join(KINDS)}, but found {question.get('kind')!r}."
            raise UserError("E-QUESTION", message)
        return to_jsonable_python(kind(question))
    except EmbedlabError as error:
        return {"error": {"code": error.code, "message": error.message}}
    except Exception as error:  # one bad question must not end the process that answers the others
        message = f"The question could not be answered ({type(error).__name__})."
        failure = trouble_said(error) or EmbedlabError("E-UNEXPECTED", message)
        return {"error": {"code": failure.code, "message": failure.message}}


NAMES = ("before", "after")
T = TypeVar("T")
PLACED_BY = 10


@dataclass(frozen=True)
class WarmEncoder:
    """One encoder of one run, and the other run with whose map its own is aligned, if any."""

    run: RunFolder
    name: str
    onto: str | None = None
    dimensions: int | None = None  # of each vector that are kept, the first; None: all

    @property
    def encoder(self) -> Encoder:
        """The loaded encoder; raises an error if the run has none."""
        if is_own(self.run):
            raise no_encoder(self.run)
        return _encoder(self.run.path, self.name, self.run.encoder.stat().st_mtime_ns)

    @property
    def vectors(self) -> StoredVectors:
        """The embeddings of the corpus."""
        return stored_vectors(self.run, self.name, self.dimensions)


@lru_cache(maxsize=4)
def _encoder(path: Path, name: str, changed: int) -> Encoder:
    return encoder_of_run(RunFolder(path), name).eval()


def neighbors(side: WarmEncoder, question: Json) -> NearRows:
    """``text k method distance`` -> the nearest rows, and the text's place if a map is drawn."""
    text = question["text"]
    apart = _apart(side, embedded(side.encoder, [text])[:, : side.dimensions], distance_of(question))
    coordinates = _coordinates(side, question["method"])
    return replace(
        _listed(apart, nearest_by(apart, question["k"])),
        is_known=is_known(side.encoder, text),
        position=None if coordinates is None else _place(apart, coordinates),
    )


def row_neighbors(side: WarmEncoder, question: Json) -> NearRows:
    """``row k distance`` -> the nearest rows of a corpus text, excluding itself; needs no encoder."""
    row, vectors = question["row"], side.vectors
    if vectors.lengths[row] == 0:
        return NearRows([], [], is_known=False)
    apart = vectors.distances(vectors.embeddings[row : row + 1], distance_of(question))[0]
    return _listed(apart, nearest_by(apart, question["k"], without=row))


def flight(side: WarmEncoder, question: Json) -> Flight:
    """``text copies k method distance`` -> the text's places on the map as it is repeated."""
    vectors, fit = repeated(side.encoder, [question["text"]], question["copies"])
    coordinates, near, places = _coordinates(side, question["method"]), [], []
    for vector in vectors[0][:, : side.dimensions]:
        apart = _apart(side, vector[None], distance_of(question))
        near.append(_listed(apart, nearest_by(apart, question["k"])))
        places.append(None if coordinates is None else _place(apart, coordinates))
    first = set(near[0].rows)
    retained = [len(first & set(each.rows)) for each in near]
    return Flight(
        **vars(fit), is_known=is_known(side.encoder, question["text"]), near=near, stays=retained, places=places
    )


def _apart(side: WarmEncoder, vector: np.ndarray, distance: Distance) -> np.ndarray:
    """The distance of every row from a vector; infinite without a direction. (1, dim) -> (rows,)"""
    if not usable(vector)[0]:
        return np.full(len(side.vectors.lengths), np.inf)
    return side.vectors.distances(vector, distance)[0]


def _listed(distances: np.ndarray, rows: np.ndarray) -> NearRows:
    return NearRows(rows.tolist(), distances[rows].tolist())


def _place(distances: np.ndarray, coordinates: np.ndarray) -> list[float] | None:
    """The median of the ten nearest texts on the map, None without any. distances: (rows,), coordinates: (rows, 2)"""
    is_placed = np.isfinite(coordinates).all(axis=1)
    near = nearest_by(np.where(is_placed, distances, np.inf), PLACED_BY)
    return np.median(coordinates[near], axis=0).tolist() if len(near) else None


def _coordinates(side: WarmEncoder, method: str) -> np.ndarray | None:
    """The coordinates of each row on this side's map, (rows, 2), NaN for others; None if none is drawn."""
    drawn = side.run.map(side.name, method)
    if side.onto is not None:
        drawn = right_map(side.run, side.onto, open_run(side.onto), method)
    return _read(drawn, drawn.stat().st_mtime_ns, len(side.vectors.lengths)) if drawn.exists() else None


@lru_cache(maxsize=8)
def _read(path: Path, changed: int, rows: int) -> np.ndarray:
    everywhere, (drawn_rows, places) = np.full((rows, 2), np.nan), read_places(path)
    everywhere[drawn_rows] = places
    return everywhere


def axes(question: Json) -> AxesAnswer:
    """``phrases``, two of them -> their cosines."""
    phrases, cosines, has_tokens = question["phrases"], [], {}
    for name, side in sides_of(question).items():
        encoder = side.encoder
        has_tokens[name] = [is_known(encoder, phrase) for phrase in phrases]
        cosines.append(side.vectors.cosines(embedded(encoder, phrases)[:, : side.dimensions]))
    return AxesAnswer(give_array(np.asarray(cosines, np.float32)), has_tokens)


def length(side: WarmEncoder, question: Json) -> Bench:
    """``a b copies`` -> the cosines by copies."""
    return bench(side.encoder, question["a"], question["b"], question["copies"])


def two_texts(side: WarmEncoder, question: Json) -> TwoTexts:
    """``first second``, two rows, and ``distance`` -> the result of ``between``."""
    return between(side.vectors, question["first"], question["second"], distance_of(question))


def sides_of(question: Json) -> dict[str, WarmEncoder]:
    """``sides``: for ``before`` (left) and ``after`` (right) ``{run, name, onto?}``; by default those of ``run``.

    ``dimensions``: the first so many of each vector; all by default.
    """
    sides = question.get("sides") or {name: {"run": question["run"], "name": name} for name in NAMES}
    return {
        name: WarmEncoder(open_run(each["run"]), each["name"], each.get("onto"), question.get("dimensions"))
        for name in NAMES
        if (each := sides[name])
    }


def distance_of(question: Json) -> Distance:
    """``distance``: the distance for neighbors, Euclidean by default."""
    distance = question.get("distance", EUCLIDEAN)
    if distance not in DISTANCES:
        raise SettingsError("E-CONFIG", f"The distance must be one of {', '.join(DISTANCES)}, but found {distance!r}.")
    return distance


def embedded(encoder: Encoder, texts: list[str]) -> np.ndarray:
    """(texts, dim) float32"""
    return embed(encoder, texts, device="cpu", role="query")  # typed texts search those of the corpus


def is_known(encoder: Encoder, text: str) -> bool:
    """Whether the encoder has a token of the text other than [UNK]."""
    return any(token not in encoder.special_token_ids for token in encoder.tokenize([text], role="none")[0])


def of_each_side(answer: Callable[[WarmEncoder, Json], T], question: Json) -> dict[str, T]:
    """What a question about one side has as its answer for both."""
    return {name: answer(side, question) for name, side in sides_of(question).items()}


KINDS: dict[str, Callable[[Json], object]] = {
    "axes": axes,
    **{each.__name__: partial(of_each_side, each) for each in (neighbors, row_neighbors, two_texts, length, flight)},
}
