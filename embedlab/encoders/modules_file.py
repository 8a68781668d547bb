"""What an encoder folder says of itself, read as data: its modules, and what it asks for that is not followed."""

import re
from pathlib import Path
from typing import NamedTuple

from embedlab.encoders.weight_files import read_json_object
from embedlab.errors import EncoderError
from embedlab.runs.result import OF_THE_ENCODER, Remark

_MODULES = ("Transformer", "Pooling", "Normalize", "Dense", "StaticEmbedding", "SparseStaticEmbedding")
_TOKEN_LAYERS = (["StaticEmbedding"], ["SparseStaticEmbedding", "Dense"])  # each may end in a Normalize
_SIMILARITIES = {"dot": "the dot product", "euclidean": "Euclidean distance", "manhattan": "Manhattan distance"}
_LONGEST = 80  # characters of a prompt that are repeated
_KEPT = "not_followed"  # in embedlab.json: what holds for the folder that an encoder came from


class Module(NamedTuple):
    """One line of modules.json: its kind and the folder of its files."""

    kind: str
    folder: Path


def read_modules(folder: Path) -> list[Module]:
    """modules.json as data: known kinds in a known order; a bare transformers folder is a Transformer alone."""
    if not (folder / "modules.json").is_file():
        return [Module("Transformer", folder)]
    listed = read_json_object(folder / "modules.json")
    modules = []
    for entry in listed if isinstance(listed, list) else []:
        kind = str(entry.get("type", "")) if isinstance(entry, dict) else ""
        path = str(entry.get("path", "")) if isinstance(entry, dict) else ""
        name = kind.rpartition(".")[2]
        if not kind.startswith("sentence_transformers.") or name not in _MODULES:
            raise refused_modules(folder, f"it names {kind[:80]!r}")
        if not re.fullmatch(r"(\d+_[A-Za-z]+)?", path):
            raise refused_modules(folder, f"it points to {path[:80]!r}")
        modules.append(Module(name, folder / path))
    kinds = [module.kind for module in modules]
    is_transformer = kinds[:2] == ["Transformer", "Pooling"] and set(kinds[2:]) <= {"Dense", "Normalize"}
    if not is_transformer and kinds not in [[*each, *end] for each in _TOKEN_LAYERS for end in ([], ["Normalize"])]:
        raise refused_modules(folder, f"its order is {', '.join(kinds) or 'empty'}")
    return modules


def refused_modules(folder: Path, why: str) -> EncoderError:
    return EncoderError(
        "E-MODULES",
        f"modules.json of {folder.name} may name a Transformer with Pooling, Dense and Normalize, a StaticEmbedding, "
        f"or a SparseStaticEmbedding with Dense, each of both with Normalize, but {why}. Choose another encoder.",
    )


def not_followed(folder: Path) -> tuple[Remark, ...]:
    """What it asks of whoever reads it and embedlab does not do, a sentence each, for wherever numbers of it stand.

    Read from the folder's own files, and from embedlab.json where the encoder of another folder was saved here.
    """
    config, facts = (_object(folder / name) for name in ("config_sentence_transformers.json", "embedlab.json"))
    poolings = [_object(file) for file in sorted(folder.glob("*_Pooling/config.json"))]
    sentences = {
        "PROMPT": _prompt(config),
        "INCLUDE-PROMPT": _include_prompt(poolings),
        "TRUNCATE-DIM": _truncate_dim(config, poolings),
        "SIMILARITY": _similarity(config),
    }
    earlier = facts.get(_KEPT) if isinstance(facts.get(_KEPT), dict) else {}
    in_force = {name: sentence or earlier.get(name) for name, sentence in sentences.items()}
    return tuple(
        Remark(code=f"{OF_THE_ENCODER}{name}", message=sentence[:400])
        for name, sentence in in_force.items()
        if isinstance(sentence, str) and sentence
    )


def to_keep(remarks: tuple[Remark, ...]) -> dict[str, dict[str, str]]:
    """For embedlab.json of a saved encoder, whose other files say nothing of it; empty where there is nothing."""
    sentences = {each.code.removeprefix(OF_THE_ENCODER): each.message for each in remarks}
    return {_KEPT: sentences} if sentences else {}


def _prompt(config: dict) -> str | None:
    name, prompts = config.get("default_prompt_name"), config.get("prompts")
    prompt = prompts.get(name) if isinstance(prompts, dict) and isinstance(name, str) else None
    if not isinstance(prompt, str) or not prompt:
        return None
    excerpt = prompt if len(prompt) <= _LONGEST else f"{prompt[:_LONGEST]}…"
    return (
        f"The encoder puts its default prompt {excerpt!r} before each text (default_prompt_name: {name[:40]}), which "
        f"is not supported yet: texts are read without it."
    )


def _include_prompt(poolings: list[dict]) -> str | None:
    if not any(each.get("include_prompt") is False for each in poolings):
        return None
    return (
        "The encoder leaves a prompt's tokens out of its pooling (include_prompt: false), which is not supported "
        "yet: all tokens that are read are pooled."
    )


def _truncate_dim(config: dict, poolings: list[dict]) -> str | None:
    width = config.get("truncate_dim")
    widths = [each.get(name) for each in poolings for name in ("embedding_dimension", "word_embedding_dimension")]
    if type(width) is not int or width < 1 or width in widths:
        return None
    return (
        f"The encoder keeps the first {width:,} dimensions of its vectors (truncate_dim: {width}), which is not "
        f"supported yet: vectors keep all their dimensions."
    )


def _similarity(config: dict) -> str | None:
    name = config.get("similarity_fn_name")
    if not isinstance(name, str) or name == "cosine":
        return None
    return (
        f"The encoder compares texts by {_SIMILARITIES.get(name, repr(name[:40]))} (similarity_fn_name: {name[:40]}), "
        "which is not supported yet: texts are compared with cosine and, where stated, with Euclidean distance."
    )


def _object(file: Path) -> dict:
    values = read_json_object(file) if file.is_file() else {}
    return values if isinstance(values, dict) else {}
