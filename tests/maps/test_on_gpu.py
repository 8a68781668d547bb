"""cuML where it is installed, by a stand-in: what it is given, what is said, and when the CPU does it."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import numpy as np
import pytest
import torch

from embedlab.errors import SettingsError
from embedlab.maps.tsne import TSNE, TSNEConfig
from embedlab.maps.umap import UMAP, UMAPConfig
from embedlab.neighbors import neighbor_graph

EMBEDDINGS = np.random.default_rng(0).normal(size=(80, 6)).astype(np.float32)
ASKED: list = []


class StandIn:
    """Remembers what it was asked and lays texts out by their first two dimensions."""

    def __init__(self, **settings):
        ASKED.append(settings)

    def fit_transform(self, vectors):
        assert vectors.dtype == np.float32
        return vectors[:, :2] * 3


@pytest.fixture
def cuml(monkeypatch):
    ASKED.clear()
    package, manifold = ModuleType("cuml"), ModuleType("cuml.manifold")
    package.__spec__, package.__path__ = ModuleSpec("cuml", None, is_package=True), []
    manifold.TSNE = manifold.UMAP = StandIn
    monkeypatch.setitem(sys.modules, "cuml", package)
    monkeypatch.setitem(sys.modules, "cuml.manifold", manifold)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)


def laid_out(method, config, **more):
    return method.lay_out(EMBEDDINGS, neighbor_graph(EMBEDDINGS), config, **more)


@pytest.mark.parametrize(("method", "config"), [(TSNE, TSNEConfig), (UMAP, UMAPConfig)])
def test_cuml_draws_where_it_is_there_and_says_that_it_is_not_repeatable(cuml, method, config):
    layout = laid_out(method, config())
    assert np.allclose(layout.coordinates, EMBEDDINGS[:, :2] * 3) and layout.used.engine == "cuml"
    assert layout.used.repeatable is False and "not reproducible" in layout.used.note
    indices, distances = ASKED[0]["precomputed_knn"]
    assert indices[:, 0].tolist() == list(range(80)) and (distances[:, 0] == 0).all()
    assert ASKED[0]["n_neighbors"] == indices.shape[1] and ASKED[0]["random_state"] == 42


def test_the_cpu_draws_where_it_is_asked_for(cuml):
    layout = laid_out(UMAP, UMAPConfig(engine="cpu", epochs=5))
    assert not ASKED and layout.used.engine is None and layout.used.threads == 1


def test_tsne_from_given_coordinates_is_drawn_on_the_cpu_and_that_is_said(cuml):
    start = np.random.default_rng(1).normal(size=(80, 2))
    layout = laid_out(TSNE, TSNEConfig(aligned_iterations=250), start=start)
    assert not ASKED and layout.used.aligned and "on the CPU" in layout.used.note
    after = laid_out(UMAP, UMAPConfig(epochs=5), start=start)
    assert len(ASKED) == 1 and after.used.engine == "cuml" and after.used.aligned
    begin = ASKED[0]["init"]
    assert np.corrcoef(begin[:, 0], start[:, 0])[0, 1] > 0.99


@pytest.mark.parametrize("device", [True, False])
def test_without_cuml_or_a_device_the_cpu_draws_unless_cuml_was_asked_for(monkeypatch, device):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: device)
    monkeypatch.setitem(sys.modules, "cuml", None)
    assert laid_out(TSNE, TSNEConfig(early_iterations=5, iterations=5)).used.method == "tsne"
    with pytest.raises(SettingsError) as error:
        laid_out(UMAP, UMAPConfig(engine="cuml"))
    assert error.value.code == "E-CUML" and "engine = cpu" in error.value.message
