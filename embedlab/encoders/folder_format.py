"""An encoder's folder, as sentence-transformers and transformers read it, too: its modules, and how it is written."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor, nn

from embedlab.encoder_catalog.facts import FACTS, EncoderFacts, SavedFacts
from embedlab.encoders.folder_files import optional_json_object, read_json
from embedlab.encoders.pooling import unit_length
from embedlab.errors import EncoderError
from embedlab.measurement import Note
from embedlab.prompts import Prompts
from embedlab.store_root import whole_folder, write_json

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder

_MODULES = ("Transformer", "Pooling", "Normalize", "Dense", "StaticEmbedding", "SparseStaticEmbedding")
_TOKEN_LAYERS = (["StaticEmbedding"], ["SparseStaticEmbedding", "Dense"])  # each may end in a Normalize
_SIMILARITIES = {
    "cosine": "cosine",
    "dot": "the dot product",
    "euclidean": "Euclidean distance",
    "manhattan": "Manhattan distance",
}
_OF_MODEL = "config_sentence_transformers.json"


class FolderModule(NamedTuple):
    """One line of modules.json: its kind and the folder of its files."""

    kind: str
    folder: Path


def read_modules(folder: Path) -> list[FolderModule]:
    """modules.json as data: known kinds in a known order; a bare transformers folder is a Transformer alone."""
    if not (folder / "modules.json").is_file():
        config = optional_json_object(folder / "config.json")
        if config.get("model_type") == "model2vec":  # as that package saves without sentence-transformers
            end = [FolderModule("Normalize", folder)] if config.get("normalize") is True else []
            return [FolderModule("StaticEmbedding", folder), *end]
        return [FolderModule("Transformer", folder)]
    listed = read_json(folder / "modules.json")
    modules = []
    for entry in listed if isinstance(listed, list) else []:
        kind, path = (str(entry.get(name, "")) if isinstance(entry, dict) else "" for name in ("type", "path"))
        name = kind.rpartition(".")[2]
        if not kind.startswith("sentence_transformers.") or name not in _MODULES:
            raise refused_modules(folder, f"it names {kind[:80]!r}")
        if not re.fullmatch(r"(\d+_[A-Za-z]+|\.)?", path):
            raise refused_modules(folder, f"it points to {path[:80]!r}")
        modules.append(FolderModule(name, folder / path))
    kinds = [module.kind for module in modules]
    is_transformer = kinds[:2] == ["Transformer", "Pooling"] and set(kinds[2:]) <= {"Dense", "Normalize"}
    if not is_transformer and kinds not in [[*each, *end] for each in _TOKEN_LAYERS for end in ([], ["Normalize"])]:
        raise refused_modules(folder, f"its order is {', '.join(kinds) or 'empty'}")
    return modules


def refused_modules(folder: Path, why: str) -> EncoderError:
    return EncoderError(
        "E-MODULES",
        f"modules.json of {folder.name} may name a Transformer with Pooling, Dense and Normalize, a StaticEmbedding, "
        f"or a SparseStaticEmbedding with Dense, each of both with Normalize, but {why}. Choose another encoder.",
    )


class FolderReading(NamedTuple):
    """How the folder's vectors are made and compared, apart from its modules."""

    prompts: Prompts
    dimensions: int | None  # of each vector that are kept; None: all
    similarity: str
    pooling: str | None  # of embedlab.json, as the others below: sentence-transformers has no word for token-7
    max_length: int | None
    weights_hash: str | None

    @property
    def not_followed(self) -> tuple[Note, ...]:
        """What it asks of whoever reads it and embedlab does otherwise, for wherever numbers of it stand.

        Another similarity than cosine: it stays in the export, and mteb and kNN by Euclidean distance follow it.
        """
        if self.similarity == "cosine":
            return ()
        sentence = (
            f"The encoder compares texts by {_SIMILARITIES[self.similarity]} (similarity_fn_name: {self.similarity}), "
            "which the export keeps. Here texts are compared with cosine and, where stated, with Euclidean distance."
        )
        return (Note(code="W-ENCODER-SIMILARITY", message=sentence),)


def facts_of_stranger(folder: Path) -> EncoderFacts:
    """What fits of the embedlab.json of any folder, if it has one; a damaged one is refused, as its other files are."""
    return EncoderFacts.of_stranger(optional_json_object(folder / FACTS))


def read_reading(folder: Path) -> FolderReading:
    """From config_sentence_transformers.json, the pooling's config.json and embedlab.json."""
    config, facts = optional_json_object(folder / _OF_MODEL), facts_of_stranger(folder)
    poolings = [optional_json_object(file) for file in sorted(folder.glob("*_Pooling/config.json"))]
    are_pooled = not any(each.get("include_prompt") is False for each in poolings)
    width, similarity = config.get("truncate_dim"), config.get("similarity_fn_name")
    return FolderReading(
        Prompts.read(config, facts.prompts_by_role, are_pooled=are_pooled),
        width if type(width) is int and width > 0 else None,
        similarity if isinstance(similarity, str) and similarity in _SIMILARITIES else "cosine",
        facts.pooling,
        facts.max_length if (facts.max_length or 0) > 2 else None,
        facts.weights_sha256,
    )


IDENTITY = "torch.nn.modules.linear.Identity"


class Normalize(nn.Module):
    """Vectors of length 1."""

    def forward(self, vectors: Tensor) -> Tensor:
        return unit_length(vectors)


_ACTIVATIONS = {  # of torch, without settings, by the last part of their name
    kind.__name__: kind
    for kind in (
        nn.CELU, nn.ELU, nn.GELU, nn.Hardshrink, nn.Hardsigmoid, nn.Hardswish, nn.Hardtanh, nn.Identity, nn.LeakyReLU,
        nn.LogSigmoid, nn.Mish, nn.ReLU, nn.ReLU6, nn.SELU, nn.Sigmoid, nn.SiLU, nn.Softplus, nn.Softshrink,
        nn.Softsign, nn.Tanh, nn.Tanhshrink,
    )
}  # fmt: skip


def activation_class(name: str) -> type[nn.Module] | None:
    """The activation of a Dense by its full name, from a fixed table; None for any other."""
    module, _, last = name.rpartition(".")
    is_of_torch = module in ("torch.nn", "torch.nn.modules.activation", "torch.nn.modules.linear")
    return _ACTIVATIONS.get(last) if is_of_torch else None


class Dense(nn.Module):
    """A linear layer and its activation, as sentence-transformers' module of that name; its input may be added."""

    def __init__(self, inputs: int, outputs: int, *, bias: bool, activation: str, has_residual: bool = False):
        super().__init__()
        self.activation_name = activation
        self.linear = nn.Linear(inputs, outputs, bias=bias)
        self.has_residual = has_residual
        if has_residual and inputs != outputs:
            self.residual = nn.Linear(inputs, outputs, bias=False)
        kind = activation_class(activation)
        assert kind is not None
        self.activation = kind()

    def forward(self, vectors: Tensor) -> Tensor:
        mapped = self.activation(self.linear(vectors))
        if not self.has_residual:
            return mapped
        return mapped + (self.residual(vectors) if hasattr(self, "residual") else vectors)


# As sentence-transformers 6.2 writes them; older and newer releases read these names too.
_TRANSFORMER = "sentence_transformers.base.modules.transformer.Transformer"
_POOLING = "sentence_transformers.sentence_transformer.modules.pooling.Pooling"
_NORMALIZE = "sentence_transformers.base.modules.normalize.Normalize"
_DENSE = "sentence_transformers.base.modules.dense.Dense"
_STATIC = "sentence_transformers.sentence_transformer.modules.static_embedding.StaticEmbedding"

_DISTINCT = "sentence_transformers.sparse_encoder.modules.sparse_static_embedding.SparseStaticEmbedding"

UNLIMITED = 2**30  # tokens of a text: the length of a token layer that has none

THEIR_POOLING = {
    "mean": "mean",
    "cls": "cls",
    "last": "lasttoken",
    "max": "max",
    "weighted-mean": "weightedmean",
    "mean-sqrt": "mean_sqrt_len_tokens",
}


def save_token_layer(encoder: Any, folder: Path) -> None:
    """A ``TokenLayer``, whose file imports this one, as a StaticEmbedding.

    One that counts different tokens is a SparseStaticEmbedding with a Dense. The
    second gives 1 for each token that a text has, however often, and a linear layer adds up their vectors.
    """
    with whole_folder(folder) as temporary:
        table = encoder.embedding.weight.detach()  # (vocabulary, dim)
        if encoder.exported_pooling == "distinct":
            write_weights({"weight": torch.ones(len(table))}, temporary / "model.safetensors")
            write_json(temporary / "config.json", {"frozen": True})
            summing = Dense(*table.shape, bias=False, activation=IDENTITY)
            summing.linear.weight = nn.Parameter(table.T, requires_grad=False)
            modules = [("", _DISTINCT), _write_module(summing, temporary, number=1)]
        else:
            write_weights(encoder.weights(), temporary / "model.safetensors")
            modules = [("", _STATIC)]
        if encoder.has_unit_length:
            modules.append(_write_module(Normalize(), temporary, number=len(modules)))
        if encoder.max_length == UNLIMITED:
            encoder.tokenizer.no_truncation()
        else:  # StaticEmbedding knows no other place for its length
            encoder.tokenizer.enable_truncation(encoder.max_length)
        padding = {"pad_token": encoder.tokenizer.id_to_token(encoder.padding_id)}
        write_tokenizer(encoder.tokenizer, temporary, padding, max_length=encoder.max_length)
        _write_descriptions(encoder, temporary, modules)


def save_transformer(encoder: Any, folder: Path) -> None:
    """A ``TransformerEncoder``, whose file imports this one, with Pooling, Dense and Normalize where it has them."""
    with whole_folder(folder) as temporary:
        weights = encoder.weights().items()
        before_pooling = {name: each for name, each in weights if not name.startswith("after_pooling.")}
        write_weights(before_pooling, temporary / "model.safetensors")
        config = {k: v for k, v in encoder.model.config.to_diff_dict().items() if not k.startswith("_")}
        config |= {"architectures": [type(encoder.model).__name__], "dtype": "float32"}
        write_json(temporary / "config.json", config)
        their_task = {"transformer_task": "feature-extraction", "module_output_name": "token_embeddings"}
        reading = {"text": {"method": "forward", "method_output_name": "last_hidden_state"}}
        of_texts = their_task | {"modality_config": reading, "max_seq_length": encoder.max_length}
        write_json(temporary / "sentence_bert_config.json", of_texts)
        # What fills up a batch is masked, so any token serves; sentence-transformers reads no texts without one.
        padding = {"pad_token": encoder.tokenizer.id_to_token(encoder.padding_id)}
        special_tokens = padding | encoder.special_tokens
        encoder.tokenizer.no_truncation()
        write_tokenizer(encoder.tokenizer, temporary, special_tokens, max_length=encoder.max_length)
        (temporary / "1_Pooling").mkdir()
        poolings = [THEIR_POOLING[each] for each in encoder.exported_pooling.split("+")]
        pooling = {
            "embedding_dimension": encoder.model.config.hidden_size,
            "pooling_mode": poolings[0] if len(poolings) == 1 else poolings,
            "include_prompt": encoder.prompts.are_pooled,
        }
        write_json(temporary / "1_Pooling" / "config.json", pooling)
        modules = [("", _TRANSFORMER), ("1_Pooling", _POOLING)]
        for module in encoder.after_pooling:
            modules.append(_write_module(module, temporary, number=len(modules)))
        _write_descriptions(encoder, temporary, modules)


def write_weights(weights: Mapping[str, Tensor], path: Path) -> None:
    """Write tensors as safetensors, wherever they lie."""
    save_file(
        {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}, path, metadata={"format": "pt"}
    )


def write_tokenizer(
    tokenizer: Tokenizer, folder: Path, special_tokens: Mapping[str, str | None], *, max_length: int
) -> None:
    """Write the three files that AutoTokenizer reads; ``special_tokens``: by their roles, as ``pad_token``."""
    tokenizer.save(str(folder / "tokenizer.json"))
    write_json(folder / "special_tokens_map.json", special_tokens)
    write_json(
        folder / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",  # everything else stands in tokenizer.json
            "model_max_length": max_length,
            "model_input_names": ["input_ids", "attention_mask"],
            "padding_side": "right",
            "clean_up_tokenization_spaces": False,
            **special_tokens,
        },
    )


def _write_module(module: nn.Module, folder: Path, *, number: int) -> tuple[str, str]:
    path = folder / f"{number}_{type(module).__name__}"
    path.mkdir()
    flow = {"module_input_name": "sentence_embedding", "module_output_name": "sentence_embedding"}
    if not isinstance(module, Dense):
        write_json(path / "config.json", flow)
        return path.name, _NORMALIZE
    linear = module.linear
    shape = {"in_features": linear.in_features, "out_features": linear.out_features, "bias": linear.bias is not None}
    shape |= {"use_residual": True} if module.has_residual else {}
    write_json(path / "config.json", shape | {"activation_function": module.activation_name} | flow)
    write_weights(module.state_dict(), path / "model.safetensors")
    return path.name, _DENSE


def _write_descriptions(encoder: "Encoder", folder: Path, modules: list[tuple[str, str]]) -> None:
    """Its modules and how it reads, for sentence-transformers; embedlab.json and a card: what these cannot say."""
    listed = [{"idx": i, "name": str(i), "path": path, "type": kind} for i, (path, kind) in enumerate(modules)]
    write_json(folder / "modules.json", listed)
    config = {
        "__version__": {"sentence_transformers": "6.2.0"},
        "model_type": "SentenceTransformer",
        **encoder.prompts.as_config,
        "similarity_fn_name": encoder.similarity,
    }
    truncated = {"truncate_dim": encoder.dim} if encoder.dim < encoder.all_dimensions else {}
    write_json(folder / _OF_MODEL, config | truncated)
    facts = SavedFacts(
        reference=encoder.reference,
        pooling=encoder.pooling,
        exported_pooling=encoder.exported_pooling,
        max_length=encoder.max_length,
        dim=encoder.dim,
        layers=encoder.layers,
        weights_sha256=encoder.weights_hash(),
        prompts_by_role=dict(encoder.prompts.by_role) or None,
        note=None
        if encoder.exported_pooling == encoder.pooling
        else f"embedlab reads this encoder by {encoder.pooling}; sentence-transformers has no such pooling and reads "
        f"it by {encoder.exported_pooling}.",
    )
    facts.write(folder)
    length = "of any length" if encoder.max_length == UNLIMITED else f"of up to {encoder.max_length} tokens"
    note = "\n".join(f"{each}\n" for each in (facts.note, encoder.prompts.sentence) if each)
    card = _CARD.format_map({**facts.model_dump(), "note": note, "length": length})
    (folder / "README.md").write_text(card, encoding="utf-8")


_CARD = """---
library_name: sentence-transformers
pipeline_tag: sentence-similarity
---
# A sentence encoder from embedlab

Vectors of {dim} dimensions, {layers} layers, pooling {exported_pooling}, texts {length}.
{note}
```python
from sentence_transformers import SentenceTransformer

embeddings = SentenceTransformer("this folder").encode(["A text."])
```
"""
