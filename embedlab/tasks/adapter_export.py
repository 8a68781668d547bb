"""A run's adapter beside its base instead of merged: a folder that peft and our own loader read."""

from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from embedlab.corpora.base import open_corpus
from embedlab.encoder_catalog.catalog import encoder_card
from embedlab.encoder_catalog.names import canonical
from embedlab.encoders.adapters.lora import round_as_halved
from embedlab.encoders.encoder import Encoder
from embedlab.encoders.hub import hub_name, stored
from embedlab.encoders.load import load_encoder
from embedlab.errors import UnfitError
from embedlab.jobs.requests.base import read_request
from embedlab.jobs.requests.drawing import ExportedEncoder
from embedlab.progress import Progress
from embedlab.prompts import PromptSettings
from embedlab.report.exports import require_encoder
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import fingerprint_of
from embedlab.scratch import scratch_folder
from embedlab.store_root import write_json
from embedlab.tasks.encoders import OTHER_POOLING, encoder_of_run
from embedlab.tasks.smaller_encoder import compare, write_zip
from embedlab.training.settings import RunSettings

BASE = "base"  # the folder of the untouched encoder, where no hub has it


def write_adapter(run: RunFolder, out: Path, progress: Progress) -> ExportedEncoder:
    """Write the adapter's folder as a ZIP, and compare it, loaded on its base, with the run's encoder.

    The base is named where it is on the hub and read as it is there, and is in the ZIP otherwise.
    """
    require_encoder(run)
    settings = read_request(run, RunSettings)
    if not settings.adapter:
        raise _none(run, "trained the encoder's own weights")
    base, tuned = encoder_of_run(run, "before"), load_encoder(str(run.encoder))
    if settings.bidirectional:
        base.see_both_ways()
    if settings.adapter["base_weights"] == "bf16":
        round_as_halved(base.model)
    rank = settings.adapter["rank"]
    with scratch_folder() as scratch:
        folder = scratch / f"adapter-{run.id}"
        folder.mkdir()
        progress("Taking the adapter from the weights")
        factors = low_rank_changes(base, tuned, rank)
        if not factors:
            raise _none(run, "changed no weight")
        weights = {
            f"base_model.model.{name}.lora_{side}.weight": each[side] for name, each in factors.items() for side in "AB"
        }
        save_file(weights, folder / "adapter_model.safetensors", metadata={"format": "pt"})
        hub_id = None if any(note.code == OTHER_POOLING for note in base.not_followed) else hub_base(settings)
        copy = None if hub_id is None else stored(hub_name(hub_id))  # in the store, which the run started from
        if hub_id is None:
            base.save(folder / BASE)
        config = {
            "peft_type": "LORA", "task_type": "FEATURE_EXTRACTION", "base_model_name_or_path": hub_id or BASE,
            "revision": None if copy is None else copy.name.rpartition("@")[2], "r": rank, "lora_alpha": rank,
            "lora_dropout": 0.0, "bias": "none", "target_modules": list(factors), "inference_mode": True,
        }  # fmt: skip
        write_json(folder / "adapter_config.json", config)
        compared = compare(tuned, load_encoder(str(folder)), open_corpus(fingerprint_of(run)), progress)
        what = f"Its adapter of rank {rank} is apart from its base, {hub_id or BASE}."
        written = write_zip(run, folder, out, what, compared, base=hub_id or f"FOLDER/{BASE}")
    return written.model_copy(update={"adapter": "separate", "base": hub_id or BASE})


def low_rank_changes(base: Encoder, tuned: Encoder, rank: int) -> dict[str, dict[str, Tensor]]:
    """The change of each linear layer that trained as B·A: name -> A (rank, in) and B (out, rank).

    Taken from the weights by SVD: a merged adapter changes a layer by a matrix of its rank, so nothing is lost but
    the rounding of the sum.
    """
    before = {name: each for name, each in base.model.named_modules() if isinstance(each, nn.Linear)}
    after = {name: each for name, each in tuned.model.named_modules() if isinstance(each, nn.Linear)}
    factors = {}
    for name, layer in after.items():
        change = layer.weight.detach().double() - before[name].weight.detach().double()
        if not bool(change.any()):
            continue
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            left, values, right = torch.svd_lowrank(change, q=min(rank + 8, *change.shape), niter=4)
        outward, inward = left[:, :rank] * values[:rank].sqrt(), (right[:, :rank] * values[:rank].sqrt()).T
        if float((change - outward @ inward).norm() / layer.weight.detach().double().norm()) > 1e-5:
            raise UnfitError(
                "E-ADAPTER-FIT",
                f"Layer {name} should differ from its base by an adapter of rank {rank}, but it differs by more. Its "
                "base has changed since: export the encoder itself.",
            )
        factors[name] = {"A": inward.float().contiguous(), "B": outward.float().contiguous()}
    return factors


def _none(run: RunFolder, why: str) -> UnfitError:
    return UnfitError(
        "E-NO-ADAPTER",
        f"Run {run.id} {why}, so there is no adapter to export. Export the encoder itself, or train an adapter with "
        "--set adapter.rank=8.",
    )


def hub_base(settings: RunSettings) -> str | None:
    """``owner/name`` on the hub, if whoever loads that reads texts as the run did."""
    reference = canonical(settings.encoder)
    entry = encoder_card(reference)
    changed = any((settings.pooling, settings.max_length, settings.dimensions, settings.bidirectional))
    changed |= settings.prompts != PromptSettings()
    if changed or reference.startswith("run:"):
        return None
    if reference.startswith("hf:"):
        return reference.removeprefix("hf:").partition("@")[0]
    return None if entry is None else entry.hub_id
