"""What predicts tokens from an encoder's vectors: the masked-LM head, and a decoder that reads one vector (TSDAE)."""

import copy
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import torch
import torch.nn.functional as F
from safetensors import safe_open
from torch import Tensor, nn

from embedlab.encoder_catalog.adapter import is_of_adapter, plain_name
from embedlab.encoder_catalog.architectures import DECODER_TYPES
from embedlab.encoders.encoder import Encoder
from embedlab.encoders.folder_files import headers
from embedlab.errors import UnfitError

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel


class _Kind(NamedTuple):
    """What a head's parts are called in a checkpoint's file, and which field of config.json says its activation."""

    dense: str
    norm: str
    biases: tuple[str, ...]  # over the vocabulary; the first that is there
    activation: str | None = None  # None: always GELU


_BERT = _Kind(
    "cls.predictions.transform.dense",
    "cls.predictions.transform.LayerNorm",
    ("cls.predictions.bias", "cls.predictions.decoder.bias"),
    "hidden_act",
)
_ROBERTA = _Kind("lm_head.dense", "lm_head.layer_norm", ("lm_head.bias", "lm_head.decoder.bias"))
_KINDS = {
    "bert": _BERT,
    "deberta-v2": _BERT,
    "roberta": _ROBERTA,
    "xlm-roberta": _ROBERTA,
    "camembert": _ROBERTA,
    "mpnet": _ROBERTA,
    "electra": _Kind("generator_predictions.dense", "generator_predictions.LayerNorm", ("generator_lm_head.bias",)),
    "distilbert": _Kind("vocab_transform", "vocab_layer_norm", ("vocab_projector.bias",), "activation"),
    "albert": _Kind(
        "predictions.dense", "predictions.LayerNorm", ("predictions.bias", "predictions.decoder.bias"), "hidden_act"
    ),
    "gte": _Kind("lm_head.dense", "lm_head.norm", ("lm_head.decoder.bias", "lm_head.bias")),
    "jina_embeddings_v3": _ROBERTA,
    "nomic_bert": _BERT._replace(norm="cls.predictions.transform.layer_norm"),
    "modernbert": _Kind("head.dense", "head.norm", ("decoder.bias",), "classifier_activation"),
}
_LINEAR = ("eurobert",)  # kinds whose head is one linear layer, called lm_head


class LMHead(nn.Module):
    """Dense, activation, LayerNorm, then the word embeddings and a bias: BERT's and RoBERTa's output layer.

    transformers has no such layer by itself: DistilBERT, ELECTRA and ModernBERT spread theirs over the whole model.
    Tried with 5.23: ``AutoModelForMaskedLM`` around an encoder that hands back what it is given scores the same bit for
    bit, but the encoder's layers are built a second time (0.5 s for 24 of 1,024), the word table is one of its
    parameters, these are called otherwise in each kind (so checkpoints of runs begun before do not load), and a DeBERTa
    with ``legacy: false`` fails.
    """

    def __init__(self, config: "PreTrainedConfig", words: nn.Embedding, tensors: dict[str, Tensor] | None = None):
        """``words``: the embeddings it is tied to; ``tensors``: pretrained weights by our names, else it is fresh."""
        super().__init__()
        from transformers.activations import ACT2FN

        size = words.embedding_dim  # shorter than the token vectors in ELECTRA and ALBERT
        self._words = (words,)  # in a tuple, so that the tied table is neither saved nor trained a second time
        self.dense = nn.Linear(config.hidden_size, size)
        field = _KINDS[config.model_type].activation
        activation = "gelu" if field is None else getattr(config, field)
        if activation not in ACT2FN:
            raise UnfitError(
                "E-MLM-HEAD",
                f"config.json sets {field!r} to {str(activation)[:40]!r}, which is not a known activation, so no "
                "tokens can be predicted. Choose another encoder or recipe.",
            )
        self.activation = ACT2FN[activation]
        self.norm = nn.LayerNorm(size, eps=getattr(config, "layer_norm_eps", getattr(config, "norm_eps", 1e-12)))
        self.bias = nn.Parameter(torch.zeros(words.num_embeddings))
        nn.init.normal_(self.dense.weight, std=config.initializer_range)
        nn.init.zeros_(self.dense.bias)
        if tensors:
            self.load_state_dict(tensors)

    def forward(self, vectors: Tensor) -> Tensor:
        """(…, hidden) -> (…, vocabulary)"""
        vectors = self.norm(self.activation(self.dense(vectors)))
        return F.linear(vectors, self._words[0].weight.to(vectors.dtype), self.bias)


class LinearHead(nn.Module):
    """One linear layer, as EuroBERT's: the checkpoint's own weight, else the word embeddings, and a bias."""

    def __init__(self, words: nn.Embedding, tensors: dict[str, Tensor]):
        """``words``: the embeddings it is tied to where ``tensors`` are none."""
        super().__init__()
        self._words = (words,)  # in a tuple, as above
        self.weight = nn.Parameter(tensors["weight"].clone()) if tensors else None
        self.bias = nn.Parameter(tensors["bias"].clone() if tensors else torch.zeros(words.num_embeddings))

    def forward(self, vectors: Tensor) -> Tensor:
        """(…, hidden) -> (…, vocabulary)"""
        weight = self._words[0].weight if self.weight is None else self.weight
        return F.linear(vectors, weight.to(vectors.dtype), self.bias)


def word_embeddings(model: "PreTrainedModel") -> nn.Embedding:
    """The table of its tokens' vectors.  (vocabulary, dim)"""
    words = model.get_input_embeddings()
    assert isinstance(words, nn.Embedding)
    return words


def lm_head_of(encoder: Encoder) -> LMHead | LinearHead:
    """A head over the encoder's token vectors: the checkpoint's own where it had one, else fresh; tied to its words."""
    if "mlm_head" not in getattr(encoder, "provides", ()):
        raise UnfitError(
            "E-MLM-HEAD",
            "A transformer with word embeddings is needed to predict tokens, but "
            f"{getattr(encoder, 'reference', 'this encoder')} is not one. Choose another encoder or recipe.",
        )
    model = encoder.model
    words, tensors = word_embeddings(model), encoder.head_weights
    head = LinearHead(words, tensors) if model.config.model_type in _LINEAR else LMHead(model.config, words, tensors)
    return head.to(model.device)


def read_head_weights(
    files: list[Path], config: "PreTrainedConfig", *, vocabulary: int, word_dim: int
) -> dict[str, Tensor]:
    """The head in a folder's checked weight files; empty where there is none, or none of the shapes that are needed.

    ``vocabulary`` and ``word_dim`` are the shape of the word embeddings that the head is tied to. A dense layer or a
    LayerNorm without bias (ModernBERT) is one whose bias is zero.
    """
    stored = headers(files)
    there = {modern_name(name): (file, name, shape) for file in stored for name, shape in stored[file].items()}
    if config.model_type in _LINEAR:
        linear = {"weight": ("lm_head.weight", (vocabulary, word_dim)), "bias": ("lm_head.bias", (vocabulary,))}
        return _read(linear, there, optional={"bias"})
    names = _KINDS[config.model_type]
    bias = next((name for name in names.biases if name in there), names.biases[0])
    expected = {
        "dense.weight": (f"{names.dense}.weight", (word_dim, config.hidden_size)),
        "dense.bias": (f"{names.dense}.bias", (word_dim,)),
        "norm.weight": (f"{names.norm}.weight", (word_dim,)),
        "norm.bias": (f"{names.norm}.bias", (word_dim,)),
        "bias": (bias, (vocabulary,)),
    }
    return _read(expected, there, optional={"dense.bias", "norm.bias"})


def _read(
    expected: dict[str, tuple[str, tuple[int, ...]]],
    there: dict[str, tuple[Path, str, tuple[int, ...]]],
    *,
    optional: set[str],
) -> dict[str, Tensor]:
    """The tensors by our names, those that are optional zero where they are not there; empty where others are not."""
    missing = {name for name, (stored, _) in expected.items() if stored not in there}
    unfit = {name for name, (stored, shape) in expected.items() if name not in missing and there[stored][2] != shape}
    if unfit or not missing <= optional:
        return {}
    return {
        name: torch.zeros(shape) if name in missing else _tensor(*there[stored][:2])
        for name, (stored, shape) in expected.items()
    }


def modern_name(name: str) -> str:
    """LayerNorm's weight and bias are called gamma and beta in old files."""
    return re.sub(r"\.gamma$", ".weight", re.sub(r"\.beta$", ".bias", name))


def _tensor(file: Path, name: str) -> Tensor:
    with safe_open(file, framework="pt") as opened:
        return opened.get_tensor(name).to(torch.float32)


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
    if encoder.adapter is not None and encoder.adapter.base_weights != "fp32":
        raise UnfitError(
            "E-DECODER",
            "A decoder shares the encoder's weights in fp32, but adapter.base_weights is "
            f"{encoder.adapter.base_weights}. Set adapter.base_weights to fp32, or choose another recipe.",
        )
    config = copy.deepcopy(encoder.model.config)  # the encoder's layers go on reading their own
    config.is_decoder = config.add_cross_attention = True
    model = type(encoder.model)._from_config(config, attn_implementation=encoder.model.config._attn_implementation)
    model.pooler = None
    own = {plain_name(name): value for name, value in encoder.model.state_dict().items() if not is_of_adapter(name)}
    differing = model.load_state_dict(own, strict=False)
    assert not differing.unexpected_keys and all(".crossattention." in name for name in differing.missing_keys)
    theirs = encoder.model.named_parameters() if tied else ()  # beside an adapter they are frozen in both
    shared = {plain_name(name): each for name, each in theirs if not is_of_adapter(name)}
    for name, parameter in shared.items():
        module, _, last = name.rpartition(".")
        setattr(model.get_submodule(module), last, parameter)
    head = LMHead(config, word_embeddings(model), encoder.head_weights)
    return Decoder(model, head, tied=frozenset(f"model.{name}" for name in shared)).to(encoder.model.device)


def has_decoder(encoder: Encoder) -> bool:
    """Whether the encoder is of a kind with cross-attention and its vectors are as wide as its token vectors."""
    config = getattr(getattr(encoder, "model", None), "config", None)
    return config is not None and config.model_type in DECODER_TYPES and encoder.dim == config.hidden_size
