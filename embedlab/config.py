"""The base class of every setting, frozen, typed, without unknown fields, and of every request."""

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar, get_args, get_origin

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator
from pydantic.config import JsonDict
from pydantic_core import ErrorDetails

from embedlab.errors import SettingsError
from embedlab.paths import absolute_if_readable
from embedlab.plain_text import clean_name

PathText = Annotated[str, AfterValidator(absolute_if_readable)]  # the path of a user's file, in a setting or a request
NameText = Annotated[str, AfterValidator(clean_name)]  # what a user calls a file or a result


class Config(BaseModel):
    """Settings of one part: each field has a type, a default, a range and one sentence."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _none_is_a_word(cls, values: Any) -> Any:
        """``--set objective.head=none`` means no value, unless ``none`` is one of the setting's choices."""
        if not isinstance(values, dict) or None not in values.values():
            return values
        words = {name for name, field in cls.model_fields.items() if "none" in get_args(field.annotation)}
        return {name: "none" if value is None and name in words else value for name, value in values.items()}


class NoSettings(Config):
    """For a part without settings."""


class Request(Config):
    """The request of one job. ``settings.json`` holds all its fields, so equal requests give equal files."""

    task: ClassVar[str]  # key of the task that does it (embedlab/tasks)

    @property
    def stored(self) -> dict[str, Any]:
        """Plain values of every field, as in ``settings.json``."""
        return self.model_dump(mode="json")

    @property
    def waits_for(self) -> str:
        """The device that it needs, ``auto`` for the best one; None for a task without one."""
        return "auto"


def may_be_empty(empty: str, description: str, *, label: str | None = None, **limits: Any) -> Any:
    """The field of a setting that is None unless given; ``empty``: what a form shows for that."""
    extra: JsonDict = {"empty": empty} if label is None else {"label": label, "empty": empty}
    return Field(None, json_schema_extra=extra, description=description, **limits)


ConfigT = TypeVar("ConfigT", bound=Config)


def validated(config_class: type[ConfigT], values: Mapping[str, Any], *, where: str = "") -> ConfigT:
    """Settings from plain values; an invalid one is named with its path, its value and what was expected."""
    try:
        return config_class.model_validate(values)
    except ValidationError as error:
        raise SettingsError(
            "E-SETTING", " ".join(_sentence(e, where, config_class) for e in error.errors()[:3])
        ) from None


def _sentence(error: ErrorDetails, where: str, config_class: type[Config]) -> str:
    path = ".".join([*([where] if where else []), *(str(part) for part in error["loc"])]) or where or "settings"
    if error["type"] == "extra_forbidden":
        choices = ", ".join(field.alias or name for name, field in config_class.model_fields.items())
        return f"There is no setting called {path!r}. Choose from: {choices}."
    if error["type"] == "missing":
        return f"Setting {path!r} is missing."
    value = error.get("input")
    reason = error["msg"].removeprefix("Value error, ")  # of a validator of ours
    return f"Setting {path!r} is {value!r}, but {reason[0].lower()}{reason[1:]}."


def read_rows(config_class: type[ConfigT], file: Path) -> list[ConfigT]:
    """The rows of a CSV file of ours, one object each; an empty cell means the field's default.

    Values of a list are separated by semicolons, and ``prompts.query`` is a column of the field ``prompts``.
    """
    lists = {name for name, field in config_class.model_fields.items() if get_origin(field.annotation) is tuple}
    objects = []
    with file.open(encoding="utf-8", newline="") as opened:
        for row in csv.DictReader(opened):
            values: dict[str, Any] = {}
            for path, cell in row.items():
                if cell:
                    values = with_path(values, path, cell.split(";") if path in lists else cell)
            objects.append(validated(config_class, values, where=file.name))
    return objects


def with_path(values: Mapping[str, Any], path: str, value: object) -> dict[str, Any]:
    """A copy of nested ``values`` in which the field at a dotted ``path`` is ``value``."""
    name, _, rest = path.partition(".")
    inner = values.get(name)
    return {**values, name: with_path(inner if isinstance(inner, dict) else {}, rest, value) if rest else value}


def with_settings(values: Mapping[str, Any], settings: Iterable[str]) -> dict[str, Any]:
    """Settings such as ``augmentation.sentences=3`` merged into nested values, each parsed by ``read_value``."""
    merged = dict(values)
    for setting in settings:
        path, equals, written = setting.partition("=")
        path = path.strip()
        if not equals or not path:
            raise SettingsError(
                "E-SETTING", f"A setting must be SETTING=VALUE, but found {setting!r}. Example: batch_size=32"
            )
        value = read_value(written)
        if path.startswith("prompts.") and isinstance(value, str) and not written.strip().startswith('"'):
            value = written  # a prompt ends in a blank
        merged = with_path(merged, path, value)
    return merged


def label_of(name: str, field: Mapping[str, Any]) -> str:
    """The title of a setting on forms and in tables: its own, or ``batch_size`` as ``Batch size``.

    field: its JSON schema
    """
    return field.get("label") or name.replace("_", " ").capitalize()


def flattened(values: Mapping[str, JsonValue], path: str = "") -> dict[str, JsonValue]:
    """``{"objective": {"temperature": 1}}`` as ``{"objective.temperature": 1}``"""
    flat: dict[str, JsonValue] = {}
    for name, value in values.items():
        flat |= flattened(value, f"{path}{name}.") if isinstance(value, dict) else {f"{path}{name}": value}
    return flat


def read_value(written: str) -> Any:
    """A setting's value as typed: numbers, true, false and none as such, JSON if it begins like a string, list or
    object, anything else as a word; ``"none"`` in quotes is the word.
    """
    lowered = written.strip().lower()
    if lowered.startswith(('"', "[", "{")):
        try:
            return json.loads(written)
        except ValueError:
            return written.strip()
    if lowered in ("true", "false"):
        return lowered == "true"
    if lowered in ("none", "null", ""):
        return None
    for kind in (int, float):
        try:
            return kind(lowered)
        except ValueError:
            continue
    return written.strip()


def written_value(value: object) -> str:
    """The text that ``read_value`` parses as this value: ``0.05``, ``none``, ``one way``, ``"none"`` for the word."""
    plain = "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    read = read_value(plain)
    return plain if type(read) is type(value) and read == value else json.dumps(value, ensure_ascii=False)
