"""How an encoder becomes a folder that sentence-transformers, transformers and our own door load: data, no code."""

from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn

from embedlab.encoders.after_pooling import IDENTITY, Dense, Normalize
from embedlab.encoders.modules_file import to_keep
from embedlab.store_root import whole_folder, write_json

# As sentence-transformers 6.2 writes them; older and newer releases read these names too.
_TRANSFORMER = "sentence_transformers.base.modules.transformer.Transformer"
_POOLING = "sentence_transformers.sentence_transformer.modules.pooling.Pooling"
_NORMALIZE = "sentence_transformers.base.modules.normalize.Normalize"
_DENSE = "sentence_transformers.base.modules.dense.Dense"
_STATIC = "sentence_transformers.sentence_transformer.modules.static_embedding.StaticEmbedding"

_DISTINCT = "sentence_transformers.sparse_encoder.modules.sparse_static_embedding.SparseStaticEmbedding"

THEIR_POOLING = {"mean": "mean", "cls": "cls", "last": "lasttoken", "max": "max"}


def save_token_layer(encoder, folder: Path) -> None:
    """A StaticEmbedding model; one that counts different tokens is a SparseStaticEmbedding with a Dense.

    The second gives 1 for each token that a text has, however often, and a linear layer adds up their vectors.
    """
    counts_once = encoder.exported_pooling == "distinct"
    with whole_folder(folder) as temporary:
        table = encoder.embedding.weight.detach()  # (vocabulary, dim)
        if counts_once:
            _write_weights({"weight": torch.ones(len(table))}, temporary / "model.safetensors")
            write_json(temporary / "config.json", {"frozen": True})
            summing = Dense(*table.shape, bias=False, activation=IDENTITY)
            summing.linear.weight = nn.Parameter(table.T, requires_grad=False)
            modules = [("", _DISTINCT), _write_module(summing, temporary, number=1)]
        else:
            _write_weights(encoder.weights(), temporary / "model.safetensors")
            modules = [("", _STATIC)]
        if encoder.has_unit_length:
            modules.append(_write_module(Normalize(), temporary, number=len(modules)))
        _write_tokenizer(encoder, temporary, {"pad_token": encoder.tokenizer.id_to_token(encoder.padding_id)})
        _write_modules(temporary, modules)
        _write_facts(encoder, temporary)


def save_transformer(encoder, folder: Path) -> None:
    """A Transformer with Pooling, and Dense and Normalize where the encoder has them."""
    with whole_folder(folder) as temporary:
        _write_weights(encoder.model.state_dict(), temporary / "model.safetensors")
        _write_config(encoder, temporary)
        _write_tokenizer(encoder, temporary, encoder.special_tokens)
        (temporary / "1_Pooling").mkdir()
        hidden = encoder.model.config.hidden_size
        pooling = {
            "embedding_dimension": hidden,
            "pooling_mode": THEIR_POOLING[encoder.exported_pooling],
            "include_prompt": True,
        }
        write_json(temporary / "1_Pooling" / "config.json", pooling)
        modules = [("", _TRANSFORMER), ("1_Pooling", _POOLING)]
        for module in encoder.after_pooling:
            modules.append(_write_module(module, temporary, number=len(modules)))
        _write_modules(temporary, modules)
        _write_facts(encoder, temporary)


def _write_weights(weights: dict, path: Path) -> None:
    save_file(
        {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}, path, metadata={"format": "pt"}
    )


def _write_config(encoder, folder: Path) -> None:
    config = {k: v for k, v in encoder.model.config.to_diff_dict().items() if not k.startswith("_")}
    config |= {"architectures": [type(encoder.model).__name__], "dtype": "float32"}
    write_json(folder / "config.json", config)
    their_task = {"transformer_task": "feature-extraction", "module_output_name": "token_embeddings"}
    reading = {"text": {"method": "forward", "method_output_name": "last_hidden_state"}}
    write_json(
        folder / "sentence_bert_config.json",
        their_task | {"modality_config": reading, "max_seq_length": encoder.max_length},
    )


def _write_tokenizer(encoder, folder: Path, special_tokens: dict[str, str]) -> None:
    if encoder.layers:
        encoder.tokenizer.no_truncation()
    else:  # StaticEmbedding knows no other place for its length
        encoder.tokenizer.enable_truncation(encoder.max_length)
    encoder.tokenizer.save(str(folder / "tokenizer.json"))
    write_json(folder / "special_tokens_map.json", special_tokens)
    write_json(
        folder / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",  # everything else stands in tokenizer.json
            "model_max_length": encoder.max_length,
            "model_input_names": ["input_ids", "attention_mask"],
            "padding_side": "right",
            "clean_up_tokenization_spaces": False,
            **special_tokens,
        },
    )


def _write_module(module, folder: Path, *, number: int) -> tuple[str, str]:
    name = type(module).__name__
    path = folder / f"{number}_{name}"
    path.mkdir()
    flow = {"module_input_name": "sentence_embedding", "module_output_name": "sentence_embedding"}
    if name == "Normalize":
        write_json(path / "config.json", flow)
        return path.name, _NORMALIZE
    linear = module.linear
    shape = {"in_features": linear.in_features, "out_features": linear.out_features, "bias": linear.bias is not None}
    write_json(path / "config.json", shape | {"activation_function": module.activation_name} | flow)
    _write_weights({f"linear.{k}": v for k, v in module.linear.state_dict().items()}, path / "model.safetensors")
    return path.name, _DENSE


def _write_modules(folder: Path, modules: list[tuple[str, str]]) -> None:
    listed = [{"idx": i, "name": str(i), "path": path, "type": kind} for i, (path, kind) in enumerate(modules)]
    write_json(folder / "modules.json", listed)
    write_json(
        folder / "config_sentence_transformers.json",
        {
            "__version__": {"sentence_transformers": "6.2.0"},
            "model_type": "SentenceTransformer",
            "prompts": {},
            "default_prompt_name": None,
            "similarity_fn_name": "cosine",
        },
    )


def _write_facts(encoder, folder: Path) -> None:
    """embedlab.json and a card: what the other files cannot say."""
    facts = {
        "reference": encoder.reference,
        "pooling": encoder.pooling,
        "exported_pooling": encoder.exported_pooling,
        "max_length": encoder.max_length,
        "dim": encoder.dim,
        "layers": encoder.layers,
        "weights_sha256": encoder.weights_hash(),
        **to_keep(encoder.not_followed),
    }
    if encoder.exported_pooling != encoder.pooling:
        facts["note"] = (
            f"embedlab reads this encoder by {encoder.pooling}; sentence-transformers has no such pooling and reads it "
            f"by {encoder.exported_pooling}."
        )
    write_json(folder / "embedlab.json", facts)
    card = _CARD.format_map({"note": "", **facts})
    (folder / "README.md").write_text(card, encoding="utf-8")


_CARD = """---
library_name: sentence-transformers
pipeline_tag: sentence-similarity
---
# A sentence encoder from embedlab

Vectors of {dim} dimensions, {layers} layers, pooling {exported_pooling}, texts of up to {max_length} tokens.
{note}
```python
from sentence_transformers import SentenceTransformer

embeddings = SentenceTransformer("this folder").encode(["A text."])
```
"""
