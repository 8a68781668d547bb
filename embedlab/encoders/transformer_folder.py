"""A transformer from the folder it is stored in: every size is compared on paper before a weight is read."""

import math
import re
from pathlib import Path

import torch
from torch import nn
from transformers.initialization import no_init_weights

from embedlab.encoders.after_pooling import Dense, Normalize
from embedlab.encoders.lm_head import read_head_weights
from embedlab.encoders.model_config import attention_for, model_class_of, promised_shapes, read_config
from embedlab.encoders.modules_file import Module, refused_modules
from embedlab.encoders.pooling import checked_pooling
from embedlab.encoders.tokenizer_files import read_tokenizer
from embedlab.encoders.transformer import TransformerEncoder, usable_positions
from embedlab.encoders.weight_files import header, read_json_object, read_tensors, require_weights, weight_files
from embedlab.errors import EncoderError
from embedlab.limits import LIMITS

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


def load_transformer(
    modules: list[Module],
    facts: dict,
    *,
    name: str,
    reference: str,
    pooling: str | None,
    max_length: int | None,
    attention: str,
) -> TransformerEncoder:
    """From the folders that modules.json names; ``facts``: embedlab.json, ``name``: what errors call the whole."""
    folder = modules[0].folder
    weight_files(folder)  # what is most often wrong is said first: there are none in safetensors
    config = read_config(folder)
    tokenizer, special_tokens = read_tokenizer(folder)
    rows = 1 + max(tokenizer.get_vocab(with_added_tokens=True).values(), default=0)
    if rows > config.vocab_size:
        raise EncoderError(
            "E-VOCAB",
            f"The tokenizer of {name} has {rows:,} entries, but its embedding has only {config.vocab_size:,} "
            "rows. Choose another encoder.",
        )
    model = _load_model(folder, config, attention)
    if max_length is None:
        max_length = _own_length(folder, facts, usable_positions(config))
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
    encoder.head_weights = read_head_weights(weight_files(folder), config, vocabulary=vocabulary, word_dim=word_dim)
    return encoder


def _load_model(folder: Path, config, attention: str) -> nn.Module:
    """Every size is compared on paper first; then the model is made without random weights and filled."""
    files = weight_files(folder)
    promised = promised_shapes(config, folder.name)
    parameters = sum(math.prod(shape) for shape in promised.values())
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
    candidates = [{name: modern[start + name] for name in promised if start + name in modern} for start in starts]
    return max(candidates, key=len)


def _after_pooling(modules: list[Module]) -> list[nn.Module]:
    return [Normalize() if module.kind == "Normalize" else _dense(module.folder) for module in modules[2:]]


def _dense(folder: Path) -> Dense:
    config = read_json_object(folder / "config.json")
    file = weight_files(folder)[0]
    shapes = header(file)
    activation = config.get("activation_function") if isinstance(config, dict) else None
    shape = shapes.get("linear.weight", ())
    if activation not in Dense.activations or config.get("use_residual") or len(shape) != 2:
        raise refused_modules(
            folder.parent, f"its Dense layer has the activation {str(activation)[:60]!r} or a residual"
        )
    if math.prod(shape) > LIMITS.encoder_parameters or set(shapes) - {"linear.weight", "linear.bias"}:
        raise refused_modules(folder.parent, "its Dense layer holds more than one linear map")
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
        raise refused_modules(
            modules[0].folder, f"it pools by {chosen}, and only mean, cls, lasttoken and max are supported"
        )
    return _POOLINGS[chosen[0]]


def _own_length(folder: Path, facts: dict, positions: int) -> int:
    lengths = [facts.get("max_length")]
    for name, key in (("sentence_bert_config.json", "max_seq_length"), ("tokenizer_config.json", "model_max_length")):
        settings = read_json_object(folder / name) if (folder / name).is_file() else {}
        lengths.append(settings.get(key) if isinstance(settings, dict) else None)
    return min(next((length for length in lengths if type(length) is int and length > 2), positions), positions)
