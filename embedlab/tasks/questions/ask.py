"""The resident encoder process: keeps encoders warm, answers typed texts, leaves after five idle minutes."""

import time

from filelock import FileLock, Timeout

from embedlab.errors import EmbedlabError, UserError
from embedlab.jobs.questions import POLL_SECONDS, ask_folder, give, next_question, tidy_arrays
from embedlab.jobs.requests.working import AnswerTexts
from embedlab.limits import LIMITS
from embedlab.runs.folder import RunFolder
from embedlab.tasks.questions import KINDS


def run(folder: RunFolder, request: AnswerTexts, progress) -> None:
    """Answer until nobody has asked for a while; a second process leaves at once."""
    try:
        with FileLock(ask_folder() / "ask.lock", timeout=0):
            _tidy()
            _serve(progress)
    except Timeout:
        return


def _tidy() -> None:
    """Answers that nobody fetched."""
    for file in ask_folder().glob("*.answer.json"):
        file.unlink(missing_ok=True)
    tidy_arrays()


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
        kind = KINDS.get(question.get("kind"))
        if kind is None:
            raise UserError(
                "E-QUESTION", f"A question is one of {', '.join(KINDS)}, but found {question.get('kind')!r}."
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
