"""What may be loaded: safetensors and configuration read as data, nothing else; no file here can run code."""

import math
from pathlib import Path

import torch
from torch import Tensor

from embedlab.encoders.encoder import Encoder
from embedlab.encoders.folder_files import (
    files_of,
    judge,
    read_json_object,
    read_tensors,
    require_readable,
    shapes_in,
    weight_files,
)
from embedlab.encoders.folder_format import UNLIMITED, FolderModule, FolderReading, read_modules, read_reading
from embedlab.encoders.token_layer import TokenLayer
from embedlab.encoders.tokenizer_files import read_tokenizer, require_entries
from embedlab.errors import EncoderError
from embedlab.limits import LIMITS

_TABLES = {  # where a token layer's table of vectors lies: the module, its names there, whether its rows are dimensions
    "StaticEmbedding": (0, ("embedding.weight", "embeddings"), False),
    "SparseStaticEmbedding": (1, ("linear.weight",), True),
}


def load_folder(folder: Path, *, reference: str, pooling: str | None = None, max_length: int | None = None) -> Encoder:
    """The encoder in a folder; pooling and length are the folder's own unless given."""
    require_readable(folder)
    judge(folder.name, folder, files_of(folder))
    modules = read_modules(folder)
    reading = read_reading(folder)
    if modules[0].kind in _TABLES:
        encoder: Encoder = _load_token_layer(modules, reading, reference, pooling, max_length)
    else:
        from embedlab.encoders.transformer_folder import load_transformer  # transformers takes seconds to import

        encoder = load_transformer(
            modules, reading, name=folder.name, reference=reference, pooling=pooling, max_length=max_length
        )
    saved = reading.weights_hash
    if saved is not None and saved != (loaded := encoder.weights_hash()):
        raise EncoderError(
            "E-WEIGHTS-CHANGED",
            f"The weights in {folder} have changed since they were saved: their SHA-256 is {loaded[:12]}…, but "
            f"embedlab.json names {saved[:12]}…. Restore the file, or train the run again. If you changed the weights "
            "yourself, remove weights_sha256 from embedlab.json.",
        )
    encoder.not_followed = reading.not_followed
    encoder.prompts, encoder.similarity = reading.prompts, reading.similarity
    if reading.dimensions is not None:  # one above its own changes nothing, as in sentence-transformers
        encoder.keep_dimensions(min(reading.dimensions, encoder.all_dimensions))
    return encoder


def _load_token_layer(
    modules: list[FolderModule], reading: FolderReading, reference: str, pooling: str | None, max_length: int | None
) -> TokenLayer:
    """Its ``reading`` says what sentence-transformers has no word for: how tokens are counted."""
    number, names, is_turned = _TABLES[modules[0].kind]
    folder = modules[0].folder
    files = weight_files(modules[number].folder)
    shapes = shapes_in(files)
    name = next(
        (key for key in names if set(shapes) - (_OF_MODEL2VEC if key == "embeddings" else set()) == {key}), None
    )
    if name is None or len(shapes[name]) != 2 or math.prod(shapes[name]) > LIMITS.encoder_parameters:
        raise EncoderError(
            "E-WEIGHTS",
            f"One table of token vectors is needed, but {folder.name} holds {', '.join(list(shapes)[:3])}. "
            "Choose another encoder.",
        )
    if number == 1:  # which may not weigh tokens, nor its Dense be more than a table of their vectors
        ones = [tensor for file in weight_files(folder) for tensor in read_tensors(file).values()]
        dense = read_json_object(modules[1].folder / "config.json")
        is_plain = str(dense.get("activation_function", "")).endswith(".Identity")
        if not is_plain or dense.get("use_residual") or not all(bool((each == 1).all()) for each in ones):
            raise EncoderError(
                "E-MODULES",
                f"Of a SparseStaticEmbedding with Dense, the first has to count each token once and the second to be "
                f"linear, but those of {folder.name} are not. Choose another encoder.",
            )
    tokenizer = read_tokenizer(folder).tokenizer
    rows = shapes.get("mapping", shapes[name][1:] if is_turned else shapes[name])[0]
    require_entries(tokenizer, rows, name=folder.name, of="its table")
    if max_length is None:
        max_length = tokenizer.truncation["max_length"] if tokenizer.truncation else UNLIMITED
    weight = _one_row_a_token(read_tensors(files[0]), name, folder.name)
    if pooling is None:
        saved = reading.pooling
        pooling = saved if saved in TokenLayer.poolings else "distinct" if number == 1 else "mean"
    return TokenLayer(
        tokenizer,
        weight.T.contiguous() if is_turned else weight,
        reference=reference,
        pooling=pooling,
        max_length=max_length,
        has_unit_length=modules[-1].kind == "Normalize",
    )


_OF_MODEL2VEC = {"mapping", "weights"}  # of a quantised vocabulary: the row of each token, and how much each counts


def _one_row_a_token(tensors: dict[str, Tensor], name: str, folder: str) -> Tensor:
    """The table in a file, float32; rows that several tokens share are repeated, and each token has its weight."""
    table = tensors[name].to(torch.float32)
    if "mapping" in tensors:
        rows = tensors["mapping"].long()
        fits = rows.ndim == 1 and len(rows) and 0 <= int(rows.min()) and int(rows.max()) < len(table)
        if not fits or len(rows) * table.shape[1] > LIMITS.encoder_parameters:
            raise EncoderError(
                "E-WEIGHTS",
                f"The tensor 'mapping' of {folder} should name a row of its table for each token, but does not. Choose "
                "another encoder.",
            )
        table = table[rows]
    if "weights" in tensors:
        weights = tensors["weights"].to(torch.float32)
        if weights.shape != table.shape[:1]:
            raise EncoderError(
                "E-WEIGHTS",
                f"The tensor 'weights' of {folder} should have a number for each of {len(table):,} tokens, but has the "
                f"shape {tuple(weights.shape)}. Choose another encoder.",
            )
        table = table * weights[:, None]
    return table.contiguous()
