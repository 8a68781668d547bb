"""Recipes, resume, caching, bf16, adapters and diagnostics on a device that is not the CPU, to the CPU's numbers.

``EMBEDLAB_TEST_DEVICE=cuda python -m pytest tests/accelerator/on_stand_in.py -m ""`` runs all of it on a real GPU.
"""

import os

import numpy as np
import pytest
import torch
from stand_in import accelerator

from embedlab.config import validated
from embedlab.diagnostics import DIAGNOSTICS
from embedlab.diagnostics.base import EncoderView
from embedlab.encoder_catalog.adapter import AdapterConfig
from embedlab.encoders import embed as embedding
from embedlab.encoders.adapters.lora import attach
from embedlab.encoders.embed import embed
from embedlab.encoders.load import load_encoder
from embedlab.encoders.parts import Parts
from embedlab.metrics.split import paper_split
from embedlab.neighbors.search import NeighborSearch
from embedlab.store_root import read_json, write_json
from embedlab.tasks.measure.diagnose import diagnosed_by
from embedlab.training.batches import Batches
from embedlab.training.checkpoints import newest_checkpoint, restore, save_checkpoint
from embedlab.training.loop import train
from embedlab.training.recipes import RECIPES
from embedlab.training.settings import RunSettings
from embedlab.training.usual import TRANSFORMER_LEARNING_RATE

TRAINING = {recipe.key: recipe for recipe in RECIPES if recipe.objective is not None}
NEEDS_LAYERS = {"dropout", "context", "mlm_head", "decoder"}
CASES = [("scratch:bert-tiny", key) for key in TRAINING] + [
    ("token", key) for key, recipe in TRAINING.items() if not recipe.needs & NEEDS_LAYERS
]
FEW = [("token", "crops")]
WITH_FLOAT64 = ("crops", "corinfomax")  # on the CPU
NO_GRADIENT = "layer.1.output.LayerNorm.bias"  # but rounding: a shift of all vectors changes no normalised loss
LORA = AdapterConfig(kind="lora")
REAL = os.environ.get("EMBEDLAB_TEST_DEVICE")  # cuda, mps; else the stand-in


@pytest.fixture
def device(monkeypatch):
    if REAL:
        yield REAL
        return
    monkeypatch.setitem(embedding.BATCH_TOKENS, "standin", 8_192)
    with accelerator() as name:
        yield name


@pytest.fixture
def limited(monkeypatch):
    """Apple's MPS."""
    if REAL:
        pytest.skip("the stand-in's limits")
    monkeypatch.setitem(embedding.BATCH_TOKENS, "standin", 8_192)
    monkeypatch.setattr("embedlab.device.LIMITED", {"standin", "cpu"})  # both alike: with dense gradients
    with accelerator("float64", "sparse") as name:
        yield name


class Bench:
    """Encoder, objective, optimizer and batches of one recipe, made alike on any device; without dropout, for whose
    random numbers each kind of device has its own way."""

    def __init__(self, corpus, pairs, reference, recipe, device, *, parts=None, adapter=None, precision="fp32"):
        source = pairs if RECIPES[recipe].trains_on_pairs else corpus
        # The proposed rate of narrow transformers is higher: in three steps it would make much of each rounding.
        rate = {} if reference == "token" else {"learning_rate": TRANSFORMER_LEARNING_RATE}
        settings = validated(RunSettings, {"corpus": "x", "recipe": recipe, "batch_size": 8, **rate})
        torch.manual_seed(0)
        encoder = load_encoder(reference, corpus=corpus, vocabulary_size=300, dim=16 if reference == "token" else None)
        encoder = encoder.to(device)
        without_dropout(encoder)
        encoder.parts = parts
        if adapter is not None:
            torch.manual_seed(0)
            attach(encoder, adapter)
        torch.manual_seed(0)
        objective = settings.make_objective(encoder).to(device)
        without_dropout(objective)
        optimiser = settings.make_optimiser(encoder, objective, per_epoch=20, steps=4)
        self.learned = {"encoder": encoder, "objective": objective, "optimiser": optimiser}
        self.more = {"device": device, "precision": precision}
        views = settings.make_augmentation(source, source.kept.tolist())
        self.batches = Batches(augmentation=views, encoder=encoder, batch_size=8, seed=0, max_length=16)

    @property
    def encoder(self):
        return self.learned["encoder"]

    def losses(self, first=0, last=3):
        steps = train(**self.learned, batches=self.batches, first=first, last=last, **self.more)
        return [step.terms["loss"] for step in steps]


def without_dropout(module):
    for inner in module.modules():
        for name in ("p", "dropout", "dropout_prob", "drop_prob", "attention_dropout"):
            if isinstance(getattr(inner, name, None), float):
                setattr(inner, name, 0.0)


def weights(encoder):
    return {name: value.detach().cpu() for name, value in encoder.weights().items()}


def require_same(bench, other):
    """To rounding: a GPU sums in another order than the CPU, and Adam divides the smallest gradients by themselves."""
    atol = 5e-5 if REAL else 1e-5
    np.testing.assert_allclose(bench.losses(), other.losses(), rtol=1e-5, atol=1e-6 if REAL else 0)
    ours, theirs = weights(bench.encoder), weights(other.encoder)
    for name, value in ours.items():
        if name.endswith(NO_GRADIENT):
            continue
        torch.testing.assert_close(value, theirs[name], atol=atol, rtol=1e-4, msg=lambda text, n=name: f"{n}: {text}")


def require_cpus_numbers(corpus, pairs, case, device, **how):
    there = Bench(corpus, pairs, *case, device, **how)
    assert all(each.device.type == torch.device(device).type for each in there.encoder.parameters())
    require_same(there, Bench(corpus, pairs, *case, "cpu", **how))
    return there


@pytest.mark.parametrize("case", FEW, ids="-".join)
def test_some_recipes_train_there_to_the_cpus_numbers(summarised_corpus, given_pairs, device, case):
    bench = require_cpus_numbers(summarised_corpus, given_pairs, case, device)
    texts = list(summarised_corpus.texts[:9])
    vectors = embed(bench.encoder, texts, device=device)
    np.testing.assert_allclose(vectors, embed(bench.encoder, texts, device="cpu"), atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in CASES if case not in FEW], ids="-".join)
def test_every_recipe_trains_there_to_the_cpus_numbers(summarised_corpus, given_pairs, device, case):
    require_cpus_numbers(summarised_corpus, given_pairs, case, device)


@pytest.mark.parametrize(
    "how",
    [{"adapter": LORA}, pytest.param({"parts": Parts(texts=3, recomputed=True)}, marks=pytest.mark.slow)],
    ids=["lora", "cached"],
)
def test_adapters_and_gradient_caching_give_the_cpus_numbers(summarised_corpus, given_pairs, device, how):
    require_cpus_numbers(summarised_corpus, given_pairs, ("scratch:bert-tiny", "crops"), device, **how)


def test_an_adapter_is_merged_beside_the_device_which_may_hold_half_the_weights_only(
    summarised_corpus, given_pairs, device
):
    bench = Bench(summarised_corpus, given_pairs, "scratch:bert-tiny", "crops", device, adapter=LORA)
    assert {each.device.type for each in bench.encoder.weights().values()} == {"cpu"}


@pytest.mark.slow
def test_bf16_trains_there(summarised_corpus, given_pairs, device):
    bench = Bench(summarised_corpus, given_pairs, "scratch:bert-tiny", "crops", device, precision="bf16")
    assert np.isfinite(bench.losses()).all()


@pytest.mark.parametrize("adapter", [pytest.param(None, marks=pytest.mark.slow), LORA], ids=["all", "lora"])
def test_a_resumed_run_ends_there_with_the_same_bits(summarised_corpus, given_pairs, device, tmp_path, adapter):
    case = (summarised_corpus, given_pairs, "scratch:bert-tiny", "crops", device)
    whole, broken, resumed = (Bench(*case, adapter=adapter) for _ in range(3))
    losses = whole.losses()
    broken.losses(0, 2)
    save_checkpoint(tmp_path, steps=2, **broken.learned, facts={})
    torch.manual_seed(99)
    restore(newest_checkpoint(tmp_path), **resumed.learned)
    assert resumed.losses(2, 3) == losses[2:]
    assert resumed.encoder.weights_hash() == whole.encoder.weights_hash()


@pytest.mark.parametrize("fault", ["a mask made on the wrong device", "numpy without cpu"])
def test_what_forgets_the_device_fails(summarised_corpus, given_pairs, device, monkeypatch, fault):
    bench = Bench(summarised_corpus, given_pairs, "scratch:bert-tiny", "crops", device)
    if fault == "numpy without cpu":
        with pytest.raises((RuntimeError, TypeError)):
            bench.encoder.after_pooling(torch.zeros(1, device=device)).numpy()
        return
    collate = bench.encoder.collate

    def left(token_lists, device, **more):
        return collate(token_lists, device, **more) | {"attention_mask": collate(token_lists)["attention_mask"]}

    monkeypatch.setattr(bench.encoder, "collate", left)
    with pytest.raises(RuntimeError, match="device" if REAL else "mixes standin with the CPU"):
        bench.losses()


@pytest.mark.parametrize(
    "case",
    [("token", "crops"), *(pytest.param(("scratch:bert-tiny", each), marks=pytest.mark.slow) for each in WITH_FLOAT64)],
    ids="-".join,
)
def test_recipes_train_without_float64_and_sparse_tensors(summarised_corpus, given_pairs, limited, case):
    bench = require_cpus_numbers(summarised_corpus, given_pairs, case, limited)
    assert bench.encoder.parameter_groups()["sparse"] == []


FAMILIES = ("roberta", "mpnet", "deberta-v2", "electra", "albert", "modernbert", "eurobert", "qwen3", "gemma3_text")
FAMILIES += ("llama", "t5")


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_other_families_embed_and_train_there_with_their_prompts(family, toy_corpus, device, tmp_path):
    """Vectors with a prompt that is not pooled, and three steps of crops."""
    from tiny_models import hub_folder

    texts = list(toy_corpus.texts)
    folder = hub_folder(tmp_path / family, family, texts)
    write_json(
        folder / "config_sentence_transformers.json", {"prompts": {"query": "find this: ", "document": "text: "}}
    )
    pooling = folder / "1_Pooling" / "config.json"
    write_json(pooling, read_json(pooling) | {"include_prompt": False})
    there, here = (embed(load_encoder(str(folder)), texts, device=each, role="query") for each in (device, "cpu"))
    np.testing.assert_allclose(there, here, atol=1e-4)
    assert not np.allclose(here, embed(load_encoder(str(folder)), texts, role="none"), atol=1e-5)
    losses = [Bench(toy_corpus, None, str(folder), "crops", each).losses() for each in (device, "cpu")]
    np.testing.assert_allclose(*losses, rtol=1e-4)


@pytest.mark.parametrize("kind", ["device", "limited"])
def test_nearest_neighbors_are_those_of_the_cpu(kind, request):
    device, vectors = request.getfixturevalue(kind), np.random.default_rng(0).normal(size=(60, 8)).astype(np.float32)
    found = [NeighborSearch(vectors[20:], device=each).nearest(vectors[:20], k=5) for each in (device, "cpu")]
    for there, here in zip(*found, strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-6)


QUICK = ("norms",)


def diagnosed(diagnostic, corpus, device):
    torch.manual_seed(0)
    encoder = load_encoder("scratch:bert-tiny", corpus=corpus, vocabulary_size=300, max_length=64)
    texts, labels = list(corpus.texts), corpus.labels
    typed = (texts[0].split(".")[0], texts[1].split(".")[0])
    facts = {"labels": labels, "split": paper_split(texts, labels), "typed": typed, "device": device}
    views = [EncoderView(load=lambda: encoder.to(device), texts=texts, **facts)]
    views.append(EncoderView(load=lambda: encoder.to(device), texts=texts, untouched=views[0], **facts))
    states = dict(zip(("before", "after"), views, strict=True))
    return diagnosed_by(diagnostic, states, {}).model_dump(mode="json", exclude_unset=True)


def require_close(there, here):
    """Numbers within rounding, all else equal."""
    if isinstance(here, dict):
        assert set(there) == set(here)
        for name, value in here.items():
            require_close(there[name], value)
    elif isinstance(here, list | tuple):
        assert len(there) == len(here)
        for pair in zip(there, here, strict=True):
            require_close(*pair)
    elif isinstance(here, float):
        assert there == pytest.approx(here, rel=1e-3, abs=1e-4, nan_ok=True)
    elif not isinstance(here, str):  # a sentence holds the same numbers, rounded
        assert there == here


@pytest.mark.parametrize("kind", ["device", pytest.param("limited", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "diagnostic", [pytest.param(each.key, marks=() if each.key in QUICK else pytest.mark.slow) for each in DIAGNOSTICS]
)
def test_every_diagnostic_finds_there_what_it_finds_on_the_cpu(diagnostic, kind, toy_corpus, request):
    device = request.getfixturevalue(kind)
    there, here = (diagnosed(diagnostic, toy_corpus, each) for each in (device, "cpu"))
    if diagnostic == "readout":  # shares of twelve texts, by vectors that differ by rounding alone
        assert set(there["before"]) == set(here["before"])
        return
    require_close(there, here)
