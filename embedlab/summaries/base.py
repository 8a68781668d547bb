"""What a summariser is: it appends SemCSE's five prompts to each text, and reports what that took."""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, NotRequired, TypedDict, TypeVar

from embedlab.config import Config
from embedlab.corpora.cleaning import TextCleaning, is_blank
from embedlab.progress import Progress, silent

ConfigT = TypeVar("ConfigT", bound=Config)
LONGEST_SUMMARY = 2000  # characters; a training sentence is read up to 128 tokens
# the five prompts of SemCSE (A.2)
PROMPTS = (
    "To summarize, the key findings of our research, stated in one sentence that includes all relevant information, "
    "are that",
    "In summary, our research is concerned with",
    "In summary, a comprehensive and detailed conclusive statement would be that",
    "A comprehensive summary for our work would be that",
    "The main takeaway from our work is that",
)


class SourceText(NamedTuple):
    """One text of a corpus with its row, and its title where it has one."""

    row: int
    text: str
    title: str = ""


class Made(NamedTuple):
    """The summaries of one row, and their cost."""

    row: int
    summaries: list[str]
    requests: int = 0  # times that a prompt after a text was put
    tokens_read: int = 0
    tokens_written: int = 0


class Decisive(TypedDict):
    """What a fingerprint is made of."""

    summariser: str
    continuations: int
    settings: dict[str, Any]
    weights: NotRequired[str]  # which copy of a model on this computer


class Summariser(ABC, Generic[ConfigT]):
    """Writes ``continuations`` summaries for each prompt, ``at_once`` texts at a time."""

    key: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]
    paper: ClassVar[str]
    config_class: ClassVar[type[Config]]
    prompts: ClassVar[tuple[str, ...]] = PROMPTS
    is_extractive: ClassVar[bool] = False
    speed_only: ClassVar[frozenset[str]] = frozenset()  # settings that change how fast, not what is written
    at_once: int = 1

    def __init__(self, config: ConfigT, *, continuations: int = 3):
        self.config = config
        self.continuations = continuations

    @property
    def model(self) -> str:
        """The name of the model, in a few words."""
        return self.title

    def prepare(self, progress: Progress = silent) -> None:
        """Download and load what is needed, or raise an error."""
        return

    def decides(self) -> Decisive:
        """All settings that influence the summaries."""
        settings = self.config.model_dump(mode="json", exclude=set(self.speed_only))
        return {"summariser": self.key, "continuations": self.continuations, "settings": settings}

    def fingerprint(self) -> str:
        """16 hex digits of these settings: work with the same fingerprint can be continued."""
        return hashlib.sha256(json.dumps(self.decides(), sort_keys=True).encode()).hexdigest()[:16]

    @abstractmethod
    def summarise(
        self, texts: Sequence[SourceText], tick: Callable[[], None] = lambda: None
    ) -> Generator[Made, None, None]:
        """One ``Made`` per text as it is finished, in any order. ``tick`` is called often; it may raise to stop.

        The texts of a call are taken ``at_once`` by ``at_once``; the same group gives the same summaries.
        """


def joined(text: str, title: str = "", prompt: str = "") -> str:
    """Title, text and prompt separated by single spaces, as the authors join them."""
    return " ".join(part for part in (title.strip(), text.strip(), prompt) if part)


def one_line(written: str) -> str:
    """A model's text up to its first line break, without control characters and with single spaces."""
    text = TextCleaning().batch([written])[0].partition("\n")[0]
    line = " ".join(text.split()).rstrip("\ufffd")[:LONGEST_SUMMARY].strip()
    return "" if is_blank(line) else line


def seed_of(seed: int, source: str, *others: object) -> int:
    """64 bits from the seed and the text alone, independent of the text's position and of earlier work."""
    return int.from_bytes(hashlib.sha256(json.dumps([seed, source, *others]).encode()).digest()[:8], "big")
