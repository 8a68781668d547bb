"""What an encoder's folder, here or on a hub, holds: judged by its list of files, small files and weight headers."""

import json
import os
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import safetensors.torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from embedlab.disk_trouble import trouble_said
from embedlab.encoder_catalog.architectures import ARCHITECTURES
from embedlab.errors import EncoderError
from embedlab.limits import LIMITS

# What is fetched from a hub; pickled weights are never among them.
ALLOWED = re.compile(
    r"config\.json|embedlab\.json|modules\.json|sentence_bert_config\.json|config_sentence_transformers\.json|special_tokens_map\.json"
    r"|adapter_config\.json|tokenizer\.json|tokenizer_config\.json|vocab\.txt|vocab\.json|merges\.txt"
    r"|tokenizer\.model|sentencepiece\.bpe\.model|spiece\.model|spm\.model"
    r"|model\.safetensors|model\.safetensors\.index\.json|model-\d{5}-of-\d{5}\.safetensors"
    r"|\d{1,2}_(Pooling|Normalize|Dense|StaticEmbedding|Transformer)/(config\.json|model\.safetensors|tokenizer\.json)"
)
_OTHER_WEIGHTS = (  # endings, what they are called, and why they are not taken
    ((".bin", ".pt", ".pth", ".pkl", ".ckpt"), "pickled weights", "can run code and are never opened"),
    ((".safetensors",), "weights under other names than model.safetensors", "are not read here"),
    ((".h5", ".msgpack"), "weights in other formats than safetensors", "are not read here"),
)
_NO_WEIGHTS = re.compile(r"(.*/)?(training_args|optimizer|scheduler|rng_state|openvino)[^/]*")
_NOT_OF_TEXTS = {
    "vision_config": "image",
    "vision_cfg": "image",
    "image_token_index": "image",
    "image_token_id": "image",
    "audio_config": "sound",
}


def files_of(folder: Path) -> set[str]:
    """The paths of a folder's files and of those one level below, as a hub lists them."""
    return {path.relative_to(folder).as_posix() for path in (*folder.glob("*"), *folder.glob("*/*")) if path.is_file()}


def is_adapter(listed: Collection[str]) -> bool:
    """Whether files are those of an adapter in place of a model."""
    weights = any(re.fullmatch(r"model(-\d{5}-of-\d{5})?\.safetensors", path) for path in listed)
    return "adapter_config.json" in listed and not (weights and "config.json" in listed)


def no_weights(name: str, listed: Collection[str], *, what: str = "encoder") -> EncoderError:
    """The refusal of files among which are no weights that can be read here, by what is there in their place."""
    for endings, why, never in _OTHER_WEIGHTS:
        others = sorted(path for path in listed if path.endswith(endings) and not _NO_WEIGHTS.fullmatch(path))
        if others:
            return EncoderError(
                "E-NOT-SAFETENSORS",
                f"{name} has {why} only ({', '.join(others[:3])}), which {never}. Ask its owners for "
                f"model.safetensors, write it once with save_pretrained of transformers, or choose another {what}.",
            )
    for ending, title in {".onnx": "ONNX", "openvino_model.xml": "OpenVINO"}.items():
        if any(path.endswith(ending) for path in listed):
            return EncoderError(
                "E-ONNX-ONLY",
                f"{name} has {title} files only, which can be run but not trained or looked into. Choose the {what} "
                "that they were made of.",
            )
    if any(path.endswith(".gguf") for path in listed):
        return EncoderError(
            "E-GGUF-ONLY",
            f"{name} has quantized GGUF files only, which cannot be trained. Choose the {what} that they were made of.",
        )
    return EncoderError(
        "E-NOT-SAFETENSORS",
        f"{name} has no weights at all, which would be in model.safetensors: it lists "
        f"{', '.join(sorted(listed)[:4]) or 'no files'}. Choose another {what}.",
    )


def judge(name: str, folder: Path, listed: Collection[str]) -> None:
    """Refuse what no reader here can load, by small files alone; ``name``: what it is called in sentences.

    ``listed``: its files, of which those that are not in ``folder`` may not have been fetched yet.
    """
    listed_modules = read_json(folder / "modules.json") if (folder / "modules.json").is_file() else []
    modules = [each for each in listed_modules if isinstance(each, dict)] if isinstance(listed_modules, list) else []
    paths = [str(each.get("path", "")) for each in modules[:1]]
    first = folder / paths[0] if paths and re.fullmatch(r"\d+_[A-Za-z]+", paths[0]) else folder
    config = optional_json_object(first / "config.json")
    if is_adapter(listed):
        base = optional_json_object(folder / "adapter_config.json").get("base_model_name_or_path")
        raise EncoderError(
            "E-ADAPTER",
            f"{name} is an adapter; its base is {str(base)[:100] if base else 'not stated'}. Choose the base, or an "
            "encoder into which the adapter was merged.",
        )
    kinds = [str(each["type"]) for each in modules if each.get("type")]
    other = next((other for field, other in _NOT_OF_TEXTS.items() if config.get(field)), None)
    if other is not None or any(kind.endswith(".CLIPModel") for kind in kinds):
        raise EncoderError(
            "E-NOT-TEXT",
            f"{name} is a text-and-{other or 'image'} model, and only encoders of texts are read. Choose another one.",
        )
    foreign = any(not kind.startswith(("sentence_transformers.", "pylate.")) for kind in kinds)
    if foreign or "auto_map" in config and _is_unknown(config):
        raise EncoderError(
            "E-REMOTE-CODE",
            f"{name} needs code of its own (trust_remote_code), which is never run. Choose another encoder, or a "
            "copy that transformers reads by itself.",
        )
    if _experts(config) > 1:
        raise EncoderError(
            "E-EXPERTS",
            f"{name} is a mixture of {_experts(config)} experts (num_experts), which transformers has for no kind of "
            "encoder that is read here. Choose one without experts, as nomic-ai/nomic-embed-text-v1.5.",
        )


def _is_unknown(config: dict) -> bool:
    """Whether transformers has no model of this kind."""
    from transformers import CONFIG_MAPPING  # takes seconds to import

    return config.get("model_type") not in CONFIG_MAPPING


def _experts(config: dict) -> int:
    """How many feed-forward parts a layer of an admitted kind would choose from."""
    count = config.get("num_experts") if config.get("model_type") in ARCHITECTURES else None
    return count if type(count) is int else 0


def weight_files(folder: Path, *, what: str = "encoder") -> list[Path]:
    """model.safetensors, or the shards that model.safetensors.index.json lists; nothing else is ever opened."""
    whole = folder / "model.safetensors"
    if whole.is_file():
        return [whole]
    index = folder / "model.safetensors.index.json"
    if not index.is_file():
        raise no_weights(folder.name, files_of(folder), what=what)
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
                if file.suffix in (".json", ".txt", ".safetensors") and file.is_file():
                    with open(file, "rb"):
                        pass
    except OSError as error:
        raise trouble_said(error, path=folder) or error from None


def read_json(path: Path) -> dict[str, Any] | list:
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


def read_json_object(path: Path) -> dict[str, Any]:
    """The same of an object; empty where there is a list."""
    value = read_json(path)
    return value if isinstance(value, dict) else {}


def optional_json_object(path: Path) -> dict[str, Any]:
    """The same; empty where there is no such file, too."""
    return read_json_object(path) if path.is_file() else {}


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
