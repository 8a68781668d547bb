"""A checkpoint is whole or passed over, and what goes on from it ends with the same bits."""

import os
from dataclasses import replace

import pytest
import torch

from embedlab.config import validated
from embedlab.encoder_catalog.adapter import AdapterConfig
from embedlab.encoders.adapters.lora import attach
from embedlab.encoders.load import load_encoder
from embedlab.encoders.parts import Parts
from embedlab.training.batches import Batches
from embedlab.training.checkpoints import newest_checkpoint, restore, save_checkpoint
from embedlab.training.loop import train
from embedlab.training.optimiser import Optimiser
from embedlab.training.recipes import RECIPES
from embedlab.training.settings import RunSettings


def bench(corpus, reference: str, recipe: str, parts: Parts | None = None, *, pairs=None, adapter=None):
    """An encoder with objective, optimizer and batches, all fresh; ``parts``: how it divides a batch."""
    source = pairs if RECIPES[recipe].trains_on_pairs else corpus
    settings = validated(RunSettings, {"corpus": "x", "recipe": recipe, "batch_size": 16})
    torch.manual_seed(0)
    encoder = load_encoder(reference, corpus=corpus, vocabulary_size=300)
    encoder.parts = parts
    if adapter is not None:
        attach(encoder, adapter)
    objective = settings.make_objective(encoder)
    optimiser = settings.make_optimiser(encoder, objective, per_epoch=20, steps=5)
    batches = Batches(
        augmentation=settings.make_augmentation(source, source.kept.tolist()),
        encoder=encoder,
        batch_size=16,
        seed=0,
        max_length=24,
    )
    return {"encoder": encoder, "objective": objective, "optimiser": optimiser}, batches


def steps(parts, batches, first: int, last: int, **more) -> list:
    return list(train(**parts, batches=batches, first=first, last=last, device="cpu", precision="fp32", **more))


TRAINING = [recipe for recipe in RECIPES if recipe.objective is not None]
FITTING = [("scratch:bert-tiny", recipe.key) for recipe in TRAINING] + [
    ("token", recipe.key) for recipe in TRAINING if not recipe.needs & {"dropout", "context", "mlm_head", "decoder"}
]


FAMILIES = ("crops", "byol", "tsdae", "mlm", "contrastive-tension")  # one recipe of each
IN_PARTS = [
    pytest.param("scratch:bert-tiny", recipe, parts, marks=() if recipe == "crops" else pytest.mark.slow)
    for recipe in FAMILIES
    for parts in (Parts(tokens=64), Parts(tokens=64, texts=3, recomputed=True))
]


def every_recipe() -> list:
    """The recipes that train; one of each family in the quick tests."""
    return [pytest.param(each.key, marks=[pytest.mark.slow] * (each.key not in FAMILIES)) for each in TRAINING]


@pytest.mark.parametrize(("reference", "recipe", "parts"), [*((*each, None) for each in FITTING), *IN_PARTS])
def test_a_resumed_run_ends_with_the_bits_of_an_uninterrupted_one(
    summarised_corpus, given_pairs, tmp_path, reference, recipe, parts
):
    whole, batches = bench(summarised_corpus, reference, recipe, parts, pairs=given_pairs)
    losses = []
    for step in train(**whole, batches=batches, first=0, last=4, device="cpu", precision="fp32"):
        losses.append(step.terms["loss"])
        if len(losses) == 2:
            save_checkpoint(tmp_path, steps=2, **whole, facts={})
    resumed, batches = bench(summarised_corpus, reference, recipe, parts, pairs=given_pairs)
    torch.manual_seed(99)
    restore(newest_checkpoint(tmp_path), **resumed)
    again = [step.terms["loss"] for step in steps(resumed, batches, 2, 4)]
    assert again == losses[2:] and len(again) == 2
    assert resumed["encoder"].weights_hash() == whole["encoder"].weights_hash()


@pytest.mark.parametrize("recipe", FAMILIES)
def test_an_adapter_goes_on_with_the_same_bits_from_its_own_tensors(summarised_corpus, tmp_path, recipe):
    case = summarised_corpus, "scratch:bert-tiny", recipe
    adapter = AdapterConfig(kind="lora", dropout=0.1)
    whole, batches = bench(*case, adapter=adapter)
    untrained = whole["encoder"].weights_hash()
    losses = [step.terms["loss"] for step in steps(whole, batches, 0, 5)]

    broken, batches = bench(*case, adapter=adapter)
    steps(broken, batches, 0, 2)
    kept = newest_checkpoint(save_checkpoint(tmp_path, steps=2, **broken, facts={}).parent)
    assert kept is not None and all(".lora_" in name for name in kept.tensors("encoder"))
    resumed, batches = bench(*case, adapter=adapter)
    torch.manual_seed(99)
    restore(kept, **resumed)
    assert [step.terms["loss"] for step in steps(resumed, batches, 2, 5)] == losses[2:]
    assert resumed["encoder"].weights_hash() == whole["encoder"].weights_hash() != untrained


def test_a_changed_byte_or_a_missing_mark_falls_back_to_the_checkpoint_before(toy_corpus, tmp_path):
    parts, _ = bench(toy_corpus, "token", "crops")
    first = save_checkpoint(tmp_path, steps=1, **parts, facts={})
    second = save_checkpoint(tmp_path, steps=2, **parts, facts={})
    assert newest_checkpoint(tmp_path).path == second
    for file in [f for f in second.iterdir() if f.name != "COMPLETE"]:
        kept = file.read_bytes()
        file.write_bytes(bytes([kept[0] ^ 1]) + kept[1:])
        assert newest_checkpoint(tmp_path).path == first, file.name
        file.write_bytes(kept)
    assert newest_checkpoint(tmp_path).path == second
    (second / "COMPLETE").unlink()
    assert newest_checkpoint(tmp_path).path == first


def test_a_pipe_in_place_of_its_weights_falls_back_too(toy_corpus, tmp_path):
    parts, _ = bench(toy_corpus, "token", "crops")
    first, second = (save_checkpoint(tmp_path, steps=count, **parts, facts={}) for count in (1, 2))
    (second / "encoder.safetensors").unlink()
    os.mkfifo(second / "encoder.safetensors")
    assert newest_checkpoint(tmp_path).path == first


def test_the_newest_two_are_kept(toy_corpus, tmp_path):
    parts, _ = bench(toy_corpus, "token", "crops")
    for number in range(1, 5):
        save_checkpoint(tmp_path, steps=number, **parts, facts={})
    assert [p.name for p in sorted(tmp_path.glob("step-*"))] == ["step-000003", "step-000004"]


@pytest.mark.parametrize("recipe", every_recipe())
def test_the_loss_falls_on_one_batch_seen_again_and_again(summarised_corpus, given_pairs, recipe):
    parts, batches = bench(summarised_corpus, "scratch:bert-tiny", recipe, pairs=given_pairs)
    one = batches.at(0)
    batches.at = lambda step: replace(one, step=step)
    quick = {"learning_rate": 2e-3, "warmup_steps": 1, "steps": 1000, "kind": "adam"}
    parts["optimiser"] = Optimiser(parts["encoder"], parts["objective"], **quick)
    losses = [step.terms["loss"] for step in steps(parts, batches, 0, 16)]
    assert sum(losses[-4:]) < sum(losses[:4]), "dropout makes single steps noisy"
    if recipe == "crops":
        assert losses[-1] < 0.5 * losses[0]


def test_the_checkpoint_just_written_stays_when_steps_have_one_more_digit(toy_corpus, tmp_path):
    parts, _ = bench(toy_corpus, "token", "crops")
    for count in (999_998, 999_999, 1_000_000, 1_000_001):
        written = save_checkpoint(tmp_path / "kept", steps=count, **parts, facts={})
        assert written.is_dir()
        assert newest_checkpoint(tmp_path / "kept").steps == count
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == ["step-1000000", "step-1000001"]


def test_damaged_checkpoints_of_later_steps_do_not_push_out_the_one_just_written(toy_corpus, tmp_path):
    parts, _ = bench(toy_corpus, "token", "crops")
    for count in (7, 8):
        (save_checkpoint(tmp_path / "kept", steps=count, **parts, facts={}) / "COMPLETE").unlink()
    assert newest_checkpoint(tmp_path / "kept") is None
    written = save_checkpoint(tmp_path / "kept", steps=3, **parts, facts={})
    assert newest_checkpoint(tmp_path / "kept").path == written
    assert list((tmp_path / "kept").iterdir()) == [written]
