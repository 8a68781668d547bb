"""A loss over the first dimensions of vectors is that of MatryoshkaLoss, and fits what compares vectors."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from embedlab.errors import SettingsError
from embedlab.objectives import OBJECTIVES
from embedlab.objectives.matryoshka import Matryoshka


class Vectors(nn.Module):
    """Stands for an encoder: tokens are the vectors."""

    dim, layers, parts, reference = 16, 1, None, "given"

    def forward(self, tokens):
        return tokens["vectors"]


def fixed() -> list[dict]:
    generator = torch.Generator().manual_seed(3)
    return [{"vectors": torch.randn(6, 16, generator=generator, requires_grad=True)} for _ in range(2)]


def loss_of(key: str, **settings):
    part = OBJECTIVES[key]
    return part(part.config_class(**settings), Vectors())


def test_infonce_is_the_weighted_sum_over_cut_vectors_and_theirs():
    losses = pytest.importorskip("sentence_transformers.sentence_transformer.losses")
    views, weights = fixed(), {16: 1.0, 8: 0.5, 4: 2.0}
    ours = Matryoshka(loss_of("infonce", temperature=0.05), weights, Vectors())(Vectors(), views)["loss"]
    one, other = (view["vectors"] for view in views)
    by_hand = sum(
        weight * F.cross_entropy(
            F.normalize(one[:, :dim]) @ F.normalize(other[:, :dim]).T / 0.05, torch.arange(6)
        )
        for dim, weight in weights.items()
    )  # fmt: skip
    assert ours.item() == pytest.approx(by_hand.item(), rel=1e-6)

    class Theirs(nn.Module):
        def forward(self, features):
            return {"sentence_embedding": features["vectors"]}

        def get_embedding_dimension(self):
            return 16

    model = Theirs()
    inner = losses.MultipleNegativesRankingLoss(model, scale=20.0)
    theirs = losses.MatryoshkaLoss(model, inner, list(weights), list(weights.values()))(views, None)
    assert ours.item() == pytest.approx(theirs.item(), rel=1e-5)
    ours.backward()
    gradient = one.grad.clone()
    one.grad = None
    theirs.backward()
    torch.testing.assert_close(gradient, one.grad, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("key", ["ranking", "triplet", "cosine-mse", "cosent"])
def test_every_loss_of_vectors_can_be_cut(key):
    labels = {"targets": torch.linspace(0, 1, 6)} if key.startswith("cos") else {}
    terms = Matryoshka(loss_of(key), {16: 1.0, 4: 1.0}, Vectors())(Vectors(), fixed(), **labels)
    assert torch.isfinite(terms["loss"]) and len(terms) > 1


@pytest.mark.parametrize(
    ("key", "settings", "weights", "sentence"),
    [
        ("infonce", {}, {17: 1.0}, "names 17 dimensions, but given has 16"),
        ("infonce", {"head": "mlp"}, {8: 1.0}, "through a head"),
        ("vicreg", {}, {8: 1.0}, "does not fit"),
    ],
)
def test_what_does_not_fit_is_one_sentence(key, settings, weights, sentence):
    with pytest.raises(SettingsError, match=sentence):
        Matryoshka(loss_of(key, **settings), weights, Vectors())
