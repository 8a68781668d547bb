"""The configuration of a tiny model of any admitted kind: two layers of 16 dimensions, weights drawn wide."""

from transformers import CONFIG_MAPPING, PreTrainedConfig

_OWN = {
    "distilbert": {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 32},
    "electra": {"embedding_size": 8},
    "albert": {"embedding_size": 8},
    "modernbert": {"global_attn_every_n_layers": 2, "local_attention": 8},
}


def tiny_config(kind: str, vocabulary: int, **values) -> PreTrainedConfig:
    """For ``seeded_model``, which takes ``attention="eager"`` for the kinds that have no other."""
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    rest = {"vocab_size": vocabulary, "max_position_embeddings": 64, "pad_token_id": 0, "initializer_range": 0.5}
    own = ({} if kind == "distilbert" else sizes) | _OWN.get(kind, {})
    return CONFIG_MAPPING[kind](**(rest | own | values))
