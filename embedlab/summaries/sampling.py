"""Which token comes next: top-k and top-p sampling in which each row has random numbers of its own."""

from collections.abc import Callable

import torch
from torch import Tensor
from transformers import LogitsProcessor, StoppingCriteria


def drawn(scores: Tensor, uniforms: Tensor, *, temperature: float, top_k: int, top_p: float) -> Tensor:
    """One token a row: the one in whose share of the probability the row's random number falls.

    Drawn from the ``top_k`` likeliest tokens (0: all), and of these from the fewest whose shares come to ``top_p``.
    scores: (rows, vocabulary), uniforms: (rows,) in [0, 1) -> (rows,)
    """
    k = min(top_k, scores.shape[1]) if top_k else scores.shape[1]
    likeliest, tokens = (scores.float() / temperature).topk(k)  # (rows, k), falling
    shares = likeliest.softmax(dim=1)
    kept = (shares.cumsum(dim=1) - shares < top_p).sum(dim=1, keepdim=True)  # (rows, 1)
    shares = shares * (torch.arange(k, device=scores.device) < kept)
    reached = shares.cumsum(dim=1)  # (rows, k)
    place = (reached <= uniforms[:, None] * reached[:, -1:]).sum(dim=1, keepdim=True)  # (rows, 1)
    return tokens.gather(1, torch.minimum(place, kept - 1)).squeeze(1)


class SeededSampling(LogitsProcessor):
    """Leaves only the drawn token, so that a greedy search follows it.  uniforms: (rows, steps)"""

    def __init__(self, uniforms: Tensor, begin: int, **shape):
        self.uniforms, self.begin, self.shape = uniforms, begin, shape

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        tokens = drawn(scores, self.uniforms[:, input_ids.shape[1] - self.begin], **self.shape)
        return torch.full_like(scores, -torch.inf).scatter(1, tokens[:, None], 0.0)


class NoRepeatedGrams(LogitsProcessor):
    """No ``size`` tokens in a row come twice; each row's pairs of beginning and end are kept, not looked up anew.

    The same as transformers' NoRepeatNGramLogitsProcessor, whose time grows with the length of the text at every step.
    """

    def __init__(self, size: int, begun: list[list[int]]):
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
            if len(written) >= self.size - 1:
                banned = self.followers[row].get(tuple(written[len(written) - self.size + 1 :]))
                if banned:
                    scores[row, banned] = -torch.inf
        self._has_begun = True
        return scores


class LineBreaks(StoppingCriteria):
    """A row is finished once it wrote a token with a line break.  breaks: (vocabulary,) bool"""

    def __init__(self, breaks: Tensor, tick: Callable[[], None]):
        self.breaks, self.tick = breaks, tick

    def __call__(self, input_ids: Tensor, scores: Tensor, **_) -> Tensor:
        self.tick()
        return self.breaks[input_ids[:, -1]]
