"""The masked-LM head: token vectors -> scores over the vocabulary, by way of the encoder's own word embeddings."""

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from embedlab.encoders.encoder import Encoder
from embedlab.errors import UnfitError

if TYPE_CHECKING:
    from transformers import PreTrainedConfig

# Where a configuration names the head's activation; the kinds that are not here always use GELU.
_ACTIVATION_FIELDS = {
    "bert": "hidden_act",
    "albert": "hidden_act",
    "deberta-v2": "hidden_act",
    "distilbert": "activation",
    "modernbert": "classifier_activation",
}


class LMHead(nn.Module):
    """Dense, activation, LayerNorm, then the word embeddings and a bias: BERT's and RoBERTa's output layer."""

    def __init__(self, config: "PreTrainedConfig", words: nn.Embedding, tensors: dict[str, Tensor] | None = None):
        """``words``: the embeddings it is tied to; ``tensors``: pretrained weights by our names, else it is fresh."""
        super().__init__()
        size = words.embedding_dim  # shorter than the token vectors in ELECTRA and ALBERT
        self._words = (words,)  # in a tuple, so that the tied table is neither saved nor trained a second time
        self.dense = nn.Linear(config.hidden_size, size)
        self.activation = _activation_of(config)
        self.norm = nn.LayerNorm(size, eps=getattr(config, "layer_norm_eps", getattr(config, "norm_eps", 1e-12)))
        self.bias = nn.Parameter(torch.zeros(words.num_embeddings))
        nn.init.normal_(self.dense.weight, std=config.initializer_range)
        nn.init.zeros_(self.dense.bias)
        if tensors:
            self.load_state_dict(tensors)

    def forward(self, vectors: Tensor) -> Tensor:
        """(…, hidden) -> (…, vocabulary)"""
        return F.linear(self.norm(self.activation(self.dense(vectors))), self._words[0].weight, self.bias)


def lm_head_of(encoder: Encoder) -> LMHead:
    """A head over the encoder's token vectors: the checkpoint's own where it had one, else fresh; tied to its words."""
    if "mlm_head" not in getattr(encoder, "provides", ()):
        raise UnfitError(
            "E-MLM-HEAD",
            f"A transformer with word embeddings is needed to predict tokens, but "
            f"{getattr(encoder, 'reference', 'this encoder')} is none. Choose another encoder or recipe.",
        )
    model = encoder.model
    return LMHead(model.config, model.get_input_embeddings(), encoder.head_weights).to(model.device)


def _activation_of(config: "PreTrainedConfig") -> nn.Module:
    from transformers.activations import ACT2FN

    field = _ACTIVATION_FIELDS.get(config.model_type)
    activation = "gelu" if field is None else getattr(config, field)
    if activation not in ACT2FN:
        raise UnfitError(
            "E-MLM-HEAD",
            f"config.json says {field!r} is {str(activation)[:40]!r}, which is no known activation, so no tokens can "
            "be predicted. Choose another encoder or recipe.",
        )
    return ACT2FN[activation]
