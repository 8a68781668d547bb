"""Which files of a folder hold weights, and what their headers promise, before anything is allocated."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

import safetensors.torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from embedlab.disk_trouble import trouble_said
from embedlab.errors import EncoderError
from embedlab.limits import LIMITS

_PICKLES = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.ckpt", "*.h5", "*.msgpack")
_READ = (".json", ".txt", ".safetensors")


def onnx_only(name: str) -> EncoderError:
    return EncoderError(
        "E-ONNX-ONLY",
        f"{name} has ONNX files only, which can be run but not trained or looked into. Choose the encoder that they "
        "were made of.",
    )


def weight_files(folder: Path, *, what: str = "An encoder") -> list[Path]:
    """model.safetensors, or the shards that model.safetensors.index.json lists; nothing else is ever opened."""
    whole = folder / "model.safetensors"
    if whole.is_file():
        return [whole]
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        return _shards(folder, index)
    if any(folder.glob("onnx/*.onnx")) or any(folder.glob("*.onnx")):
        raise onnx_only(folder.name)
    pickles = sorted(path.name for pattern in _PICKLES for path in folder.glob(pattern))
    contents = f"only {', '.join(pickles[:3])}" if pickles else "no weights at all"
    raise EncoderError(
        "E-NOT-SAFETENSORS",
        f"{what} is loaded from model.safetensors, but {folder.name} has {contents}. Pickled weights can run code and "
        "are never opened: convert them (save_pretrained of transformers writes safetensors) or choose another one.",
    )


def headers(files: Iterable[Path]) -> dict[Path, dict[str, tuple[int, ...]]]:
    """Name -> shape of every tensor in each safetensors file, from its header alone; a damaged file is refused.

    The library compares what a header promises with the file's size; how long all of them may be is a limit of ours.
    """
    shapes, length = {}, 0
    for path in files:
        with path.open("rb") as file:
            start = file.read(64)
        if start.startswith(b"version https://git-lfs"):
            raise EncoderError(
                "E-LFS-POINTER",
                f"{path.name} is a Git LFS pointer, not the weights. Fetch the weights with: git lfs pull.",
            )
        length += int.from_bytes(start[:8], "little")
        if length > LIMITS.safetensors_header_bytes:
            raise _damaged(path, f"the headers up to its own would need {length:,} bytes")
        try:
            with safe_open(path, framework="pt") as file:
                shapes[path] = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
        except (SafetensorError, UnicodeDecodeError) as error:
            raise _damaged(path, str(error)) from None
    return shapes


def shapes_in(files: Iterable[Path]) -> dict[str, tuple[int, ...]]:
    """The same of all files together, without saying which of them holds a tensor."""
    return {name: shape for shapes in headers(files).values() for name, shape in shapes.items()}


def read_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of one safetensors file whose header was checked."""
    try:
        return safetensors.torch.load_file(path)
    except SafetensorError as error:
        raise _damaged(path, str(error)) from None


def require_readable(folder: Path) -> None:
    """Refuse a folder that is closed to us, or a file in it that is: libraries say of both that they are damaged."""
    try:
        for name in os.listdir(folder):
            inner = [folder / name / each for each in os.listdir(folder / name)] if (folder / name).is_dir() else []
            for file in (folder / name, *inner):
                if file.suffix in _READ and file.is_file():
                    with open(file, "rb"):
                        pass
    except OSError as error:
        raise trouble_said(error, path=folder) or error from None


def read_json(path: Path) -> dict | list:
    """A small JSON object or list from a folder that a stranger may have written."""
    try:
        if path.stat().st_size > LIMITS.config_bytes:
            raise ValueError
        value = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(value, dict | list):
            raise ValueError
    except (OSError, ValueError, RecursionError) as error:
        if (refused := trouble_said(error, name=f"{path.parent.name}/{path.name}", path=path)) is not None:
            raise refused from None
        raise EncoderError(
            "E-CONFIG",
            f"{path.name} of an encoder is a JSON file of at most {LIMITS.config_bytes:,} bytes, but the one in "
            f"{path.parent.name} cannot be read as such. Download the encoder again.",
        ) from None
    return value


def read_json_object(path: Path) -> dict:
    """The same of an object; empty where there is a list."""
    value = read_json(path)
    return value if isinstance(value, dict) else {}


def optional_json_object(path: Path) -> dict:
    """The same; empty where there is no such file, too."""
    return read_json_object(path) if path.is_file() else {}


def _shards(folder: Path, index: Path) -> list[Path]:
    names = read_json_object(index).get("weight_map")
    names = sorted({str(name) for name in names.values()}) if isinstance(names, dict) else []
    for name in names:
        plain = Path(name).name == name and "\\" not in name and name.endswith(".safetensors")
        if not plain or not (folder / name).is_file():
            raise EncoderError(
                "E-NOT-SAFETENSORS",
                f"{index.name} lists the safetensors files next to it, but {name[:80]!r} is not one of them. Download "
                f"the encoder again.",
            )
    if not names:
        raise _damaged(index, "it lists no files")
    return [folder / name for name in names]


def _damaged(path: Path, why: str) -> EncoderError:
    return EncoderError(
        "E-SAFETENSORS", f"{path.name} should hold weights, but it is damaged: {why}. Download it again."
    )


def require_weights(
    folder: Path, *, needed: dict[str, tuple], names: dict[str, str], shapes: dict[str, tuple], what: str
) -> None:
    """Refuse files that lack a tensor which config.json asks for, or hold one of another shape.

    needed: shape by name; names: the name in the files of each that is there; shapes: what the files hold.
    """
    missing = [name for name in needed if name not in names]
    if missing:
        raise EncoderError(
            "E-WEIGHTS",
            f"The weights of {folder.name} lack {len(missing)} of {len(needed)} tensors that its config.json lists, "
            f"first {missing[0]!r}. Choose another {what}.",
        )
    for name, shape in needed.items():
        if shapes[names[name]] != shape:
            raise EncoderError(
                "E-MODEL-SIZE",
                f"config.json of {folder.name} lists {name!r} with shape {shape}, but the file has "
                f"{shapes[names[name]]}. Download the {what} again.",
            )
