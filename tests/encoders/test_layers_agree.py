"""The last layer is what the encoder embeds, for every kind of encoder; the layers below it have the same length."""

from functools import partial

import numpy as np
import pytest
import torch
from tiny_models import DECODERS, KINDS, tiny_encoder

from embedlab.distance import DISTANCES
from embedlab.encoder_catalog.adapter import AdapterConfig
from embedlab.encoders.adapters.lora import attach
from embedlab.encoders.embed import embed, embed_layers
from embedlab.encoders.folder_format import IDENTITY, Dense, Normalize
from embedlab.encoders.load import load_encoder
from embedlab.metrics.knn import knn_by_both
from embedlab.metrics.split import fold_splits
from embedlab.prompts import Prompts

TANH = "torch.nn.modules.activation.Tanh"


def wide(inputs: int = 16) -> Dense:
    torch.manual_seed(0)
    return Dense(inputs, 24, bias=True, activation=TANH)


def with_prompt(encoder, *, pooled: bool):
    encoder.prompts = Prompts(by_role={"document": "the text: "}, are_pooled=pooled)
    return encoder


def of_dimensions(encoder, count: int = 5):
    encoder.keep_dimensions(count)
    return encoder


def in_bf16(encoder):
    encoder.embedding_precision = "bf16"
    return encoder


def adapted(build):
    encoder = build()
    attach(encoder, AdapterConfig(kind="lora"))
    with torch.no_grad():
        for name, parameter in encoder.named_parameters():
            if "lora_B" in name:
                parameter.normal_(0, 0.1)  # zero at the start, when the adapter changes nothing
    return encoder


OF_A_TRANSFORMER = {
    "mean": lambda build: build(),
    "cls": lambda build: build(pooling="cls"),
    "max": lambda build: build(pooling="max"),
    "joined": lambda build: build(pooling="mean+cls"),
    "normalized": lambda build: build(after_pooling=[Normalize()]),
    "cls-normalized": lambda build: build(pooling="cls", after_pooling=[Normalize()]),
    "dense": lambda build: build(after_pooling=[wide()]),
    "dense-normalized": lambda build: build(after_pooling=[wide(), Normalize()]),
    "joined-dense": lambda build: build(pooling="mean+cls", after_pooling=[wide(32)]),
    "dimensions": lambda build: of_dimensions(build(after_pooling=[Normalize()])),
    "prompt": lambda build: with_prompt(build(), pooled=True),
    "prompt-not-pooled": lambda build: with_prompt(build(after_pooling=[Normalize()]), pooled=False),
    "bf16": lambda build: in_bf16(build(after_pooling=[Normalize()])),
    "adapter": adapted,
}
OF_A_TOKEN_LAYER = {
    "mean": lambda layer: layer,
    "distinct": lambda layer: layer.read_by("distinct") or layer,
    "log-count": lambda layer: layer.read_by("log-count") or layer,
    "normalized": lambda layer: setattr(layer, "has_unit_length", True) or layer,
    "dimensions": of_dimensions,
    "prompt": partial(with_prompt, pooled=True),
}


def texts_and_labels(sentences: list[str]) -> tuple[list[str], np.ndarray]:
    """Forty texts of two classes, each made of the first or the last sentences."""
    rng = np.random.default_rng(0)
    labels = np.array(["a", "b"] * 20, object)
    halves = {"a": sentences[:6], "b": sentences[4:]}
    return [" ".join(rng.permutation(halves[label])[:2]) for label in labels], labels


def assert_the_last_layer_is_what_is_embedded(encoder, sentences) -> None:
    texts, labels = texts_and_labels(sentences)
    vectors = embed(encoder, texts)
    last = embed_layers(encoder, texts, poolings=(encoder.pooling,))[encoder.pooling][-1]
    assert last.shape == vectors.shape == (40, encoder.dim) and last.any()
    np.testing.assert_allclose(last, vectors, atol=1e-5)
    splits = fold_splits(labels, shuffled=True)
    one, other = (knn_by_both(embeddings=each, labels=labels, splits=splits) for each in (vectors, last))
    for distance in DISTANCES:
        assert one.by(distance).predictions.tolist() == other.by(distance).predictions.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_the_last_layer_of_every_architecture_is_what_it_embeds(sentences, kind):
    pooling = "last" if kind in DECODERS else "mean"
    encoder = tiny_encoder(sentences, kind, pooling=pooling, after_pooling=[Normalize()])
    assert_the_last_layer_is_what_is_embedded(encoder, sentences)


@pytest.mark.parametrize("reading", OF_A_TRANSFORMER)
def test_the_last_layer_of_a_transformer_is_what_it_embeds_however_it_is_read(tiny_bert, sentences, reading):
    assert_the_last_layer_is_what_is_embedded(OF_A_TRANSFORMER[reading](tiny_bert), sentences)


@pytest.mark.parametrize("reading", OF_A_TOKEN_LAYER)
def test_the_only_layer_of_a_token_layer_is_what_it_embeds(token_layer, sentences, reading):
    assert_the_last_layer_is_what_is_embedded(OF_A_TOKEN_LAYER[reading](token_layer), sentences)


@pytest.mark.parametrize("start", ["words", "token", "scratch:bert-tiny"])
def test_the_last_layer_of_an_encoder_made_here_is_what_it_embeds(toy_corpus, sentences, start):
    assert_the_last_layer_is_what_is_embedded(load_encoder(start, corpus=toy_corpus), sentences)


@pytest.mark.parametrize(
    ("after", "length"), [([], None), ([Normalize()], 1), ([wide()], None), ([wide(), Normalize()], 1)]
)
def test_layers_below_the_last_have_the_length_that_the_encoder_gives_its_vectors(tiny_bert, sentences, after, length):
    """A Dense layer is not applied to them: their width is the transformer's."""
    encoder = tiny_bert(after_pooling=after)
    plain = embed_layers(tiny_bert(), sentences, poolings=("mean", "cls"))
    found = embed_layers(encoder, sentences, poolings=("mean", "cls"))
    for pooling, layers in found.items():
        for vectors, raw in zip(layers[:-1], plain[pooling][:-1], strict=True):
            expected = raw if length is None else raw / np.linalg.norm(raw, axis=1, keepdims=True)
            np.testing.assert_allclose(vectors, expected, atol=1e-6)
        assert layers[-1].shape == (len(sentences), encoder.dim)


def test_a_pooling_that_the_dense_layer_cannot_take_is_only_normalized(tiny_bert, sentences):
    encoder = tiny_bert(pooling="mean+cls", after_pooling=[Dense(32, 4, bias=True, activation=IDENTITY), Normalize()])
    raw = embed_layers(tiny_bert(), sentences, poolings=("mean",))["mean"][-1]
    found = embed_layers(encoder, sentences, poolings=("mean",))["mean"][-1]
    np.testing.assert_allclose(found, raw / np.linalg.norm(raw, axis=1, keepdims=True), atol=1e-6)
