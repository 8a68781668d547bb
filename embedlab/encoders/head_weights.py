"""The masked-LM head of a checkpoint, where its weight files hold one: plain tensors by the names of our own head."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import torch
from safetensors import safe_open
from torch import Tensor

from embedlab.encoders.weight_files import header

if TYPE_CHECKING:
    from transformers import PreTrainedConfig


class _Names(NamedTuple):
    """What the parts of a head are called in a file."""

    dense: str
    norm: str
    biases: tuple[str, ...]  # over the vocabulary; the first that is there


_BERT = _Names(
    "cls.predictions.transform.dense",
    "cls.predictions.transform.LayerNorm",
    ("cls.predictions.bias", "cls.predictions.decoder.bias"),
)
_ROBERTA = _Names("lm_head.dense", "lm_head.layer_norm", ("lm_head.bias", "lm_head.decoder.bias"))
_NAMES = {
    "bert": _BERT,
    "deberta-v2": _BERT,
    "roberta": _ROBERTA,
    "xlm-roberta": _ROBERTA,
    "camembert": _ROBERTA,
    "mpnet": _ROBERTA,
    "electra": _Names("generator_predictions.dense", "generator_predictions.LayerNorm", ("generator_lm_head.bias",)),
    "distilbert": _Names("vocab_transform", "vocab_layer_norm", ("vocab_projector.bias",)),
    "albert": _Names("predictions.dense", "predictions.LayerNorm", ("predictions.bias", "predictions.decoder.bias")),
    "modernbert": _Names("head.dense", "head.norm", ("decoder.bias",)),
}


def read_head_weights(
    files: list[Path], config: "PreTrainedConfig", *, vocabulary: int, word_dim: int
) -> dict[str, Tensor]:
    """The head in a folder's checked weight files; empty where there is none, or none of the shapes that are needed.

    ``vocabulary`` and ``word_dim`` are the shape of the word embeddings that the head is tied to. A dense layer or a
    LayerNorm without bias (ModernBERT) is one whose bias is zero.
    """
    names = _NAMES.get(config.model_type)
    if names is None:
        return {}
    there = {_modern(name): (file, name, shape) for file in files for name, shape in header(file).items()}
    bias = next((name for name in names.biases if name in there), names.biases[0])
    wanted = {
        "dense.weight": (f"{names.dense}.weight", (word_dim, config.hidden_size)),
        "dense.bias": (f"{names.dense}.bias", (word_dim,)),
        "norm.weight": (f"{names.norm}.weight", (word_dim,)),
        "norm.bias": (f"{names.norm}.bias", (word_dim,)),
        "bias": (bias, (vocabulary,)),
    }
    missing = {name for name, (stored, _) in wanted.items() if stored not in there}
    unfit = {name for name, (stored, shape) in wanted.items() if name not in missing and there[stored][2] != shape}
    if unfit or not missing <= {"dense.bias", "norm.bias"}:
        return {}
    return {
        name: torch.zeros(shape) if name in missing else _tensor(*there[stored][:2])
        for name, (stored, shape) in wanted.items()
    }


def _modern(name: str) -> str:
    """LayerNorm's weight and bias are called gamma and beta in old files."""
    return re.sub(r"\.gamma$", ".weight", re.sub(r"\.beta$", ".bias", name))


def _tensor(file: Path, name: str) -> Tensor:
    with safe_open(file, framework="pt") as opened:
        return opened.get_tensor(name).to(torch.float32)
