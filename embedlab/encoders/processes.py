"""Several processes train one encoder: each reads its share of a batch, and every one has the vectors of all texts.

``torchrun --nproc-per-node 2 -m embedlab.worker FOLDER`` starts them (``EMBEDLAB_WORKER`` may say the same but for the
folder): the first process is the run's worker as ever, the others only take part in the steps. Every process computes
the objective of the whole batch from the same vectors with the same random numbers, so any objective trains as by one
process; what stands above the encoder (a projector, a decoder, a masked-LM head) is computed by each of them.
Between steps the first may call the others to other work that is shared (``call``): a corpus to embed.
"""

import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor, nn

from embedlab.device import Device
from embedlab.encoders.parts import Tokens, encoders_in
from embedlab.errors import EmbedlabError, SettingsError, UserError
from embedlab.numbers import counted

_LONGEST_WAIT = timedelta(days=7)  # the first process measures while the others wait
_SENT_AT_ONCE = 2**24  # numbers; a weight at a time would take gloo twenty times as long
_WELL, _CALLED, _SHORT_OF_MEMORY, _OVER = range(4)
FailureOfOne = tuple[str, str, int]  # code, message and exit code


class TrainingOver(Exception):
    """Another process ended the training, and nothing went wrong."""


class ShortElsewhere(torch.OutOfMemoryError):
    """Memory did not suffice in another process, which has told so."""


class Processes:
    """The processes of one run, seen from one of them: ``rank`` 0 is the first, ``count`` how many they are."""

    def __init__(self) -> None:
        self.rank, self.count = dist.get_rank(), dist.get_world_size()
        self.is_over = False
        self.answer: Callable[[dict, Processes], None] | None = None  # what the others do when the first one calls
        self._group: dist.ProcessGroup | None = None  # of tensors on GPUs

    def require(self, device: Device) -> None:
        """Refuse a device that these processes cannot share."""
        local = int(os.environ.get("LOCAL_WORLD_SIZE", self.count))
        if device.name == "mps":
            raise SettingsError(
                "E-PROCESSES", f"The run has {self.count} processes, but MPS trains with one. Set 'device' to cpu."
            )
        if device.name == "cuda" and (gpus := torch.cuda.device_count()) < local:
            raise SettingsError(
                "E-PROCESSES",
                f"Each process needs its own GPU, but this computer has {counted(gpus, 'GPU')} for {local} processes. "
                "Start fewer processes, or set 'device' to cpu.",
            )

    def agree(self, word: int = _WELL, failure: FailureOfOne | None = None) -> None:
        """Meet the other processes, so that none waits for one that is elsewhere; raises what another one tells.

        Where the first one calls, the others answer, and meet it again. ``failure``: code, message and exit code of
        what ended this process; the first process raises it as its own.
        """
        while (worst := self._worst(word)) == _CALLED != word:
            request: list[dict] = [{}]
            with self._connected():
                dist.broadcast_object_list(request, 0)
            assert self.answer is not None, "a process was called that answers nothing"
            self.answer(request[0], self)
        with self._connected():
            if worst == _OVER:
                self.is_over = True
                failures: list[FailureOfOne | None] = [None] * self.count
                dist.all_gather_object(failures, failure)
        if worst == _OVER:
            for code, message, exit_code in filter(None, failures):
                raise (UserError if exit_code == UserError.exit_code else EmbedlabError)(code, message)
            raise TrainingOver
        if worst == _SHORT_OF_MEMORY != word:
            raise ShortElsewhere

    def _worst(self, word: int) -> int:
        worst = torch.tensor(word)
        with self._connected():
            dist.all_reduce(worst, dist.ReduceOp.MAX)
        return int(worst)

    def call(self, request: dict) -> None:
        """By the first process: let the others leave what they wait for and do their ``answer`` to this beside us."""
        self.agree(_CALLED)
        with self._connected():
            dist.broadcast_object_list([request], 0)

    def wait_for_calls(self) -> None:
        """By another process: answer until the first one ends it, which raises ``TrainingOver``."""
        while True:
            self.agree()

    def tell_short(self) -> None:
        """Memory did not suffice here: where the others meet next, they raise ``ShortElsewhere``."""
        self.agree(_SHORT_OF_MEMORY)

    def end(self, failure: FailureOfOne | None = None) -> None:
        """Let all processes leave where they meet next, unless they have left."""
        if not self.is_over:
            with suppress(TrainingOver, EmbedlabError):
                self.agree(_OVER, failure)

    def begin(self, device: str, *modules: nn.Module) -> None:
        """Once each has the modules: from here on their weights are the first process's, and batches are shared."""
        self.agree()
        if torch.device(device).type == "cuda":
            self._group = dist.new_group(backend="nccl", timeout=_LONGEST_WAIT)
        for module in modules:
            self.same(module.state_dict())
        read_together(self, *modules)

    def same(self, tensors: Tokens) -> None:
        """Put the first process's values into these tensors of every process."""
        with self._connected():
            for tensor in tensors.values():
                dist.broadcast(tensor, 0, group=self._group if tensor.is_cuda else None)

    def read(self, read: Callable[[Tokens], Tensor], tokens: Tokens) -> Tensor:
        """``read`` of all rows, in their order, of which this process reads a share of like lengths as the others'.

        Each process draws its own dropout; afterwards all go on from the same random numbers.  -> as ``read`` gives
        """
        order = tokens["attention_mask"].sum(dim=1).argsort(descending=True, stable=True)  # (batch,)
        places = torch.arange(-(-len(order) // self.count) * self.count, device=order.device)
        shares = order[places % len(order)].view(-1, self.count)  # (texts of a process, processes); the last ones again
        mine = shares[:, self.rank]
        seed = int(torch.randint(2**62, ()))  # the same in every process
        with torch.random.fork_rng([torch.cuda.current_device()] if order.is_cuda else []):
            torch.manual_seed(seed + self.rank)
            vectors = read({name: values[mine] for name, values in tokens.items()})
        gathered = _Gathered.apply(vectors.contiguous(), self)  # (processes, texts of a process, …)
        return gathered.transpose(0, 1).flatten(0, 1)[: len(order)][order.argsort()]

    def gather(self, vectors: Tensor) -> Tensor:
        """The vectors of every process.  (texts, …) -> (processes, texts, …)"""
        gathered = vectors.new_empty(self.count, *vectors.shape)
        self.agree()
        with self._connected():
            dist.all_gather(list(gathered.unbind()), vectors, group=self._group)
        return gathered

    def summed(self, numbers: np.ndarray) -> None:
        """In the first process the sum over all of them, in its place; the same shape in each."""
        self.agree()
        with self._connected():
            for part in torch.from_numpy(numbers).view(-1).split(_SENT_AT_ONCE):
                dist.reduce(part, 0)

    def average(self, parameters: list[nn.Parameter]) -> None:
        """Of the gradients of all processes, in their place; dense ones."""
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        self.agree()
        for some in _of_size(gradients, _SENT_AT_ONCE):
            joint = torch.cat([gradient.flatten() for gradient in some])
            with self._connected():
                dist.all_reduce(joint, group=self._group)
            for gradient, averaged in zip(some, joint.div_(self.count).split([g.numel() for g in some]), strict=True):
                gradient.copy_(averaged.view_as(gradient))

    @contextmanager
    def _connected(self) -> Iterator[None]:
        try:
            yield
        except torch.OutOfMemoryError:
            raise
        except RuntimeError as error:  # torch has no class of its own for a lost connection
            self.is_over = True
            raise EmbedlabError(
                "E-PROCESSES",
                f"One of the {self.count} processes of this run ended without an error message, or cannot be "
                f"reached. Resume the run: it continues from its newest checkpoint.",
            ) from error


class _Gathered(torch.autograd.Function):
    """The vectors of every process. The loss is the same in all, so each has the whole gradient of its own vectors;
    it counts as often as there are processes because gradients of weights are averaged over them."""

    @staticmethod
    def forward(context: Any, vectors: Tensor, processes: Processes) -> Tensor:
        context.processes = processes
        return processes.gather(vectors)

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None]:
        processes = context.processes
        return gradient[processes.rank] * processes.count, None


def _of_size(tensors: list[Tensor], most: int) -> Iterator[list[Tensor]]:
    """The tensors in their order, so many together as have ``most`` numbers, one at least."""
    some: list[Tensor] = []
    for tensor in tensors:
        if some and sum(each.numel() for each in some) + tensor.numel() > most:
            yield some
            some = []
        some.append(tensor)
    if some:
        yield some


def read_together(processes: Processes | None, *modules: nn.Module) -> None:
    """Share batches so in every encoder among these modules, copies inside an objective included."""
    for encoder in encoders_in(*modules):
        encoder.processes = processes


_present: Processes | None = None


def present() -> Processes | None:
    """The processes of this one's run, until they are over; None where it is alone."""
    return None if _present is None or _present.is_over else _present


@contextmanager
def joined() -> Iterator[Processes | None]:
    """The processes that torchrun started, until the block ends; None where it started one or none."""
    global _present
    if not (dist.is_available() and dist.is_torchelastic_launched()) or int(os.environ["WORLD_SIZE"]) == 1:
        yield None
        return
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]) % torch.cuda.device_count())
    # Its functions hold the group that there is when it is imported as a default argument: imported later (torch's
    # compiler does), they would keep the group's threads beyond its end, and one may abort a process that exits.
    importlib.import_module("torch.distributed.nn.functional")
    dist.init_process_group("gloo", timeout=_LONGEST_WAIT)
    processes = _present = Processes()
    try:
        yield processes
    finally:
        processes.end()
        dist.destroy_process_group()
        _present = None
