"""Checkpoints for exact resume: safetensors, JSON, and a COMPLETE file with their hashes."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import nn

from embedlab.encoders.encoder import Encoder
from embedlab.numbers import by_number
from embedlab.own_files import remove_files, written_in
from embedlab.store_root import read_json, require_regular, whole_folder, write_json
from embedlab.training.optimiser import Optimiser

KEPT = 2
_NAME = re.compile(r"step-\d{6,}")


@dataclass(frozen=True)
class Checkpoint:
    """One complete checkpoint on disk."""

    path: Path
    facts: dict

    @property
    def steps(self) -> int:
        """The number of steps it was saved after."""
        return self.facts["steps"]

    def tensors(self, name: str) -> dict[str, torch.Tensor]:
        """The tensors of one of its files; empty if it has none."""
        file = self.path / f"{name}.safetensors"
        return load_file(file) if file.exists() else {}


def save_checkpoint(
    parent: Path,
    *,
    steps: int,
    encoder: Encoder,
    objective: nn.Module,
    optimiser: Optimiser,
    facts: dict,
    further: dict[str, dict[str, torch.Tensor]] | None = None,
) -> Path:
    """Write ``step-000420`` and keep the newest two. Later ones are removed, too: they were damaged, or the run would
    have resumed from them. ``further``: tensors of other parts, by name.
    """
    parts = {
        "encoder": encoder.trained_state(),
        "objective": objective.state_dict(),
        "optimiser": optimiser.state_tensors(),
        "random": random_state(),
        **(further or {}),
    }
    path = parent / f"step-{steps:06d}"
    with whole_folder(path) as temporary:
        for name, tensors in parts.items():
            if tensors:
                alone = {k: v.detach().cpu().clone().contiguous() for k, v in tensors.items()}  # no shared memory
                save_file(alone, temporary / f"{name}.safetensors")
        write_json(temporary / "facts.json", {**facts, "steps": steps})
        write_json(temporary / "COMPLETE", _hashes(temporary))
    others = sorted_checkpoints(parent)
    written = others.index(path)
    own_files = written_in(parent, "checkpoints")
    for other in [*others[: max(0, written + 1 - KEPT)], *others[written + 1 :]]:
        remove_files(parent, [file for file in own_files if file.startswith(f"{other.name}/")])
    return path


def newest_checkpoint(parent: Path) -> Checkpoint | None:
    """The newest checkpoint whose files are complete and unchanged; damaged ones are skipped."""
    for path in reversed(sorted_checkpoints(parent)):
        try:
            if read_json(path / "COMPLETE") == _hashes(path):
                return Checkpoint(path, read_json(path / "facts.json"))
        except OSError:  # UnreadableFile is one
            continue
    return None


def sorted_checkpoints(parent: Path) -> list[Path]:
    """The folders of checkpoints, complete or not, by step."""
    return sorted((path for path in parent.glob("step-*") if _NAME.fullmatch(path.name)), key=by_number)


def restore(checkpoint: Checkpoint, *, encoder: Encoder, objective: nn.Module, optimiser: Optimiser) -> None:
    """Restore weights, moments and random states."""
    encoder.load_trained_state(checkpoint.tensors("encoder"))
    objective.load_state_dict(checkpoint.tensors("objective"))
    optimiser.load_state_tensors(checkpoint.tensors("optimiser"))
    set_random_state(checkpoint.tensors("random"))


def random_state() -> dict[str, torch.Tensor]:
    """The states of torch's generators, by device."""
    states = {"cpu": torch.get_rng_state()}
    if torch.cuda.is_available():
        states["cuda"] = torch.cuda.get_rng_state()
    if torch.backends.mps.is_available():
        states["mps"] = torch.mps.get_rng_state()
    return states


def set_random_state(states: dict[str, torch.Tensor]) -> None:
    """Restore the result of ``random_state``."""
    torch.set_rng_state(states["cpu"])
    if "cuda" in states and torch.cuda.is_available():
        torch.cuda.set_rng_state(states["cuda"])
    if "mps" in states and torch.backends.mps.is_available():
        torch.mps.set_rng_state(states["mps"])


def _hashes(folder: Path) -> dict[str, str]:
    return {f.name: _hash(f) for f in sorted(folder.iterdir()) if f.name != "COMPLETE"}


def _hash(path: Path) -> str:
    require_regular(path)
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
