"""The token ids of a corpus, read once for the untouched encoder, its live points and the tuned one."""

from array import array
from weakref import WeakKeyDictionary

import numpy as np

from embedlab.encoders.embed import tokenize
from embedlab.encoders.encoder import Encoder
from embedlab.progress import Progress, silent
from embedlab.vectors.files import ROWS_AT_ONCE

_last: WeakKeyDictionary = WeakKeyDictionary()  # encoder -> what was read, and the token ids by row


def tokens_of(encoder: Encoder, corpus, rows: np.ndarray, progress: Progress = silent) -> list[array]:
    """``tokenize`` of these kept rows; those of a corpus that is embedded in one part stay with the encoder.

    An encoder's tokenizer never changes; its length and the corpus may.  rows: (n,) of the corpus
    """
    if corpus.info.rows > ROWS_AT_ONCE:
        return tokenize(encoder, corpus.texts.at(rows), progress=progress)
    asked = (corpus.fingerprint, encoder.max_length)
    if encoder not in _last or _last[encoder][0] != asked:
        read = tokenize(encoder, corpus.texts.at(corpus.kept), progress=progress)
        _last[encoder] = asked, dict(zip(corpus.kept.tolist(), read, strict=True))
    by_row = _last[encoder][1]
    return [by_row[row] for row in rows.tolist()]
