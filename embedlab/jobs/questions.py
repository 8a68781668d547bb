"""Questions to the resident encoder process: files in, files out; the first question starts the process."""

import os
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from embedlab.damage import read_array
from embedlab.jobs.requests.working import AnswerTexts
from embedlab.jobs.runner import submit
from embedlab.runs.lease import is_held
from embedlab.runs.store import new_id
from embedlab.store_root import Json, UnreadableFile, atomic_write, make_folder, read_json, store_root, write_json

POLL_SECONDS = 0.02
ARRAYS_KEPT = 8  # the newest ones; a page that misses its own asks again
_QUESTION, _ANSWER, _ARRAY = (
    re.compile(rf"[0-9a-z]{{6,26}}\.{ending}") for ending in (r"question\.json", r"answer\.json", "npy")
)


@dataclass(frozen=True)
class AxesAnswer:
    """The cosines of all texts to phrases: ``array``, the name of a file of (sides, phrases, rows) float32.

    Not a number: a text (or a phrase) without a vector. ``has_tokens``: of each side, whether it knows each phrase.
    """

    array: str
    has_tokens: dict[str, list[bool]]


def ask_folder() -> Path:
    """The folder of questions and answers."""
    folder = store_root() / "ask"
    make_folder(folder)
    return folder


def ask(question: dict) -> str:
    """Submit a question; returns its id. Starts the process if none is alive."""
    number = new_id()
    write_json(ask_folder() / f"{number}.question.json", question)
    if not is_held(ask_folder() / "ask.lock"):
        submit(AnswerTexts())
    return number


def answer(number: str, *, wait_seconds: float = 0.0) -> Json | None:
    """The answer, or None if there is none yet: ``{"error": {code, message}}`` or the result."""
    file = ask_folder() / f"{number}.answer.json"
    until = time.monotonic() + wait_seconds
    while not file.exists():
        if time.monotonic() >= until:
            return None
        time.sleep(POLL_SECONDS)
    content = read_json(file)
    file.unlink(missing_ok=True)
    return content


def next_question() -> tuple[str, Json] | None:
    """For the resident process: take the oldest question."""
    for file in _own(_QUESTION):
        question = None
        with suppress(UnreadableFile):
            question = read_json(file)
        file.unlink(missing_ok=True)
        if question is not None:
            return file.name.split(".")[0], question
    return None


def give(number: str, content: dict) -> None:
    """For the resident process: write the answer to a question."""
    write_json(ask_folder() / f"{number}.answer.json", content)


def give_array(array: np.ndarray) -> str:
    """For the resident process: write an array too long for JSON under the name given in the answer; old ones are
    deleted.
    """
    tidy_arrays(ARRAYS_KEPT - 1)
    name = f"{new_id()}.npy"
    with atomic_write(ask_folder() / name) as temporary, open(temporary, "wb") as file:
        np.save(file, array, allow_pickle=False)
    return name


def _own(pattern: re.Pattern[str]) -> list[Path]:
    """Return the files of one kind that embedlab wrote into the folder, the oldest first."""
    return [ask_folder() / name for name in sorted(filter(pattern.fullmatch, os.listdir(ask_folder())))]


def remove_old_answers() -> None:
    """For the resident process: delete the answers that nobody fetched."""
    for file in _own(_ANSWER):
        file.unlink(missing_ok=True)


def answered_array(name: str) -> np.ndarray | None:
    """The array of an answer, or None if it was deleted."""
    if not _ARRAY.fullmatch(name):
        return None
    try:
        return read_array(ask_folder() / name)
    except UnreadableFile:
        return None


def tidy_arrays(keep: int = 0) -> None:
    """Delete all but the newest arrays."""
    files = _own(_ARRAY)
    for file in files[: max(len(files) - keep, 0)]:
        file.unlink(missing_ok=True)
