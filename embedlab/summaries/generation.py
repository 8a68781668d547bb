"""Texts are continued in groups: each is read once, every prompt continues from its cache; tokens are sampled.

By ``generate`` of transformers, with three parts of our own: tokens drawn by random numbers of each text alone, so
that a group that is worked on again gives the same; no n-gram of the text itself repeated, although ``generate`` does
not see the part that the cache holds, at a cost that does not grow with it; and Stop, looked for at each token.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from tokenizers import Encoding, Tokenizer
from torch import Tensor
from transformers import (
    DynamicCache,
    GenerationConfig,
    LogitsProcessor,
    LogitsProcessorList,
    StoppingCriteria,
    StoppingCriteriaList,
)

from embedlab.summaries.base import PROMPTS, Made, SourceText, joined, one_line, seed_of
from embedlab.summaries.safe_causal_loading import CausalModel

_CHARACTERS_A_TOKEN = 40  # more than any text has on average: what is longer is cut before it is tokenised


class Prompted(NamedTuple):
    """One text as the model reads it: the tokens before every prompt, and those ending with each prompt."""

    common: list[int]
    rests: list[list[int]]


def prompted(tokenizer: Tokenizer, source: str, prompts: Sequence[str], *, longest: int) -> Prompted:
    """``source`` followed by each prompt, at most ``longest`` tokens; a longer one loses its beginning.

    Each is tokenised whole, so that the tokens are the same as without the division; tokens that the tokenizer puts
    before every text stay where they are.
    """
    source = source[-_CHARACTERS_A_TOKEN * longest :]
    encodings = [tokenizer.encode(f"{source} {prompt}") for prompt in prompts]
    lists = [_without_end(encoding) for encoding in encodings]
    shared = 0
    while shared < min(map(len, lists)) - 1 and len({tokens[shared] for tokens in lists}) == 1:
        shared += 1
    before = next((i for i, special in enumerate(encodings[0].special_tokens_mask) if not special), 0)
    common, rests = lists[0][:shared], [tokens[shared:] for tokens in lists]
    room = longest - max(map(len, rests))
    if len(common) > room:
        common = common[:before] + common[len(common) - room + before :]
    return Prompted(common, rests)


@torch.inference_mode()
def continue_texts(
    loaded: CausalModel, group: Sequence[SourceText], sampling: Any, *, n: int, longest: int, tick: Callable[[], None]
) -> Iterator[Made]:
    """``n`` continuations of each prompt for every text of the group. They depend only on the group's texts.

    ``sampling``: a ``LocalConfig``, whose file imports this one.
    """
    sources = [joined(source.text, source.title) for source in group]
    texts = [prompted(loaded.tokenizer, source, PROMPTS, longest=longest) for source in sources]
    shape = (len(PROMPTS), n, sampling.max_new_tokens)  # random numbers of each text, the same wherever it is processed
    numbers = [np.random.default_rng(seed_of(sampling.seed, source)).random(shape) for source in sources]
    cache, mask = _read(loaded, [text.common for text in texts])
    written: list[list[str]] = [[] for _ in group]
    tokens = [0 for _ in group]
    for number in range(len(PROMPTS)):
        tick()
        uniforms = torch.from_numpy(np.concatenate([each[number] for each in numbers]))  # (texts * n, steps)
        ends = _continue(loaded, texts, number, copy.deepcopy(cache), mask, uniforms, sampling, n=n, tick=tick)
        for row, end in enumerate(ends):
            written[row // n].append(one_line(loaded.tokenizer.decode(end)))
            tokens[row // n] += len(end)
    for source, text, lines, count in zip(group, texts, written, tokens, strict=True):
        read = len(text.common) + n * sum(map(len, text.rests))
        yield Made(source.row, [line for line in lines if line], len(PROMPTS), read, count)


def _read(loaded: CausalModel, commons: list[list[int]]) -> tuple[DynamicCache, Tensor]:
    """The model's cache of the texts, padded on the left, and their attention mask  (texts, longest)."""
    tokens, mask = _padded_left(commons, loaded.padding_id, loaded.model.device)
    cache = DynamicCache(config=loaded.model.config)
    out = loaded.model(
        input_ids=tokens,
        attention_mask=mask,
        position_ids=(mask.cumsum(dim=1) - 1).clamp(min=0),
        past_key_values=cache,
        use_cache=True,
        logits_to_keep=1,
    )
    return out.past_key_values, mask


def _continue(
    loaded: CausalModel,
    texts: list[Prompted],
    number: int,
    cache: DynamicCache,
    mask: Tensor,
    uniforms: Tensor,
    sampling: Any,
    *,
    n: int,
    tick: Callable[[], None],
) -> list[list[int]]:
    """The tokens generated after one prompt, ``n`` rows per text, each up to its end or line break."""
    device = loaded.model.device
    rests, rest_mask = _padded_left([text.rests[number] for text in texts], loaded.padding_id, device)
    before = torch.full_like(mask, loaded.padding_id)  # generate cuts off what the cache holds already
    tokens = torch.cat([before, rests], dim=1).repeat_interleave(n, dim=0)
    cache.batch_repeat_interleave(n)
    begun = [text.common + text.rests[number] for text in texts for _ in range(n)]
    processors = [NoRepeatedGrams(sampling.no_repeat_ngram_size, begun)] if sampling.no_repeat_ngram_size else []
    seeded = SeededSampling(uniforms.to(device, torch.float32), tokens.shape[1], sampling)
    # generate is of the causal classes, of which PreTrainedModel is the common base
    generated = loaded.model.generate(  # type: ignore[operator]
        input_ids=tokens,
        attention_mask=torch.cat([mask, rest_mask], dim=1).repeat_interleave(n, dim=0),
        past_key_values=cache,
        generation_config=GenerationConfig(
            max_new_tokens=sampling.max_new_tokens,
            do_sample=False,
            num_beams=1,
            use_cache=True,
            pad_token_id=loaded.padding_id,
            eos_token_id=list(loaded.end_ids) or None,
        ),
        logits_processor=LogitsProcessorList([*processors, seeded]),
        stopping_criteria=StoppingCriteriaList([LineBreaks(loaded.breaks, tick)]),
    )
    return [_until_end(row, loaded.end_ids, loaded.break_ids) for row in generated[:, tokens.shape[1] :].tolist()]


def _until_end(tokens: list[int], ends: frozenset[int], breaks: frozenset[int]) -> list[int]:
    """Up to the end of text, or to the first token with a line break, inclusive."""
    for position, token in enumerate(tokens):
        if token in ends:
            return tokens[:position]
        if token in breaks:
            return tokens[: position + 1]
    return tokens


def _padded_left(lists: list[list[int]], padding: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Tokens and attention mask  (rows, longest)."""
    longest = max(map(len, lists))
    tokens = torch.tensor([[padding] * (longest - len(each)) + each for each in lists], device=device)
    mask = torch.tensor([[0] * (longest - len(each)) + [1] * len(each) for each in lists], device=device)
    return tokens, mask


def _without_end(encoding: Encoding) -> list[int]:
    """The tokens without special ones that a tokenizer appends: a finished text would not be continued."""
    last = len(encoding.ids)
    while last > 0 and encoding.special_tokens_mask[last - 1]:
        last -= 1
    return encoding.ids[:last]


def drawn(scores: Tensor, uniforms: Tensor, *, temperature: float, top_k: int, top_p: float) -> Tensor:
    """One token per row, by inverse transform sampling with the row's random number.

    Drawn from the ``top_k`` likeliest tokens (0: all), and of these from the fewest whose shares come to ``top_p``.
    scores: (rows, vocabulary), uniforms: (rows,) in [0, 1) -> (rows,)
    """
    k = min(top_k, scores.shape[1]) if top_k else scores.shape[1]
    likeliest, tokens = (scores.float() / temperature).topk(k)  # (rows, k), falling
    shares = likeliest.softmax(dim=1)
    nucleus = (shares.cumsum(dim=1) - shares < top_p).sum(dim=1, keepdim=True)  # (rows, 1)
    shares = shares * (torch.arange(k, device=scores.device) < nucleus)
    reached = shares.cumsum(dim=1)  # (rows, k)
    index = (reached <= uniforms[:, None] * reached[:, -1:]).sum(dim=1, keepdim=True)  # (rows, 1)
    return tokens.gather(1, torch.minimum(index, nucleus - 1)).squeeze(1)


class SeededSampling(LogitsProcessor):
    """Masks all but the sampled token, so that greedy search follows it. uniforms: (rows, steps)"""

    def __init__(self, uniforms: Tensor, begin: int, sampling: Any) -> None:
        self.uniforms, self.begin, self.sampling = uniforms, begin, sampling

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        uniforms, how = self.uniforms[:, input_ids.shape[1] - self.begin], self.sampling
        tokens = drawn(scores, uniforms, temperature=how.temperature, top_k=how.top_k, top_p=how.top_p)
        return torch.full_like(scores, -torch.inf).scatter(1, tokens[:, None], 0.0)


class NoRepeatedGrams(LogitsProcessor):
    """No sequence of ``size`` tokens repeats; each row's n-grams are kept incrementally.

    The same as transformers' NoRepeatNGramLogitsProcessor, whose time grows with the length of the text at every step.
    """

    def __init__(self, size: int, begun: list[list[int]]) -> None:
        """``begun``: the tokens that each row continues."""
        self.size = size
        self.written = [list(tokens) for tokens in begun]
        self.followers: list[dict[tuple, list[int]]] = [{} for _ in begun]
        for row, tokens in enumerate(begun):
            for end in range(size, len(tokens) + 1):
                self._note(row, tokens[end - size : end])
        self._has_begun = False

    def _note(self, row: int, gram: list[int]) -> None:
        self.followers[row].setdefault(tuple(gram[:-1]), []).append(gram[-1])

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        scores = scores.clone()
        for row, token in enumerate(input_ids[:, -1].tolist()):
            written = self.written[row]
            if self._has_begun:
                written.append(token)
                if len(written) >= self.size:
                    self._note(row, written[-self.size :])
            if banned := self.followers[row].get(tuple(written[len(written) - self.size + 1 :])):
                scores[row, banned] = -torch.inf
        self._has_begun = True
        return scores


class LineBreaks(StoppingCriteria):
    """A row is finished once it has generated a token with a line break. breaks: (vocabulary,) bool"""

    def __init__(self, breaks: Tensor, tick: Callable[[], None]) -> None:
        self.breaks, self.tick = breaks, tick

    def __call__(self, input_ids: Tensor, scores: Tensor, **_: Any) -> Tensor:
        self.tick()
        return self.breaks[input_ids[:, -1]]
