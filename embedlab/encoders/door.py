"""What may be loaded: safetensors and configuration read as data, nothing else; no file here can run code."""

import re
from pathlib import Path
from typing import NamedTuple

import torch
from torch import nn
from transformers.initialization import no_init_weights

from embedlab.encoders.encoder import Encoder
from embedlab.encoders.head_weights import read_head_weights
from embedlab.encoders.model_config import attention_for, model_class_of, promised_shapes, read_config
from embedlab.encoders.pooling import checked_pooling
from embedlab.encoders.token_layer import TokenLayer
from embedlab.encoders.tokenizer_files import read_tokenizer
from embedlab.encoders.transformer import Dense, Normalize, TransformerEncoder, usable_positions
from embedlab.encoders.weight_files import header, read_json_object, read_tensors, require_weights, weight_files
from embedlab.errors import EncoderError
from embedlab.limits import LIMITS

_MODULES = ("Transformer", "Pooling", "Normalize", "Dense", "StaticEmbedding")
_POOLINGS = {
    "mean": "mean",
    "cls": "cls",
    "max": "max",
    "lasttoken": "last",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "last",
}
_TOKEN_LAYER_LENGTH = 512


class Module(NamedTuple):
    """One line of modules.json: its kind and the folder of its files."""

    kind: str
    folder: Path


def load_folder(
    folder: Path,
    *,
    reference: str,
    pooling: str | None = None,
    max_length: int | None = None,
    attention: str = "sdpa",
) -> Encoder:
    """The encoder in a folder; pooling and length are the folder's own unless given."""
    modules = read_modules(folder)
    facts = read_json_object(folder / "embedlab.json") if (folder / "embedlab.json").is_file() else {}
    facts = facts if isinstance(facts, dict) else {}
    if modules[0].kind == "StaticEmbedding":
        return _load_token_layer(modules, reference, pooling, max_length)
    weights_folder = modules[0].folder
    weight_files(weights_folder)  # what is most often wrong is said first: there are none in safetensors
    config = read_config(weights_folder)
    tokenizer, special_tokens = read_tokenizer(weights_folder)
    rows = 1 + max(tokenizer.get_vocab(with_added_tokens=True).values(), default=0)
    if rows > config.vocab_size:
        raise EncoderError(
            "E-VOCAB",
            f"The tokenizer of {folder.name} has {rows:,} entries, but its embedding has only {config.vocab_size:,} "
            "rows. Choose another encoder.",
        )
    model = _load_model(weights_folder, config, attention)
    if max_length is None:
        max_length = _own_length(weights_folder, facts, usable_positions(config))
    encoder = TransformerEncoder(
        model,
        tokenizer,
        special_tokens=special_tokens,
        after_pooling=_after_pooling(modules),
        reference=reference,
        pooling=_own_pooling(modules, facts) if pooling is None else pooling,
        max_length=max_length,
    )
    vocabulary, word_dim = model.get_input_embeddings().weight.shape
    encoder.head_weights = read_head_weights(
        weight_files(weights_folder), config, vocabulary=vocabulary, word_dim=word_dim
    )
    return encoder


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
            raise _refused(folder, f"it names {kind[:80]!r}")
        if not re.fullmatch(r"(\d+_[A-Za-z]+)?", path):
            raise _refused(folder, f"it points at {path[:80]!r}")
        modules.append(Module(name, folder / path))
    kinds = [module.kind for module in modules]
    in_order = kinds == ["StaticEmbedding"] or (
        kinds[:2] == ["Transformer", "Pooling"] and set(kinds[2:]) <= {"Dense", "Normalize"}
    )
    if not in_order:
        raise _refused(folder, f"its order is {', '.join(kinds) or 'empty'}")
    return modules


def _load_model(folder: Path, config, attention: str) -> nn.Module:
    """Every size is compared on paper first; then the model is made without random weights and filled."""
    files = weight_files(folder)
    promised = promised_shapes(config, folder.name)
    parameters = sum(_product(shape) for shape in promised.values())
    if parameters > LIMITS.encoder_parameters:
        raise EncoderError(
            "E-MODEL-SIZE",
            f"An encoder of at most {LIMITS.encoder_parameters:,} parameters is needed, but {folder.name} has "
            f"{parameters:,}. Choose a smaller one.",
        )
    shapes = {name: shape for file in files for name, shape in header(file).items()}
    names = _names_in_file(promised, shapes, model_class_of(config).base_model_prefix)
    require_weights(folder, needed=promised, names=names, shapes=shapes, what="encoder")
    model_class = model_class_of(config)
    with no_init_weights():
        model = model_class._from_config(config, attn_implementation=attention_for(model_class, attention))
    model.pooler = None
    tensors = {name: tensor for file in files for name, tensor in read_tensors(file).items()}
    model.load_state_dict({name: tensors[names[name]].to(torch.float32) for name in promised})
    return model.float().eval()


def _names_in_file(promised: dict, shapes: dict, prefix: str) -> dict[str, str]:
    """The name each weight has in the file: under the task's prefix, and LayerNorm's as gamma and beta in old files."""
    modern = {re.sub(r"\.gamma$", ".weight", re.sub(r"\.beta$", ".bias", name)): name for name in shapes}
    starts = ("", f"{prefix}.", "model.", f"model.{prefix}.")
    found = [{name: modern[start + name] for name in promised if start + name in modern} for start in starts]
    return max(found, key=len)


def _after_pooling(modules: list[Module]) -> list[nn.Module]:
    return [Normalize() if module.kind == "Normalize" else _dense(module.folder) for module in modules[2:]]


def _dense(folder: Path) -> Dense:
    config = read_json_object(folder / "config.json")
    file = weight_files(folder)[0]
    shapes = header(file)
    activation = config.get("activation_function") if isinstance(config, dict) else None
    shape = shapes.get("linear.weight", ())
    if activation not in Dense.activations or config.get("use_residual") or len(shape) != 2:
        raise _refused(folder.parent, f"its Dense layer has the activation {str(activation)[:60]!r} or a residual")
    if _product(shape) > LIMITS.encoder_parameters or set(shapes) - {"linear.weight", "linear.bias"}:
        raise _refused(folder.parent, "its Dense layer holds more than one linear map")
    dense = Dense(shape[1], shape[0], bias="linear.bias" in shapes, activation=activation)
    dense.load_state_dict({name: tensor.to(torch.float32) for name, tensor in read_tensors(file).items()})
    return dense


def _own_pooling(modules: list[Module], facts: dict) -> str:
    """embedlab.json knows the n-th token, which Pooling's config cannot say; without both it is the mean."""
    if isinstance(facts.get("pooling"), str):
        return checked_pooling(facts["pooling"])
    if len(modules) < 2:
        return "mean"
    config = read_json_object(modules[1].folder / "config.json")
    config = config if isinstance(config, dict) else {}
    named = config.get("pooling_mode")
    flags = [key for key, value in config.items() if key.startswith("pooling_mode_") and value is True]
    chosen = flags if named is None else [named]
    if len(chosen) != 1 or not isinstance(chosen[0], str) or chosen[0] not in _POOLINGS:
        raise _refused(modules[0].folder, f"it pools by {chosen}, and only mean, cls, lasttoken and max are known")
    return _POOLINGS[chosen[0]]


def _own_length(folder: Path, facts: dict, positions: int) -> int:
    found = [facts.get("max_length")]
    for name, key in (("sentence_bert_config.json", "max_seq_length"), ("tokenizer_config.json", "model_max_length")):
        settings = read_json_object(folder / name) if (folder / name).is_file() else {}
        found.append(settings.get(key) if isinstance(settings, dict) else None)
    return min(next((length for length in found if type(length) is int and length > 2), positions), positions)


def _load_token_layer(modules: list[Module], reference: str, pooling: str | None, max_length: int | None) -> TokenLayer:
    folder = modules[0].folder
    files = weight_files(folder)
    shapes = {name: shape for file in files for name, shape in header(file).items()}
    name = next((key for key in ("embedding.weight", "embeddings") if set(shapes) == {key}), None)
    if name is None or len(shapes[name]) != 2 or _product(shapes[name]) > LIMITS.encoder_parameters:
        raise EncoderError(
            "E-WEIGHTS",
            f"One table of token vectors is needed, but {folder.name} holds {', '.join(list(shapes)[:3])}. "
            "Choose another encoder.",
        )
    tokenizer = read_tokenizer(folder).tokenizer
    rows = 1 + max(tokenizer.get_vocab(with_added_tokens=True).values(), default=0)
    if rows > shapes[name][0]:
        raise EncoderError(
            "E-VOCAB",
            f"The tokenizer of {folder.name} has {rows:,} entries, but its table has only {shapes[name][0]:,} rows. "
            "Choose another encoder.",
        )
    if max_length is None:
        max_length = tokenizer.truncation["max_length"] if tokenizer.truncation else _TOKEN_LAYER_LENGTH
    weight = read_tensors(files[0])[name].to(torch.float32)
    layer = TokenLayer(tokenizer, weight, reference=reference, max_length=max_length)
    layer.read_by("mean" if pooling is None else pooling)
    return layer


def _product(shape: tuple[int, ...]) -> int:
    total = 1
    for size in shape:
        total *= size
    return total


def _refused(folder: Path, why: str) -> EncoderError:
    return EncoderError(
        "E-MODULES",
        f"modules.json of {folder.name} may name a Transformer with Pooling, Dense and Normalize, or a "
        f"StaticEmbedding, but {why}. Choose another encoder.",
    )
