"""A map of every layer: the top first, each drawn on from the one above it."""

import numpy as np
import pytest

from embedlab.errors import CorpusError
from embedlab.maps.few_points import layer_maps
from embedlab.neighbors import neighbor_graph


def groups(seed: int = 0, texts: int = 60) -> np.ndarray:
    """Three heaps of vectors, (texts, 8)."""
    rng = np.random.default_rng(seed)
    middles = np.eye(8, dtype=np.float32)[:3] * 6
    return middles[np.arange(texts) % 3] + rng.normal(size=(texts, 8)).astype(np.float32) * 0.3


def of_one_group(places: np.ndarray) -> float:
    """How many of each text's three nearest on the map belong to its heap."""
    near = neighbor_graph(places, k=3).indices
    return float((near % 3 == np.arange(len(places))[:, None] % 3).mean())


def test_each_layer_shows_what_it_knows_and_the_top_stays_where_it_is():
    top = groups()
    lower = np.random.default_rng(1).normal(size=top.shape).astype(np.float32)  # knows nothing
    drawn = layer_maps(np.stack([lower, top, top]))
    assert drawn.shape == (3, 60, 2) and drawn.dtype == np.float32 and np.isfinite(drawn).all()
    assert of_one_group(drawn[2]) > 0.95 > 0.7 > of_one_group(drawn[0])
    moved = np.linalg.norm(drawn[1] - drawn[2], axis=1).mean()
    assert moved < 0.15 * np.linalg.norm(drawn[2] - drawn[2].mean(axis=0), axis=1).mean()  # equal layers hardly move


def test_a_second_encoder_begins_where_the_first_one_ended():
    top = groups()
    first = layer_maps(top[None])[0]
    turned = top @ np.linalg.qr(np.random.default_rng(2).normal(size=(8, 8)))[0].astype(np.float32)
    second = layer_maps(turned[None], onto=first)[0]  # the same distances: the same map
    apart = np.linalg.norm(second - first, axis=1).mean()
    assert apart < 0.15 * np.linalg.norm(first - first.mean(axis=0), axis=1).mean()


def test_texts_that_are_all_one_vector_are_refused_in_a_sentence():
    with pytest.raises(CorpusError, match="needs texts that differ"):
        layer_maps(np.ones((2, 5, 8), np.float32))


def test_a_layer_that_cannot_be_drawn_repeats_the_one_above():
    top = groups()
    alike = np.ones_like(top)  # as [CLS] before the first layer
    drawn = layer_maps(np.stack([alike, top]))
    assert np.array_equal(drawn[0], drawn[1])
    gone = top.copy()
    gone[5] = 0  # a text without a vector keeps its place
    drawn = layer_maps(np.stack([gone, top]))
    assert np.array_equal(drawn[0, 5], drawn[1, 5]) and np.isfinite(drawn).all()
