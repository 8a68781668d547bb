"""A bare token-embedding layer: a text is a mean of its tokens' vectors, without positions, context or dropout."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor, nn

from embedlab.device import is_limited
from embedlab.encoders.encoder import Encoder
from embedlab.encoders.folder_format import save_token_layer
from embedlab.encoders.pooling import BY_COUNT, unit_length, weights_by_count


class TokenLayer(Encoder):
    """The encoder of the crops paper's column "embedding layer": word vectors only, special tokens left out.

    ``has_unit_length``: its vectors are of length 1, as cosine, by which it trains, reads them.
    """

    adds_special_tokens = False
    layers = 0
    poolings = ("mean", *BY_COUNT)
    provides = frozenset()

    def __init__(
        self,
        tokenizer: Tokenizer,
        weight: Tensor,  # (vocabulary, dim)
        *,
        reference: str = "token",
        pooling: str = "mean",
        max_length: int = 512,
        has_unit_length: bool = False,
    ):
        super().__init__(tokenizer, reference=reference, dim=weight.shape[1], pooling=pooling, max_length=max_length)
        self.has_unit_length = has_unit_length
        self.set_table(weight)

    def set_table(self, weight: Tensor) -> None:
        """Put these vectors in place of all that it has.  (vocabulary, dim)"""
        self.dim = self.all_dimensions = weight.shape[1]
        # Sparse gradients: a batch touches a tenth of the vocabulary, and a dense step would cost twice the time.
        self.embedding = nn.EmbeddingBag.from_pretrained(weight, freeze=False, mode="mean", sparse=True)

    def _apply(self, fn: Callable, recurse: bool = True) -> "TokenLayer":
        """Moved; where a device has no sparse tensors (MPS), its gradients are dense."""
        layer = super()._apply(fn, recurse)
        layer.embedding.sparse = not is_limited(layer.embedding.weight.device)
        return layer

    @classmethod
    def of_words(
        cls, tokenizer: Tokenizer, weight: Tensor | None = None, *, pooling: str = "distinct", **facts: Any
    ) -> "TokenLayer":
        """The start from word statistics: weights as ``word_vectors`` makes them, vectors of length 1.

        Without weights it only tokenizes, until ``set_table``.
        """
        weight = torch.zeros(1, 1) if weight is None else weight
        return cls(tokenizer, weight, pooling=pooling, has_unit_length=True, **facts)

    @classmethod
    def random(cls, tokenizer: Tokenizer, dim: int = 768, *, seed: int, **facts: Any) -> "TokenLayer":
        """Weights drawn from normal(0, 0.02) as BERT's are, the padding row zero."""
        rows = 1 + max(tokenizer.get_vocab(with_added_tokens=True).values())
        weight = torch.empty(rows, dim).normal_(0, 0.02, generator=torch.Generator().manual_seed(seed))
        layer = cls(tokenizer, weight, **facts)
        with torch.no_grad():
            layer.embedding.weight[layer.padding_id] = 0
        return layer

    def forward(self, tokens: dict[str, Tensor]) -> Tensor:
        """Pooled token vectors; a text without tokens gives zeros.  (batch, tokens) -> (batch, dim)"""
        mask = tokens["attention_mask"]
        return self.means(tokens["input_ids"][mask.bool()], mask.sum(dim=1))

    def means(self, input_ids: Tensor, lengths: Tensor) -> Tensor:
        """The same for texts joined end to end, unpadded.  (all tokens,), (batch,) -> (batch, dim)"""
        starts = lengths.cumsum(0) - lengths
        weights = weights_by_count(input_ids, lengths, self.pooling) if self.pooling in BY_COUNT else None
        table, table_rows = self.embedding.weight, input_ids
        if self.embedding.sparse and table.requires_grad and torch.is_grad_enabled():
            # Each touched row once: its gradient is summed where it is made, not for each token by itself.
            rows, table_rows = input_ids.unique(return_inverse=True)
            table = F.embedding(rows, table, sparse=True)  # (touched, dim)
        if weights is None:
            means = F.embedding_bag(table_rows, table, starts, mode="mean")
        else:
            means = F.embedding_bag(table_rows, table, starts, mode="sum", per_sample_weights=weights)
        return (unit_length(means) if self.has_unit_length else means)[:, : self.dim]

    def pool(self, hidden: Tensor, tokens: dict[str, Tensor], pooling: str | None = None) -> Tensor:
        """As in ``Encoder``, of the length that this one's vectors have: its only layer gives what it gives."""
        pooling = self.pooling if pooling is None else self._supported(pooling)
        if pooling in BY_COUNT:
            mask = tokens["attention_mask"].bool()
            weights = torch.zeros(mask.shape, device=hidden.device)
            weights[mask] = weights_by_count(tokens["input_ids"][mask], mask.sum(dim=1), pooling)
            pooled = (hidden * weights.unsqueeze(2).to(hidden.dtype)).sum(dim=1)
        else:
            pooled = super().pool(hidden, tokens, pooling)
        return unit_length(pooled) if self.has_unit_length else pooled

    def hidden_states(self, tokens: dict[str, Tensor]) -> tuple[Tensor, ...]:
        return (F.embedding(tokens["input_ids"], self.embedding.weight),)  # 1 of (batch, tokens, dim)

    def blocks(self) -> list[list[nn.Parameter]]:
        return [[self.table]]

    @property
    def table(self) -> nn.Parameter:
        """The vectors of all tokens.  (vocabulary, dim)"""
        assert isinstance(self.embedding.weight, nn.Parameter)
        return self.embedding.weight

    def parameter_groups(self) -> dict[str, list[nn.Parameter]]:
        """One parameter, ``sparse`` unless the layer is on a device that has no sparse tensors."""
        weights = [self.table]
        return {"dense": [], "sparse": weights} if self.embedding.sparse else {"dense": weights, "sparse": []}

    def weights(self) -> dict[str, Tensor]:
        return {"embedding.weight": self.embedding.weight.detach()}

    @property
    def exported_pooling(self) -> str:
        return "distinct" if self.pooling in BY_COUNT else "mean"

    def save(self, folder: Path) -> None:
        save_token_layer(self, folder)
