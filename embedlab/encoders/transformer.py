"""A transformer, BERT-like or a decoder, with a pooling and what follows it, and dropout that costs less on the CPU."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import AttentionInterface, PreTrainedConfig, PreTrainedModel
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

from embedlab.encoder_catalog.architectures import ARCHITECTURES
from embedlab.encoders.adapters.lora import merged_weights
from embedlab.encoders.encoder import Encoder
from embedlab.encoders.folder_format import THEIR_POOLING, Dense, Normalize, save_transformer
from embedlab.encoders.parts import Tokens, read_in_parts
from embedlab.encoders.pooling import model_inputs, unit_length
from embedlab.encoders.token_prediction import has_decoder
from embedlab.errors import UnfitError


class TransformerEncoder(Encoder):
    """Hidden states of a transformers model, pooled."""

    poolings = ("mean", "cls", "last", "max", "token-7", "weighted-mean", "mean-sqrt")

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: Tokenizer,
        *,
        special_tokens: dict[str, str],  # role -> token, as tokenizer_config.json names them: {"cls_token": "[CLS]"}
        after_pooling: list[nn.Module] | None = None,
        reference: str,
        pooling: str = "mean",
        max_length: int = 512,
    ):
        dim = model.config.hidden_size
        super().__init__(tokenizer, reference=reference, dim=dim, pooling=pooling, max_length=max_length)
        drop_pooler(model)
        self.model = with_quick_dropout(model)
        self.after_pooling = nn.Sequential(*(after_pooling or []))
        self.special_tokens = special_tokens
        self.layers = model.config.num_hidden_layers
        self.read_by(pooling)  # again: now it is known how wide the vectors are
        self.head_weights: dict[str, Tensor] = {}  # the checkpoint's masked-LM head; the door fills it
        rates = [getattr(module, "p", 0) for module in model.modules() if "Dropout" in type(module).__name__]
        rates += [getattr(module, "attention_dropout", 0) for module in model.modules()]  # read by the layer itself
        offers = {
            "context": True,
            "mlm_head": ARCHITECTURES[model.config.model_type].has_mlm_head,
            "dropout": any(isinstance(rate, int | float) and rate > 0 for rate in rates),  # two passes differ
            "decoder": has_decoder(self),
        }
        self.provides = frozenset(name for name, is_there in offers.items() if is_there)
        self._within_positions(max_length)

    def read_by(self, pooling: str) -> None:
        """As in ``Encoder``; vectors of several poolings stand side by side, and a Dense takes as many as it does."""
        super().read_by(pooling)
        if not hasattr(self, "model"):
            return
        width = self.model.config.hidden_size * len(self.pooling.split("+"))
        dense = self._dense
        if dense and dense[0].linear.in_features != width:
            raise UnfitError(
                "E-POOLING",
                f"Pooling {self.pooling!r} gives {width:,} numbers a text, but the Dense layer of {self.reference} "
                f"takes {dense[0].linear.in_features:,}. Choose the encoder's own pooling.",
            )
        self.all_dimensions = dense[-1].linear.out_features if dense else width
        self.dim = min(self.dimensions_kept or self.all_dimensions, self.all_dimensions)

    def see_both_ways(self) -> None:
        """As transformers does it (``config.is_causal``), which every reader of the exported config.json follows."""
        if not self.is_causal:
            super().see_both_ways()
        before = self._first_token_moves()
        self.model.config.is_causal = False
        if before or not self._first_token_moves():
            self.model.config.is_causal = True
            raise UnfitError(
                "E-BIDIRECTIONAL",
                f"transformers has no way to let the tokens of {self.reference} see the whole text. Switch the setting "
                "'bidirectional' off.",
            )

    def _first_token_moves(self) -> bool:
        """Whether the first token's state depends on the second."""
        device, was_training = self.model.device, self.model.training
        self.model.eval()
        with torch.no_grad():
            ids = torch.tensor([[0, 1], [0, 2]], device=device)
            states = self.model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
        self.model.train(was_training)
        return not torch.allclose(states[0, 0], states[1, 0], atol=1e-6)

    @property
    def is_causal(self) -> bool:
        config = self.model.config
        both_ways = getattr(config, "use_bidirectional_attention", None) or not getattr(config, "is_causal", True)
        return ARCHITECTURES[config.model_type].is_causal and not both_ways

    def forward(self, tokens: dict[str, Tensor]) -> Tensor:
        return self._divided(self._vectors, tokens)

    def token_vectors(self, tokens: dict[str, Tensor]) -> Tensor:
        return self._divided(self._last_hidden_states, tokens)

    def hidden_states(self, tokens: dict[str, Tensor]) -> tuple[Tensor, ...]:
        return self.model(**model_inputs(tokens), output_hidden_states=True).hidden_states  # layers + 1 of (…, hidden)

    def _divided(self, read: Callable[[Tokens], Tensor], tokens: dict[str, Tensor]) -> Tensor:
        if not self.training:
            return read(tokens)
        if self.processes is not None:
            return self.processes.read(partial(self._in_parts, read), tokens)
        return self._in_parts(read, tokens)

    def _in_parts(self, read: Callable[[Tokens], Tensor], tokens: dict[str, Tensor]) -> Tensor:
        if not self.parts:
            return read(tokens)
        # looked up once: the table's gradient is as large as the table, for a part as for a batch
        looked_up = self.model.get_input_embeddings()(tokens["input_ids"])  # (batch, tokens, hidden)
        others = {name: values for name, values in tokens.items() if name != "input_ids"}
        return read_in_parts(read, {**others, "inputs_embeds": looked_up}, self.parts)

    def _vectors(self, tokens: dict[str, Tensor]) -> Tensor:
        return self.read_out(self._last_hidden_states(tokens), tokens)  # (batch, dim)

    def read_out(self, hidden: Tensor, tokens: dict[str, Tensor], pooling: str | None = None) -> Tensor:
        """As in ``Encoder``; a pooling that its Dense layer cannot take is read as the layers below are."""
        pooled = self.pool(hidden, tokens, pooling)
        if any(dense.linear.in_features != pooled.shape[1] for dense in self._dense[:1]):
            return self._with_their_length(pooled)
        return self.after_pooling(pooled)[:, : self.dimensions_kept]

    @property
    def has_dense(self) -> bool:
        return bool(self._dense)

    @property
    def _dense(self) -> list[Dense]:
        return [module for module in self.after_pooling if isinstance(module, Dense)]

    def read_out_below(self, hidden: Tensor, tokens: dict[str, Tensor], pooling: str | None = None) -> Tensor:
        return self._with_their_length(self.pool(hidden, tokens, pooling))

    def _with_their_length(self, pooled: Tensor) -> Tensor:
        """Normalize the vectors if the encoder normalizes its own.  (batch, hidden) -> (batch, hidden)"""
        normalizes = any(isinstance(module, Normalize) for module in self.after_pooling)
        return unit_length(pooled) if normalizes else pooled

    def _last_hidden_states(self, tokens: dict[str, Tensor]) -> Tensor:
        return self.model(**model_inputs(tokens)).last_hidden_state  # (batch, tokens, hidden)

    def blocks(self) -> list[list[nn.Parameter]]:
        model: Any = self.model  # whose parts have other names in each kind
        stack = getattr(model, "encoder", getattr(model, "transformer", model))
        layers = next((getattr(stack, name) for name in ("layer", "layers", "block") if hasattr(stack, name)), None)
        if layers is None or len(layers) != self.layers:  # ALBERT uses one set of weights for every layer
            raise UnfitError(
                "E-FROZEN-LAYERS",
                f"The layers of {self.reference} share their weights, so none can be frozen alone. "
                "Leave 'frozen_layers' empty.",
            )
        parts = [getattr(model, "embeddings", model.get_input_embeddings())]
        parts += [model.embeddings_project] if hasattr(model, "embeddings_project") else []
        return [[p for part in parts for p in part.parameters()], *(list(layer.parameters()) for layer in layers)]

    def weights(self) -> dict[str, Tensor]:
        copies = tied_names(self.model)
        weights = {name: tensor for name, tensor in self.model.state_dict().items() if name not in copies}  # each once
        weights = weights if self.adapter is None else merged_weights(self.model, weights)
        return weights | self.after_pooling.state_dict(prefix="after_pooling.")

    @property
    def width(self) -> int:
        """Dimensions of its hidden states, whatever follows the pooling."""
        return self.model.config.hidden_size

    @property
    def exported_pooling(self) -> str:
        return self.pooling if set(self.pooling.split("+")) <= set(THEIR_POOLING) else "mean"

    def save(self, folder: Path) -> None:
        save_transformer(self, folder)

    @property
    def positions(self) -> int | None:
        """The longest text the position table can take, in tokens."""
        config = getattr(getattr(self, "model", None), "config", None)
        return None if config is None else usable_positions(config)


def tied_names(model: PreTrainedModel | type[PreTrainedModel]) -> dict[str, str]:
    """The names of weights that are others' tensors, and whose: T5's token vectors have two names."""
    tied = getattr(model, "_tied_weights_keys", None)
    return dict(tied) if isinstance(tied, dict) else {}


def drop_pooler(model: Any) -> None:
    """It is never read, and random where a checkpoint has none."""
    model.pooler = None


def usable_positions(config: PreTrainedConfig) -> int | None:
    """Tokens a text may have under a config, None without a limit; RoBERTa and MPNet count from the padding id on."""
    if not getattr(config, "max_position_embeddings", 0):
        return None
    offset = config.pad_token_id + 1 if config.model_type in {"roberta", "xlm-roberta", "camembert", "mpnet"} else 0
    return config.max_position_embeddings - offset


ATTENTION = "embedlab"  # how transformers knows the attention below
_SPECIAL = ("position_bias", "softcap", "s_aux", "cache")  # what some models add to the scores
_VALUES = 2**16


class _Dropped(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, values: Tensor, p: float) -> Tensor:
        dropped = round(p * _VALUES)  # of so many equally likely numbers
        count = values.numel()
        bits = torch.empty((count + 3) // 4, dtype=torch.int64).random_(-(2**63), None).view(torch.int16)[:count]
        mask = bits.ge_(dropped - _VALUES // 2).view(values.shape)  # 0 or 1
        context.save_for_backward(mask)
        context.scale = _VALUES / (_VALUES - dropped)
        return _where(mask, values).mul_(context.scale)

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (mask,) = context.saved_tensors
        return _where(mask, gradient).mul_(context.scale), None


def _where(mask: Tensor, values: Tensor) -> Tensor:
    """The values that are kept, else 0. By whole numbers of the same width: four times as fast in bfloat16."""
    if values.dtype == torch.bfloat16:
        return (values.view(torch.int16) * mask).view(torch.bfloat16)
    return values * mask


def dropped(values: Tensor, p: float) -> Tensor:
    """Each value nought with probability ``p``, else divided by the share that stays; torch's own off the CPU.

    torch's ``bernoulli_`` took 1.84 ms for 1,024 × 384 values where sixteen bits a value took 0.27, and a sixth of a
    training step of MiniLM on two cores. The bits say as well what is dropped, at the rate asked for to within
    1 : 131,072.
    """
    if values.device.type != "cpu" or p > 1 - 1 / _VALUES:
        return nn.functional.dropout(values, p)
    return _Dropped.apply(values, p) if p > 0 else values


class Dropout(nn.Dropout):
    """nn.Dropout by ``dropped``."""

    def forward(self, values: Tensor) -> Tensor:
        return dropped(values, self.p) if self.training else values


def attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    **more: Any,
) -> tuple[Tensor, Tensor | None]:
    """Scaled dot products; with dropout on the CPU made here, else by torch.  (batch, heads, tokens, dim) each

    ``scaled_dot_product_attention`` has no fast path with dropout on the CPU: the products are made as transformers'
    own ``eager_attention_forward`` makes them.
    -> (batch, tokens, heads, dim)
    """
    is_plain = not (more.get("is_causal") or getattr(module, "is_causal", False))
    is_plain &= all(more.get(name) is None for name in _SPECIAL) and key.shape[1] == query.shape[1]
    if not dropout or query.device.type != "cpu" or not is_plain:
        return sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout=dropout, scaling=scaling, **more
        )
    scores = torch.matmul(query * (query.shape[-1] ** -0.5 if scaling is None else scaling), key.transpose(2, 3))
    lowest = torch.finfo(scores.dtype).min
    if scores.dtype == torch.bfloat16:  # softmax computes in float32 and rounds once, with no copy to and fro
        if attention_mask is not None and attention_mask.dtype == torch.bool:
            scores += torch.zeros_like(attention_mask, dtype=scores.dtype).masked_fill_(~attention_mask, lowest)
        elif attention_mask is not None:
            scores += attention_mask
        weights = torch.softmax(scores, dim=-1)
    else:
        if attention_mask is not None and attention_mask.dtype == torch.bool:
            scores = scores.masked_fill(~attention_mask, lowest)
        elif attention_mask is not None:
            scores = scores + attention_mask
        weights = torch.softmax(scores, dim=-1, dtype=torch.float32).to(query.dtype)
    return torch.matmul(dropped(weights, dropout), value).transpose(1, 2).contiguous(), None


AttentionInterface.register(ATTENTION, attention)
AttentionMaskInterface.register(ATTENTION, sdpa_mask)


def with_quick_dropout(model: PreTrainedModel) -> PreTrainedModel:
    """The same model with this dropout wherever torch's own stands, and this attention in place of torch's."""
    for outer in list(model.modules()):
        if all(hasattr(outer, name) for name in ("query", "key", "value")):  # which read the same hidden states
            outer.register_forward_pre_hook(_rounded_once)
        for name, inner in outer.named_children():
            if type(inner) is nn.Dropout:
                setattr(outer, name, Dropout(inner.p))
    if model.config._attn_implementation == "sdpa":
        model.set_attn_implementation(ATTENTION)
    return model


def _rounded_once(module: nn.Module, arguments: tuple) -> tuple:
    """The hidden states in the type that autocast gives each of several products; else each makes its own copy."""
    if not arguments or arguments[0].device.type != "cpu" or not torch.is_autocast_enabled("cpu"):
        return arguments
    hidden, *others = arguments
    return hidden.to(torch.get_autocast_dtype("cpu")), *others
