"""Every way in which the folder of a run or job is found damaged."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from embedlab.runs.folder import RunFolder

Damage = Callable[[RunFolder], None]


def writing(name: str, content: str | bytes) -> Damage:
    """What puts this into one of the folder's files."""

    def damage(folder: RunFolder) -> None:
        data = content.encode() if isinstance(content, str) else content
        (folder.path / name).parent.mkdir(exist_ok=True)
        (folder.path / name).write_bytes(data)

    return damage


def changing(name: str, /, **values) -> Damage:
    """What changes some values of a JSON file, and takes away those of None."""

    def damage(folder: RunFolder) -> None:
        file = folder.path / name
        changed = {**json.loads(file.read_text("utf-8")), **values}
        file.write_text(json.dumps({key: value for key, value in changed.items() if value is not None}), "utf-8")

    return damage


def _without(name: str) -> Damage:
    return lambda folder: (folder.path / name).unlink()


def _folder_in_place_of(name: str) -> Damage:
    def damage(folder: RunFolder) -> None:
        (folder.path / name).unlink(missing_ok=True)
        (folder.path / name).mkdir()

    return damage


def _half_deleted(folder: RunFolder) -> None:
    for each in folder.path.iterdir():
        shutil.rmtree(each) if each.is_dir() else each.unlink()


def _file_in_place(folder: RunFolder) -> None:
    shutil.rmtree(folder.path)
    folder.path.write_text("a file")


def _link_to_nowhere(folder: RunFolder) -> None:
    shutil.rmtree(folder.path)
    os.symlink(Path("nothing"), folder.path)


def _closed(name: str) -> Damage:
    return lambda folder: (folder.path / name).chmod(0)


_DEEP = "[" * 100_000
SETTINGS: dict[str, Damage] = {
    "no JSON": writing("settings.json", "{"),
    "empty": writing("settings.json", ""),
    "a list": writing("settings.json", "[]"),
    "null": writing("settings.json", "null"),
    "nested too deep": writing("settings.json", _DEEP),
    "no text": writing("settings.json", b"\xff\xfe\x00"),
    "a newer schema": changing("settings.json", schema=99),
    "a schema in words": changing("settings.json", schema="one"),
    "no task": changing("settings.json", task=None),
    "a task that is a list": changing("settings.json", task=["map"]),
    "no settings": changing("settings.json", settings=None),
    "settings that are a list": changing("settings.json", settings=[1]),
    "no name": changing("settings.json", name=None),
    "created at no time": changing("settings.json", created="yesterday"),
    "created in no zone": changing("settings.json", created="2026-11-20T00:00:00"),
    "no settings file": _without("settings.json"),
    "a folder as settings": _folder_in_place_of("settings.json"),
    "half deleted": _half_deleted,
    "a file": _file_in_place,
    "a link to nowhere": _link_to_nowhere,
}
OTHERS: dict[str, Damage] = {
    "a task of a newer embedlab": changing("settings.json", task="dream"),
    "state: no JSON": writing("state.json", "{"),
    "state: a list": writing("state.json", "[]"),
    "state: an unknown one": changing("state.json", state="asleep"),
    "state: times that are none": changing("state.json", started="yesterday", ended=7),
    "state: a folder": _folder_in_place_of("state.json"),
    "no state": _without("state.json"),
    "job: no JSON": writing("job.json", "{"),
    "job: a list": writing("job.json", "[]"),
    "progress: a list": writing("progress.json", "[]"),
    "progress: without numbers": writing("progress.json", '{"stage": "Reading", "done": "some"}'),
    "stages: rows of other things": writing("stages.jsonl", '7\n{"at": "now"}\n{"kind": 1}\n'),
    "workers: a strange file": writing("workers/mine.json", "{"),
    "workers: no JSON": writing("workers/0001.json", b"\xff"),
    "workers: a process of no number": writing("workers/0001.json", '{"host": "h", "pid": -1, "started": 0}'),
    "a folder as lock": _folder_in_place_of("run.lock"),
    "result: no JSON": writing("result.json", "{"),
    "result: a list": writing("result.json", "[]"),
    "result: other types": writing("result.json", '{"knn": 7, "steps": "many"}'),
    "result: a folder": _folder_in_place_of("result.json"),
}
if os.geteuid():  # root reads what is closed
    SETTINGS |= {"closed settings": _closed("settings.json"), "a closed folder": _closed(".")}
    OTHERS |= {"state: closed": _closed("state.json"), "result: closed": _closed("result.json")}
ALL = SETTINGS | OTHERS
