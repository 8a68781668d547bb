"""What the reference lines of a run count: whole texts, or as much of each as the run was told to read."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from tokenizers import Tokenizer

from embedlab.corpora.base import Corpus
from embedlab.counting import unit_of
from embedlab.encoders.encoder import Encoder
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import settings_of
from embedlab.tasks.encoders import encoder_of_run


@dataclass(frozen=True, eq=False)
class LineTexts:
    """The texts of a corpus, one per row, and what tells them from other texts of the same corpus."""

    corpus: Corpus
    texts: Sequence[str]
    counted: str  # as a reference line states it: ``words``, or ``words of the first 64 tokens``
    suffix: str = ""  # of the name of the file that holds their lines

    @classmethod
    def whole(cls, corpus: Corpus) -> Self:
        """Take the texts as they are."""
        return cls(corpus, corpus.texts, unit_of(corpus.texts))

    @classmethod
    def read_by(cls, encoder: Encoder, corpus: Corpus, max_length: int | None) -> Self:
        """Take of each text as many tokens as a run with this setting reads; without it, the texts as they are."""
        if max_length is None:
            return cls.whole(corpus)
        tokenizer = uncut_tokenizer(encoder)
        vocabulary = hashlib.sha256(tokenizer.to_str().encode()).hexdigest()[:12]
        counted = f"{unit_of(corpus.texts)} of the first {max_length} tokens"
        return cls(corpus, first_tokens(encoder, corpus.texts), counted, f"-first-{max_length}-{vocabulary}")

    @classmethod
    def of_run(cls, run: RunFolder, corpus: Corpus) -> Self:
        """Take what a finished run read."""
        max_length = settings_of(run).get("max_length")
        if max_length is None:
            return cls.whole(corpus)
        return cls.read_by(encoder_of_run(run, "after"), corpus, max_length)


def uncut_tokenizer(encoder: Encoder) -> Tokenizer:
    """Return a copy of an encoder's tokenizer that cuts and pads nothing, whatever was tokenized last."""
    tokenizer = Tokenizer.from_str(encoder.tokenizer.to_str())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def first_tokens(encoder: Encoder, texts: Sequence[str]) -> list[str]:
    """Return of each text the beginning that an encoder reads."""
    beginnings = []
    for text, encoding in zip(texts, uncut_tokenizer(encoder).encode_batch(list(texts)), strict=True):
        specials = encoding.special_tokens_mask
        ends = [end for (_, end), is_special in zip(encoding.offsets, specials, strict=True) if not is_special]
        read = max(1, encoder.max_length - sum(specials))  # tokens of the text itself
        beginnings.append(text if len(ends) <= read else text[: ends[read - 1]])
    return beginnings
