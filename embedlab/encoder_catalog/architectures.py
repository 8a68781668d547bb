"""The kinds of transformer that are admitted, by their ``model_type``: what each has, and how its files may spell it.

Light, so that a page knows what an encoder offers before anything is loaded.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Architecture:
    """What one kind of transformer has, beside what its configuration says."""

    is_causal: bool = False  # a token sees only those before it, unless its configuration says otherwise
    has_mlm_head: bool = False  # it was made to guess hidden tokens, by a head that we read
    has_cross_attention: bool = False  # a decoder of its own kind can be built
    has_dropout: bool = True  # as its configuration class has it; a checkpoint's own value decides
    now_called: Mapping[str, str] = field(default_factory=dict)  # fields of its authors' config.json -> transformers'


_BERT = Architecture(has_mlm_head=True, has_cross_attention=True)
_MASKED = Architecture(has_mlm_head=True)
_DECODER = Architecture(is_causal=True, has_dropout=False)
_OF_FLASH_BERT = {  # nomic's files before transformers had the kind
    "n_embd": "hidden_size",
    "n_layer": "num_hidden_layers",
    "n_head": "num_attention_heads",
    "n_inner": "intermediate_size",
    "n_positions": "max_position_embeddings",
    "rotary_emb_base": "rope_theta",
    "layer_norm_epsilon": "layer_norm_eps",
}

ARCHITECTURES: Mapping[str, Architecture] = {
    **dict.fromkeys(("bert", "roberta", "xlm-roberta", "camembert", "electra"), _BERT),
    **dict.fromkeys("mpnet distilbert albert deberta-v2 modernbert gte jina_embeddings_v3".split(), _MASKED),
    "nomic_bert": Architecture(has_mlm_head=True, has_dropout=False, now_called=_OF_FLASH_BERT),
    "eurobert": Architecture(has_mlm_head=True, has_dropout=False),
    **dict.fromkeys("gemma3_text gemma gemma2 qwen2 qwen3 llama smollm3 mistral phi3 granite olmo2".split(), _DECODER),
    **dict.fromkeys(("t5", "mt5", "umt5"), Architecture()),
}

DECODER_TYPES = tuple(kind for kind, has in ARCHITECTURES.items() if has.has_cross_attention)
ROPE = frozenset({"rope_theta", "rope_scaling", "partial_rotary_factor", "original_max_position_embeddings"})
_BY_ROPE = [kind for kind, has in ARCHITECTURES.items() if has.is_causal]
_BY_ROPE += ["eurobert", "nomic_bert", "gte", "jina_embeddings_v3"]
# Read by the models with getattr or by an older spelling, so they are no parameters of the config class.
OLDER_FIELDS: Mapping[str, Set[str]] = {
    **{kind: ROPE | {"is_causal"} for kind in _BY_ROPE},
    "gemma3_text": ROPE | {"rope_local_base_freq", "sliding_window_pattern"},
    "deberta-v2": {"share_att_key", "norm_rel_ebd", "position_buckets", "conv_kernel_size", "conv_act"},
    "modernbert": {"global_rope_theta", "local_rope_theta", "global_attn_every_n_layers"},
}


def provides_of(kind: str) -> tuple[str, ...]:
    """What recipes may need of a transformer of this kind."""
    has = ARCHITECTURES[kind]
    offers = {
        "context": True,
        "dropout": has.has_dropout,
        "mlm_head": has.has_mlm_head,
        "decoder": has.has_cross_attention,
    }
    return tuple(name for name, is_there in offers.items() if is_there)
