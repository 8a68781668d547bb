"""What may be loaded: safetensors and configuration read as data, nothing else; no file here can run code."""

import math
from pathlib import Path

import torch

from embedlab.encoders.encoder import Encoder
from embedlab.encoders.modules_file import Module, not_followed, read_modules
from embedlab.encoders.token_layer import TokenLayer
from embedlab.encoders.tokenizer_files import read_tokenizer
from embedlab.encoders.weight_files import header, read_json_object, read_tensors, require_readable, weight_files
from embedlab.errors import EncoderError
from embedlab.limits import LIMITS

_TOKEN_LAYER_LENGTH = 512


def load_folder(
    folder: Path,
    *,
    reference: str,
    pooling: str | None = None,
    max_length: int | None = None,
    attention: str = "sdpa",
) -> Encoder:
    """The encoder in a folder; pooling and length are the folder's own unless given."""
    require_readable(folder)
    modules = read_modules(folder)
    facts = read_json_object(folder / "embedlab.json") if (folder / "embedlab.json").is_file() else {}
    facts = facts if isinstance(facts, dict) else {}
    remarks = not_followed(folder)
    if modules[0].kind == "StaticEmbedding":
        layer = _load_token_layer(modules, reference, pooling, max_length)
        layer.not_followed = remarks
        return layer
    from embedlab.encoders.transformer_folder import load_transformer  # transformers takes seconds to import

    asked = {"reference": reference, "pooling": pooling, "max_length": max_length, "attention": attention}
    encoder = load_transformer(modules, facts, name=folder.name, **asked)
    encoder.not_followed = remarks
    return encoder


def _load_token_layer(modules: list[Module], reference: str, pooling: str | None, max_length: int | None) -> TokenLayer:
    folder = modules[0].folder
    files = weight_files(folder)
    shapes = {name: shape for file in files for name, shape in header(file).items()}
    name = next((key for key in ("embedding.weight", "embeddings") if set(shapes) == {key}), None)
    if name is None or len(shapes[name]) != 2 or math.prod(shapes[name]) > LIMITS.encoder_parameters:
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
