"""What an encoder's reference tells by itself: ``words``, ``token:minilm``, ``scratch:bert-mini``, ``run:ID``, …"""

import os
import re
from pathlib import Path

_PAGE = re.compile(
    r"(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co)/(?!datasets/|spaces/)([\w.-]+/[\w.-]+)"
    r"(?:/(?:tree|commit|resolve|blob)/([\w.-]+)(?:/.*)?)?/?(?:[?#].*)?",
    re.ASCII,
)
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*(?:@[\w./-]+)?", re.ASCII)
_KINDS = ("hf", "run", "scratch", "token", "words", "static")  # that stand before a colon
STATIC_TEACHER = "minilm"  # of ``static``, where none is named
REPEATS_CHANGE_NOTHING = {  # of token layers, by their pooling: why
    "mean": "the mean over m copies of the same tokens is the mean over one",
    "distinct": "each different token counts once, however often the text is repeated",
}


def pooling_name(pooling: str) -> str:
    """``[CLS]`` of ``cls``, ``token 7`` of ``token-7``."""
    return {"cls": "[CLS]", "last": "[SEP]", "sep": "[SEP]"}.get(pooling, pooling.replace("-", " "))


def canonical(reference: str) -> str:
    """``hf:owner/name`` of a hub page's address, or of ``owner/name`` where no folder is called so; else as it is."""
    reference = reference.strip()
    if page := _PAGE.fullmatch(reference):
        return f"hf:{page[1]}" + (f"@{page[2]}" if page[2] else "")
    return f"hf:{reference}" if _REPOSITORY.fullmatch(reference) and not Path(reference).exists() else reference


def is_reference(typed: str) -> bool:
    """Whether a typed text names an encoder by itself: ``owner/name``, ``run:ID``, ``words:minilm`` or a folder here.

    Keys of the catalog are not looked up.
    """
    reference = canonical(typed)
    has_kind = ":" in reference and kind_of(reference) in _KINDS
    return has_kind or os.path.isdir(os.path.expanduser(reference))


def kind_of(reference: str) -> str:
    """The kind in a reference: what stands before the colon, or the whole name."""
    return reference.partition(":")[0]


def is_token_layer(reference: str) -> bool:
    """Whether it names an encoder without layers: ``token``, ``words``, or either over another vocabulary."""
    return kind_of(reference) in ("token", "words", "static")


def has_vectors(reference: str) -> bool:
    """Whether it names a token layer that begins with vectors of the corpus or of another encoder, not by chance."""
    return kind_of(reference) in ("words", "static")


def taught_by(reference: str) -> str:
    """The encoder whose vectors another begins with: ``run:0abc`` of ``static:run:0abc``; of others they themselves."""
    kind, _, rest = reference.partition(":")
    return (rest or STATIC_TEACHER) if kind == "static" else reference


def is_made_here(reference: str) -> bool:
    """Whether it is made when it is asked for, not found in a folder: token layers and ``scratch:``."""
    return is_token_layer(reference) or kind_of(reference) == "scratch"
