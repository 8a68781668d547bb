"""Masked language modelling: masked tokens are predicted from the tokens around them (BERT; TSDAE, section 5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from embedlab.augmentations.base import HIDDEN, IGNORED
from embedlab.config import NoSettings
from embedlab.later import F, Tensor
from embedlab.objectives.base import Objective, Tokens

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder


class MLM(Objective[NoSettings]):
    """Cross-entropy of the masked tokens over the vocabulary, through a head tied to the word embeddings.

    How much is masked is set in the augmentation.
    """

    key = "mlm"
    title = "Masked language model"
    sentence = "Predict the hidden tokens of a text from the others; whole texts are not compared."
    formula = r"-\frac{1}{|M|}\sum_{t \in M} \log\frac{e^{h_t^\top e_{x_t}}}{\sum_v e^{h_t^\top e_v}}"
    paper = "TSDAE, section 5.2; BERT"
    cites = ("devlin2019bert",)
    needs = frozenset({"context", "mlm_head"})
    takes = HIDDEN

    def __init__(self, config: NoSettings, encoder: Encoder):
        from embedlab.encoders.token_prediction import lm_head_of

        super().__init__(config, encoder)
        self.head = lm_head_of(encoder)

    def forward(self, encoder: Encoder, views: list[Tokens]) -> dict[str, Tensor]:
        """The first view is read, the second holds the tokens to predict."""
        read, guessed = views
        chosen = are_chosen(guessed)  # (batch, tokens)
        scores = self.head(encoder.token_vectors(read)[chosen]).float()  # (chosen, vocabulary)
        tokens = guessed["input_ids"][chosen]  # (chosen,)
        return {"loss": token_cross_entropy(scores, tokens), "token_accuracy": token_accuracy(scores, tokens)}


def are_chosen(guessed: Tokens) -> Tensor:
    """The positions at which a token is predicted; padding is excluded. -> (batch, tokens), bool"""
    return (guessed["input_ids"] != IGNORED) & guessed["attention_mask"].bool()


def token_cross_entropy(scores: Tensor, tokens: Tensor) -> Tensor:
    """Mean cross-entropy over all predicted tokens of a batch; 0 without any. (tokens, vocabulary), (tokens,) -> ()"""
    return F.cross_entropy(scores, tokens, reduction="sum") / max(1, len(tokens))


def token_accuracy(scores: Tensor, tokens: Tensor) -> Tensor:
    """The share of tokens with the highest score. (tokens, vocabulary), (tokens,) -> ()"""
    return (scores.detach().argmax(dim=1) == tokens).float().sum() / max(1, len(tokens))
