"""The settings of an adapter: which small matrices are trained in place of an encoder's own weights."""

from typing import Literal

from pydantic import Field

from embedlab.config import Config

ATTENTION, ALL_LINEAR = "attention", "all-linear"


class AdapterConfig(Config):
    """Low-rank matrices beside frozen weights (LoRA, Hu et al. 2022)."""

    kind: Literal["none", "lora"] = Field(
        "none",
        json_schema_extra={"label": "Adapter"},
        description="lora adds two small matrices to each chosen layer and trains only these; the encoder's own "
        "weights stay as they are, and gradients and optimizer state take a fraction of the memory. none trains the "
        "encoder's own weights. Any other setting of this group chooses lora.",
    )
    rank: int = Field(
        8, ge=1, le=1024, description="Width of the small matrices (r): larger ones learn more and take more memory."
    )
    alpha: float = Field(
        16.0, gt=0, le=4096, description="Strength of the adapter: its product is multiplied by alpha / rank."
    )
    dropout: float = Field(0.0, ge=0, lt=1, description="Share of the inputs of the small matrices that are dropped.")
    targets: str = Field(
        ATTENTION,
        json_schema_extra={"label": "Adapted layers"},
        description="Which layers get them: attention (query, key, value and output of each layer, whatever the "
        "encoder's kind calls them), all-linear (the feed-forward layers as well), or names of modules separated by "
        "commas, such as query,value.",
    )
    base_weights: Literal["fp32", "bf16"] = Field(
        "fp32",
        json_schema_extra={"label": "Frozen weights"},
        description="bf16 keeps the frozen matrices in half the memory, the adapter and its optimizer in fp32; an "
        "encoder that was published in bf16 loses nothing, another one is rounded. Steps take longer where the device "
        "has no bf16.",
    )
    recompute_layers: bool = Field(
        False,
        json_schema_extra={"label": "Recompute layers: less memory, slower"},
        description="Gradient checkpointing: keep the input of each layer and compute the rest again when gradients "
        "are asked for. micro_batch limits how many texts are held at a time, this how many layers; both together "
        "take the least memory. The result is the same.",
    )


def is_of_adapter(name: str) -> bool:
    """Whether a tensor of a state dict is an adapter's own, none of which is called otherwise."""
    return ".lora_" in name


def plain_name(name: str) -> str:
    """What a weight is called without an adapter beside it: ``query.weight`` for ``query.base_layer.weight``."""
    return name.replace(".base_layer.", ".")
