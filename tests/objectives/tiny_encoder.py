"""Tiny random transformers of every kind over a vocabulary of a few sentences, and how gradients are compared."""

import torch
from torch import Tensor, nn
from transformers import CONFIG_MAPPING, MODEL_MAPPING, PreTrainedConfig

from embedlab.encoders.from_corpus import SPECIAL_TOKENS, train_vocabulary
from embedlab.encoders.load import seeded_model
from embedlab.encoders.transformer import TransformerEncoder

SENTENCES = [
    "The map shows the texts of one corpus.",
    "A text is a point, and near points are alike.",
    "Short.",
    "Crops of one text are pulled together while others are pushed away.",
    "The mean of all word vectors is a good start.",
]
TOKENIZER = train_vocabulary(SENTENCES, 200)


def tiny_config(kind: str = "bert", **values) -> PreTrainedConfig:
    """Two layers of 16 dimensions; the weights are drawn wider than usual, so that texts differ visibly."""
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    if kind == "distilbert":
        sizes = {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 32}
    if kind in {"electra", "albert"}:
        sizes["embedding_size"] = 8
    if kind == "modernbert":
        sizes |= {"global_attn_every_n_layers": 2, "local_attention": 8}
    rest = {"vocab_size": TOKENIZER.get_vocab_size(), "max_position_embeddings": 64, "pad_token_id": 0}
    return CONFIG_MAPPING[kind](**(sizes | rest | {"initializer_range": 0.5} | values))


def tiny_encoder(kind: str = "bert", *, seed: int = 0, pooling: str = "mean", after_pooling=None) -> TransformerEncoder:
    """In evaluation mode: without dropout, two passes are the same."""
    config = tiny_config(kind)
    model = seeded_model(MODEL_MAPPING[type(config)], config, seed=seed)
    return TransformerEncoder(
        model,
        train_vocabulary(SENTENCES, 200),
        special_tokens=SPECIAL_TOKENS,
        after_pooling=after_pooling,
        reference="tiny",
        pooling=pooling,
        max_length=32,
    ).eval()


def tokens_of(encoder: TransformerEncoder, texts: list[str]) -> dict[str, Tensor]:
    """One padded batch."""
    return encoder.collate(encoder.tokenize(texts))


def gradients(module: nn.Module) -> dict[str, Tensor]:
    """The gradients of a module by the names of its parameters."""
    return {name: p.grad for name, p in module.named_parameters() if p.grad is not None}


def assert_same_gradients(ours: dict[str, Tensor], theirs: dict[str, Tensor]) -> None:
    """Equal to 1e-5; what is noise beside the largest gradient is compared with that one."""
    assert ours and ours.keys() == theirs.keys()
    largest = max(float(gradient.abs().max()) for gradient in theirs.values())
    assert largest > 0
    for name, gradient in ours.items():
        torch.testing.assert_close(gradient, theirs[name], rtol=1e-5, atol=1e-6 * largest, msg=lambda m, n=name: n + m)
