"""The two packaged runs, read where they lie: the demo's token layer, and a small encoder with layers."""

from pathlib import Path
from typing import Literal

from embedlab.runs.folder import RunFolder

DATA = Path(__file__).parent / "data"
TOKEN, LAYERS = "token", "layers"
Kind = Literal["token", "layers"]


def example_run(kind: Kind = TOKEN) -> RunFolder | None:
    """A run folder like others, but never written to; None where the package came without its data."""
    folder = RunFolder(DATA / kind)
    return folder if folder.result.is_file() else None


def is_example(run: RunFolder) -> bool:
    """Whether this is one of them."""
    return run.path.parent == DATA
