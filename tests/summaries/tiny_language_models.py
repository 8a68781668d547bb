"""Random causal language models of two layers that write whole words, saved as a hub would have them."""

import inspect
from pathlib import Path

import torch
from tokenizers import Tokenizer, pre_tokenizers, processors
from tokenizers.models import WordLevel
from transformers import CONFIG_MAPPING, MODEL_FOR_CAUSAL_LM_MAPPING, PreTrainedModel

WORDS = """the a of our we and with that is are in on to for by from this these results show method model texts points
summary work research findings key main takeaway comprehensive detailed conclusive statement would be concerned all
relevant information stated one sentence includes To In summarize map neighbors vectors encoder training labels better
star galaxy orbit butter onion oven court judge contract anchor rudder harbor planet sauce verdict keel""".split()
SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "intermediate_size": 64,
    "max_position_embeddings": 512,
    "initializer_range": 0.5,  # larger than usual, so that texts differ visibly
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
SPECIAL = {
    "gpt_neox": {"num_attention_heads": 4},
    "opt": {"ffn_dim": 64, "word_embed_proj_dim": 32, "init_std": 0.5},
    "mistral": {"sliding_window": 400},
    "gemma2": {"query_pre_attn_scalar": 8, "sliding_window": 400},
    "gemma3_text": {"query_pre_attn_scalar": 8, "sliding_window": 400, "sliding_window_pattern": 2},
}


def word_tokenizer(*, begins: bool = False) -> Tokenizer:
    """Every word is one token, a line break too; with ``begins``, <s> stands before every text."""
    signs = [*".,:;!?()'-", "\n"]
    vocabulary = {token: i for i, token in enumerate(["<pad>", "<s>", "</s>", "<unk>", *dict.fromkeys(WORDS), *signs])}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.add_special_tokens(["<pad>", "<s>", "</s>", "<unk>"])
    blank = pre_tokenizers.Split(" ", "removed")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([blank, pre_tokenizers.Punctuation()])
    if begins:
        tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return tokenizer


def tiny_model(kind: str, *, seed: int = 0, **changes) -> PreTrainedModel:
    """A random model of a kind."""
    config_class = CONFIG_MAPPING[kind]
    known = set(inspect.signature(config_class.__init__).parameters) | set(config_class.attribute_map)
    values = {name: value for name, value in SIZES.items() if name in known} | SPECIAL.get(kind, {}) | changes
    config = config_class(**{"vocab_size": word_tokenizer().get_vocab_size(), **values})
    state = torch.random.get_rng_state()
    torch.manual_seed(seed)
    model = MODEL_FOR_CAUSAL_LM_MAPPING[config_class]._from_config(config, attn_implementation="eager").eval()
    torch.random.set_rng_state(state)
    return model


def saved_model(folder: Path, kind: str = "gpt2", *, begins: bool = False, **changes) -> Path:
    """A folder with config.json, model.safetensors and tokenizer.json."""
    tiny_model(kind, **changes).save_pretrained(folder)
    word_tokenizer(begins=begins).save(str(folder / "tokenizer.json"))
    return folder
