"""The folder of a LoRA adapter that others trained: its base is found, it is compared on paper, then merged in."""

import math
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

from embedlab.encoders.encoder import Encoder
from embedlab.encoders.folder_files import files_of, is_adapter, read_json_object, read_tensors, shapes_in
from embedlab.encoders.folder_format import read_modules
from embedlab.errors import EncoderError

_CONFIG, _WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
_UNREAD = ("use_dora", "modules_to_save", "alpha_pattern", "trainable_token_indices", "lora_bias", "megatron_config")


def holds_adapter(folder: Path) -> bool:
    """Whether it has an adapter in place of a model."""
    return is_adapter(files_of(folder))


def adapters_pooling(folder: Path) -> str | None:
    """As the adapter's own folder says it; None where only its base does."""
    if not (folder / "modules.json").is_file():
        return None
    from embedlab.encoders.transformer_folder import own_pooling

    return own_pooling(read_modules(folder))


def load_adapted(folder: Path, load: Callable[[Path], Encoder], at_hand: Callable[[str], Path | None]) -> Encoder:
    """The base, by ``load``, with the adapter merged into its weights; ``at_hand`` finds a base by its hub name."""
    config = read_json_object(folder / _CONFIG)
    base = _base_folder(folder, config, at_hand)
    unread = next((name for name in _UNREAD if config.get(name)), None)
    if config.get("bias", "none") != "none":
        unread = "bias"
    kind, rank, alpha = (config.get(name) for name in ("peft_type", "r", "lora_alpha"))
    if kind != "LORA" or unread is not None:
        what = f"it uses {unread}" if kind == "LORA" else f"it is of type {str(kind)[:40]!r}"
        raise _refused("E-ADAPTER-KIND", folder, f"only plain LoRA adapters are read, but {what}")
    if type(rank) is not int or rank < 1 or not isinstance(alpha, int | float) or not math.isfinite(alpha):
        raise _refused("E-ADAPTER-KIND", folder, f"{_CONFIG} has no rank and alpha")
    if not (folder / _WEIGHTS).is_file():
        pickled = next((file.name for file in sorted(folder.glob("adapter_model.*"))), None)
        contents = "has no weights" if pickled is None else f"has only {pickled}, and pickled weights are never opened"
        raise _refused("E-NOT-SAFETENSORS", folder, f"{_WEIGHTS} is needed, but the folder {contents}")
    if holds_adapter(base):
        raise _refused("E-ADAPTER", folder, f"its base {base.name} is an adapter too")
    mine, bases = ([each.kind for each in read_modules(each)][2:] for each in (folder, base))
    if (folder / "modules.json").is_file() and mine != bases:
        raise _refused("E-ADAPTER-FIT", folder, f"after pooling it has {mine}, but its base {base.name} has {bases}")
    encoder = load(base)
    if not encoder.layers:
        raise _refused("E-ADAPTER-FIT", folder, f"its base {base.name} has no layers")
    _merge(encoder, folder, config, base.name)
    return encoder


def _base_folder(folder: Path, config: dict, at_hand: Callable[[str], Path | None]) -> Path:
    """In the adapter's folder, at a path, packaged, or in the store under its name on the hub."""
    named = config.get("base_model_name_or_path")
    if not isinstance(named, str) or not named.strip():
        raise _refused("E-ADAPTER", folder, f"{_CONFIG} does not name its base")
    for candidate in (folder / named, Path(named).expanduser()):
        if candidate.is_dir():
            return candidate
    if (stored := at_hand(named)) is None:
        raise EncoderError(
            "E-ADAPTER",
            f"{folder.name} is an adapter; its base is {named[:100]}, which is neither a folder nor in the store. Use "
            "the base itself once, which fetches it, or write its folder into base_model_name_or_path.",
        )
    return stored


def _merge(encoder: Encoder, folder: Path, config: dict, base: str) -> None:
    """Each layer's weight gets alpha / rank · B · A; all shapes are compared before a tensor is read."""
    shapes = shapes_in([folder / _WEIGHTS])
    layers = {name: each for name, each in encoder.model.named_modules() if isinstance(each, nn.Linear)}
    pairs: dict[str, str] = {}  # layer -> the start of its two names in the file
    for stored in shapes:
        start, mark, _ = stored.rpartition(".lora_A.weight")
        other = stored.rpartition(".lora_B.weight")
        if not mark and not other[1]:
            raise _refused("E-ADAPTER-KIND", folder, f"only plain LoRA adapters are read, but it holds {stored[:80]!r}")
        name = (start or other[0]).removeprefix("base_model.model.")  # of peft's wrapper, before the base's own names
        # without the prefix that a model with a head puts before its base's names
        pairs[name.removeprefix(f"{encoder.model.base_model_prefix}.")] = start or other[0]
    for name, start in pairs.items():
        inner, outer = (shapes.get(f"{start}.lora_{side}.weight", ()) for side in "AB")
        layer = layers.get(name)
        if layer is None:
            raise _refused("E-ADAPTER-FIT", folder, f"it adapts {name!r}, which its base {base} does not have")
        fits = len(inner) == len(outer) == 2 and inner[0] == outer[1] and (outer[0], inner[1]) == layer.weight.shape
        if not fits:
            raise _refused(
                "E-ADAPTER-FIT",
                folder,
                f"it adapts {name!r} of another shape than {tuple(layer.weight.shape)}, which its base {base} has",
            )
    tensors = read_tensors(folder / _WEIGHTS)
    with torch.no_grad():
        for name, start in pairs.items():
            inward, outward = (
                tensors[f"{start}.lora_{side}.weight"].float() for side in "AB"
            )  # (rank, in), (out, rank)
            rank = len(inward)
            scale = config["lora_alpha"] / (math.sqrt(rank) if config.get("use_rslora") else rank)
            layers[name].weight += scale * (outward @ inward)


def _refused(code: str, folder: Path, why: str) -> EncoderError:
    return EncoderError(
        code, f"{folder.name} is an adapter, and it cannot be used: {why}. Choose another adapter, or its base."
    )
