"""A transformer's config.json as data: admitted kinds, fields of their class alone, sizes compared on paper."""

import inspect
import warnings
from collections import ChainMap
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from transformers import (
    CONFIG_MAPPING,
    MODEL_MAPPING,
    MT5Config,
    MT5EncoderModel,
    PreTrainedConfig,
    PreTrainedModel,
    T5Config,
    T5EncoderModel,
    UMT5Config,
    UMT5EncoderModel,
)
from transformers.activations import ACT2FN

from embedlab.encoder_catalog.architectures import ARCHITECTURES, OLDER_FIELDS
from embedlab.encoders.folder_files import read_json_object
from embedlab.encoders.transformer import drop_pooler
from embedlab.errors import EncoderError
from embedlab.limits import LIMITS

MODEL_TYPES = tuple(ARCHITECTURES)
_DEEPEST, _WIDEST = 512, 65_536  # layers, hidden size; checked before a single module is made
_ACTIVATIONS = {"hidden_act", "activation", "activation_function", "hidden_activation", "pooler_hidden_act", "conv_act"}


@dataclass(frozen=True)
class AdmittedModels:
    """What one door admits: kinds of model, the classes that build them, and which fields of a config are read."""

    kind: str  # what it is called in our sentences
    needed: str
    types: tuple[str, ...]
    classes: Mapping  # configuration class -> model class
    never: frozenset[str]  # fields that would turn the model into something else
    most_parameters: int
    # Read by the models with getattr or by an older spelling, so they are no parameters of the config class.
    older_fields: Mapping[str, Set[str]] = field(default_factory=dict)


ENCODERS = AdmittedModels(
    kind="an encoder",
    needed="A transformer that makes vectors of texts",
    types=MODEL_TYPES,
    classes=ChainMap[Any, Any](
        {T5Config: T5EncoderModel, MT5Config: MT5EncoderModel, UMT5Config: UMT5EncoderModel}, MODEL_MAPPING
    ),
    never=frozenset({"is_decoder", "add_cross_attention", "use_cache", "tie_word_embeddings", "kwargs", "self"}),
    most_parameters=LIMITS.encoder_parameters,
    older_fields=OLDER_FIELDS,
)


def read_config(folder: Path, admitted: AdmittedModels = ENCODERS) -> PreTrainedConfig:
    """The cleaned configuration; unknown kinds of model and impossible values are refused.

    Only fields that the config class itself declares are taken, so no auto_map, trust_remote_code,
    *_implementation, quantization_config or custom_pipelines ever reaches transformers.
    """
    if not (folder / "config.json").is_file():
        raise EncoderError(
            "E-CONFIG",
            f"The folder of {admitted.kind} has a config.json, but {folder.name} has none. Choose another folder.",
        )
    values = read_json_object(folder / "config.json")
    model_type = values.get("model_type")
    if model_type not in admitted.types:
        raise EncoderError(
            "E-CONFIG",
            f"{admitted.needed} is needed, but {folder.name} is of type {str(model_type)[:40]!r}. "
            f"Choose one of the types: {', '.join(admitted.types)}.",
        )
    return _built(values, model_type, folder.name, admitted)


def model_class_of(config: PreTrainedConfig, admitted: AdmittedModels = ENCODERS) -> type[PreTrainedModel]:
    """The class of transformers for a configuration; of an encoder the bare one, without a head."""
    return admitted.classes[type(config)]


def attention_for(model_class: type[PreTrainedModel]) -> str:
    """``sdpa`` where the model has it, else ``eager``; never what a file asks for."""
    return "sdpa" if getattr(model_class, "_supports_sdpa", False) else "eager"


def promised_shapes(
    config: PreTrainedConfig, name: str, admitted: AdmittedModels = ENCODERS
) -> dict[str, tuple[int, ...]]:
    """Name -> shape of every weight the configuration asks for, without allocating one."""
    model_class = model_class_of(config, admitted)
    try:
        with torch.device("meta"), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Initializing zero-element tensors")  # refused below
            model = model_class._from_config(config, attn_implementation=attention_for(model_class))
    except (ValueError, TypeError, KeyError, RuntimeError, AttributeError, AssertionError, ZeroDivisionError) as error:
        raise _refused(name, f"no model can be built from it ({str(error)[:200]})", admitted) from None
    if admitted is ENCODERS:
        drop_pooler(model)
    shapes = {key: tuple(tensor.shape) for key, tensor in model.state_dict().items()}
    if empty := [key for key, shape in shapes.items() if 0 in shape]:
        raise _refused(name, f"{empty[0]} would be empty", admitted)
    return shapes


def _built(values: dict, model_type: str, name: str, admitted: AdmittedModels) -> PreTrainedConfig:
    config_class = CONFIG_MAPPING[model_type]
    declared = set(inspect.signature(config_class.__init__).parameters)
    shared = set(inspect.signature(PreTrainedConfig.__init__).parameters)
    fields = (declared - shared | admitted.older_fields.get(model_type, set())) - admitted.never
    # transformers' common spellings of the same fields (hidden_size for DistilBERT's dim)
    fields |= set(config_class.attribute_map)
    if admitted is ENCODERS:  # where authors call fields otherwise than transformers, whose own spelling wins
        now_called = ARCHITECTURES[model_type].now_called
        values = {now_called[key]: value for key, value in values.items() if key in now_called} | values
    plain = {key: value for key, value in values.items() if key in fields and _is_plain(value)}
    if values.get("position_embedding_type", "absolute") != "absolute":
        raise _refused(name, "it needs position embeddings that transformers no longer has", admitted)
    for key, value in plain.items():
        if key in _ACTIVATIONS and not (isinstance(value, str) and value in ACT2FN):
            raise _refused(name, f"{key} is {str(value)[:40]!r}, which is not a known activation", admitted)
    try:
        config = config_class(**plain)
        layers, width, vocabulary = config.num_hidden_layers, config.hidden_size, config.vocab_size
        usable = all(type(count) is int and count > 0 for count in (layers, width, vocabulary))
    except Exception as error:  # validators of the config classes raise their own kinds
        raise _refused(name, str(error)[:200], admitted) from None
    if not usable:
        raise _refused(name, "layers, hidden size and vocabulary size must be whole numbers above 0", admitted)
    if layers > _DEEPEST or width > _WIDEST or vocabulary * width > admitted.most_parameters:
        raise EncoderError(
            "E-MODEL-SIZE",
            f"{admitted.kind.capitalize()} of at most {admitted.most_parameters:,} parameters is needed, but "
            f"config.json of {name} has {layers:,} layers of {width:,} and {vocabulary:,} vocabulary entries. "
            "Choose a smaller one.",
        )
    return config


def _is_plain(value: object, depth: int = 0) -> bool:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return depth < 2 and len(value) <= 1_024 and all(_is_plain(part, depth + 1) for part in inner)
    return value is None or isinstance(value, str | bool | int | float)


def _refused(name: str, why: str, admitted: AdmittedModels) -> EncoderError:
    return EncoderError(
        "E-CONFIG", f"config.json of {name} does not describe {admitted.kind}: {why}. Choose another one."
    )
