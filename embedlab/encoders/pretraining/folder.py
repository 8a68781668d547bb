"""A pretrained model as a plain folder of transformers, its masked-token head included."""

from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import BertForMaskedLM

from embedlab.encoders.folder_format import write_tokenizer, write_weights
from embedlab.encoders.from_corpus import SPECIAL_TOKENS
from embedlab.encoders.transformer import tied_names
from embedlab.store_root import whole_folder, write_json

_DROPOUT = 0.1  # of whoever trains it further, as of other BERTs; the pretraining itself may have had none


def write_folder(model: BertForMaskedLM, tokenizer: Tokenizer, folder: Path) -> None:
    """Write its weights in half precision, its config.json and its tokenizer; a folder that is there is replaced.

    config.json names float32, in which transformers then computes: half precision is only how the numbers are stored.
    """
    with whole_folder(folder) as temporary:
        stored = {name: tensor for name, tensor in model.state_dict().items() if name not in tied_names(model)}
        halves = {name: tensor.to(torch.float16) for name, tensor in stored.items()}
        write_weights(halves, temporary / "model.safetensors")
        config = {name: value for name, value in model.config.to_diff_dict().items() if not name.startswith("_")}
        config |= {"architectures": [type(model).__name__], "dtype": "float32"}
        config |= {"hidden_dropout_prob": _DROPOUT, "attention_probs_dropout_prob": _DROPOUT}
        write_json(temporary / "config.json", config)
        write_tokenizer(tokenizer, temporary, SPECIAL_TOKENS, max_length=model.config.max_position_embeddings)
