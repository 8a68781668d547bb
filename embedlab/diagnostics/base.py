"""What a diagnostic is: an encoder looked at on a corpus, with no good or bad direction implied."""

from typing import ClassVar, Protocol

import numpy as np

from embedlab.config import Config
from embedlab.metrics.split import Split
from embedlab.progress import Progress, silent


class Result(Protocol):
    """What a diagnostic found."""

    def as_json(self) -> dict:
        """Plain values, arrays left out."""


class Diagnostic(Protocol):
    """``measure`` takes one text and label per corpus row; empty texts (excluded rows) take no part."""

    key: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]
    paper: ClassVar[str]
    config_class: ClassVar[type[Config]]

    @staticmethod
    def measure(
        encoder,
        *,
        texts: list[str],
        labels: np.ndarray | None,
        config: Config,
        titles: list[str] | None = None,
        split: Split | None = None,
        device: str = "cpu",
        progress: Progress = silent,
    ) -> Result:
        """The same texts are looked at for every encoder with the same settings and tokenizer."""
