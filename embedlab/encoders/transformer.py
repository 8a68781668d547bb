"""A BERT-like transformer with a pooling, and whatever its folder names after the pooling (dense layer, L2 norm)."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tokenizers import Tokenizer
from torch import Tensor, nn

from embedlab.encoders import export
from embedlab.encoders.after_pooling import Dense
from embedlab.encoders.decoder import has_decoder
from embedlab.encoders.dropout import with_quick_dropout
from embedlab.encoders.encoder import Encoder
from embedlab.encoders.parts import read_in_parts
from embedlab.errors import UnfitError

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class TransformerEncoder(Encoder):
    """Hidden states of a transformers model, pooled."""

    poolings = ("mean", "cls", "last", "max", "token-7")

    def __init__(
        self,
        model: "PreTrainedModel",
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
        model.pooler = None  # never read; random where a checkpoint has none
        self.model = with_quick_dropout(model)
        self.after_pooling = nn.Sequential(*(after_pooling or []))
        self.special_tokens = special_tokens
        self.layers = model.config.num_hidden_layers
        self.dim = next((m.linear.out_features for m in reversed(self.after_pooling) if isinstance(m, Dense)), dim)
        dropout = any(getattr(module, "p", 0) > 0 for module in model.modules() if "Dropout" in type(module).__name__)
        self.head_weights: dict[str, Tensor] = {}  # the checkpoint's masked-LM head; the door fills it
        offers = {"context": True, "mlm_head": True, "dropout": dropout, "decoder": has_decoder(self)}
        self.provides = frozenset(name for name, is_there in offers.items() if is_there)
        self._within_positions(max_length)

    def forward(self, tokens: dict[str, Tensor]) -> Tensor:
        return self._divided(self._vectors, tokens)

    def token_vectors(self, tokens: dict[str, Tensor]) -> Tensor:
        return self._divided(self._last_hidden_states, tokens)

    def hidden_states(self, tokens: dict[str, Tensor]) -> tuple[Tensor, ...]:
        return self.model(**tokens, output_hidden_states=True).hidden_states  # layers + 1 of (batch, tokens, hidden)

    def _divided(self, read, tokens: dict[str, Tensor]) -> Tensor:
        if not self.training:
            return read(tokens)
        if self.processes is not None:
            return self.processes.read(partial(self._in_parts, read), tokens)
        return self._in_parts(read, tokens)

    def _in_parts(self, read, tokens: dict[str, Tensor]) -> Tensor:
        if not self.parts:
            return read(tokens)
        # looked up once: the table's gradient is as large as the table, for a part as for a batch
        looked_up = self.model.get_input_embeddings()(tokens["input_ids"])  # (batch, tokens, hidden)
        return read_in_parts(read, {**_without_ids(tokens), "inputs_embeds": looked_up}, self.parts)

    def _vectors(self, tokens: dict[str, Tensor]) -> Tensor:
        hidden = self._last_hidden_states(tokens)
        return self.after_pooling(self.pool(hidden, tokens))  # (batch, dim)

    def _last_hidden_states(self, tokens: dict[str, Tensor]) -> Tensor:
        return self.model(**tokens).last_hidden_state  # (batch, tokens, hidden)

    def blocks(self) -> list[list[nn.Parameter]]:
        model = self.model
        stack = getattr(model, "encoder", getattr(model, "transformer", model))
        layers = getattr(stack, "layer", getattr(stack, "layers", None))
        if layers is None or len(layers) != self.layers:  # ALBERT uses one set of weights for every layer
            raise UnfitError(
                "E-FROZEN-LAYERS",
                f"The layers of {self.reference} share their weights, so none can be frozen alone. "
                "Set 'frozen_layers' to 0.",
            )
        parts = [model.embeddings, *([model.embeddings_project] if hasattr(model, "embeddings_project") else [])]
        return [[p for part in parts for p in part.parameters()], *(list(layer.parameters()) for layer in layers)]

    def weights(self) -> dict[str, Tensor]:
        return self.model.state_dict() | self.after_pooling.state_dict(prefix="after_pooling.")

    @property
    def exported_pooling(self) -> str:
        return self.pooling if self.pooling in export.THEIR_POOLING else "mean"

    def save(self, folder: Path) -> None:
        export.save_transformer(self, folder)

    @property
    def positions(self) -> int | None:
        """The longest text the position table can take, in tokens."""
        config = getattr(getattr(self, "model", None), "config", None)
        if config is None or not getattr(config, "max_position_embeddings", 0):
            return None
        return usable_positions(config)


def _without_ids(tokens: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: values for name, values in tokens.items() if name != "input_ids"}


def usable_positions(config) -> int:
    """Tokens a text may have under a config; RoBERTa and MPNet begin counting positions after the padding id."""
    offset = config.pad_token_id + 1 if config.model_type in {"roberta", "xlm-roberta", "camembert", "mpnet"} else 0
    return config.max_position_embeddings - offset
