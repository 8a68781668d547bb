"""The three wirings of UNSEE: who meets whom, who learns, what the target network does, and how a run resumes."""

import copy

import numpy as np
import pytest
import torch
from safetensors.torch import load, save
from torch import nn

from embedlab.encoders.load import load_encoder
from embedlab.errors import SettingsError
from embedlab.objectives.barlow_twins import BarlowTwins
from embedlab.objectives.byol import BYOL
from embedlab.objectives.corinfomax import CorInfoMax
from embedlab.objectives.vicreg import VICReg
from embedlab.objectives.wiring import TargetNetwork, dimension_std, projector
from embedlab.training import watchdog

PARTS = [BYOL, BarlowTwins, VICReg, CorInfoMax]
WIRINGS = ["single", "online", "projection"]
each_part = pytest.mark.parametrize("part", PARTS, ids=lambda part: part.key)
each_wiring = pytest.mark.parametrize("wiring", WIRINGS)


class Toy(nn.Module):
    """A linear encoder with dropout and a buffer."""

    dim = 6

    def __init__(self, dropout: float = 0.1):
        super().__init__()
        self.layer = nn.Linear(self.dim, self.dim)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, tokens):
        return self.dropout(self.layer(tokens["vectors"]))


def made(part, wiring: str, *, dropout: float = 0.0, **settings):
    """An encoder and an objective whose target already differs from it."""
    torch.manual_seed(0)
    encoder = Toy(dropout)
    objective = part(part.config_class(wiring=wiring, **settings), encoder).train()
    if objective.target is not None:
        with torch.no_grad():
            for parameter in objective.target.parameters():
                parameter.add_(0.3 * torch.randn_like(parameter))
    return encoder.train(), objective


def two_views(texts: int = 8, seed: int = 1) -> list[dict]:
    generator = torch.Generator().manual_seed(seed)
    return [{"vectors": torch.randn(texts, Toy.dim, generator=generator)} for _ in range(2)]


def gradients(loss, *modules) -> list[torch.Tensor]:
    learned = [p for module in modules for p in module.parameters() if p.requires_grad]
    return torch.autograd.grad(loss, learned)


@each_part
@each_wiring
def test_the_loss_is_the_sum_of_both_directions_between_the_sides_of_the_wiring(part, wiring):
    encoder, objective = made(part, wiring)
    views = two_views()
    by_hand = copy.deepcopy(objective)  # a state of its own
    twin = copy.deepcopy(encoder)
    a, b = [by_hand.projector(twin(view)) for view in views]
    if wiring == "projection":
        y_a, y_b = a, b
    else:
        y_a, y_b = [by_hand.target.encoder(view).detach() for view in views]
    if wiring == "online":
        y_a, y_b = by_hand.projector(y_a), by_hand.projector(y_b)
    expected = by_hand.direction(online=a, target=y_b)["loss"] + by_hand.direction(online=b, target=y_a)["loss"]
    loss = objective(encoder, views)["loss"]
    torch.testing.assert_close(loss, expected, rtol=1e-6, atol=0)
    ours, theirs = gradients(loss, encoder, objective), gradients(expected, twin, by_hand)
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)
    assert ours[0].abs().max() > 1e-3  # the encoder's weights learn


@pytest.mark.parametrize("part", [BYOL, BarlowTwins, VICReg], ids=lambda part: part.key)
@each_wiring
def test_the_order_of_the_two_views_does_not_matter(part, wiring):
    encoder, objective = made(part, wiring)
    views = two_views()
    torch.testing.assert_close(objective(encoder, views)["loss"], objective(encoder, views[::-1])["loss"])


@pytest.mark.parametrize(("wiring", "times"), [("single", 2), ("online", 4), ("projection", 2)])
def test_the_projector_sees_the_target_side_in_online_projection_only(wiring, times):
    encoder, objective = made(BYOL, wiring)
    calls = []
    objective.projector.register_forward_hook(lambda module, given, result: calls.append(given[0].requires_grad))
    objective(encoder, two_views())
    assert calls == [True, True] + [False] * (times - 2)


@each_part
@each_wiring
def test_no_gradient_reaches_the_target_and_no_optimiser_is_given_it(part, wiring):
    encoder, objective = made(part, wiring)
    objective(encoder, two_views())["loss"].backward()
    dense = objective.parameter_groups()["dense"]
    assert all(p.grad is not None for p in [*encoder.parameters(), *dense])
    if wiring == "projection":
        assert objective.target is None
    else:
        kept = list(objective.target.parameters())
        assert kept and all(p.grad is None and not p.requires_grad for p in kept)
        assert not {id(p) for p in kept} & {id(p) for p in dense}


@each_part
def test_the_target_moves_by_one_minus_momentum_after_a_step_and_the_projector_has_no_slow_copy(part):
    encoder, objective = made(part, "single", momentum=0.75)
    before = [p.clone() for p in objective.target.parameters()]
    objective(encoder, two_views())["loss"].backward()
    torch.optim.SGD(encoder.parameters(), lr=0.1).step()
    encoder.seen.fill_(5)
    objective.after_step(encoder)
    for old, now, online in zip(before, objective.target.parameters(), encoder.parameters(), strict=True):
        torch.testing.assert_close(now - old, 0.25 * (online - old), rtol=1e-5, atol=1e-7)
    assert objective.target.encoder.seen.item() == 5
    assert [name for name in objective.target.state_dict()] == [f"encoder.{name}" for name in encoder.state_dict()]


def test_the_target_starts_as_a_copy_that_the_encoder_does_not_share():
    encoder = Toy()
    target = TargetNetwork(encoder, momentum=0.999)
    torch.testing.assert_close(target.encoder.state_dict(), encoder.state_dict(), rtol=0, atol=0)
    with torch.no_grad():
        encoder.layer.weight.add_(1)
    assert (encoder.layer.weight - target.encoder.layer.weight).min() > 0.9
    for momentum, moved in ((1.0, 0.0), (0.0, 1.0)):
        still = TargetNetwork(Toy(), momentum=momentum)
        old = still.encoder.layer.weight.clone()
        still.follow(encoder)
        expected = encoder.layer.weight if moved else old
        torch.testing.assert_close(still.encoder.layer.weight, expected, rtol=1e-6, atol=1e-7, check_stride=False)


def test_dropout_is_on_in_the_target_even_when_the_encoder_was_given_at_rest():
    objective = BYOL(BYOL.config_class(), Toy(dropout=0.5).eval())
    torch.manual_seed(0)
    view = two_views()[0]
    assert not torch.equal(*objective.target([view]), *objective.target([view]))


@each_part
def test_a_batch_of_one_is_refused_with_what_to_do(part):
    encoder, objective = made(part, "single")
    with pytest.raises(SettingsError, match=rf"{part.title} needs at least 2 texts .* found 1\. .*'batch_size'"):
        objective(encoder, two_views(texts=1))
    assert objective(encoder, two_views(texts=2))["loss"].isfinite()


@each_part
@each_wiring
def test_a_run_resumed_from_its_saved_state_goes_on_with_the_same_bits(part, wiring):
    def steps(encoder, objective, first, last):
        losses = []
        optimiser = torch.optim.SGD([*encoder.parameters(), *objective.parameter_groups()["dense"]], lr=1e-3)
        for step in range(first, last):
            torch.manual_seed(step)
            loss = objective(encoder, two_views(seed=step))["loss"]
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            objective.after_step(encoder)
            losses.append(loss.item())
        return losses

    encoder, objective = made(part, wiring, dropout=0.2)
    steps(encoder, objective, 0, 3)
    saved = [save({k: v.clone() for k, v in module.state_dict().items()}) for module in (encoder, objective)]
    uninterrupted = steps(encoder, objective, 3, 6)
    torch.manual_seed(99)
    again = Toy(0.2), part(part.config_class(wiring=wiring), Toy(0.2))
    for module, stored in zip(again, saved, strict=True):
        module.train().load_state_dict(load(stored))
    assert steps(*again, 3, 6) == uninterrupted
    assert all(torch.equal(now, again[1].state_dict()[name]) for name, now in objective.state_dict().items())


@each_part
def test_bf16_touches_the_networks_but_not_the_loss(part):
    encoder, objective = made(part, "single")
    seen = []
    compute = objective.direction
    objective.direction = lambda **sides: seen.append(sides) or compute(**sides)
    before = copy.deepcopy(objective.state_dict())
    with torch.autocast("cpu", dtype=torch.bfloat16):
        terms = objective(encoder, two_views(texts=64))
    assert all(side.dtype == torch.float32 for sides in seen for side in sides.values())
    objective.load_state_dict(before)
    assert terms["loss"].item() == sum(compute(**sides)["loss"] for sides in seen).item()


def test_corinfomax_moves_its_state_twice_a_step_first_by_the_first_view():
    encoder, objective = made(CorInfoMax, "single")
    views = two_views()
    objective(encoder, views)
    a, b = [objective.projector(encoder(view)).double().mean(dim=0) for view in views]
    y_a, y_b = [vectors.double().mean(dim=0) for vectors in objective.target(views)]
    for moments, first, second in ((objective.online_moments, a, b), (objective.target_moments, y_b, y_a)):
        torch.testing.assert_close(moments.mean, 0.01 * 0.99 * first + 0.99 * second, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("blocks", [1, 3])
def test_a_block_is_three_linear_layers_with_one_normalisation(blocks):
    kinds = [type(module).__name__ for block in projector(4, blocks=blocks, width=2) for module in block]
    assert kinds == ["Linear", "BatchNorm1d", "ReLU", "Linear", "ReLU", "Linear"] * blocks
    with torch.device("meta"):
        parameters = sum(p.numel() for p in projector(768, blocks=blocks, width=10).parameters())
    assert parameters == blocks * 70_810_368  # details of the paper: 71 million a block


def test_the_paper_s_best_models_are_the_defaults():
    assert [part.config_class().blocks for part in PARTS] == [3, 4, 3, 4]
    assert all(part.config_class().wiring == "single" and part.config_class().momentum == 0.999 for part in PARTS)


def test_std_is_that_of_the_live_points_one_for_isotropic_and_zero_for_collapsed_vectors():
    torch.manual_seed(0)
    vectors = torch.randn(2000, 32)
    assert dimension_std(vectors).item() == pytest.approx(1, abs=0.01)
    assert dimension_std(torch.ones(5, 4)).item() == pytest.approx(0, abs=1e-6)
    shifted = vectors + 2
    assert dimension_std(shifted).item() == pytest.approx(watchdog.dimension_std(shifted.numpy().astype(np.float64)))


@each_part
def test_a_random_bert_learns_from_the_same_texts_seen_twice(part, toy_corpus):
    torch.manual_seed(0)
    encoder = load_encoder("scratch:bert-tiny", corpus=toy_corpus, vocabulary_size=300).train()
    objective = part(part.config_class(), encoder).train()
    tokens = encoder.collate(encoder.tokenize(list(toy_corpus.texts[:8]), 16))
    terms = objective(encoder, [tokens, tokens])
    terms["loss"].backward()
    assert -1 <= terms["positive_similarity"] < 0.99 and 0 < terms["std"] < 1.1
    assert any(p.grad is not None and p.grad.abs().max() > 0 for p in encoder.parameters())
    assert terms["loss"].isfinite() and all(value.ndim == 0 for value in terms.values())
