"""What a summariser is: it takes texts, gives a few sentences about each, and says what that took."""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, NamedTuple

from embedlab.config import Config
from embedlab.corpora.cleaning import TextCleaning, is_blank
from embedlab.progress import Progress, silent
from embedlab.summaries.prompts import PROMPTS

LONGEST_SUMMARY = 2000  # characters; a training sentence is read up to 128 tokens


class SourceText(NamedTuple):
    """One text of a corpus with its row, and its title where it has one."""

    row: int
    text: str
    title: str = ""


class Made(NamedTuple):
    """The summaries of one row, and what they took."""

    row: int
    summaries: list[str]
    requests: int = 0  # times that a prompt after a text was put
    tokens_read: int = 0
    tokens_written: int = 0


class Summariser(ABC):
    """Writes ``continuations`` summaries for each prompt. ``at_once`` texts are worked on together."""

    key: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]
    paper: ClassVar[str]
    config_class: ClassVar[type[Config]]
    prompts: ClassVar[tuple[str, ...]] = PROMPTS
    is_extractive: ClassVar[bool] = False
    speed_only: ClassVar[frozenset[str]] = frozenset()  # settings that change how fast, not what is written
    at_once: int = 1

    def __init__(self, config: Config, *, continuations: int = 3):
        self.config = config
        self.continuations = continuations

    @property
    def model(self) -> str:
        """Who writes, in a few words."""
        return self.title

    def prepare(self, progress: Progress = silent) -> None:
        """Get ready: fetch and load what is needed, or find out that it is not to be had."""
        return

    def decides(self) -> dict:
        """Everything that decides what is written."""
        settings = self.config.model_dump(mode="json", exclude=set(self.speed_only))
        return {"summariser": self.key, "continuations": self.continuations, "settings": settings}

    def fingerprint(self) -> str:
        """16 hex digits over what decides: work with the same ones can be gone on with."""
        return hashlib.sha256(json.dumps(self.decides(), sort_keys=True).encode()).hexdigest()[:16]

    @abstractmethod
    def summarise(self, texts: Sequence[SourceText], tick: Callable[[], None] = lambda: None) -> Iterator[Made]:
        """One ``Made`` for each text as it is finished, in any order. ``tick`` is called often; it may raise to stop.

        The texts of a call are taken ``at_once`` by ``at_once``; the same group gives the same summaries.
        """


def one_line(written: str) -> str:
    """What a model wrote, up to its first line break, without control characters and with single blanks."""
    text = TextCleaning().batch([written])[0].partition("\n")[0]
    line = " ".join(text.split()).rstrip("\ufffd")[:LONGEST_SUMMARY].strip()
    return "" if is_blank(line) else line


def seed_of(seed: int, source: str, *others: object) -> int:
    """64 bits of the seed and the text alone: where a text stands, and what was made before, is no matter."""
    return int.from_bytes(hashlib.sha256(json.dumps([seed, source, *others]).encode()).digest()[:8], "big")
