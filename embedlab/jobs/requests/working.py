"""Requests that keep a worker busy with others' work: a study of many runs, a Find, answers to typed texts."""

from typing import ClassVar

from pydantic import Field

from embedlab.jobs.requests.base import Request


class RunStudy(Request):
    """Do the runs of a study that are missing."""

    task: ClassVar[str] = "study"
    study: str = Field(description="The study's id.")
    on: str | None = Field(None, description="The executor of its runs.")
    at_once: int | None = Field(None, ge=1, description="At most this many runs; empty takes what the executor can.")


class RunFind(Request):
    """Look for the best encoder, from where the Find stands."""

    task: ClassVar[str] = "find"
    find: str = Field(description="The Find's id.")
    on: str | None = Field(None, description="The executor of its trainings.")


class TrainCandidate(Request):
    """Take a candidate of a Find to the end of a rung."""

    task: ClassVar[str] = "candidate"
    find: str = Field(description="The Find's id.")
    key: str = Field(description="The candidate's key there.")
    rung: int = Field(ge=0, description="From 0.")


class AnswerTexts(Request):
    """Answer typed texts until nobody has asked for a while."""

    task: ClassVar[str] = "ask"
