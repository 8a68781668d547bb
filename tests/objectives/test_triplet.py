"""The triplet loss by hand, against an explicit loop over triples, and by its properties."""

import pytest
import torch
from torch import nn

from embedlab.objectives.triplet import Triplet, TripletConfig, distances, satisfied, triplet_hinges


class _Identity(nn.Module):
    dim = 5

    def forward(self, tokens):
        return tokens["vectors"]


def terms_of(anchors, positives, **settings):
    objective = Triplet(TripletConfig(**settings), _Identity())
    return objective(_Identity(), [{"vectors": anchors}, {"vectors": positives}])


def test_two_triples_by_hand():
    """d(a1,p1)=3, d(a1,p2)=5, d(a2,p1)=5, d(a2,p2)=4.5: hinges 0 and 0.5; anchor lengths 0 and 4."""
    anchors, positives = torch.tensor([[0.0, 0.0], [0.0, 4.0]]), torch.tensor([[3.0, 0.0], [0.0, -0.5]])
    positives[1] = torch.tensor([4.5, 4.0])
    distance = distances(anchors=anchors, positives=positives)
    torch.testing.assert_close(distance, torch.tensor([[3.0, (4.5**2 + 16) ** 0.5], [5.0, 4.5]]))
    terms = terms_of(anchors, positives)
    assert terms["triplet"].item() == pytest.approx((0 + 0.5) / 2, rel=1e-6)
    assert terms["anchor_norm"].item() == pytest.approx(2.0) and terms["satisfied"].item() == 0.5
    assert terms["loss"].item() == pytest.approx(0.25 + 2 / 250, rel=1e-6)


def test_it_equals_the_loop_over_all_triples_in_value_and_gradient():
    torch.manual_seed(0)
    anchors, positives = (torch.randn(7, 5, requires_grad=True) for _ in range(2))
    loss = terms_of(anchors, positives, margin=0.7, anchor_norm_weight=0.3)["loss"]
    ours = torch.autograd.grad(loss, [anchors, positives])

    def distance(a, p):
        return ((a - p) ** 2).sum().sqrt()

    slow, negatives = 0.0, 0
    for i in range(7):
        for j in range(7):
            if i != j:
                short = distance(anchors[i], positives[i]) - distance(anchors[i], positives[j]) + 0.7
                slow, negatives = slow + torch.clamp(short, min=0), negatives + 1
    slow = slow / negatives + 0.3 * sum((a**2).sum().sqrt() for a in anchors) / 7
    torch.testing.assert_close(loss, slow, rtol=1e-5, atol=0)
    for our, their in zip(ours, torch.autograd.grad(slow, [anchors, positives]), strict=True):
        torch.testing.assert_close(our, their, rtol=1e-5, atol=1e-7)


def test_beyond_the_margin_there_is_nothing_left_to_do():
    positives = 10 * torch.eye(4, 5)
    anchors = (positives + 0.1).requires_grad_()
    terms = terms_of(anchors, positives, anchor_norm_weight=0.0)
    terms["loss"].backward()
    assert terms["loss"].item() == 0 and terms["satisfied"].item() == 1 and not anchors.grad.any()


def test_equal_vectors_cost_the_margin_and_have_finite_gradients():
    vectors = torch.zeros(3, 5)
    anchors, positives = vectors.clone().requires_grad_(), vectors.clone().requires_grad_()
    terms = terms_of(anchors, positives, margin=2.0)
    terms["loss"].backward()
    assert terms["loss"].item() == 2.0 and terms["satisfied"].item() == 0
    assert torch.isfinite(anchors.grad).all() and torch.isfinite(positives.grad).all()


def test_negatives_are_the_positives_of_the_others_and_never_their_anchors():
    torch.manual_seed(1)
    anchors, positives = torch.randn(4, 5), torch.randn(4, 5)
    moved = anchors.clone()
    moved[0] += 3
    before, after = (triplet_hinges(distances(anchors=a, positives=positives), margin=1.0) for a in (anchors, moved))
    assert torch.equal(before[3:], after[3:]) and not torch.equal(before[:3], after[:3])


def test_the_loss_feels_distances_only():
    """A rotation and a shift of all vectors change no triple; doubling vectors and margin doubles the loss."""
    torch.manual_seed(2)
    anchors, positives = (torch.randn(6, 5, dtype=torch.float64) for _ in range(2))
    rotation = torch.linalg.qr(torch.randn(5, 5, dtype=torch.float64)).Q
    hinges = triplet_hinges(distances(anchors=anchors, positives=positives), margin=1.0)
    turned = distances(anchors=anchors @ rotation + 3, positives=positives @ rotation + 3)
    torch.testing.assert_close(triplet_hinges(turned, margin=1.0), hinges)
    doubled = triplet_hinges(distances(anchors=2 * anchors, positives=2 * positives), margin=2.0)
    torch.testing.assert_close(doubled, 2 * hinges)
    assert 0 < satisfied(hinges) < 1


def test_a_single_text_has_no_triples_and_still_a_number():
    terms = terms_of(torch.ones(1, 5), torch.ones(1, 5))
    assert terms["triplet"].item() == 0 and torch.isfinite(terms["loss"])


def test_a_text_of_the_anchors_class_is_no_negative():
    """The second of the two triples by hand fell short by 0.5 and is of one class with the first text's positive."""
    anchors, positives = torch.tensor([[0.0, 0.0], [0.0, 4.0]]), torch.tensor([[3.0, 0.0], [4.5, 4.0]])
    objective = Triplet(TripletConfig(), _Identity())
    views = [{"vectors": anchors}, {"vectors": positives}]
    same, different = (objective(_Identity(), views, torch.tensor(groups)) for groups in ([5, 5], [5, 6]))
    assert same["triplet"].item() == 0 and torch.isfinite(same["loss"])
    assert different["loss"] == objective(_Identity(), views)["loss"] and different["triplet"].item() == 0.25


def test_of_three_texts_in_two_classes_four_triples_are_left():
    torch.manual_seed(3)
    distance = distances(anchors=torch.randn(3, 5), positives=torch.randn(3, 5))
    same = torch.tensor([[True, True, False], [True, True, False], [False, False, True]])
    pairs = [(0, 2), (1, 2), (2, 0), (2, 1)]
    slow = [float((distance[i, i] - distance[i, j] + 1).clamp(min=0)) for i, j in pairs]
    assert triplet_hinges(distance, margin=1.0, same=same).tolist() == pytest.approx(slow)


def test_half_precision_vectors_are_compared_in_single_precision():
    vectors = torch.randn(3, 5, dtype=torch.bfloat16)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert terms_of(vectors, vectors + 1)["loss"].dtype == torch.float32
