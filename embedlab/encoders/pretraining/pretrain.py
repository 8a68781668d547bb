"""Pretrain a small BERT to predict hidden tokens: from word statistics, on packed blocks, resumable."""

import json
import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors import safe_open
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor
from transformers import BertConfig, BertForMaskedLM

from embedlab.encoders.pretraining.packing import IGNORED, Special, block, count_blocks, hidden
from embedlab.store_root import atomic_write, write_json

BATCH_TOKENS = 4096
SHORT, LONG = 128, 256  # tokens of a block; the last fifth is read in long ones, so that every position is trained
_LONG_FROM = 0.8
_DECAY_FROM = 0.6  # the learning rate falls linearly to zero over the rest
_WARM_UP_STEPS = 200
_CHECKPOINT_SECONDS = 300
_POSITION_SCALE = 0.25  # positions begin smaller than token vectors, which they would drown in the mean over a text
_MEASURED_BLOCKS = 256  # of each held-out stream
_MOMENTS = ("step", "exp_avg", "exp_avg_sq")  # of AdamW, for each parameter


@dataclass(frozen=True)
class Shape:
    """How large an encoder is."""

    layers: int
    dim: int
    heads: int


SHAPES = {"mini": Shape(layers=4, dim=192, heads=3), "tiny": Shape(layers=2, dim=128, heads=2)}


@dataclass(frozen=True)
class Plan:
    """What is read, and how it is learned from."""

    tokens: int  # in all
    learning_rate: float = 1.5e-3
    masking_rate: float = 0.2
    shares: tuple[float, ...] = (0.35, 0.65)  # of a batch, of abstracts and of documentation
    token_vectors_rate: float = 0.1  # part of the learning rate: token vectors keep what counting found
    seed: int = 0

    @property
    def steps(self) -> int:
        """Optimizer steps."""
        return math.ceil(self.tokens / BATCH_TOKENS)

    def length(self, step: int) -> int:
        """Tokens of a block at a step."""
        return LONG if step >= _LONG_FROM * self.steps else SHORT

    def rate(self, step: int) -> float:
        """Learning rate at a step: warm-up, plateau, linear fall to zero."""
        warm = min(1.0, (step + 1) / _WARM_UP_STEPS)
        left = (self.steps - step) / ((1 - _DECAY_FROM) * self.steps)
        return self.learning_rate * min(warm, left, 1.0)


def new_model(
    shape: Shape, tokenizer: Tokenizer, token_vectors: np.ndarray, frequencies: np.ndarray
) -> BertForMaskedLM:
    """Return an untrained model whose token vectors and output bias come from counting.

    token_vectors: (vocabulary, dim), frequencies: (vocabulary,)
    """
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=shape.dim,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        intermediate_size=4 * shape.dim,
        max_position_embeddings=LONG,
        pad_token_id=tokenizer.token_to_id("[PAD]"),
        hidden_dropout_prob=0.0,  # few parameters, many tokens: nothing to regularize
        attention_probs_dropout_prob=0.0,
    )
    model = BertForMaskedLM._from_config(config, attn_implementation="sdpa")
    with torch.no_grad():
        model.bert.embeddings.word_embeddings.weight.copy_(torch.from_numpy(token_vectors))
        model.bert.embeddings.position_embeddings.weight.mul_(_POSITION_SCALE)
        model.bert.embeddings.token_type_embeddings.weight.mul_(_POSITION_SCALE)
        share = (frequencies + 1) / (frequencies.sum() + len(frequencies))
        model.cls.predictions.bias.copy_(torch.from_numpy(np.log(share)).float())
    return model


def batch(
    streams: Sequence[np.ndarray], plan: Plan, step: int, special: Special, vocabulary_size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return a step's tokens to read and to predict; the same for the same plan and step.  -> 2 x (blocks, tokens)"""
    length = plan.length(step)
    blocks = BATCH_TOKENS // length
    rng = np.random.default_rng([plan.seed, step])
    chosen = []
    for tokens, share in zip(streams, plan.shares, strict=True):
        numbers = rng.integers(0, count_blocks(tokens, length=length), round(blocks * share))
        shifts = rng.integers(0, length - 2, len(numbers))
        for number, shift in zip(numbers, shifts, strict=True):
            chosen.append(block(tokens, int(number), length=length, shift=int(shift), special=special))
    return hidden(np.stack(chosen), rng, rate=plan.masking_rate, vocabulary_size=vocabulary_size, special=special)


def scores_of(model: BertForMaskedLM, read: np.ndarray, guessed: np.ndarray) -> tuple[Tensor, Tensor]:
    """Return scores at the hidden positions alone, and the tokens that stood there."""
    expected = torch.from_numpy(guessed)
    states = model.bert(torch.from_numpy(read)).last_hidden_state  # (blocks, tokens, dim)
    chosen = expected != IGNORED
    return model.cls.predictions(states[chosen]).float(), expected[chosen]


def measure(model: BertForMaskedLM, held_out: dict[str, np.ndarray], special: Special) -> dict[str, float]:
    """Return the share of hidden tokens that are guessed, by stream, and of the most frequent token for comparison."""
    model.eval()
    right = {}
    for name, tokens in held_out.items():
        rng = np.random.default_rng(1)
        count = min(_MEASURED_BLOCKS, count_blocks(tokens, length=SHORT))
        blocks = np.stack([block(tokens, n, length=SHORT, shift=0, special=special) for n in range(count)])
        read, guessed = hidden(blocks, rng, rate=0.15, vocabulary_size=model.config.vocab_size, special=special)
        hits: list[Tensor] = []
        truth: list[Tensor] = []
        with torch.inference_mode():
            for start in range(0, count, 32):
                scores, expected = scores_of(model, read[start : start + 32], guessed[start : start + 32])
                hits.append((scores.argmax(1) == expected).float())
                truth.append(expected)
        right[name] = float(torch.cat(hits).mean())
        right[f"{name}, most frequent token"] = float(torch.bincount(torch.cat(truth)).max() / len(torch.cat(truth)))
    model.train()
    return right


def pretrain(
    model: BertForMaskedLM,
    streams: Sequence[np.ndarray],
    held_out: dict[str, np.ndarray],
    plan: Plan,
    special: Special,
    folder: Path,
) -> None:
    """Train; write ``checkpoint.safetensors`` and a line of ``log.jsonl`` every five minutes, and go on from them."""
    token_vectors = model.bert.embeddings.word_embeddings.weight
    others = [parameter for parameter in model.parameters() if parameter is not token_vectors]
    groups = [{"params": others, "part": 1.0}, {"params": [token_vectors], "part": plan.token_vectors_rate}]
    optimizer = torch.optim.AdamW(groups, lr=plan.learning_rate, betas=(0.9, 0.98), weight_decay=0.01)
    checkpoint = folder / "checkpoint.safetensors"
    step, seconds = _restore(checkpoint, model, optimizer) if checkpoint.exists() else (0, 0.0)
    losses = []
    model.train()
    begun = saved = time.monotonic()
    while step < plan.steps:
        if plan.length(step) == LONG and (step == 0 or plan.length(step - 1) == SHORT):
            with torch.no_grad():  # positions never read so far start as those that were
                positions = model.bert.embeddings.position_embeddings.weight
                positions[SHORT:].copy_(positions[: LONG - SHORT])
        read, guessed = batch(streams, plan, step, special, model.config.vocab_size)
        with torch.autocast("cpu", torch.bfloat16):
            scores, expected = scores_of(model, read, guessed)
        loss = F.cross_entropy(scores, expected)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = plan.rate(step) * group["part"]
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
        step += 1
        now = time.monotonic()
        if now - saved >= _CHECKPOINT_SECONDS or step == plan.steps:
            spent = seconds + now - begun
            progress = {"step": step, "tokens": step * BATCH_TOKENS, "seconds": round(spent)}
            line = progress | {"loss": float(np.mean(losses))} | measure(model, held_out, special)
            with (folder / "log.jsonl").open("a", encoding="utf-8") as log:
                log.write(json.dumps(line) + "\n")
            _save(checkpoint, model, optimizer, step, spent)
            saved, losses = time.monotonic(), []
    write_json(folder / "plan.json", asdict(plan))


def _save(file: Path, model: BertForMaskedLM, optimizer: torch.optim.AdamW, step: int, seconds: float) -> None:
    """Write each parameter with its moments, and how far the training is."""
    tensors = {}
    for name, parameter in model.named_parameters():  # a tied one once
        tensors[f"{name} weights"] = parameter.detach()
        for part in _MOMENTS:
            tensors[f"{name} {part}"] = optimizer.state[parameter][part]
    with atomic_write(file) as temporary:
        save_file(tensors, temporary, metadata={"step": str(step), "seconds": str(seconds)})


def _restore(file: Path, model: BertForMaskedLM, optimizer: torch.optim.AdamW) -> tuple[int, float]:
    """Give model and optimizer what was written; return the steps that are done and the seconds that they took."""
    with torch.no_grad(), safe_open(file, framework="pt") as stored:
        for name, parameter in model.named_parameters():
            parameter.copy_(stored.get_tensor(f"{name} weights"))
            optimizer.state[parameter] = {part: stored.get_tensor(f"{name} {part}") for part in _MOMENTS}
        facts = stored.metadata()
    return int(facts["step"]), float(facts["seconds"])
