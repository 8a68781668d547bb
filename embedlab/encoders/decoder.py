"""The decoder of an encoder's own kind: it looks only back, and at one vector of a text (TSDAE, section 3.2)."""

import copy
from typing import TYPE_CHECKING

from torch import Tensor, nn

from embedlab.encoders.catalog import DECODER_TYPES
from embedlab.encoders.encoder import Encoder
from embedlab.encoders.lm_head import LMHead
from embedlab.errors import UnfitError

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class Decoder(nn.Module):
    """Causal layers with cross-attention to one vector a text, and a head that scores the next token.

    ``tied``: the names of its parameters that are the encoder's own tensors.
    """

    def __init__(self, model: "PreTrainedModel", head: LMHead, *, tied: frozenset[str] = frozenset()):
        super().__init__()
        self.model = model
        self.head = head
        self.tied = tied

    def forward(self, input_ids: Tensor, *, vectors: Tensor, vector_mask: Tensor) -> Tensor:
        """Token vectors, each made of the tokens up to it and the text's vector; ``head`` scores them.

        input_ids: (batch, tokens), vectors: (batch, dim), vector_mask: (batch, 1) -> (batch, tokens, dim)
        """
        return self.model(
            input_ids=input_ids,  # padding needs no mask: it comes after the tokens, and they look only back
            encoder_hidden_states=vectors.unsqueeze(1),  # (batch, 1, dim)
            encoder_attention_mask=vector_mask,
            use_cache=False,
        ).last_hidden_state

    def own_parameters(self) -> list[nn.Parameter]:
        """The parameters that are not the encoder's: cross-attention and head, or everything where nothing is tied."""
        return [parameter for name, parameter in self.named_parameters() if name not in self.tied]


def decoder_of(encoder: Encoder, *, tied: bool) -> Decoder:
    """A decoder that starts from the encoder's weights; only its cross-attention is new (from torch's random numbers).

    ``tied``: every parameter that both have stays one tensor, which both train (TSDAE, appendix A).
    """
    if not has_decoder(encoder):
        raise UnfitError(
            "E-DECODER",
            f"A decoder is built for {', '.join(DECODER_TYPES)} whose vector has the width of its token vectors, but "
            f"{getattr(encoder, 'reference', 'this encoder')} is no such encoder. Choose another encoder or recipe.",
        )
    config = copy.deepcopy(encoder.model.config)  # the encoder's layers go on reading their own
    config.is_decoder = config.add_cross_attention = True
    attention = encoder.model.config._attn_implementation
    model = type(encoder.model)._from_config(config, attn_implementation=attention)
    model.pooler = None
    differing = model.load_state_dict(encoder.model.state_dict(), strict=False)
    assert not differing.unexpected_keys and all(".crossattention." in name for name in differing.missing_keys)
    names = _tie(model, encoder.model) if tied else []
    head = LMHead(config, model.get_input_embeddings(), encoder.head_weights)
    return Decoder(model, head, tied=frozenset(f"model.{name}" for name in names)).to(encoder.model.device)


def has_decoder(encoder: Encoder) -> bool:
    """Whether the encoder is of a kind with cross-attention and its vectors are as wide as its token vectors."""
    config = getattr(getattr(encoder, "model", None), "config", None)
    return config is not None and config.model_type in DECODER_TYPES and encoder.dim == config.hidden_size


def _tie(decoder: "PreTrainedModel", encoder: "PreTrainedModel") -> list[str]:
    """Put the encoder's own parameters in the places of the decoder's of the same names, which are given back."""
    shared = dict(encoder.named_parameters())
    for name, parameter in shared.items():
        module, _, last = name.rpartition(".")
        setattr(decoder.get_submodule(module), last, parameter)
    return list(shared)
