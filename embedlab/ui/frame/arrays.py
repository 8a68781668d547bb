"""Arrays a page shows: kept under their content's hash, fetched once by the browser, the least used ones forgotten."""

import hashlib
import threading
from collections import OrderedDict

import numpy as np

KEPT_BYTES = 128 * 2**20  # two maps of 500,000 texts with twenty frames are 84 MB

_kept: OrderedDict[str, bytes] = OrderedDict()
_lock = threading.Lock()


def offer(array: np.ndarray) -> str:
    """Keep the array's bytes (little-endian, C order) for the browser; the same content has the same id."""
    content = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes()
    identity = hashlib.blake2b(content, digest_size=16, person=array.dtype.str.encode()).hexdigest()
    with _lock:
        _kept[identity] = content
        _kept.move_to_end(identity)
        while len(_kept) > 1 and sum(map(len, _kept.values())) > KEPT_BYTES:
            _kept.popitem(last=False)
    return identity


def offered(identity: str) -> bytes | None:
    """The bytes under that id, or None when they were never offered or are forgotten."""
    with _lock:
        if identity in _kept:
            _kept.move_to_end(identity)
        return _kept.get(identity)
