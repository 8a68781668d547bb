"""Requests that occupy a worker with many parts: a study, a Find, answers to typed texts."""

from typing import ClassVar

from pydantic import Field

from embedlab.config import Request


class RunStudy(Request):
    """Run the missing runs of a study."""

    task: ClassVar[str] = "study"
    study: str = Field(description="The study's id.")
    on: str | None = Field(None, description="The executor of its runs.")
    at_once: int | None = Field(None, ge=1, description="At most this many runs; empty takes what the executor can.")


class RunFind(Request):
    """Continue a Find from its current state."""

    task: ClassVar[str] = "find"
    find: str = Field(description="The Find's id.")
    on: str | None = Field(None, description="The executor of its trainings.")


class TrainCandidate(Request):
    """Train a candidate of a Find to the end of a rung."""

    task: ClassVar[str] = "candidate"
    find: str = Field(description="The Find's id.")
    key: str = Field(description="The candidate's key there.")
    rung: int = Field(ge=0, description="From 0.")


class AnswerTexts(Request):
    """Answer typed texts until no question has come for a while."""

    task: ClassVar[str] = "ask"
