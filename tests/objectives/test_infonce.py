"""InfoNCE by hand, against pytorch-metric-learning's cross-entropy over pairs, and by its properties."""

import math

import pytest
import torch
from torch import nn

from embedlab.objectives.infonce import (
    InfoNCE,
    InfoNCEConfig,
    cosine_matrix,
    found_positive,
    info_nce,
    nt_xent,
    same_group,
)

FORMS = ["one way", "both ways", "nt-xent"]


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


def test_the_other_texts_of_the_anchors_class_leave_the_sum_or_are_positives_by_hand():
    """Cosines of anchor 1: 1, 1, 0 and temperature 1; texts 1 and 2 are of one class, text 3 stands alone."""
    vectors = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    similarity, same = cosine_matrix(anchors=vectors, positives=vectors), same_group(torch.tensor([7, 7, 4]))
    both, alone = math.log((math.e + 1) / math.e), math.log((2 + math.e) / math.e)
    masked = info_nce(similarity, temperature=1.0, same=same)
    assert masked.item() == pytest.approx((2 * both + alone) / 3, rel=1e-6)
    attracted = info_nce(similarity, temperature=1.0, same=same, attract=True)
    class_of_two = math.log((2 * math.e + 1) / math.e)  # both positives at cosine 1: their mean is the value of each
    assert attracted.item() == pytest.approx((2 * class_of_two + alone) / 3, rel=1e-6)


def _slow(anchors, positives, groups, *, form, temperature, attract):
    """Every sum by explicit loops: what is compared with what, who is a positive, who is left out."""

    def cosine(a, b):
        return (a @ b) / (a.norm() * b.norm())

    def one_direction(queries, keys, query_groups, key_groups, own, skip):
        total = 0.0
        for i, query in enumerate(queries):
            others = [j for j in range(len(keys)) if not (skip and i == j)]
            scores = {j: torch.exp(cosine(query, keys[j]) / temperature) for j in others}
            same = [j for j in others if query_groups[i] == key_groups[j]]
            if attract:
                each = [-torch.log(scores[j] / sum(scores.values())) for j in same]
                total = total + sum(each) / len(each)
            else:
                negatives = [scores[j] for j in others if j not in same]
                total = total - torch.log(scores[own[i]] / (scores[own[i]] + sum(negatives)))
        return total / len(queries)

    n, groups = len(anchors), groups.tolist()
    if form == "nt-xent":
        views, twice = torch.cat([anchors, positives]), groups * 2
        return one_direction(views, views, twice, twice, [(i + n) % (2 * n) for i in range(2 * n)], skip=True)
    there = one_direction(anchors, positives, groups, groups, range(n), skip=False)
    if form == "one way":
        return there
    return (there + one_direction(positives, anchors, groups, groups, range(n), skip=False)) / 2


@pytest.mark.parametrize("same_class", ["masked", "positives"])
@pytest.mark.parametrize("form", FORMS)
def test_with_classes_each_form_equals_the_explicit_loop_in_value_and_gradient(form, same_class):
    torch.manual_seed(6)
    views = [torch.randn(7, 6, requires_grad=True) for _ in range(2)]
    groups = torch.tensor([0, 1, 0, 2, 1, 0, 3])
    settings = InfoNCEConfig(form=form, same_class=same_class, temperature=0.2)
    loss = InfoNCE(settings, _Itself())(_Itself(), [{"vectors": view} for view in views], groups)["loss"]
    expected = _slow(*views, groups, form=form, temperature=0.2, attract=same_class == "positives")
    torch.testing.assert_close(loss, expected, rtol=1e-5, atol=0)
    for ours, theirs in zip(torch.autograd.grad(loss, views), torch.autograd.grad(expected, views), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-6)


def test_all_of_the_class_as_positives_is_the_supcon_of_pytorch_metric_learning():
    losses = pytest.importorskip("pytorch_metric_learning.losses")
    torch.manual_seed(7)
    ours = [torch.randn(8, 6, requires_grad=True) for _ in range(2)]
    reference = [vectors.detach().clone().requires_grad_() for vectors in ours]
    groups = torch.tensor([0, 0, 1, 2, 1, 3, 0, 4])
    objective = InfoNCE(InfoNCEConfig(form="nt-xent", same_class="positives", temperature=0.1), _Itself())
    loss = objective(_Itself(), [{"vectors": vectors} for vectors in ours], groups)["loss"]
    expected = losses.SupConLoss(temperature=0.1)(torch.cat(reference), groups.repeat(2))
    torch.testing.assert_close(loss, expected, rtol=1e-5, atol=0)
    for a, b in zip(torch.autograd.grad(loss, ours), torch.autograd.grad(expected, reference), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("same_class", ["masked", "positives"])
@pytest.mark.parametrize("form", FORMS)
def test_classes_of_one_text_each_change_nothing(form, same_class):
    torch.manual_seed(8)
    views = [{"vectors": torch.randn(9, 6)} for _ in range(2)]
    objective = InfoNCE(InfoNCEConfig(form=form, same_class=same_class), _Itself())
    plain, alone = objective(_Itself(), views), objective(_Itself(), views, torch.arange(9))
    assert plain["found_positive"] == alone["found_positive"]
    if same_class == "masked":
        assert torch.equal(plain["loss"], alone["loss"])
    torch.testing.assert_close(plain["loss"], alone["loss"], rtol=1e-6, atol=0)


@pytest.mark.parametrize("form", FORMS)
def test_a_text_of_the_anchors_class_does_not_push_and_one_of_another_class_does(form):
    torch.manual_seed(9)
    views = [torch.randn(3, 6) for _ in range(2)]
    groups = torch.tensor([0, 0, 1])
    objective = InfoNCE(InfoNCEConfig(form=form), _Itself())

    def first_anchor_alone(moved: int) -> torch.Tensor:
        """How the loss of text 1 feels the views of another text."""
        others = [view.clone().requires_grad_() for view in views]
        only = [torch.stack([other[0], other[moved]]) for other in others]
        loss = objective(_Itself(), [{"vectors": view} for view in only], groups[[0, moved]])["loss"]
        return torch.cat([gradient[0] for gradient in torch.autograd.grad(loss, others)])

    assert not first_anchor_alone(1).any() and first_anchor_alone(2).any()


def test_a_nearest_positive_of_the_same_class_is_found():
    similarity = torch.tensor([[0.9, 0.1, 0.0], [0.8, 0.7, 0.0], [0.3, 0.1, 0.2]])
    same = same_group(torch.tensor([0, 0, 1]))
    assert found_positive(similarity, same).item() == pytest.approx(2 / 3)


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
