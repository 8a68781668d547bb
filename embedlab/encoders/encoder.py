"""What every encoder offers: texts to tokens, tokens to hidden states, hidden states to one vector."""

import hashlib
import threading
from abc import abstractmethod
from array import array
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from embedlab.encoder_catalog.adapter import AdapterConfig, is_of_adapter
from embedlab.encoders.parts import Parts
from embedlab.encoders.pooling import PROMPT_TOKENS, checked_pooling, pool, pooled_tokens, token_position
from embedlab.encoders.processes import Processes
from embedlab.errors import EncoderError, SettingsError, UnfitError
from embedlab.measurement import Note
from embedlab.prompts import Prompts, Role
from embedlab.tokenizer_trial import panic_said

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_ONE_LENGTH_AT_A_TIME = threading.Lock()  # batches are made by a thread while live texts are tokenized


class Encoder(nn.Module):
    """A tokenizer, weights and a pooling. Calling it gives one vector a text; ``save`` writes what other tools load."""

    adds_special_tokens = True
    layers: int  # hidden states are layers + 1: the embedding block's output comes first
    poolings: tuple[str, ...]  # those this encoder can be read with; token-7 stands for every token-N
    # "dropout": two passes differ while training; "context": tokens see each other; "mlm_head": hidden tokens can be
    # guessed; "decoder": there is a decoder of its own kind with cross-attention
    provides: frozenset[str]
    model: "PreTrainedModel"  # of one with layers; a token layer has none
    head_weights: dict[str, Tensor]  # the masked-LM head of its checkpoint, where it has a model

    def __init__(self, tokenizer: Tokenizer, *, reference: str, dim: int, pooling: str, max_length: int):
        super().__init__()
        self.tokenizer = tokenizer
        self.reference = reference
        self.dim = self.all_dimensions = dim  # of its vectors, and before some are left out
        self.dimensions_kept: int | None = None  # the first so many; None keeps all
        self.read_by(pooling)
        self.parts: Parts | None = None  # how a batch is divided while training; None reads it as it is padded
        self.embedding_precision = "fp32"  # or bf16: in which numbers it embeds where nobody says
        self.processes: Processes | None = None  # that share a batch while training
        self.adapter: AdapterConfig | None = None  # that trains in place of its own weights (adapters/lora.py)
        self.not_followed: tuple[Note, ...] = ()  # what its folder asks for and is not done
        self.prompts = Prompts()  # what is put before texts, by their role
        self.similarity = "cosine"  # by which its authors compare vectors, as sentence-transformers calls it
        self.max_length = max_length
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self.vocabulary_size = 1 + max(tokenizer.get_vocab(with_added_tokens=True).values())
        self.special_token_ids = {i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special}
        self.mask_token_id = self._id_of("[MASK]", "<mask>")
        self.padding_id = self._id_of("[PAD]", "<pad>") or 0
        self.unknown_token_id = self._id_of("[UNK]", "<unk>")
        self._prompt_tokens: dict[str, int] = {}

    def tokenize(
        self, texts: Sequence[str], max_length: int | None = None, *, role: Role = "document"
    ) -> list[list[int]]:
        """Token ids of each text behind the prompt of its role, at most ``max_length`` in all.

        With special tokens where the encoder has them.
        """
        if prompt := self.prompts.of(role):
            texts = [prompt + text for text in texts]
        limit = self._within_positions(self.max_length if max_length is None else max_length)
        with _ONE_LENGTH_AT_A_TIME:
            if self.tokenizer.truncation is None or self.tokenizer.truncation["max_length"] != limit:
                self.tokenizer.enable_truncation(limit)
            with panic_said(self.reference):
                encodings = self.tokenizer.encode_batch_fast(texts, add_special_tokens=self.adds_special_tokens)
        return [encoding.ids for encoding in encodings]

    def prompt_tokens(self, role: Role) -> int:
        """How many tokens of each text are its prompt's and are left out of the pooling, special ones before it too.

        Counted as sentence-transformers counts them: of the prompt alone, without a special token at its end.
        """
        if self.prompts.are_pooled or not (prompt := self.prompts.of(role)):
            return 0
        if prompt not in self._prompt_tokens:
            ids = self.tokenize([prompt], role="none")[0]
            self._prompt_tokens[prompt] = len(ids) - (bool(ids) and ids[-1] in self.special_token_ids)
        return self._prompt_tokens[prompt]

    def collate(
        self,
        token_lists: Sequence[Sequence[int]],
        device: torch.device | str = "cpu",
        *,
        widths: int = 1,
        role: Role = "document",
    ) -> dict[str, Tensor]:
        """One batch, padded on the right to a multiple of ``widths``, or to as many tokens as the encoder can take.

        -> input_ids, attention_mask: (batch, tokens); prompt_tokens: (batch, 1), where some are not pooled
        """
        lengths = np.array([len(ids) for ids in token_lists])
        longest = max(1, lengths.max(initial=0))
        width = -(-longest // widths) * widths
        width = width if self.positions is None else max(longest, min(width, self.positions))
        attention_mask = np.arange(width) < lengths[:, None]  # (batch, tokens)
        input_ids = np.full(attention_mask.shape, self.padding_id, dtype=np.int64)
        input_ids[attention_mask] = joined(token_lists)
        tokens = {
            "input_ids": torch.from_numpy(input_ids).to(device),
            "attention_mask": torch.from_numpy(attention_mask.astype(np.int64)).to(device),
        }
        if left_out := self.prompt_tokens(role):
            tokens[PROMPT_TOKENS] = torch.full((len(token_lists), 1), left_out, device=device)
        return tokens

    @abstractmethod
    def forward(self, tokens: dict[str, Tensor]) -> Tensor:
        """Pooled vectors.  input_ids, attention_mask: (batch, tokens) -> (batch, dim)"""

    @abstractmethod
    def hidden_states(self, tokens: dict[str, Tensor]) -> tuple[Tensor, ...]:
        """The embedding block's output and that of every layer: layers + 1 of (batch, tokens, dim)."""

    def token_vectors(self, tokens: dict[str, Tensor]) -> Tensor:
        """The last layer's hidden states, to be trained on; refused where there is none.  -> (batch, tokens, dim)"""
        raise UnfitError(
            "E-TOKEN-VECTORS",
            f"Token vectors that depend on their neighbors are needed, but {self.reference} has none. "
            "Choose a transformer, or another recipe.",
        )

    @abstractmethod
    def blocks(self) -> list[list[nn.Parameter]]:
        """The parameters in the order a text meets them: embedding block, then layer by layer."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write a folder that SentenceTransformer and ``load_encoder`` load; it appears whole or not at all."""

    @abstractmethod
    def weights(self) -> dict[str, Tensor]:
        """The named tensors that ``save`` stores."""

    def pool(self, hidden: Tensor, tokens: dict[str, Tensor], pooling: str | None = None) -> Tensor:
        """One vector a text from the hidden states of one layer.  (batch, tokens, dim) -> (batch, dim)"""
        pooling = self.pooling if pooling is None else self._supported(pooling)
        return pool(hidden, pooled_tokens(tokens), pooling)

    def read_out(self, hidden: Tensor, tokens: dict[str, Tensor], pooling: str | None = None) -> Tensor:
        """Return what the encoder makes of the last layer: pooled, and by whatever follows its pooling.

        By its own pooling these are its vectors.  (batch, tokens, hidden) -> (batch, dim)
        """
        return self.pool(hidden, tokens, pooling)[:, : self.dimensions_kept]

    def read_out_below(self, hidden: Tensor, tokens: dict[str, Tensor], pooling: str | None = None) -> Tensor:
        """Return the vectors of a layer below the last: pooled, and of length 1 where the encoder's vectors are.

        A Dense layer is left out, because it was trained on the last layer alone.
        (batch, tokens, hidden) -> (batch, hidden)
        """
        return self.pool(hidden, tokens, pooling)

    @property
    def has_dense(self) -> bool:
        """Whether a Dense layer maps its last layer's vectors into a space that the layers below do not share."""
        return False

    def can_read_by(self, pooling: str) -> bool:
        """Whether this encoder has the pooling; one that reads any token reads the n-th."""
        if "+" in pooling:  # only a transformer's vectors stand side by side
            return "token-7" in self.poolings and all(map(self.can_read_by, pooling.split("+")))
        return pooling in self.poolings or (token_position(pooling) is not None and "token-7" in self.poolings)

    def read_by(self, pooling: str) -> None:
        """Choose the pooling; one that does not fit this encoder is refused."""
        self.pooling = self._supported(pooling)

    def keep_dimensions(self, count: int) -> None:
        """Of each vector the first ``count`` dimensions from here on; more than there are is refused."""
        if not 1 <= count <= self.all_dimensions:
            raise SettingsError(
                "E-DIMENSIONS",
                f"{self.reference} has {self.all_dimensions:,} dimensions, but {count:,} are to be kept. "
                f"Choose at most {self.all_dimensions:,}.",
            )
        self.dim = self.dimensions_kept = count

    @property
    def width(self) -> int:
        """Dimensions of its hidden states; of a token layer those of its vectors."""
        return self.all_dimensions

    @property
    def remarks(self) -> tuple[Note, ...]:
        """How it reads texts where that is not what one expects, for wherever numbers of it stand."""
        return self.not_followed + prompts_remark(self.prompts)

    @property
    def exported_pooling(self) -> str:
        """How sentence-transformers reads the saved encoder: by its own pooling, or the nearest that they have."""
        return self.pooling

    def parameter_groups(self) -> dict[str, list[nn.Parameter]]:
        """The parameters that train, by the kind of gradient they get: ``dense`` and ``sparse``."""
        return {"dense": [parameter for parameter in self.parameters() if parameter.requires_grad], "sparse": []}

    def trained_state(self) -> dict[str, Tensor]:
        """What training changes, by its names in ``state_dict``: all of it, or the tensors of an adapter alone."""
        state = self.state_dict()
        return state if self.adapter is None else {name: value for name, value in state.items() if is_of_adapter(name)}

    def copied_state(self) -> dict[str, Tensor]:
        """A copy of ``trained_state`` in the processor's memory."""
        return {name: value.detach().to("cpu", copy=True) for name, value in self.trained_state().items()}

    def load_trained_state(self, tensors: dict[str, Tensor]) -> None:
        """What ``trained_state`` gave."""
        missing = set(self.trained_state()) - set(tensors)
        assert not missing, f"the state of another encoder: {sorted(missing)[:3]} are not in it"
        self.load_state_dict(tensors, strict=self.adapter is None)

    @property
    def is_causal(self) -> bool:
        """Whether a token sees only those before it."""
        return False

    def see_both_ways(self) -> None:
        """Let tokens see those behind them too, which only those of a decoder do not."""
        raise UnfitError(
            "E-BIDIRECTIONAL",
            f"Setting 'bidirectional' is for decoders, whose tokens see only those before them, and {self.reference} "
            "is none. Switch it off.",
        )

    def freeze(self, frozen_layers: int) -> None:
        """Keep the embedding block and the first ``frozen_layers`` layers as they are (crops paper, Figure 5a)."""
        if not self.layers:
            raise UnfitError(
                "E-FROZEN-LAYERS",
                f"Setting 'frozen_layers' is {frozen_layers}, but {self.reference} has no layers above the token "
                "vectors, which it freezes too. Leave it empty.",
            )
        if not 0 <= frozen_layers <= self.layers:
            raise UnfitError(
                "E-FROZEN-LAYERS",
                f"Setting 'frozen_layers' is {frozen_layers}, but {self.reference} has {self.layers} layers to freeze. "
                f"Choose a number from 0 to {self.layers - 1}.",
            )
        for parameter in self.parameters():
            parameter.requires_grad_(True)
        for block in self.blocks()[: frozen_layers + 1]:
            for parameter in block:
                parameter.requires_grad_(False)
        if not any(parameter.requires_grad for parameter in self.parameters()):
            raise UnfitError(
                "E-FROZEN-LAYERS",
                f"Setting 'frozen_layers' is {frozen_layers}, which freezes all of {self.reference}, so nothing is "
                f"trained. Choose a number from 0 to {self.layers - 1}.",
            )

    def weights_hash(self) -> str:
        """SHA-256 over name, type, shape and bytes of every stored tensor, in the order of their names."""
        digest = hashlib.sha256()
        for name, tensor in sorted(self.weights().items()):
            digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
            digest.update(tensor.detach().cpu().contiguous().view(torch.uint8).numpy().data)
        return digest.hexdigest()

    @property
    def positions(self) -> int | None:
        """The longest text the weights can take, in tokens; None where there is no limit."""
        return None

    def _within_positions(self, length: int) -> int:
        if length < 3:  # [CLS], one token, [SEP]
            raise SettingsError("E-LENGTH", f"Setting 'max_length' is {length}, but at least 3 tokens are needed.")
        if self.positions is not None and length > self.positions:
            raise EncoderError(
                "E-LENGTH",
                f"Setting 'max_length' is {length}, but {self.reference} has {self.positions} positions. "
                f"Choose at most {self.positions}.",
            )
        return length

    def _supported(self, pooling: str) -> str:
        pooling = checked_pooling(pooling)
        if not self.can_read_by(pooling):
            named = ", ".join(self.poolings).replace("token-7", "token-N with N counted from 0")
            raise UnfitError("E-POOLING", f"Pooling {pooling!r} does not fit {self.reference}. Choose from: {named}.")
        return pooling

    def _id_of(self, *names: str) -> int | None:
        return next((i for i in map(self.tokenizer.token_to_id, names) if i is not None), None)


def joined(token_lists: Sequence[Sequence[int]]) -> np.ndarray:
    """The ids of all texts end to end, copied as bytes where ``tokenize`` gave them.  -> int64 (tokens,)"""
    arrays = [ids for ids in token_lists if isinstance(ids, array) and ids.typecode == "i"]
    if len(arrays) == len(token_lists):
        return np.frombuffer(b"".join(arrays), np.intc).astype(np.int64)
    return np.fromiter(chain.from_iterable(token_lists), np.int64)


def prompts_remark(prompts: Prompts) -> tuple[Note, ...]:
    """That texts are read with prompts, and which; nothing where they are read as they are."""
    return () if prompts.sentence is None else (Note(code="I-ENCODER-PROMPTS", message=prompts.sentence),)
