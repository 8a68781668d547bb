"""The stored corpora that the app's process has open: one copy for all pages, sessions and routes."""

from functools import lru_cache
from pathlib import Path

from embedlab.corpora.base import Corpus, open_corpus
from embedlab.example import example_corpus
from embedlab.store_root import store_root


def opened(fingerprint: str) -> Corpus:
    """A stored corpus, with the columns read so far; opened anew once it was renamed or summaries of it were made.

    The example's is the packaged one.
    """
    example = example_corpus()
    if example is not None and example.fingerprint == fingerprint:
        return example
    return _opened(store_root(), fingerprint, *(_written(fingerprint, name) for name in _MAY_CHANGE))


_MAY_CHANGE = ("corpus.json", "summaries.json")


@lru_cache(maxsize=2)
def _opened(root: Path, fingerprint: str, *written: int | None) -> Corpus:
    return open_corpus(fingerprint)


def _written(fingerprint: str, name: str) -> int | None:
    """When this file of the corpus was written, or None."""
    try:
        return (store_root() / "corpora" / fingerprint / name).stat().st_mtime_ns
    except (OSError, ValueError):
        return None
