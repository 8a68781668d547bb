"""What a session guessed in the lab: kept in the store, so that it survives reload, switching and a restart."""

from contextlib import suppress
from pathlib import Path

from embedlab.store_root import make_folder, read_json, store_root, write_json
from embedlab.ui.frame.session import session_id


def read_guess(question: str) -> str | None:
    """None where this session has not answered it."""
    return _guesses().get(question)


def keep_guess(question: str, guess: str | None) -> None:
    """None takes it back. In a store that nobody may write to, a guess lasts as long as the page."""
    with suppress(OSError):
        make_folder(_file().parent)
        write_json(_file(), {**_guesses(), question: guess})


def _guesses() -> dict[str, str | None]:
    try:
        return read_json(_file())
    except OSError:
        return {}


def _file() -> Path:
    return store_root() / "guesses" / f"{session_id()}.json"
