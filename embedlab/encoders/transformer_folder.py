"""A transformer from the folder it is stored in: its weights by name and shape, its pooling and what follows."""

import math
import re
from pathlib import Path
from typing import Any

import torch
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.initialization import no_init_weights

from embedlab.encoders.folder_files import (
    optional_json_object,
    read_json_object,
    read_tensors,
    require_weights,
    shapes_in,
    weight_files,
)
from embedlab.encoders.folder_format import (
    THEIR_POOLING,
    Dense,
    FolderModule,
    FolderReading,
    Normalize,
    activation_class,
    refused_modules,
)
from embedlab.encoders.pooling import checked_pooling
from embedlab.encoders.token_prediction import modern_name, read_head_weights, word_embeddings
from embedlab.encoders.tokenizer_files import read_tokenizer, require_entries
from embedlab.encoders.transformer import TransformerEncoder, drop_pooler, tied_names, usable_positions
from embedlab.encoders.transformer_config import attention_for, model_class_of, promised_shapes, read_config
from embedlab.errors import EncoderError
from embedlab.limits import LIMITS

_POOLING_FLAGS = {  # of Pooling's config.json before sentence-transformers 5, in the order in which vectors are joined
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
_WITHOUT_POSITIONS, _MOST_TOKENS = 512, 2**17  # tokens of a text: where nothing is stated, and at most


def load_transformer(
    modules: list[FolderModule],
    reading: FolderReading,
    *,
    name: str,
    reference: str,
    pooling: str | None,
    max_length: int | None,
) -> TransformerEncoder:
    """From the folders that modules.json names; ``name``: what errors call the whole."""
    folder = modules[0].folder
    weight_files(folder)  # what is most often wrong is said first: there are none in safetensors
    config = read_config(folder)
    tokenizer, special_tokens = read_tokenizer(folder)
    require_entries(tokenizer, config.vocab_size, name=name, of="its embedding")
    model = _load_model(folder, config)
    if max_length is None:
        lengths: list[object] = [reading.max_length]
        lengths.append(optional_json_object(folder / "sentence_bert_config.json").get("max_seq_length"))
        lengths.append(optional_json_object(folder / "tokenizer_config.json").get("model_max_length"))
        stated = next((length for length in lengths if type(length) is int and length > 2), None)
        positions = usable_positions(config)  # None where there is no table of them: T5 counts distances
        default, most = (_WITHOUT_POSITIONS, _MOST_TOKENS) if positions is None else (positions, positions)
        max_length = default if stated is None else min(stated, most)
    if pooling is None:
        pooling = own_pooling(modules) if reading.pooling is None else reading.pooling
    encoder = TransformerEncoder(
        model,
        tokenizer,
        special_tokens=special_tokens,
        after_pooling=[Normalize() if each.kind == "Normalize" else _dense(each.folder) for each in modules[2:]],
        reference=reference,
        pooling=pooling,
        max_length=max_length,
    )
    if "mlm_head" in encoder.provides:
        vocabulary, word_dim = word_embeddings(model).weight.shape
        encoder.head_weights = read_head_weights(weight_files(folder), config, vocabulary=vocabulary, word_dim=word_dim)
    return encoder


def _load_model(folder: Path, config: PreTrainedConfig) -> PreTrainedModel:
    """Every size is compared on paper first; then the model is made without random weights and filled."""
    files = weight_files(folder)
    promised = promised_shapes(config, folder.name)
    parameters = sum(math.prod(shape) for shape in promised.values())
    if parameters > LIMITS.encoder_parameters:
        raise EncoderError(
            "E-MODEL-SIZE",
            f"An encoder of at most {LIMITS.encoder_parameters:,} parameters is needed, which this computer's memory "
            f"holds, but {folder.name} has {parameters:,}. Choose a smaller one.",
        )
    shapes = shapes_in(files)
    model_class = model_class_of(config)
    names = _names_in_file(promised, shapes, model_class)
    # query, key and value in one matrix, as in the files of nomic, jina-v3 and gte; transformers divides them:
    if len(names) < len(promised) and any(re.search(r"\.(Wqkv|qkv_proj)\.", name) for name in shapes):
        return _converted(folder, files, config)
    require_weights(folder, needed=promised, names=names, shapes=shapes, what="encoder")
    with no_init_weights():
        model = model_class._from_config(config, attn_implementation=attention_for(model_class))
    drop_pooler(model)
    places = model.state_dict()
    for file in files:  # one after the other, each number copied once into its place
        tensors = read_tensors(file)
        for name in promised:
            if names[name] in tensors:
                places[name].copy_(tensors[names[name]])
    for copy, name in tied_names(model).items():  # one tensor of two names, as it is when it is trained
        owner, _, last = copy.rpartition(".")
        setattr(model.get_submodule(owner), last, model.get_parameter(name))
    return model.float().eval()


def _converted(folder: Path, files: list[Path], config: PreTrainedConfig) -> PreTrainedModel:
    """The model from weights under their authors' names, renamed and divided by transformers' own table."""
    tensors = {name: tensor for file in files for name, tensor in read_tensors(file).items()}
    model_class: Any = model_class_of(config)  # gives two things where asked for the second, and does not say so
    model, report = model_class.from_pretrained(
        None, config=config, state_dict=tensors, attn_implementation=attention_for(model_class),
        dtype=torch.float32, output_loading_info=True,
    )  # fmt: skip
    missing = sorted(name for name in report["missing_keys"] if "pooler." not in name)
    if missing or report["mismatched_keys"]:
        first = missing[0] if missing else str(next(iter(report["mismatched_keys"])))
        raise EncoderError(
            "E-WEIGHTS",
            f"The weights of {folder.name} lack tensors that its config.json lists, or have others, first "
            f"{first[:120]!r}. Choose another encoder.",
        )
    drop_pooler(model)
    return model.eval()


def _names_in_file(promised: dict, shapes: dict, model_class: type[PreTrainedModel]) -> dict[str, str]:
    """The name each weight has in the file: under the task's prefix, and LayerNorm's as gamma and beta in old files."""
    prefix = model_class.base_model_prefix
    modern = {modern_name(name): name for name in shapes}
    starts = ("", f"{prefix}.", "model.", f"model.{prefix}.")
    candidates = [{name: modern[start + name] for name in promised if start + name in modern} for start in starts]
    names = max(candidates, key=len)
    for copy, name in tied_names(model_class).items():  # a file holds one of them
        if copy in promised and (stored := names.get(name, names.get(copy))) is not None:
            names |= {copy: stored, name: stored}
    return names


def _dense(folder: Path) -> Dense:
    config = read_json_object(folder / "config.json")
    file = weight_files(folder)[0]
    shapes = shapes_in([file])
    activation = config.get("activation_function")
    shape = shapes.get("linear.weight", ())
    if not isinstance(activation, str) or activation_class(activation) is None or len(shape) != 2:
        raise refused_modules(
            folder.parent, f"its Dense layer has the activation {str(activation)[:60]!r}, which is not one of torch's"
        )
    if config.get("module_input_name", "sentence_embedding") != "sentence_embedding":
        raise refused_modules(folder.parent, "its Dense layer reads vectors of tokens, not of texts")
    parts = {"linear.weight", "linear.bias"} | ({"residual.weight"} if config.get("use_residual") else set())
    if math.prod(shape) > LIMITS.encoder_parameters or set(shapes) - parts:
        raise refused_modules(folder.parent, "its Dense layer holds more than one linear map")
    dense = Dense(
        shape[1], shape[0], bias="linear.bias" in shapes, activation=activation,
        has_residual=config.get("use_residual") is True,
    )  # fmt: skip
    require_weights(
        folder,
        needed={name: tuple(tensor.shape) for name, tensor in dense.state_dict().items()},
        names={name: name for name in shapes},
        shapes=shapes,
        what="encoder",
    )
    dense.load_state_dict({name: tensor.to(torch.float32) for name, tensor in read_tensors(file).items()})
    return dense


def own_pooling(modules: list[FolderModule]) -> str:
    """As Pooling's config says it; without one it is the mean."""
    if len(modules) < 2:
        return "mean"
    config = read_json_object(modules[1].folder / "config.json")
    named = config.get("pooling_mode")
    if named is None:
        named = [theirs for flag, theirs in _POOLING_FLAGS.items() if config.get(flag) is True]
    chosen = named if isinstance(named, list) else [named]
    ours = {theirs: pooling for pooling, theirs in THEIR_POOLING.items()}
    if not chosen or not all(isinstance(each, str) and each in ours for each in chosen):
        raise refused_modules(
            modules[0].folder, f"it pools by {', '.join(map(str, chosen or []))[:80] or 'nothing'}, and only "
            f"{', '.join(ours)} are known"
        )  # fmt: skip
    return checked_pooling("+".join(ours[each] for each in chosen))
