"""Studies and Finds on disk: a folder whose JSON file holds the request, and the job that works on it."""

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from embedlab.config import Config, validated
from embedlab.errors import EmbedlabError, RunError
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import newest_job
from embedlab.runs.state import RunState, State, now, read_state
from embedlab.runs.store import new_id
from embedlab.store_root import Json, UnreadableFile, alone, read_json, store_root, whole_folder, write_json

SCHEMA = 1
ROOMS = {"study": "studies", "find": "finds"}  # task -> where in the store its campaigns lie
_ID = re.compile(r"[0-9a-z]{6,26}")


SettingsT = TypeVar("SettingsT", bound=Config)


@dataclass(frozen=True)
class Campaign(Generic[SettingsT]):
    """The folder of one study or Find; each kind defines its ``task``, its name, and the model of its request."""

    path: Path
    task: ClassVar[str]
    called: ClassVar[str]
    settings_class: ClassVar[type[Any]]  # SettingsT, which a ClassVar cannot name
    begins_with: ClassVar[Json] = {}  # what its file holds at first besides the request

    @property
    def id(self) -> str:
        """Sortable by time, like a run's."""
        return self.path.name

    @property
    def file(self) -> Path:
        """``{schema, created, asked}`` and whatever else the kind stores."""
        return self.path / f"{self.task}.json"

    @property
    def lock(self) -> Path:
        """Held by its only worker."""
        return self.path / f"{self.task}.lock"

    @classmethod
    def is_whole(cls, content: dict) -> bool:
        """Whether its file holds what this kind stores besides the request."""
        return True

    @classmethod
    def create(cls, request: SettingsT) -> Self:
        """A new one, without results."""
        made = cls(store_root() / ROOMS[cls.task] / new_id())
        with whole_folder(made.path) as temporary:
            content = {"schema": SCHEMA, "created": now(), "asked": request.model_dump(mode="json")}
            write_json(temporary / made.file.name, content | cls.begins_with)
        return made

    @classmethod
    def create_once(cls, request: SettingsT) -> Self:
        """The existing one if it is at work or about to be, otherwise a new one: two clicks make one."""
        with alone(ROOMS[cls.task]):
            for each in cls.all():
                with suppress(EmbedlabError):  # a damaged one
                    if asked_of(each) == request and ((job := job_of(each)) is None or not read_state(job).is_over):
                        return each
            return cls.create(request)

    @classmethod
    def open(cls, its_id: str) -> Self:
        """The one with this id."""
        if holds(cls.task, its_id):
            return cls(store_root() / ROOMS[cls.task] / its_id)
        newest = ", ".join(each.id for each in cls.all()[:3])
        choices = f"The newest are {newest}." if newest else "There are none yet."
        code = f"E-UNKNOWN-{cls.task.upper()}"
        raise RunError(code, f"There is no {cls.called} with the id {its_id[:80]!r}. {choices}")

    @classmethod
    def all(cls) -> list[Self]:
        """All of this kind, newest first."""
        room = store_root() / ROOMS[cls.task]
        if not room.is_dir():
            return []
        campaigns = (cls(path) for path in room.iterdir() if _ID.fullmatch(path.name))
        return sorted(campaigns, key=lambda each: each.id, reverse=True)


def holds(task: str, its_id: str) -> bool:
    """Whether there is a study or Find with this id, readable or not."""
    return bool(_ID.fullmatch(its_id)) and os.path.lexists(store_root() / ROOMS[task] / its_id)


def asked_of(campaign: Campaign[SettingsT]) -> SettingsT:
    """The request; never changes."""
    settings: SettingsT = validated(campaign.settings_class, content_of(campaign)["asked"], where=campaign.task)
    return settings


def request_as_stored(task: str, its_id: str) -> Json:
    """The request of a study or Find as it is stored; raises ``UnreadableFile`` if there is none."""
    request: Json = read_json(store_root() / ROOMS[task] / its_id / f"{task}.json")["asked"]
    return request


def created(campaign: Campaign) -> str:
    """When it was requested, ISO 8601."""
    return str(content_of(campaign).get("created", ""))


def job_of(campaign: Campaign) -> RunFolder | None:
    """The newest job that works, or worked, on it."""
    return newest_job(campaign.task, **{campaign.task: campaign.id})


def state_of(campaign: Campaign) -> RunState:
    """The state of its newest job; without a job it counts as interrupted."""
    job = job_of(campaign)
    return RunState(state=State.INTERRUPTED) if job is None else read_state(job)


def require_over(campaign: Campaign) -> None:
    """Refuse to delete one that is at work."""
    if not state_of(campaign).is_over:
        message = f"{campaign.called.capitalize()} {campaign.id} is still running. Stop it first, then delete it."
        raise RunError(f"E-{campaign.task.upper()}-BUSY", message)


def content_of(campaign: Campaign) -> Json:
    """The content of its file; the one reader of it."""
    named = f"{campaign.called} {campaign.id}"
    try:
        content = read_json(campaign.file)
        is_whole = isinstance(content.get("asked"), dict) and campaign.is_whole(content)
    except (UnreadableFile, KeyError, TypeError, AttributeError):
        raise damaged(campaign) from None
    if is_whole and (schema := content.get("schema")) != SCHEMA:
        raise RunError(
            "E-SCHEMA",
            f"{ROOMS[campaign.task].capitalize()} of schema {SCHEMA} can be read, but {named} has {schema or 'none'}: "
            "another version of embedlab made it. It is left unchanged: open it with that version or delete its "
            "folder.",
        )
    if not is_whole:
        raise damaged(campaign)
    return content


def damaged(campaign: Campaign) -> RunError:
    """A sentence about one whose file cannot be read."""
    file, what = f"{ROOMS[campaign.task]}/{campaign.id}/{campaign.file.name}", f"{campaign.called} {campaign.id}"
    message = (
        f"{what.capitalize()} cannot be read: {file} is missing or damaged. Restore it from a copy, or delete {what}."
    )
    return RunError(f"E-DAMAGED-{campaign.task.upper()}", message)
