"""A stranger's tokenizer is tried on a few texts in a process with limits before it meets the corpus.

A normalizer may replace a letter by a million, and a pattern may be searched for ever; both end a process that no limit
ends. Tokenizers of the usual parts alone can do neither and are not tried, unless their file is so large that only
reading it could fill the memory.
"""

import json
import string
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from embedlab.errors import EncoderError
from embedlab.limits import LIMITS
from embedlab.progress import Progress
from embedlab.reader_process import read_limited
from embedlab.reader_worker import Answer

_GROWTH = 32  # characters that one may become; NFKC makes 18 of a single Arabic ligature
_HARMLESS = frozenset(
    "BertNormalizer NFC NFD NFKC NFKD Lowercase StripAccents Strip Nmt ByteLevel BertPreTokenizer Whitespace "
    "WhitespaceSplit Metaspace Punctuation Digits Sequence".split()
)
_READ_HERE = LIMITS.small_file_bytes  # as JSON up to 25 times as many in memory; XLM-R's has 17 million


def try_tokenizer(file: Path) -> None:
    """Refuse a tokenizer.json that fails, or multiplies, texts of a few hundred characters."""
    if file.stat().st_size <= _READ_HERE:
        try:
            content = json.loads(file.read_bytes())
        except (ValueError, RecursionError):
            return  # refused by who reads it
        parts = ("normalizer", "pre_tokenizer")
        if isinstance(content, dict) and all(_is_harmless(content.get(part)) for part in parts):
            return
    name = f"{file.parent.name}/{file.name}"
    read_limited(f"{__name__}:trial", file, {"file_name": name}, name=name, error=EncoderError)


def trial(path: Path, *, file_name: str, progress: Progress) -> Answer:
    """In the process that reads: normalise and tokenize texts of every letter that the tokenizer names."""
    try:
        content = json.loads(path.read_bytes())
        tokenizer = Tokenizer.from_file(str(path))
    except MemoryError:
        raise
    except Exception:  # damaged, and refused by who reads it next; the tokenizers library raises nothing narrower
        return {}, None
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)
    letters = dict.fromkeys(string.printable + "éßñжλ中あ한ا€“…ﷺ😀" + "".join(_patterns(content)))
    texts = [letter * 200 + "!" for letter in list(letters)[:500]] + ["The quick brown fox jumps. " * 20]
    with panic_said(file_name):
        for text in texts:
            grown = text if tokenizer.normalizer is None else tokenizer.normalizer.normalize_str(text)
            if len(grown) > _GROWTH * len(text):
                raise EncoderError(
                    "E-TOKENIZER",
                    f"The tokenizer {file_name} makes {len(grown):,} characters of {len(text)}, so that texts would "
                    "fill the memory. Choose another encoder.",
                )
        tokenizer.encode_batch_fast(texts)
    return {}, None


@contextmanager
def panic_said(name: str) -> Iterator[None]:
    """Around the tokenizers library: where it panics, which no ``except Exception`` catches, the tokenizer is named."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        first = str(error).splitlines()[0][:120] if str(error) else "a panic"
        raise EncoderError(
            "E-TOKENIZER",
            f"The tokenizer of {name} fails on a text ({first}): the fault is the encoder's. Choose another encoder.",
        ) from None


def _is_harmless(part: Any) -> bool:
    if part is None:
        return True
    if not isinstance(part, dict) or part.get("type") not in _HARMLESS:
        return False
    inner = part.get("normalizers") or part.get("pretokenizers") or []
    return isinstance(inner, list) and all(map(_is_harmless, inner))


def _patterns(content: Any) -> Iterator[str]:
    """Every string in the parts that rewrite or divide a text."""
    waiting = [content.get("normalizer"), content.get("pre_tokenizer")] if isinstance(content, dict) else []
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value[:2_000]
        elif isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value
