"""The resident encoder process: keeps two encoders warm, answers typed texts, leaves after five idle minutes."""

import time
from functools import lru_cache

import numpy as np
from filelock import FileLock, Timeout

from embedlab.diagnostics.length import bench
from embedlab.encoders.embed import embed
from embedlab.errors import EmbedlabError, UserError
from embedlab.limits import LIMITS
from embedlab.maps.place import placed
from embedlab.neighbors import NeighborSearch
from embedlab.runs.ask import POLL_SECONDS, ask_folder, give, next_question
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import open_run
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.measure import load_embeddings


def run(folder: RunFolder, asked: dict, progress) -> None:
    """Answer until nobody has asked for a while; a second process leaves at once."""
    try:
        with FileLock(ask_folder() / "ask.lock", timeout=0):
            _serve(progress)
    except Timeout:
        return


def _serve(progress) -> None:
    last = time.monotonic()
    while time.monotonic() - last < LIMITS.ask_idle_seconds:
        progress("Waiting for questions")
        found = next_question()
        if found is None:
            time.sleep(POLL_SECONDS)
            continue
        number, question = found
        give(number, _answer(question))
        last = time.monotonic()


def _answer(question: dict) -> dict:
    try:
        kind = _KINDS.get(question.get("kind"))
        if kind is None:
            raise UserError(
                "E-QUESTION", f"A question is one of {', '.join(_KINDS)}, but found {question.get('kind')!r}."
            )
        return kind(question)
    except EmbedlabError as error:
        return {"error": {"code": error.code, "message": error.message}}
    except Exception as error:  # one bad question must not end the process that answers the others
        return {
            "error": {
                "code": "E-UNEXPECTED",
                "message": f"The question could not be answered ({type(error).__name__}).",
            }
        }


def _neighbors(question: dict) -> dict:
    """A typed text among the corpus: nearest rows and its place on the map, before and after."""
    return {
        name: _near(question["run"], name, question["text"], question["k"], question["method"])
        for name in ("before", "after")
    }


def _near(run_id: str, name: str, text: str, k: int, method: str) -> dict:
    vector = embed(_encoder(run_id, name), [text], device="cpu")  # (1, dim)
    rows, distances = _search(run_id, name).nearest(vector, k=k)
    found = {"rows": rows[0].tolist(), "distances": [float(d) for d in distances[0]], "known": bool(np.any(vector))}
    coordinates = _coordinates(run_id, name, method)
    if coordinates is not None:
        place = placed(rows, coordinates)[0]
        found["place"] = place.tolist() if np.isfinite(place).all() else None
    return found


def _length(question: dict) -> dict:
    """Two typed sentences, elongated: their cosine for each number of copies, untouched and fine-tuned."""
    a, b, copies = question["a"], question["b"], question["copies"]
    return {name: bench(_encoder(question["run"], name), a, b, copies) for name in ("before", "after")}


_KINDS = {"neighbors": _neighbors, "length": _length}


@lru_cache(maxsize=4)
def _encoder(run_id: str, name: str):
    return encoder_of_run(open_run(run_id), name).eval()


@lru_cache(maxsize=4)
def _search(run_id: str, name: str) -> NeighborSearch:
    return NeighborSearch(np.asarray(load_embeddings(open_run(run_id), name)))


@lru_cache(maxsize=8)
def _coordinates(run_id: str, name: str, method: str) -> np.ndarray | None:
    import pyarrow.parquet as pq

    folder = open_run(run_id)
    path = folder.map(name, method)
    if not path.exists():
        return None
    table = pq.read_table(path).to_pandas()
    everywhere = np.full((len(load_embeddings(folder, name)), 2), np.nan)
    everywhere[table["id"].to_numpy()] = table[["x", "y"]].to_numpy()
    return everywhere
