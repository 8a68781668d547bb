"""A bare token-embedding layer: a text is the mean of its tokens' vectors, without positions, context or dropout."""

from pathlib import Path

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor, nn

from embedlab.encoders import export
from embedlab.encoders.encoder import Encoder


class TokenLayer(Encoder):
    """The encoder of the crops paper's column "embedding layer": word vectors only, special tokens left out."""

    adds_special_tokens = False
    layers = 0
    poolings = ("mean",)
    provides = frozenset()

    def __init__(
        self,
        tokenizer: Tokenizer,
        weight: Tensor,  # (vocabulary, dim)
        *,
        reference: str = "token",
        max_length: int = 512,
    ):
        super().__init__(tokenizer, reference=reference, dim=weight.shape[1], pooling="mean", max_length=max_length)
        # Sparse gradients: a batch touches a tenth of the vocabulary, and a dense step would cost twice the time.
        self.embedding = nn.EmbeddingBag.from_pretrained(weight, freeze=False, mode="mean", sparse=True)

    @classmethod
    def random(cls, tokenizer: Tokenizer, dim: int = 768, *, seed: int, **facts) -> "TokenLayer":
        """Weights drawn from normal(0, 0.02) as BERT's are, the padding row zero."""
        rows = 1 + max(tokenizer.get_vocab(with_added_tokens=True).values())
        weight = torch.empty(rows, dim).normal_(0, 0.02, generator=torch.Generator().manual_seed(seed))
        layer = cls(tokenizer, weight, **facts)
        with torch.no_grad():
            layer.embedding.weight[layer.padding_id] = 0
        return layer

    def forward(self, tokens: dict[str, Tensor]) -> Tensor:
        """Mean token vectors; a text without tokens gives zeros.  (batch, tokens) -> (batch, dim)"""
        mask = tokens["attention_mask"]
        return self.means(tokens["input_ids"][mask.bool()], mask.sum(dim=1))

    def means(self, input_ids: Tensor, lengths: Tensor) -> Tensor:
        """The same for texts joined end to end, unpadded.  (all tokens,), (batch,) -> (batch, dim)"""
        starts = lengths.cumsum(0) - lengths
        if not (self.embedding.sparse and self.embedding.weight.requires_grad and torch.is_grad_enabled()):
            return self.embedding(input_ids, starts)
        # Each touched row once: its gradient is summed where it is made, not for each token by itself.
        rows, place = input_ids.unique(return_inverse=True)
        table = F.embedding(rows, self.embedding.weight, sparse=True)  # (touched, dim)
        return F.embedding_bag(place, table, starts, mode="mean")

    def hidden_states(self, tokens: dict[str, Tensor]) -> tuple[Tensor, ...]:
        return (F.embedding(tokens["input_ids"], self.embedding.weight),)  # 1 of (batch, tokens, dim)

    def blocks(self) -> list[list[nn.Parameter]]:
        return [[self.embedding.weight]]

    def parameter_groups(self) -> dict[str, list[nn.Parameter]]:
        """One parameter, ``sparse`` unless ``embedding.sparse`` was switched off (MPS has no sparse gradients)."""
        kind = "sparse" if self.embedding.sparse else "dense"
        return {"dense": [], "sparse": []} | {kind: [self.embedding.weight]}

    def weights(self) -> dict[str, Tensor]:
        return {"embedding.weight": self.embedding.weight.detach()}

    def save(self, folder: Path) -> None:
        export.save_token_layer(self, folder)
