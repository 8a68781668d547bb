"""The flow: invertible, its log-determinant that of the Jacobian, its density by hand, its layers written out."""

import math

import numpy as np
import pytest
import torch

from embedlab.postprocessing.glow import ActNorm, AdditiveCoupling, Glow, bits_per_dimension, halves, normal_log_density


def started(dim: int, *, seed: int = 0, spread: float = 0.05) -> tuple[Glow, torch.Tensor]:
    """A flow in float64 whose ActNorms have seen a batch and whose weights, the zero ones too, were moved by noise."""
    torch.manual_seed(seed)
    glow = Glow(dim).double()
    batch = torch.randn(40, dim, dtype=torch.float64) * torch.linspace(0.5, 2, dim, dtype=torch.float64) + 3
    with torch.no_grad():
        glow(batch)
        for weight in glow.parameters():
            weight.add_(spread * torch.randn_like(weight))
    return glow, batch


@pytest.mark.parametrize("dim", [5, 7, 8, 13, 24])
def test_the_inverse_gives_the_embeddings_back(dim):
    glow, batch = started(dim)
    with torch.no_grad():
        z, _ = glow(batch)
        torch.testing.assert_close(glow.inverse(z), batch, rtol=1e-9, atol=1e-9)
    assert z.shape == batch.shape and not torch.allclose(z, batch, atol=0.1)


@pytest.mark.parametrize("dim", [5, 8, 13])
def test_the_log_determinant_is_that_of_the_jacobian(dim):
    glow, batch = started(dim)
    for x in batch[:3]:
        jacobian = torch.autograd.functional.jacobian(lambda v: glow(v[None])[0][0], x)
        z, log_density = glow(x[None])
        expected = normal_log_density(z) + torch.linalg.slogdet(jacobian).logabsdet
        torch.testing.assert_close(log_density, expected, rtol=1e-9, atol=1e-9)


def test_bits_per_dimension_at_the_identity_by_hand():
    """log p of z = 0 is -½ log 2π a dimension, in bits ½ log₂ 2π = 1.3257; a one adds ½ log₂ e = 0.7213."""
    glow = Glow(8)
    for module in glow.modules():
        if isinstance(module, ActNorm):
            module.has_started = True  # shift and log-scale stay zero
    for x, bits in ((torch.zeros(1, 8), 1.32575), (torch.ones(1, 8), 1.32575 + 0.72135)):
        z, log_density = glow(x)
        assert sorted(z.flatten().tolist()) == x.flatten().tolist()
        assert bits_per_dimension(log_density, 8).item() == pytest.approx(bits, abs=1e-5)


def test_a_standard_normal_takes_half_log2_of_2_pi_e_bits_at_the_identity():
    z = torch.randn(4000, 16, generator=torch.Generator().manual_seed(0))
    sample = 0.5 * math.log2(2 * math.pi) + 0.5 * (z**2).mean().item() / math.log(2)
    found = bits_per_dimension(normal_log_density(z), 16).item()
    assert found == pytest.approx(sample, rel=1e-6)
    assert found == pytest.approx(0.5 * math.log2(2 * math.pi * math.e), abs=0.01)  # 2.0471


def test_stretching_the_embeddings_by_two_costs_one_bit_a_dimension():
    glow, batch = started(8, spread=0)
    other, _ = started(8, spread=0)
    for module in other.modules():
        if isinstance(module, ActNorm):
            module.has_started = False
    with torch.no_grad():
        other(2 * batch)
        bits = [bits_per_dimension(g(x)[1], 8).item() for g, x in ((glow, batch), (other, 2 * batch))]
    assert bits[1] - bits[0] == pytest.approx(1.0, abs=1e-4)


def test_actnorm_leaves_its_first_batch_with_mean_zero_and_deviation_one_and_then_stays():
    norm = ActNorm(3)
    batch = torch.tensor([[1.0, 10.0, 5.0], [3.0, 30.0, 5.5]])  # means 2, 20, 5.25; deviations 1, 10, 0.25
    torch.testing.assert_close(norm(batch), torch.tensor([[-1.0, -1, -1], [1.0, 1, 1]]), rtol=1e-5, atol=1e-5)
    assert norm.log_scale.tolist() == pytest.approx([0, -math.log(10) / 3, math.log(4) / 3], abs=1e-5)
    torch.testing.assert_close(norm(batch + 1)[0], torch.tensor([0.0, -0.9, 3.0]), rtol=1e-5, atol=1e-5)
    assert norm.log_determinant().item() == pytest.approx(math.log(0.4), abs=1e-4)


def test_the_first_half_of_a_coupling_stays_and_a_new_coupling_moves_nothing():
    coupling = AdditiveCoupling(7)
    x = torch.randn(5, 7)
    assert torch.equal(coupling(x), x)
    with torch.no_grad():
        coupling.last.weight.normal_()
    assert torch.equal(coupling(x)[:, :4], x[:, :4]) and not torch.allclose(coupling(x)[:, 4:], x[:, 4:])


def test_the_flow_equals_its_layers_written_out_with_loops():
    glow, batch = started(6)
    x = batch[:4].numpy()
    weights = {name: weight.detach().numpy() for name, weight in glow.named_parameters()}
    log_density, done = np.zeros(4), []
    for block in range(3):
        for flow in range(3):
            own = {name: w for name, w in weights.items() if name.startswith(f"blocks.{block}.{flow}.")}
            own = {name.split(".", 3)[3].removeprefix("coupling."): w for name, w in own.items()}
            x = own_flow(x, own)
            log_density += 3 * sum(own["actnorm.log_scale"])
        if block < 2:
            size = -(-x.shape[1] // 2)
            done.append(x[:, size:])
            x = x[:, :size]
    for part in (*done, x):
        for column in part.T:
            log_density += -0.5 * column**2 - 0.5 * math.log(2 * math.pi)
    with torch.no_grad():
        z, found = glow(batch[:4])
    np.testing.assert_allclose(z.numpy(), np.hstack([x, done[1], done[0]]), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.numpy(), log_density, rtol=1e-10)


def own_flow(x: np.ndarray, own: dict) -> np.ndarray:
    """ActNorm, reversal, additive coupling, text by text and channel by channel."""
    texts, channels = x.shape
    size = -(-channels // 2)
    changed = np.zeros_like(x)
    for text in range(texts):
        normed = [
            math.exp(3 * own["actnorm.log_scale"][c]) * (x[text, c] + own["actnorm.shift"][c]) for c in range(channels)
        ]
        turned = normed[::-1]
        hidden = turned[:size]
        for layer, norm in (("first", 0), ("second", 1)):
            hidden = [
                max(
                    0.0,
                    math.exp(3 * own[f"norms.{norm}.log_scale"][h])
                    * (float(np.dot(own[f"{layer}.weight"][h], hidden)) + own[f"norms.{norm}.shift"][h]),
                )
                for h in range(32)
            ]
        for channel in range(channels):
            changed[text, channel] = turned[channel]
            if channel >= size:
                moved = float(np.dot(own["last.weight"][channel - size], hidden)) + own["last.bias"][channel - size]
                changed[text, channel] += moved * math.exp(3 * own["scale"][channel - size])
    return changed


def test_halves_put_the_larger_part_in_front():
    first, second = halves(torch.arange(7.0)[None])
    assert first.tolist() == [[0, 1, 2, 3]] and second.tolist() == [[4, 5, 6]]
