"""``train --pairs FILE --judge FILE``: both are read by a worker and said about."""

from pathlib import Path

from embedlab.cli.reading import scale_of
from embedlab.errors import SettingsError
from embedlab.tasks.fetch import done_by_worker

_ONLY_WITH_PAIRS = ("anchor", "positive", "negative", "score", "scale", "split")


def read_pair_files(asked, terminal) -> dict:
    """The settings ``pairs`` and ``judge`` as fingerprints; without ``--corpus`` also that of the pairs' own texts."""
    found = {}
    if asked.pairs is not None:
        read = done_by_worker("read_pairs", _pairs_asked(asked), terminal)
        _say(read["pairs"]["notes"], terminal)
        found["pairs"] = read["fingerprint"]
        if read["corpus"] is not None:
            found["corpus"] = read["corpus"]
    elif named := [name for name in _ONLY_WITH_PAIRS if getattr(asked, name) is not None]:
        raise SettingsError("E-COMMAND", f"--{named[0]} speaks of given pairs. Name their file with --pairs FILE.")
    if asked.judge is not None:
        judge = {"path": _absolute(asked.judge), "split": asked.judge_split, "judges": True}
        read = done_by_worker("read_set", judge, terminal)
        _say(read["set"]["notes"], terminal)
        found["judge"] = read["fingerprint"]
    return found


def _pairs_asked(asked) -> dict:
    reading = {name: getattr(asked, name) for name in ("anchor", "positive", "score", "split")}
    if asked.negative is not None:
        reading["negative"] = [name.strip() for name in asked.negative.split(",") if name.strip()]
    reading["scale"] = scale_of(asked.scale)
    reading = {name: value for name, value in reading.items() if value is not None}
    return {"path": _absolute(asked.pairs), "reading": reading, "with_corpus": asked.corpus is None}


def _absolute(path: str) -> str:
    return str(Path(path).expanduser().absolute())  # a worker stands elsewhere


def _say(notes: list[dict], terminal) -> None:
    for note in notes:
        terminal.note(note["message"])
