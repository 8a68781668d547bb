"""The stored corpora that the app's process has open: one copy for all pages, sessions and routes."""

from functools import lru_cache
from pathlib import Path

from embedlab.corpora.base import Corpus, open_corpus
from embedlab.example import example_corpus
from embedlab.store_root import store_root


def opened(fingerprint: str) -> Corpus:
    """A stored corpus, with the columns read so far; opened anew once summaries of it were made.

    The example's is the packaged one.
    """
    example = example_corpus()
    if example is not None and example.fingerprint == fingerprint:
        return example
    return _opened(store_root(), fingerprint, _summaries_made(fingerprint))


@lru_cache(maxsize=2)
def _opened(root: Path, fingerprint: str, summaries_made: int | None) -> Corpus:
    return open_corpus(fingerprint)


def _summaries_made(fingerprint: str) -> int | None:
    """When its summaries were published, or None."""
    try:
        return (store_root() / "corpora" / fingerprint / "summaries.json").stat().st_mtime_ns
    except (OSError, ValueError):
        return None
