"""The stored corpora that the app's process has open: one copy for all pages, sessions and routes."""

from functools import lru_cache
from pathlib import Path

from embedlab.corpora.base import Corpus, open_corpus
from embedlab.store_root import store_root


def opened(fingerprint: str) -> Corpus:
    """A stored corpus, with the columns read so far."""
    return _opened(store_root(), fingerprint)


@lru_cache(maxsize=2)
def _opened(root: Path, fingerprint: str) -> Corpus:
    return open_corpus(fingerprint)
