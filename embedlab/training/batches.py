"""Corpus -> views -> token lists, prepared while the device works; a pure function of seed, epoch and text."""

import queue
import random
import threading
from array import array
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from embedlab.augmentations.base import GIVEN, PAIRS, SAMPLED, SCORED, Augmentation, Vocabulary
from embedlab.errors import UnfitError
from embedlab.prompts import PromptSettings, Role

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder

AHEAD = 6  # batches ready before the device asks
REMEMBERED_TOKENS = 2**24  # of strings that later epochs draw again: 64 MB
TokenLists = list[list[int]]
RoleAndText = tuple[Role, str]


@dataclass(frozen=True)
class Batch:
    """The views of some texts: one list of token lists per view.

    ``groups``: the classes of the texts, numbered, where the pairs are made of classes.  (batch,) of int, or None
    ``targets``: the scores of scored pairs, from 0 to 1.  (batch,) float32, or None
    ``guide``: vectors of a guide encoder.  (batch, views, dim) float32, or None
    ``roles``: of each view, by which its prompt is chosen; without, all are documents
    """

    step: int
    rows: np.ndarray
    views: list[TokenLists]
    groups: np.ndarray | None = None
    targets: np.ndarray | None = None
    roles: tuple[Role, ...] = ()
    guide: np.ndarray | None = None

    def collated(self, encoder: "Encoder", device: str) -> list[dict[str, torch.Tensor]]:
        """The tokens of each view, as its role is read."""
        document: Role = "document"
        roles = self.roles or (document,) * len(self.views)
        return [encoder.collate(view, device, role=role) for view, role in zip(self.views, roles, strict=True)]

    def told(self, device: str) -> dict[str, torch.Tensor]:
        """What an objective receives besides the views: groups, targets and a guide's vectors, where there are any."""
        each_kind = {"groups": self.groups, "targets": self.targets, "guide": self.guide}
        return {name: torch.from_numpy(each).to(device) for name, each in each_kind.items() if each is not None}


class Batches:
    """The batches of a run from any step on; order and views of epoch e depend only on seed and e."""

    def __init__(
        self,
        *,
        augmentation: Augmentation,
        encoder: "Encoder",
        batch_size: int,
        seed: int,
        max_length: int | None = None,
        prompts: PromptSettings | None = None,
        guide: Callable[[np.ndarray], np.ndarray] | None = None,
    ):
        """``max_length``: tokens read of each view; None means the encoder's own limit.

        ``guide``: rows -> the vectors of a guide encoder, (batch, views, dim)
        """
        self.augmentation = augmentation
        self.guide = guide
        self.prompts = PromptSettings() if prompts is None else prompts
        self.rows = np.asarray([row for row in augmentation.rows if augmentation.usable(row)], dtype=np.int64)
        self.encoder = encoder
        self._remembered: dict[RoleAndText, array] | None = None  # token ids, where epochs repeat
        self._room = REMEMBERED_TOKENS
        self.batch_size = batch_size
        self.seed = seed
        self.max_length = max_length
        longest = encoder.max_length if max_length is None else max_length
        self.vocabulary = vocabulary_of(encoder, longest)
        if augmentation.mask_is_needed and encoder.mask_token_id is None:
            raise UnfitError(
                "E-UNFIT",
                f"{augmentation.title} hides tokens behind a mask token, but the vocabulary of {encoder.reference} has "
                "none. Choose another recipe or encoder.",
            )

    @property
    def per_epoch(self) -> int:
        """Steps in an epoch; the last, smaller batch is kept unless a single text would be left."""
        full, rest = divmod(len(self.rows), self.batch_size)
        return full + (rest > 1)

    def order(self, epoch: int) -> np.ndarray:
        """The rows of an epoch, shuffled."""
        return np.random.default_rng([self.seed, epoch]).permutation(self.rows)

    def at(self, step: int) -> Batch:
        """The batch of one step."""
        epoch, batch = divmod(step, self.per_epoch)
        if getattr(self, "_kept_epoch", None) != epoch:
            self._kept_epoch, self._kept_order = epoch, self.order(epoch)
        return self._make(step, self._kept_order[batch * self.batch_size : (batch + 1) * self.batch_size], epoch)

    def made_of(self, rows: np.ndarray) -> Batch:
        """One batch of these rows, with views that occur in no epoch."""
        return self._make(0, rows, -1)

    def _make(self, step: int, rows: np.ndarray, epoch: int) -> Batch:
        randoms = [random.Random(f"{self.seed}.{epoch}.{row}") for row in rows]
        pairs = []
        for position, (row, rng) in enumerate(zip(rows.tolist(), randoms, strict=True)):
            views = self.augmentation.views(row, rng, position)
            assert views is not None, "a row that gives no views was taken"
            pairs.append(views)
        kind = self.augmentation.kind
        are_given = kind in (GIVEN, SCORED)
        roles = self.prompts.roles(len(pairs[0]), are_pairs=are_given or kind in (PAIRS, SAMPLED), are_given=are_given)
        tokens = iter(self._tokenized([each for pair in pairs for each in zip(roles, pair, strict=True)]))
        worked = [
            self.augmentation.on_tokens(tuple(next(tokens) for _ in pair), self.vocabulary, rng)
            for pair, rng in zip(pairs, randoms, strict=True)
        ]
        groups = numbered([self.augmentation.group(row) for row in rows.tolist()])
        scores = [self.augmentation.target(row) for row in rows.tolist()]
        targets = None if None in scores else np.array(scores, np.float32)
        guide = None if self.guide is None else self.guide(rows)
        return Batch(step, rows, [list(view) for view in zip(*worked, strict=True)], groups, targets, roles, guide)

    def _tokenized(self, strings: list[RoleAndText]) -> TokenLists:
        """The token ids of each string; strings tokenized in an earlier epoch are reused."""
        remembered = {} if self._remembered is None else self._remembered
        new = [each for each in dict.fromkeys(strings) if each not in remembered]
        read: dict[RoleAndText, list[int]] = {}
        for role in dict.fromkeys(role for role, _ in new):
            of_role = [each for each in new if each[0] == role]
            ids = self.encoder.tokenize([string for _, string in of_role], self.max_length, role=role)
            read |= dict(zip(of_role, ids, strict=True))
        if self._remembered is not None and self._room > 0:
            self._remembered.update((each, array("i", ids)) for each, ids in read.items())
            self._room -= sum(map(len, read.values()))
        return [read[each] if each in read else remembered[each].tolist() for each in strings]

    def ahead(self, *, first: int, last: int) -> Iterator[Batch]:
        """The batches of steps ``first`` to ``last - 1``, made by a thread while the device works."""
        if last - first > self.per_epoch and self._remembered is None:
            self._remembered = {}
        ready: queue.Queue = queue.Queue(maxsize=AHEAD)
        over = threading.Event()

        def put(ahead: Batch | BaseException | None) -> None:
            while not over.is_set():  # nobody takes any more once the loop has ended
                with suppress(queue.Full):
                    return ready.put(ahead, timeout=0.1)

        def fill() -> None:
            try:
                for step in range(first, last):
                    if over.is_set():
                        return
                    put(self.at(step))
                put(None)
            except BaseException as error:  # handed to the loop, which raises it
                put(error)

        thread = threading.Thread(target=fill, name="batches", daemon=True)
        thread.start()
        try:
            while (batch := ready.get()) is not None:
                if isinstance(batch, BaseException):
                    raise batch
                yield batch
        finally:
            over.set()
            thread.join()


def vocabulary_of(encoder: "Encoder", longest: int) -> Vocabulary:
    """The encoder's tokens; [UNK] counts as an ordinary one unless it is used for padding."""
    unknown = encoder.unknown_token_id if encoder.unknown_token_id != encoder.padding_id else None
    return Vocabulary(
        special=frozenset(encoder.special_token_ids) - {unknown},
        mask=encoder.mask_token_id,
        size=encoder.vocabulary_size,
        longest=longest,
        unknown=unknown,
    )


def numbered(groups: list) -> np.ndarray | None:
    """The same number for texts of one group, a unique one for a text without a group; None if no text has one."""
    if all(group is None for group in groups):
        return None
    numbers: dict = {}
    keys = [(position,) if group is None else group for position, group in enumerate(groups)]
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
