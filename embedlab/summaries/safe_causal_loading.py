"""Loads causal language models safely, as encoders are: known kinds, safetensors, configuration as data, no code."""

from pathlib import Path
from typing import Any, NamedTuple

import psutil
import torch
from tokenizers import Tokenizer
from torch import Tensor
from transformers import MODEL_FOR_CAUSAL_LM_MAPPING, PreTrainedConfig, PreTrainedModel
from transformers.initialization import no_init_weights

from embedlab.device import Device
from embedlab.encoder_catalog.architectures import OLDER_FIELDS, ROPE
from embedlab.encoders.folder_files import read_tensors, require_weights, shapes_in, weight_files
from embedlab.encoders.tokenizer_files import require_entries, tokenizer_json
from embedlab.encoders.transformer_config import (
    AdmittedModels,
    attention_for,
    model_class_of,
    promised_shapes,
    read_config,
)
from embedlab.errors import EncoderError
from embedlab.limits import LIMITS
from embedlab.numbers import gigabytes

_BY_ROPE = "llama mistral qwen2 qwen3 gemma gemma2 gemma3_text phi phi3 olmo2 smollm3 granite stablelm".split()
CAUSAL = AdmittedModels(
    kind="a causal language model",
    needed="A causal language model",
    types=("gpt2", "gpt_neox", "opt", *_BY_ROPE),
    classes=MODEL_FOR_CAUSAL_LM_MAPPING,
    older_fields={
        **dict.fromkeys(_BY_ROPE, ROPE),
        "gpt_neox": {"rotary_pct", "rotary_emb_base", "rope_scaling"},
        "gemma3_text": OLDER_FIELDS["gemma3_text"],
    },
    # A causal model looks only back, and keeps what it read.
    never=frozenset(
        {"is_decoder", "add_cross_attention", "use_cache", "use_bidirectional_attention", "kwargs", "self"}
    ),
    most_parameters=LIMITS.language_model_parameters,
)


class CausalModel(NamedTuple):
    """A model on its device, its tokenizer, and what generation needs from both."""

    model: PreTrainedModel
    tokenizer: Tokenizer
    positions: int
    end_ids: frozenset[int]
    padding_id: int
    break_ids: frozenset[int]  # tokens whose text has a line break

    @property
    def breaks(self) -> Tensor:
        """The mask of tokens with a line break (vocabulary,) bool."""
        mask = torch.zeros(self.model.config.vocab_size, dtype=torch.bool)
        mask[list(self.break_ids)] = True
        return mask.to(self.model.device)


def load_causal(folder: Path, *, device: Device, dtype: torch.dtype) -> CausalModel:
    """The model in a folder, on the device, ready to continue texts."""
    files = weight_files(folder, what="language model")
    config = read_config(folder, CAUSAL)
    tokenizer = tokenizer_json(folder)
    require_entries(tokenizer, config.vocab_size, name=folder.name, of="the model", what="model")
    model = _filled(folder, files, config, device, dtype)
    ends = _ids(config.eos_token_id, config.vocab_size)
    padding = _ids(config.pad_token_id, config.vocab_size) or ends or [0]
    lines = tokenizer.decode_batch([[token] for token in range(config.vocab_size)], skip_special_tokens=False)
    return CausalModel(
        model,
        tokenizer,
        positions=config.max_position_embeddings,
        end_ids=frozenset(ends),
        padding_id=padding[0],
        break_ids=frozenset(token for token, text in enumerate(lines) if "\n" in text or "\r" in text),
    )


def _filled(
    folder: Path, files: list[Path], config: PreTrainedConfig, device: Device, dtype: torch.dtype
) -> PreTrainedModel:
    """All sizes are compared first; then the model is created without random weights and filled file by file."""
    promised = promised_shapes(config, folder.name, CAUSAL)
    model_class = model_class_of(config, CAUSAL)
    tied = set(model_class._tied_weights_keys or {}) if config.tie_word_embeddings else set()
    needed = {name: shape for name, shape in promised.items() if name not in tied}
    parameters = sum(torch.Size(shape).numel() for shape in needed.values())
    if parameters > LIMITS.language_model_parameters:
        raise EncoderError(
            "E-MODEL-SIZE",
            f"A language model of at most {LIMITS.language_model_parameters:,} parameters is needed, but {folder.name} "
            f"has {parameters:,}. Choose a smaller one.",
        )
    shapes = shapes_in(files)
    names = _names_in_file(needed, shapes, config, model_class.base_model_prefix)
    require_weights(folder, needed=needed, names=names, shapes=shapes, what="model")
    size = parameters * dtype.itemsize
    free = psutil.virtual_memory().available if device.free_bytes is None else device.free_bytes
    if size > free:
        raise EncoderError(
            "E-MEMORY",
            f"{folder.name} takes {gigabytes(size)}, but only {gigabytes(free)} are free on the device. "
            "Choose a smaller model, or ask one at an endpoint.",
        )
    with no_init_weights(), torch.device(device.name):
        model = model_class._from_config(config, dtype=dtype, attn_implementation=attention_for(model_class))
    model.tie_weights()
    state = model.state_dict()
    targets = {stored: name for name, stored in names.items()}
    for file in files:
        for stored, tensor in read_tensors(file).items():
            if stored in targets:
                state[targets[stored]].copy_(tensor)
    return model.requires_grad_(False).eval()


def _names_in_file(
    needed: dict[str, Any], shapes: dict[str, Any], config: PreTrainedConfig, prefix: str
) -> dict[str, str]:
    """The name of each weight in the file: its own, without the base model's prefix, or an older name."""
    # in files from before transformers 5:
    older = {"gpt_neox": {"lm_head.weight": "embed_out.weight"}}.get(config.model_type, {})
    names = {}
    for name in needed:
        choices = (name, name.removeprefix(f"{prefix}."), older.get(name, name))
        stored = next((choice for choice in choices if choice in shapes), None)
        if stored is not None:
            names[name] = stored
    return names


def _ids(value: object, vocabulary: int) -> list[int]:
    """Token ids in a configuration field that holds one, several or none."""
    values = value if isinstance(value, list) else [value]
    return [token for token in values if type(token) is int and 0 <= token < vocabulary]
