"""InfoNCE by hand, against pytorch-metric-learning's cross-entropy over pairs, and by its properties."""

import math

import pytest
import torch
from torch import nn

from embedlab.objectives.infonce import InfoNCE, InfoNCEConfig, cosine_matrix, found_positive, info_nce, nt_xent


def test_info_nce_of_an_orthonormal_pair_is_log_of_one_plus_e_to_minus_one_over_t():
    similarity = cosine_matrix(anchors=torch.eye(2), positives=torch.eye(2))
    assert info_nce(similarity, temperature=0.5).item() == pytest.approx(math.log(1 + math.exp(-2)), rel=1e-6)


def test_info_nce_equals_the_explicit_loop_in_value_and_gradient():
    torch.manual_seed(0)
    anchors = torch.randn(7, 5, dtype=torch.float64, requires_grad=True)
    positives = torch.randn(7, 5, dtype=torch.float64, requires_grad=True)
    loss = info_nce(cosine_matrix(anchors=anchors, positives=positives), temperature=0.05)
    gradients = torch.autograd.grad(loss, [anchors, positives])

    def cosine(a, b):
        return (a @ b) / (a.norm() * b.norm())

    slow = 0.0
    for i in range(7):
        scores = [torch.exp(cosine(anchors[i], positives[j]) / 0.05) for j in range(7)]
        slow = slow - torch.log(scores[i] / sum(scores)) / 7
    torch.testing.assert_close(loss, slow, rtol=1e-9, atol=0)
    for ours, theirs in zip(gradients, torch.autograd.grad(slow, [anchors, positives]), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-8, atol=1e-12)


class Lookup(nn.Module):
    """Gives back the vectors it is handed, as a SentenceTransformer gives embeddings."""

    dim = 6

    def forward(self, tokens):
        return {**tokens, "sentence_embedding": tokens["vectors"]}


@pytest.mark.parametrize("form", ["one way", "both ways"])
def test_info_nce_equals_multiple_negatives_ranking_loss_in_value_and_gradients(form):
    losses = pytest.importorskip("sentence_transformers.sentence_transformer.losses")
    directions = ("query_to_doc",) if form == "one way" else ("query_to_doc", "doc_to_query")
    partition = {} if form == "one way" else {"directions": directions, "partition_mode": "per_direction"}
    theirs = losses.MultipleNegativesRankingLoss(Lookup(), scale=20.0, **partition)
    torch.manual_seed(1)
    ours = [torch.randn(9, 6, requires_grad=True) for _ in range(2)]
    reference = [vectors.detach().clone().requires_grad_() for vectors in ours]
    objective = InfoNCE(InfoNCEConfig(form=form), _Itself())
    loss = objective(_Itself(), [{"vectors": vectors} for vectors in ours])["loss"]
    expected = theirs([{"vectors": vectors} for vectors in reference], None)
    torch.testing.assert_close(loss, expected, rtol=1e-5, atol=0)
    for a, b in zip(torch.autograd.grad(loss, ours), torch.autograd.grad(expected, reference), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-7)


def test_nt_xent_equals_pytorch_metric_learning_in_value_and_gradients():
    losses = pytest.importorskip("pytorch_metric_learning.losses")
    torch.manual_seed(3)
    ours = [torch.randn(8, 5, requires_grad=True) for _ in range(2)]
    reference = [vectors.detach().clone().requires_grad_() for vectors in ours]
    loss = nt_xent(anchors=ours[0], positives=ours[1], temperature=0.1)
    expected = losses.NTXentLoss(temperature=0.1)(torch.cat(reference), torch.arange(8).repeat(2))
    torch.testing.assert_close(loss, expected, rtol=1e-5, atol=0)
    for a, b in zip(torch.autograd.grad(loss, ours), torch.autograd.grad(expected, reference), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-7)


def test_nt_xent_is_symmetric_and_info_nce_is_not():
    torch.manual_seed(4)
    a, b = torch.randn(6, 4), torch.randn(6, 4)
    there, back = (nt_xent(anchors=x, positives=y, temperature=0.1) for x, y in ((a, b), (b, a)))
    torch.testing.assert_close(there, back)
    one = info_nce(cosine_matrix(anchors=a, positives=b), temperature=0.1)
    other = info_nce(cosine_matrix(anchors=b, positives=a), temperature=0.1)
    assert abs(float(one - other)) > 1e-3


def test_nt_xent_of_two_orthogonal_pairs_by_hand():
    views = torch.eye(2)
    expected = math.log((math.e**2 + 2) / math.e**2)  # own partner at cosine 1, two others at 0, temperature 0.5
    assert nt_xent(anchors=views, positives=views, temperature=0.5).item() == pytest.approx(expected, rel=1e-6)


def test_similarities_are_never_taken_in_bf16():
    torch.manual_seed(5)
    anchors, positives = torch.randn(6, 64), torch.randn(6, 64)
    plain = cosine_matrix(anchors=anchors, positives=positives)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(cosine_matrix(anchors=anchors, positives=positives), plain)


def test_the_loss_does_not_feel_the_length_of_a_vector():
    torch.manual_seed(2)
    anchors, positives = torch.randn(6, 4), torch.randn(6, 4)
    one = cosine_matrix(anchors=anchors, positives=positives)
    other = cosine_matrix(anchors=anchors * 7, positives=positives * torch.rand(6, 1).add(0.1))
    torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-6)


def test_found_positive_counts_the_rows_whose_own_positive_is_nearest():
    similarity = torch.tensor([[0.9, 0.1, 0.0], [0.8, 0.7, 0.0], [0.0, 0.1, 0.2]])
    assert found_positive(similarity).item() == pytest.approx(2 / 3)


class _Itself(nn.Module):
    dim = 6

    def forward(self, tokens):
        return tokens["vectors"]


class _Doubling(nn.Module):
    dim = 4

    def forward(self, tokens):
        return 2 * tokens["vectors"]


@pytest.mark.parametrize(
    ("head", "expected"), [("projection", [(512, 4), (512,), (128, 512), (128,)]), ("mlp", [(4, 4), (4,)])]
)
def test_the_head_is_trained_and_is_not_the_encoder(head, expected):
    objective = InfoNCE(InfoNCEConfig(head=head), _Doubling())
    views = [{"vectors": torch.randn(5, 4)}, {"vectors": torch.randn(5, 4)}]
    terms = objective(_Doubling(), views)
    terms["loss"].backward()
    assert [tuple(p.shape) for p in objective.parameters()] == expected
    assert all(p.grad is not None for p in objective.parameters())
    assert not list(InfoNCE(InfoNCEConfig(), _Doubling()).parameters())


def test_the_head_of_simcse_is_one_layer_with_tanh():
    objective = InfoNCE(InfoNCEConfig(head="mlp"), _Doubling())
    vectors = torch.randn(5, 4)
    layer = objective.head[0]
    torch.testing.assert_close(objective.head(vectors), torch.tanh(vectors @ layer.weight.T + layer.bias))
