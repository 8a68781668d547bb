"""modules.json of an encoder folder, read as data: known kinds in a known order."""

import re
from pathlib import Path
from typing import NamedTuple

from embedlab.encoders.weight_files import read_json_object
from embedlab.errors import EncoderError

_MODULES = ("Transformer", "Pooling", "Normalize", "Dense", "StaticEmbedding")


class Module(NamedTuple):
    """One line of modules.json: its kind and the folder of its files."""

    kind: str
    folder: Path


def read_modules(folder: Path) -> list[Module]:
    """modules.json as data: five known kinds in a known order; a bare transformers folder is a Transformer alone."""
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
            raise refused_modules(folder, f"it points at {path[:80]!r}")
        modules.append(Module(name, folder / path))
    kinds = [module.kind for module in modules]
    in_order = kinds == ["StaticEmbedding"] or (
        kinds[:2] == ["Transformer", "Pooling"] and set(kinds[2:]) <= {"Dense", "Normalize"}
    )
    if not in_order:
        raise refused_modules(folder, f"its order is {', '.join(kinds) or 'empty'}")
    return modules


def refused_modules(folder: Path, why: str) -> EncoderError:
    return EncoderError(
        "E-MODULES",
        f"modules.json of {folder.name} may name a Transformer with Pooling, Dense and Normalize, or a "
        f"StaticEmbedding, but {why}. Choose another encoder.",
    )
