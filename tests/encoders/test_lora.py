"""A LoRA adapter: what peft computes; only its own matrices move; a saved encoder reads texts as the trained one."""

import json
from functools import partial

import numpy as np
import pytest
import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer
from tiny_models import KINDS, hub_folder

from embedlab.encoder_catalog.adapter import AdapterConfig
from embedlab.encoders.adapters.lora import attach, halve, round_as_halved, target_names
from embedlab.encoders.embed import embed
from embedlab.encoders.folder_format import IDENTITY, Dense
from embedlab.encoders.load import load_encoder
from embedlab.errors import EncoderError, UnfitError
from embedlab.objectives.infonce import InfoNCE, InfoNCEConfig
from embedlab.training.optimiser import Optimiser

CONFIG = AdapterConfig(kind="lora", rank=4, alpha=8)
ATTENTION = ["query", "key", "value", "attention.output.dense"]


def with_adapter(tiny_bert, config=CONFIG, **more):
    encoder = tiny_bert()
    torch.manual_seed(3)
    attach(encoder, config, **more)
    return encoder


def first_step(encoder, sentences, *, steps=1):
    """The losses of a few steps on one batch."""
    encoder.train()
    objective = InfoNCE(InfoNCEConfig(), encoder)
    optimiser = Optimiser(encoder, objective, learning_rate=0.01, warmup_steps=0, steps=100)
    views = [encoder.collate(encoder.tokenize(texts)) for texts in (sentences[:5], sentences[5:])]
    losses = []
    for step in range(steps):
        torch.manual_seed(step)
        loss = objective(encoder, views)["loss"]
        loss.backward()
        optimiser.step(step)
        losses.append(float(loss.detach()))
    encoder.eval()
    return losses


def test_two_steps_equal_those_of_pefts_own_model(tiny_bert, sentences):
    ours = with_adapter(tiny_bert)
    losses = first_step(ours, sentences, steps=2)

    theirs = tiny_bert()
    torch.manual_seed(3)
    lora = LoraConfig(r=4, lora_alpha=8, target_modules=ATTENTION)
    model = get_peft_model(theirs.model, lora).train()
    adam = torch.optim.Adam([each for each in model.parameters() if each.requires_grad], lr=0.01)
    views = [theirs.collate(theirs.tokenize(texts)) for texts in (sentences[:5], sentences[5:])]
    for step, expected in enumerate(losses):
        torch.manual_seed(step)
        hidden = [model(**view).last_hidden_state for view in views]
        masks = [view["attention_mask"].unsqueeze(2) for view in views]
        means = [(each * mask).sum(1) / mask.sum(1) for each, mask in zip(hidden, masks, strict=True)]
        one, other = (torch.nn.functional.normalize(each) for each in means)
        loss = torch.nn.functional.cross_entropy(one @ other.T / 0.05, torch.arange(5))
        loss.backward()
        for group in adam.param_groups:
            group["lr"] = 0.01 * (100 - step) / 100
        adam.step()
        adam.zero_grad()
        assert float(loss.detach()) == pytest.approx(expected, abs=1e-5)
    trained = {name.removeprefix("base_model.model."): each for name, each in model.state_dict().items()}
    for name, value in ours.trained_state().items():
        torch.testing.assert_close(value, trained[name.removeprefix("model.")], atol=1e-5, rtol=0)


def test_only_the_adapter_is_trained_and_kept(tiny_bert, sentences):
    encoder = with_adapter(tiny_bert)
    before = {name: value.clone() for name, value in encoder.state_dict().items()}
    first_step(encoder, sentences, steps=3)
    moved = {name for name, value in encoder.state_dict().items() if not torch.equal(value, before[name])}
    assert moved == set(encoder.trained_state()) and len(moved) == 2 * len(ATTENTION) * encoder.layers
    assert sum(p.numel() for p in encoder.parameters() if p.requires_grad) == 2 * 4 * 2 * 16 * 4


def test_an_untrained_adapter_changes_no_bit(tiny_bert, sentences):
    plain, adapted = tiny_bert(), with_adapter(tiny_bert)
    assert adapted.weights_hash() == plain.weights_hash()
    np.testing.assert_array_equal(embed(adapted, sentences), embed(plain, sentences))


@pytest.mark.parametrize("targets", ["attention", "all-linear", "query,value"])
def test_the_saved_encoder_reads_as_the_trained_one(tiny_bert, sentences, tmp_path, targets):
    encoder = with_adapter(tiny_bert, CONFIG.model_copy(update={"targets": targets}))
    untouched = embed(encoder, sentences)
    first_step(encoder, sentences, steps=3)
    vectors = embed(encoder, sentences)
    assert np.abs(vectors - untouched).max() > 0.01
    encoder.save(tmp_path / "saved")
    again = load_encoder(str(tmp_path / "saved"))
    assert again.weights_hash() == encoder.weights_hash() and set(again.weights()) == set(tiny_bert().weights())
    np.testing.assert_allclose(embed(again, sentences), vectors, atol=1e-5)
    theirs = SentenceTransformer(str(tmp_path / "saved"), device="cpu").encode(sentences)
    np.testing.assert_allclose(theirs, vectors, atol=1e-5)


def test_layers_computed_again_give_the_same_step(tiny_bert, sentences):
    kept, again = (with_adapter(tiny_bert, CONFIG.model_copy(update={"recompute_layers": each})) for each in (0, 1))
    assert again.model.is_gradient_checkpointing
    assert first_step(again, sentences, steps=2) == first_step(kept, sentences, steps=2)
    assert again.weights_hash() == kept.weights_hash()


@pytest.mark.parametrize("kind", ["bert", "mpnet", "modernbert", "qwen3", "gemma3_text", "t5"])
def test_a_base_in_bf16_computes_as_rounded_weights_do_and_takes_half_the_memory(kind, sentences, tmp_path):
    """Vectors, a training step and what is saved are those of an encoder whose weights were rounded beforehand."""
    folder, saved = hub_folder(tmp_path / "hub", kind, sentences), []
    for base_weights in ("bf16", "fp32"):
        encoder = load_encoder(str(folder))
        if base_weights == "fp32":
            round_as_halved(encoder.model)
        torch.manual_seed(3)
        attach(encoder, CONFIG.model_copy(update={"base_weights": base_weights}))
        bases = {each.dtype for name, each in encoder.named_parameters() if name.endswith("base_layer.weight")}
        assert bases == {torch.bfloat16 if base_weights == "bf16" else torch.float32}
        assert {each.dtype for each in encoder.trained_state().values()} == {torch.float32}
        saved.append((embed(encoder, sentences), first_step(encoder, sentences, steps=2), embed(encoder, sentences)))
        encoder.save(tmp_path / base_weights)
    (before, losses, after), (before_rounded, losses_rounded, after_rounded) = saved
    np.testing.assert_allclose(before, before_rounded, atol=1e-5)
    np.testing.assert_allclose(losses, losses_rounded, atol=1e-5)
    np.testing.assert_allclose(after, after_rounded, atol=1e-4)
    again = load_encoder(str(tmp_path / "bf16"))
    np.testing.assert_allclose(embed(again, sentences), after, atol=1e-5 * np.abs(after).max())  # merged: added before
    assert {tensor.dtype for tensor in again.weights().values()} == {torch.float32}


def test_the_widened_matrix_is_not_kept_for_the_gradient():
    layer = torch.nn.Linear(64, 32).requires_grad_(False)
    halve(layer)
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: kept.append(tensor) or tensor, lambda tensor: tensor):
        mapped = layer(vectors := torch.randn(3, 64, requires_grad=True))
    mapped.sum().backward()
    torch.testing.assert_close(vectors.grad, layer.weight.float().sum(0).expand(3, -1))
    assert [(each.dtype, each.shape) for each in kept] == [(torch.bfloat16, (32, 64))]


def test_frozen_layers_get_no_adapter(tiny_bert):
    encoder = with_adapter(tiny_bert, frozen_layers=1)
    assert encoder.trained_state() and all(".layer.1." in name for name in encoder.trained_state())
    with pytest.raises(UnfitError, match="freezes all of"):
        with_adapter(tiny_bert, frozen_layers=2)
    dense = Dense(16, 4, bias=True, activation=IDENTITY)
    with pytest.raises(UnfitError, match="no layer above the frozen ones"):
        with_adapter(partial(tiny_bert, after_pooling=[dense]), frozen_layers=2)


def test_unknown_layers_are_refused_with_the_names_there_are(tiny_bert, token_layer):
    with pytest.raises(UnfitError, match="layers called query, key, value, dense"):
        with_adapter(tiny_bert, CONFIG.model_copy(update={"targets": "q_proj"}))
    with pytest.raises(UnfitError, match="has none"):
        attach(token_layer, CONFIG)


@pytest.mark.parametrize("kind", KINDS)
def test_attention_is_found_in_every_kind_of_model_and_leaves_with_its_adapter(kind, sentences, tmp_path):
    encoder = load_encoder(str(hub_folder(tmp_path / "hub", kind, sentences)))
    names, everywhere = target_names(encoder, "attention"), target_names(encoder, "all-linear")
    shared = 1 if kind == "albert" else encoder.layers  # whose layers share their weights
    assert len(names) in (2 * shared, 4 * shared) and set(names) < set(everywhere)  # query, key and value may be one
    untouched = embed(encoder, sentences)
    attach(encoder, CONFIG)
    generator = torch.Generator().manual_seed(0)
    for name, tensor in encoder.trained_state().items():
        if ".lora_B." in name:
            tensor.normal_(std=0.5, generator=generator)
    vectors = embed(encoder, sentences)
    assert np.abs(vectors - untouched).max() > 1e-3
    encoder.save(tmp_path / "saved")
    np.testing.assert_allclose(embed(load_encoder(str(tmp_path / "saved")), sentences), vectors, atol=1e-4)


@pytest.fixture
def trained_by_peft(tiny_bert, tmp_path):
    """A base's folder, and beside it an adapter that peft saved, after some training."""
    base = tiny_bert()
    base.save(tmp_path / "base")
    model = get_peft_model(base.model, LoraConfig(r=4, lora_alpha=8, target_modules=ATTENTION))
    generator = torch.Generator().manual_seed(0)
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.5, generator=generator)
    model.peft_config["default"].base_model_name_or_path = str(tmp_path / "base")
    model.save_pretrained(tmp_path / "adapter")
    return base.eval(), tmp_path / "adapter"


def test_an_adapter_of_others_embeds_on_its_base_as_peft_does(trained_by_peft, sentences):
    theirs, folder = trained_by_peft
    loaded = load_encoder(str(folder))
    vectors = embed(theirs, sentences)  # whose model peft changed in its place
    np.testing.assert_allclose(embed(loaded, sentences), vectors, atol=1e-5)
    assert np.abs(vectors - embed(load_encoder(str(folder.parent / "base")), sentences)).max() > 0.01
    assert loaded.adapter is None and loaded.pooling == "mean"


@pytest.mark.parametrize(
    ("code", "said", "changes"),
    [
        ("E-ADAPTER", "its base is owner/absent, which is neither a folder nor in the store", {"base": "owner/absent"}),
        ("E-ADAPTER", "does not name its base", {"base": None}),
        ("E-ADAPTER", "is an adapter too", {"base": "."}),
        ("E-ADAPTER-KIND", "'PREFIX_TUNING'", {"peft_type": "PREFIX_TUNING"}),
        ("E-ADAPTER-KIND", "it uses use_dora", {"use_dora": True}),
        ("E-ADAPTER-KIND", "it uses bias", {"bias": "all"}),
        ("E-ADAPTER-KIND", "no rank and alpha", {"r": "8"}),
    ],
)
def test_an_adapter_that_cannot_be_used_is_refused_in_a_sentence(trained_by_peft, store, code, said, changes):
    folder = trained_by_peft[1]
    config = json.loads((folder / "adapter_config.json").read_text())
    changes = {{"base": "base_model_name_or_path"}.get(name, name): value for name, value in changes.items()}
    (folder / "adapter_config.json").write_text(json.dumps(config | changes))
    with pytest.raises(EncoderError, match=said) as caught:
        load_encoder(str(folder))
    assert caught.value.code == code


def test_a_base_that_differs_and_pickled_adapters_are_refused(trained_by_peft, tiny_bert, tmp_path):
    folder = trained_by_peft[1]
    tensors = load_file(folder / "adapter_model.safetensors")
    name = next(iter(tensors))
    other = {**tensors, name: torch.zeros(4, 99)}
    renamed = {key.replace("layer.1.", "layer.7."): value for key, value in tensors.items()}
    for changed, said in ((other, "of another shape than \\(16, 16\\)"), (renamed, "layer.7.* does not have")):
        save_file(changed, folder / "adapter_model.safetensors")
        with pytest.raises(EncoderError, match=said) as caught:
            load_encoder(str(folder))
        assert caught.value.code == "E-ADAPTER-FIT"
    (folder / "adapter_model.safetensors").rename(folder / "adapter_model.bin")
    with pytest.raises(EncoderError, match="adapter_model.bin, and pickled weights are never opened"):
        load_encoder(str(folder))
