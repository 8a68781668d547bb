"""Files of pairs and sets on a command line: ``--pairs``, ``--judge``, ``--on``; how each was read is said first."""

from pathlib import Path

from embedlab.cli.reading import parsing_of, scale_of
from embedlab.errors import SettingsError
from embedlab.tasks.fetch import done_by_worker

_ONLY_WITH_PAIRS = ("anchor", "positive", "negative", "score", "scale", "nli", "split")
SET_OPTIONS = ("documents", "queries", "split", "anchor", "positive", "score", "scale", "own")


def read_pair_files(asked, terminal) -> dict:
    """The settings ``pairs`` and ``judge`` as fingerprints; without ``--corpus`` also that of the pairs' own texts."""
    found = {}
    if asked.pairs is not None:
        read = done_by_worker("read_pairs", _pairs_asked(asked), terminal)
        _say(read["pairs"], terminal)
        found["pairs"] = read["fingerprint"]
        if read["corpus"] is not None:
            found["corpus"] = read["corpus"]
    elif named := [name for name in _ONLY_WITH_PAIRS if getattr(asked, name) is not None]:
        raise SettingsError("E-COMMAND", f"--{named[0]} speaks of given pairs. Name their file with --pairs FILE.")
    if asked.judge is not None:
        judge = {"path": absolute(asked.judge), "reading": {}, "judges": True}
        judge["reading"] |= {"split": asked.judge_split} if asked.judge_split else {}
        judge["reading"] |= {"documents": absolute(asked.judge_documents)} if asked.judge_documents else {}
        read = done_by_worker("read_set", judge, terminal)
        _say(read["set"], terminal)
        found["judge"] = read["fingerprint"]
    return found


def set_reading(asked) -> dict:
    """The options of a command line that say how to read an evaluation set: fields of ``SetReading``."""
    given = {name: getattr(asked, name, None) for name in SET_OPTIONS} | {"scale": scale_of(asked.scale)}
    return parsing_of(asked) | {name: value for name, value in given.items() if value is not None}


def note_reading(info, terminal) -> None:
    """How a set or pairs were read, and what else is to be known of them."""
    _say(info.model_dump(mode="json"), terminal)


def reading_as_json(info) -> dict | None:
    """The reading of a set or pairs, with its sentence; None of what was stored without it."""
    report = info.reading
    return None if report is None else report.model_dump(mode="json") | {"sentence": report.sentence}


def _pairs_asked(asked) -> dict:
    reading = {name: getattr(asked, name) for name in ("anchor", "positive", "score", "split")} | parsing_of(asked)
    for name in ("negative", "nli"):
        if getattr(asked, name) is not None:
            reading[name] = [each.strip() for each in getattr(asked, name).split(",") if each.strip()]
    reading["scale"] = scale_of(asked.scale)
    reading = {name: value for name, value in reading.items() if value is not None}
    return {"path": absolute(asked.pairs), "reading": reading, "with_corpus": asked.corpus is None}


def absolute(path: str) -> str:
    """A worker stands elsewhere."""
    return str(Path(path).expanduser().absolute())


def _say(info: dict, terminal) -> None:
    from embedlab.corpora.reading_report import ReadingReport

    if info["reading"] is not None:
        terminal.note(ReadingReport.model_validate(info["reading"]).sentence)
    for note in info["notes"]:
        terminal.note(note["message"])
