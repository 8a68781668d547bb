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
from embedlab.runs.state import read_state
from embedlab.runs.store import delete_run, list_runs, open_run, read_settings
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.measure import load_embeddings


def run(folder: RunFolder, asked: dict, progress) -> None:
    """Answer until nobody has asked for a while; a second process leaves at once."""
    try:
        with FileLock(ask_folder() / "ask.lock", timeout=0):
            _tidy(folder)
            _serve(progress)
    except Timeout:
        return


def _tidy(own: RunFolder) -> None:
    """Answers that nobody fetched, and the folders of earlier resident processes."""
    for file in ask_folder().glob("*.answer.json"):
        file.unlink(missing_ok=True)
    for job in list_runs("jobs"):
        if job.id != own.id and read_settings(job)["task"] == "ask" and read_state(job)["state"].is_over:
            delete_run(job)


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
    encoder = _encoder(run_id, name)
    vector = embed(encoder, [text], device="cpu")  # (1, dim)
    rows, distances = _search(run_id, name).nearest(vector, k=k)
    found = {"rows": rows[0].tolist(), "distances": [float(d) for d in distances[0]], "known": is_known(encoder, text)}
    coordinates = _coordinates(run_id, name, method)
    if coordinates is not None:
        place = placed(rows, coordinates)[0]
        found["place"] = place.tolist() if np.isfinite(place).all() else None
    return found


def is_known(encoder, text: str) -> bool:
    """Whether the encoder has a token of the text, other than [UNK] and its kin."""
    return any(token not in encoder.special_token_ids for token in encoder.tokenize([text])[0])


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
