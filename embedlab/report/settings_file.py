"""What reproduces a run: its settings as a file for ``train --settings``, and as a command line."""

import json
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from embedlab.augmentations.fit import proposed_recipe
from embedlab.config import flattened, validated, with_settings, written_value
from embedlab.corpora.stored.shelf import CorpusInfo
from embedlab.disk_trouble import small_file
from embedlab.encoder_catalog.adapter import AdapterConfig
from embedlab.errors import SettingsError, UserError
from embedlab.prompts import PromptSettings
from embedlab.store_root import Json
from embedlab.training.settings import RunSettings, completed

FLAGS = ("corpus", "encoder", "recipe", "epochs", "seed")  # settings with an option of their own; else --set
_ALWAYS = ("corpus", "encoder", "recipe")  # a run is called by them, also where they are the usual ones
_DECIDING = ("pairs", "schedule", "judge")  # what others become depends on them
_PARTS = ("augmentation", "objective", "adapter", "prompts")

_DEFAULTS = {"adapter": AdapterConfig(), "prompts": PromptSettings()}  # of parts that no recipe chooses


def read_settings_file(path: str) -> dict[str, JsonValue]:
    """The settings in a file: an object by their names, or the ``settings.json`` of a run's folder."""
    try:
        content = json.loads(small_file(Path(path)).decode("utf-8-sig"))
    except OSError as error:
        raise _refused(path, f"cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise _refused(path, "is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        raise _refused(path, f"is not JSON: {error}") from None
    if isinstance(content, dict) and content.get("task") == "train" and isinstance(content.get("settings"), dict):
        content = content["settings"]
    if not isinstance(content, dict):
        names = {list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}
        kind = names.get(type(content), "nothing")
        raise _refused(path, f"contains {kind}, but an object of settings is needed")
    return content


@dataclass(frozen=True)
class NamedRun:
    """The run, or the estimate of one, that a command line names."""

    named: Json  # settings of the command line, over those of its settings file
    values: Json  # with those that are usual where nothing is named
    is_usual: bool  # whether those are
    settings: RunSettings

    def fitted_to(self, corpus: CorpusInfo) -> tuple[RunSettings, str]:
        """The settings with the recipe that suits a corpus where nothing is named, and why another than usual."""
        proposed = proposed_recipe(corpus.two_views)
        if not self.is_usual or proposed.recipe == self.settings.recipe:
            return self.settings, ""
        return validated(type(self.settings), self.values | {"recipe": proposed.recipe}), proposed.reason


def named_run(
    flags: Json, sets: Iterable[str], file: str | None, *, kind: type[RunSettings], usual: Json, unread: Json
) -> NamedRun:
    """The run of a command line: ``flags`` by their names (None: not typed), ``sets`` as SETTING=VALUE.

    ``usual``: settings where it names none of them. ``unread``: those of files that have yet to be read; a corpus that
    is not named is one of them. An error about a setting of the settings file names the file.
    """
    filed = {} if file is None else read_settings_file(file)
    named = with_settings(filed | {name: flags[name] for name in FLAGS if flags.get(name) is not None}, sets)
    is_usual = not usual.keys() & named.keys()
    values = {"corpus": "?", **(usual if is_usual else {}), **named, **unread}
    try:
        settings = validated(kind, values)
    except UserError:
        if file is not None:
            try:
                validated(kind, {"corpus": "?", **filed})
            except UserError as error:
                raise SettingsError(error.code, f"Settings file {file!r}: {error.message}") from None
        raise
    return NamedRun(named, values, is_usual, settings)


def settings_file(settings: Json) -> str:
    """A settings file: corpus, encoder, recipe, seed and epochs, and all that differs from the recipe."""
    start = _start_of(settings)
    named = {name: settings.get(name, start.get(name)) for name in (*FLAGS, "schedule")}
    return json.dumps({**named, **_changed(settings, start)}, indent=2, ensure_ascii=False) + "\n"


def command_line(settings: Json, *, name: str = "") -> str:
    """``python -m embedlab train …``, quoted for a shell, with all that differs from the recipe."""
    changed = {**{each: settings[each] for each in _ALWAYS}, **_changed(settings, _start_of(settings))}
    words = ["python", "-m", "embedlab", "train"]
    for each in FLAGS:
        if changed.get(each) is not None:
            words += _option(f"--{each}", str(changed.pop(each)))
    for path, value in flattened(changed).items():
        words += ["--set", f"{path}={written_value(value)}"]
    return shlex.join(words + (_option("--name", name) if name else []))


def _start_of(settings: Json) -> dict[str, JsonValue]:
    """The recipe's settings when only those that determine others are given."""
    called = {name: settings[name] for name in _ALWAYS}
    deciding = {name: settings[name] for name in _DECIDING if settings.get(name) is not None}
    plain = completed(called)
    if any(settings.get(name, plain[name]) != plain[name] for name in ("epochs", "max_steps")):
        plain = completed(called | {"max_steps": 1})  # a length that is given is no fitted one
    return completed(called | deciding) | {name: plain[name] for name in _DECIDING}


def _changed(settings: Json, start: Json) -> dict[str, JsonValue]:
    """The settings that are not as ``start`` has them, those of its parts one by one."""
    changes = {name: value for name, value in settings.items() if name not in _PARTS and value != start.get(name)}
    for part in _PARTS:
        defaults, values = start.get(part) or {}, settings.get(part) or {}
        if part in _DEFAULTS and not defaults:
            defaults = _DEFAULTS[part].model_dump(mode="json")
        if differing := {
            name: value for name, value in values.items() if name not in defaults or value != defaults[name]
        }:
            changes[part] = differing
    return changes


def _option(flag: str, value: str) -> list[str]:
    return [f"{flag}={value}"] if value.startswith("-") else [flag, value]


def _refused(path: str, why: str) -> SettingsError:
    return SettingsError("E-SETTINGS-FILE", f"Settings file {path!r} {why}.")
