"""Every error a user can meet, as a tree; each carries a stable code and a sentence.

EmbedlabError             a run failed (exit 1)
├── UserError             something the user can change (exit 2)
│   ├── CorpusError       no such file or column, not a table, undecodable, no texts left
│   ├── EncoderError      unknown, not safetensors, refused configuration, wrong size
│   ├── SettingsError     an unknown setting or a value out of range
│   ├── UnknownPartError  no part of that name; lists the choices
│   ├── UnfitError        parts that do not fit together, with the reason
│   ├── NetworkError      a connection is needed and there is none
│   ├── RunError          no such run, or not in a state that allows it
│   ├── LessonError       a lesson breaks a rule, or what it claims does not hold
│   └── StoreError        the system lets nobody write here or read there: no room, no permission
├── NonFiniteError        loss or weights stopped being numbers
├── StopRequested         the user asked to stop; not a failure (exit 3)
└── LeaveRequested        the machine is taken away from the worker; not a failure (exit 75)
"""

from typing import Any


class EmbedlabError(Exception):
    """A sentence for the user (what was expected, what was found, what to do) with a stable code."""

    exit_code = 1

    def __init__(self, code: str, message: str):
        super().__init__(message)
        self.code = code
        self.message = message

    def __reduce__(self) -> tuple[Any, ...]:
        """How another process reconstructs it."""
        return type(self), (self.code, self.message)


class UserError(EmbedlabError):
    """A mistake that the user can correct."""

    exit_code = 2


class CorpusError(UserError):
    """The corpus cannot be read or lacks what a command needs."""


class EncoderError(UserError):
    """The encoder cannot be found or may not be loaded."""


class SettingsError(UserError):
    """A setting is unknown or out of its range."""


class UnknownPartError(UserError):
    """No part of that kind has this name."""


class UnfitError(UserError):
    """Parts that do not fit together."""


class NetworkError(UserError):
    """A connection is needed but unavailable."""


class RunError(UserError):
    """No such run, or its state does not allow this."""


class LessonError(UserError):
    """A lesson file breaks a rule, or its claim does not hold."""


class StoreError(UserError):
    """The store cannot be written to, the disk is full, or a file or folder is closed to this user."""


class NonFiniteError(EmbedlabError):
    """The loss or the weights are no longer finite."""


class StopRequested(EmbedlabError):
    """The user asked to stop."""

    exit_code = 3

    def __init__(self) -> None:
        super().__init__("E-STOPPED", "Stopped on request.")


class GiveWayRequested(EmbedlabError):
    """Other work wants the device: this work begins again when the device is idle."""

    exit_code = 3

    def __init__(self) -> None:
        super().__init__("E-GAVE-WAY", "Other work needed the device.")


class LeaveRequested(EmbedlabError):
    """The worker's machine is being taken away."""

    exit_code = 75

    def __init__(self) -> None:
        super().__init__("E-INTERRUPTED", "The machine was reclaimed. The newest checkpoint is kept.")
