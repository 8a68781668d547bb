"""TSDAE: a decoder writes the whole text from one vector of its damaged copy (TSDAE, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from embedlab.augmentations.base import DAMAGED
from embedlab.config import Config
from embedlab.later import Tensor, nn
from embedlab.objectives.base import Objective, Tokens
from embedlab.objectives.mlm import token_accuracy, token_cross_entropy

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder


class TSDAEConfig(Config):
    """What the decoder shares with the encoder."""

    tied: bool = Field(
        True, description="Encoder and decoder share all weights except cross-attention and output head."
    )


class TSDAE(Objective[TSDAEConfig]):
    """Cross-entropy of each token given those before it and the vector of the damaged text."""

    key = "tsdae"
    title = "Denoising decoder"
    sentence = "Reconstruct the whole text, token by token, from the single vector of its damaged copy."
    formula = (
        r"-\frac{1}{l}\sum_{t=1}^{l} \log\frac{e^{h_t^\top e_{x_t}}}{\sum_v e^{h_t^\top e_v}}, \quad"
        r" h_t = \text{decoder}(x_{<t}, s(\tilde{x}))"
    )
    paper = "TSDAE, sections 3.1 and 3.2, appendix A"
    cites = ("wang2021tsdae",)
    needs = frozenset({"context", "decoder"})
    takes = DAMAGED
    config_class = TSDAEConfig

    def __init__(self, config: TSDAEConfig, encoder: Encoder):
        from embedlab.encoders.token_prediction import decoder_of

        super().__init__(config, encoder)
        self.decoder = decoder_of(encoder, tied=config.tied)

    def forward(self, encoder: Encoder, views: list[Tokens]) -> dict[str, Tensor]:
        """The first view is the damaged text, the second the text itself, from its first token to its last."""
        damaged, text = views
        before, following = text["input_ids"][:, :-1], text["input_ids"][:, 1:]  # (batch, tokens − 1) each
        is_token = text["attention_mask"][:, 1:].bool()  # (batch, tokens − 1); padding is not to be written
        hidden = self.decoder(before, vectors=encoder(damaged), vector_mask=damaged["attention_mask"][:, :1])
        scores = self.decoder.head(hidden[is_token]).float()  # (real tokens, vocabulary)
        tokens = following[is_token]  # (real tokens,)
        return {"loss": token_cross_entropy(scores, tokens), "token_accuracy": token_accuracy(scores, tokens)}

    def parameter_groups(self) -> dict[str, list[nn.Parameter]]:
        """Only what is not the encoder's own."""
        return {"dense": [p for p in self.decoder.own_parameters() if p.requires_grad], "sparse": []}
