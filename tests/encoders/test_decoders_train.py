"""A decoder is fine-tuned and measured as any encoder, or it is said in a sentence why not."""

import numpy as np
import pytest
import torch
from tiny_models import hub_folder

from embedlab.diagnostics.attention_gain import AttentionGain, AttentionGainConfig
from embedlab.diagnostics.base import EncoderView
from embedlab.encoders.embed import embed, embed_layers
from embedlab.encoders.load import load_encoder
from embedlab.encoders.parts import Parts
from embedlab.errors import UnfitError
from embedlab.jobs.progress import FolderProgress
from embedlab.runs.store import create_run
from embedlab.tasks import TASKS


@pytest.fixture(scope="module", params=["qwen3", "gemma3_text", "t5", "nomic_bert"])
def folder(request, tmp_path_factory, sentences):
    return hub_folder(tmp_path_factory.mktemp("hub"), request.param, sentences)


@pytest.fixture
def encoder(folder):
    return load_encoder(str(folder))


def test_every_layer_is_read_by_every_pooling(encoder, sentences):
    layers = embed_layers(encoder, sentences, poolings=("mean", "last", "weighted-mean"))
    assert all(np.shape(vectors) == (3, len(sentences), 16) for vectors in layers.values()) and len(layers) == 3
    np.testing.assert_allclose(layers["mean"][-1], embed(encoder, sentences), atol=1e-5)


@pytest.mark.parametrize(("precision", "least"), [("fp32", 1 - 1e-5), ("bf16", 0.98)])
def test_packed_weights_give_the_same_vectors(encoder, sentences, precision, least):
    few = embed(encoder, sentences)  # too few to be packed
    many = embed(encoder, sentences * 4, precision=precision)
    lengths = np.linalg.norm(many, axis=1) * np.tile(np.linalg.norm(few, axis=1), 4)
    cosines = (many * np.tile(few, (4, 1))).sum(axis=1) / lengths
    assert cosines.min() > least


def test_a_batch_in_parts_has_the_gradients_of_the_whole(encoder, sentences):
    tokens = encoder.collate(encoder.tokenize(sentences))
    encoder.train()
    encoder.model.eval()  # no dropout
    gradients = []
    for parts in (None, Parts(texts=3, recomputed=True)):
        encoder.parts = parts
        encoder.zero_grad()
        encoder(tokens).square().sum().backward()
        gradients.append([p.grad.clone() for p in encoder.parameters() if p.grad is not None])
    assert len(gradients[0]) == len(gradients[1]) > 10
    for whole, divided in zip(*gradients, strict=True):
        torch.testing.assert_close(divided, whole, rtol=1e-3, atol=1e-3 * float(whole.abs().max()))


def test_attention_gain_is_refused_where_its_derivation_does_not_hold(encoder, sentences):
    """It wants a text between two tokens that are not repeated, each token of which sees the whole."""
    view = EncoderView(lambda: encoder, sentences, typed=(sentences[0],))
    if encoder.model.config.model_type in ("nomic_bert", "t5"):  # whose texts stand between [CLS] and [SEP] here
        assert AttentionGain.measure(view, AttentionGainConfig(copies=2)).values
        return
    with pytest.raises(UnfitError, match="Choose another encoder") as caught:
        AttentionGain.measure(view, AttentionGainConfig())
    assert caught.value.code == "E-ATTENTION-GAIN"


def test_a_run_opens_a_decoder_both_ways_from_its_first_step_on(store, toy_corpus, tmp_path_factory, sentences):
    folder = hub_folder(tmp_path_factory.mktemp("hub"), "qwen3", sentences)
    asked = {"corpus": toy_corpus.fingerprint, "encoder": str(folder), "recipe": "sentences", "max_steps": 2}
    asked |= {"bidirectional": True, "maps": False, "inside": False, "batch_size": 8}
    run = create_run("train", asked)
    TASKS["train"].run(run, TASKS["train"].read(asked), FolderProgress(run))
    assert load_encoder(str(folder)).is_causal and not load_encoder(f"run:{run.id}").is_causal
