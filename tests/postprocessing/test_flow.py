"""BERT-flow as a step: training lowers its bits per dimension and pulls embeddings towards a standard normal."""

import numpy as np
import pytest
import torch

from embedlab.errors import CorpusError, NonFiniteError
from embedlab.postprocessing.flow import BERTFlow, FlowConfig, read_through, train
from embedlab.postprocessing.glow import Glow

QUICK = FlowConfig(epochs=4, batch_size=32)


@pytest.fixture
def bent() -> np.ndarray:
    """(400, 8): the last four dimensions are a curved function of the first four, which a standardisation leaves."""
    rng = np.random.default_rng(0)
    first = rng.normal(size=(400, 4))
    return np.hstack([first, np.abs(first) * 3 + 0.1 * rng.normal(size=(400, 4))]).astype(np.float32) + 1


def fitted(embeddings: np.ndarray, config: FlowConfig = QUICK):
    return BERTFlow.fit_transform(embeddings, np.arange(len(embeddings)), config)


def test_training_lowers_bits_per_dimension(bent):
    used = fitted(bent, FlowConfig(epochs=10, batch_size=32)).used
    assert used["bits_per_dimension"] < used["bits_per_dimension_start"] - 0.1
    assert used["steps"] == 10 * 13


def test_four_steps_of_training_equal_the_update_written_out_and_biases_do_not_decay(bent):
    vectors = torch.from_numpy(bent).double()
    trained, slow = (Glow(8, generator=torch.Generator().manual_seed(0)).double() for _ in range(2))
    train(trained, vectors, FlowConfig(epochs=4, batch_size=400, learning_rate=0.01, weight_decay=0.9))
    slow(vectors)
    weights = dict(slow.named_parameters())
    m, v = ({name: torch.zeros_like(weight) for name, weight in weights.items()} for _ in range(2))
    for _ in range(4):  # the biases first move in the second step and would first decay in the third
        loss = -slow(vectors)[1].mean() / (8 * np.log(2))
        for (name, weight), gradient in zip(
            weights.items(), torch.autograd.grad(loss, list(weights.values())), strict=True
        ):
            m[name] = 0.9 * m[name] + 0.1 * gradient
            v[name] = 0.999 * v[name] + 0.001 * gradient**2
            decay = 0.0 if name.endswith("bias") else 0.9
            weight.data -= 0.01 * (m[name] / (v[name].sqrt() + 1e-6) + decay * weight.data)
    for name, weight in trained.named_parameters():
        torch.testing.assert_close(
            weight, weights[name], rtol=1e-7, atol=1e-9, msg=lambda said, name=name: f"{name} {said}"
        )


def test_every_epoch_reads_every_text_once_in_an_order_of_its_own(bent):
    glow, read = Glow(8), []
    glow.register_forward_pre_hook(lambda _, inputs: read.append(inputs[0]) if len(inputs[0]) <= 150 else None)
    train(glow, torch.from_numpy(bent), FlowConfig(epochs=2, batch_size=150))
    rows = {tuple(row): number for number, row in enumerate(bent.tolist())}
    orders = [[rows[tuple(row)] for row in torch.cat(read[i : i + 3]).tolist()] for i in (0, 3)]
    assert all(sorted(order) == list(range(400)) for order in orders)
    assert orders[0] != orders[1] and list(range(400)) not in orders


def test_at_the_start_every_dimension_is_standardised(bent):
    glow = Glow(8)
    train(glow, torch.from_numpy(bent), FlowConfig(epochs=1, learning_rate=1e-8))
    z, _ = read_through(glow, torch.from_numpy(bent))
    standard = (bent - bent.mean(axis=0)) / bent.std(axis=0)
    np.testing.assert_allclose(np.sort(z.numpy(), axis=1), np.sort(standard, axis=1), atol=1e-3)


def test_the_reported_bits_are_those_of_the_gaussian_at_the_start(bent):
    """Standardised channels: ½ log₂ 2πe + the mean log₂ deviation, whatever the texts are."""
    used = fitted(bent).used
    expected = 0.5 * np.log2(2 * np.pi * np.e) + np.log2(bent.std(axis=0, dtype=np.float64)).mean()
    assert used["bits_per_dimension_start"] == pytest.approx(expected, abs=1e-3)


def test_the_seed_decides_the_fit(bent):
    one, same, other = (fitted(bent, QUICK.model_copy(update={"seed": seed})).embeddings for seed in (0, 0, 1))
    assert (one == same).all() and not np.allclose(one, other, atol=1e-4)


def test_training_does_not_touch_other_random_numbers(bent):
    torch.manual_seed(5)
    fitted(bent)
    drawn = torch.rand(3)
    torch.manual_seed(5)
    assert torch.equal(drawn, torch.rand(3))


def test_the_number_of_threads_changes_nothing_and_stays_as_it_was(bent):
    threads, found = torch.get_num_threads(), []
    for number in (1, 2):
        torch.set_num_threads(number)
        found.append(fitted(bent).embeddings)
        assert torch.get_num_threads() == number
    torch.set_num_threads(threads)
    assert (found[0] == found[1]).all()


def test_constant_dimensions_are_left_out_and_said(bent):
    wider = np.hstack([np.full((400, 2), 0.7, np.float32), bent])
    processed = fitted(wider)
    assert (processed.embeddings[:, :2] == 0).all()
    assert (processed.embeddings[:, 2:] == fitted(bent).embeddings).all()
    assert processed.used["remarks"] == ["2 of 10 dimensions are the same in all texts and are left out."]


def test_too_few_dimensions_are_refused_with_a_sentence(bent):
    with pytest.raises(CorpusError, match="at least 5 dimensions in which texts differ, but found 4 of 4") as found:
        fitted(bent[:, :4])
    assert found.value.code == "E-FEW-DIMENSIONS"
    assert fitted(bent[:50, :5]).embeddings.shape == (50, 5)


def test_a_rate_that_is_too_high_ends_with_a_sentence(bent):
    with pytest.raises(NonFiniteError, match="Lower its learning rate"):
        fitted(bent, FlowConfig(epochs=30, batch_size=32, learning_rate=1.0))


def test_progress_counts_the_steps(bent):
    seen = []
    BERTFlow.fit_transform(
        bent, np.arange(400), QUICK, lambda stage, done=0, total=0: seen.append((stage, done, total))
    )
    assert seen[0] == ("Fitting BERT-flow to 400 texts", 1, 52) and seen[-1][1:] == (52, 52)
