"""Tiny models of any admitted kind: two layers of 16 dimensions, weights drawn wide; encoders and folders of them."""

import json
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import CONFIG_MAPPING, PreTrainedConfig

from embedlab.encoder_catalog.architectures import ARCHITECTURES
from embedlab.encoders.from_corpus import SPECIAL_TOKENS, train_vocabulary
from embedlab.encoders.load import seeded_model
from embedlab.encoders.transformer import TransformerEncoder
from embedlab.encoders.transformer_config import model_class_of

_GROUPED = {"num_key_value_heads": 1, "head_dim": 8}
_TWO = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2, "initializer_factor": 5.0}
_OWN = {
    "distilbert": {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 32},
    "electra": {"embedding_size": 8},
    "albert": {"embedding_size": 8},
    "modernbert": {"global_attn_every_n_layers": 2, "local_attention": 8},
    **{kind: _GROUPED for kind, has in ARCHITECTURES.items() if has.is_causal},
    "gemma2": _GROUPED | {"query_pre_attn_scalar": 8},
    # EmbeddingGemma's way of reading: both directions, and most layers within a window
    "gemma3_text": _GROUPED
    | {"query_pre_attn_scalar": 8, "sliding_window": 8, "use_bidirectional_attention": True}
    | {"layer_types": ["sliding_attention", "full_attention"]},
    "smollm3": {"num_key_value_heads": 1, "no_rope_layers": [1, 0]},
    "eurobert": {"num_key_value_heads": 1, "mask_token_id": 4},
    "t5": _TWO,
    "mt5": _TWO,
    "umt5": _TWO,
}
KINDS = tuple(ARCHITECTURES)
MASKED_KINDS = tuple(kind for kind, has in ARCHITECTURES.items() if has.has_mlm_head)
DECODERS = tuple(kind for kind, has in ARCHITECTURES.items() if has.is_causal)


def tiny_config(kind: str, vocabulary: int, **values) -> PreTrainedConfig:
    """For ``seeded_model``."""
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    rest = {"vocab_size": vocabulary, "max_position_embeddings": 64, "pad_token_id": 0, "initializer_range": 0.5}
    ends = {"bos_token_id": 1, "eos_token_id": 2}
    own = ({} if kind in ("distilbert", "t5", "mt5", "umt5") else sizes) | _OWN.get(kind, {})
    rest |= ends if kind in DECODERS or kind == "eurobert" else {}
    return CONFIG_MAPPING[kind](**(rest | own | values))


def tiny_encoder(
    texts: list[str], kind: str = "bert", *, words: int = 300, seed: int = 0, shape: dict | None = None, **facts
) -> TransformerEncoder:
    """A random one that knows the words of these texts; in evaluation mode, without dropout, two passes are the same.

    ``shape``: what its configuration says besides; ``facts``: what TransformerEncoder takes.
    """
    tokenizer = train_vocabulary(texts, words)
    config = tiny_config(kind, tokenizer.get_vocab_size(), **(shape or {}))
    model = seeded_model(model_class_of(config), config, seed=seed)
    facts = {"special_tokens": SPECIAL_TOKENS, "reference": "tiny", "max_length": 32} | facts
    return TransformerEncoder(model, tokenizer, **facts).eval()


def byte_pairs(texts: list[str], *, begins: bool = False, ends: bool = True, padding: bool = True) -> Tokenizer:
    """A byte-level BPE as decoders have it, with ``<s>`` and ``</s>`` around a text where asked."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<pad>", "<s>", "</s>"] if padding else ["<s>", "</s>"]
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in special])
    single = ["<s>"] * begins + ["$A"] + ["</s>"] * ends
    used = [token for token in single if token != "$A"]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=single, special_tokens=[(token, tokenizer.token_to_id(token)) for token in used]
    )
    return tokenizer


def hub_folder(
    folder: Path,
    kind: str,
    texts: list[str],
    *,
    tokenizer: Tokenizer | None = None,
    settings: dict | None = None,
    pooling: object = "mean",
    after: tuple = (),
    seed: int = 0,
    **values,
) -> Path:
    """A random model of this kind as its authors lay it out: transformers' files, modules.json and 1_Pooling.

    ``settings``: what tokenizer_config.json says; ``after``: modules of sentence-transformers that follow the pooling.
    """
    if tokenizer is None:
        plain = kind in DECODERS or kind == "eurobert"
        tokenizer = byte_pairs(texts) if plain else train_vocabulary(texts, 300)
    config = tiny_config(kind, tokenizer.get_vocab_size(with_added_tokens=True), **values)
    model = seeded_model(model_class_of(config), config, seed=seed)
    model.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    names = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>"}
    names |= {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "unk_token": "[UNK]"}
    there = {role: token for role, token in names.items() if tokenizer.token_to_id(token) is not None}
    if "<pad>" in tokenizer.get_vocab():
        there["pad_token"] = "<pad>"
    standard = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 48}
    _write(folder / "tokenizer_config.json", standard | there | (settings or {}))
    (folder / "1_Pooling").mkdir()
    _write(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": 16} | _pooling(pooling))
    listed = [("", "models.Transformer"), ("1_Pooling", "models.Pooling")]
    for number, module in enumerate(after, 2):
        name = f"{number}_{type(module).__name__}"
        (folder / name).mkdir()
        module.save(str(folder / name))
        listed.append((name, f"models.{type(module).__name__}"))
    modules = [
        {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.{kind}"}
        for number, (path, kind) in enumerate(listed)
    ]
    _write(folder / "modules.json", modules)
    return folder


def _pooling(pooling: object) -> dict:
    return pooling if isinstance(pooling, dict) else {"pooling_mode": pooling}


def _write(file: Path, value: object) -> None:
    file.write_text(json.dumps(value), encoding="utf-8")
