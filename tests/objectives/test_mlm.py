"""Masked language modeling by hand, against transformers' own loss, and where nothing is to be guessed."""

import math

import pytest
import torch
from tiny_encoder import (
    SENTENCES,
    assert_half_precision_costs_the_same,
    assert_same_gradients,
    gradients,
    learned,
    tiny_encoder,
    tokens_of,
)
from transformers import MODEL_FOR_MASKED_LM_MAPPING

from embedlab.augmentations.base import IGNORED
from embedlab.config import NoSettings
from embedlab.objectives.mlm import MLM, are_chosen, token_accuracy, token_cross_entropy


def hidden(encoder, *, every: int = 3):
    """Every third token hidden; the second view holds the hidden ones, and padding as collate pads it."""
    read, guessed = [], []
    for ids in encoder.tokenize(SENTENCES):
        places = range(1, len(ids) - 1, every)
        read.append([encoder.mask_token_id if i in places else token for i, token in enumerate(ids)])
        guessed.append([token if i in places else IGNORED for i, token in enumerate(ids)])
    return [encoder.collate(read), encoder.collate(guessed)]


def test_uniform_scores_cost_the_logarithm_of_the_vocabulary():
    assert token_cross_entropy(torch.zeros(3, 7), torch.tensor([0, 4, 6])).item() == pytest.approx(math.log(7))


def test_the_mean_is_over_tokens_and_the_accuracy_counts_the_highest_scores():
    """A token of probability 1/2 and one of 3/4 over two entries."""
    scores = torch.tensor([[0.0, 0.0], [math.log(3), 0.0]])
    expected = (math.log(2) + math.log(4 / 3)) / 2
    assert token_cross_entropy(scores, torch.tensor([0, 0])).item() == pytest.approx(expected, rel=1e-6)
    assert token_accuracy(torch.eye(3), torch.tensor([0, 2, 2])).item() == pytest.approx(2 / 3)


@pytest.mark.parametrize("kind", ["bert", "roberta", "distilbert", "modernbert"])
def test_it_equals_the_masked_lm_loss_of_transformers(kind):
    encoder = tiny_encoder(kind)
    objective = MLM(NoSettings(), encoder)
    theirs = MODEL_FOR_MASKED_LM_MAPPING[type(encoder.model.config)]._from_config(encoder.model.config).eval()
    getattr(theirs, theirs.base_model_prefix).load_state_dict(encoder.model.state_dict())
    torch.manual_seed(3)
    with torch.no_grad():
        for parameter in objective.head.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    parts = {
        "bert": lambda m: (m.cls.predictions.transform.dense, m.cls.predictions.transform.LayerNorm),
        "roberta": lambda m: (m.lm_head.dense, m.lm_head.layer_norm),
        "distilbert": lambda m: (m.vocab_transform, m.vocab_layer_norm),
        "modernbert": lambda m: (m.head.dense, m.head.norm),
    }
    if kind == "modernbert":  # its head has no biases but the vocabulary's
        torch.nn.init.zeros_(objective.head.dense.bias)
        torch.nn.init.zeros_(objective.head.norm.bias)
    dense, norm = parts[kind](theirs)
    dense.load_state_dict(objective.head.dense.state_dict(), strict=kind != "modernbert")
    norm.load_state_dict(objective.head.norm.state_dict(), strict=kind != "modernbert")
    with torch.no_grad():
        theirs.get_output_embeddings().bias.copy_(objective.head.bias)

    views = hidden(encoder)
    labels = views[1]["input_ids"].masked_fill(views[1]["attention_mask"] == 0, -100)
    loss, their_loss = objective(encoder, views)["loss"], theirs(**views[0], labels=labels).loss
    torch.testing.assert_close(loss, their_loss, rtol=1e-5, atol=0)
    loss.backward()
    their_loss.backward()
    assert_same_gradients(gradients(encoder.model), gradients(getattr(theirs, theirs.base_model_prefix)))
    torch.testing.assert_close(objective.head.dense.weight.grad, dense.weight.grad, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(objective.head.norm.weight.grad, norm.weight.grad, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(objective.head.bias.grad, theirs.get_output_embeddings().bias.grad, rtol=1e-5, atol=1e-7)


def test_padding_and_what_is_ignored_are_not_guessed():
    guessed = {
        "input_ids": torch.tensor([[IGNORED, 9, IGNORED, 7], [8, IGNORED, 0, 0]]),
        "attention_mask": torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]]),
    }
    assert are_chosen(guessed).tolist() == [[False, True, False, True], [True, False, False, False]]


def test_a_batch_without_a_hidden_token_costs_nothing_and_can_be_learned_from():
    encoder = tiny_encoder()
    objective = MLM(NoSettings(), encoder)
    read = tokens_of(encoder, SENTENCES)
    guessed = {**read, "input_ids": torch.full_like(read["input_ids"], IGNORED)}
    terms = objective(encoder, [read, guessed])
    assert terms["loss"].item() == 0 and terms["token_accuracy"].item() == 0
    terms["loss"].backward()
    found = [*gradients(encoder.model).values(), *gradients(objective).values()]
    assert len(found) == len(list(encoder.parameters())) + len(list(objective.parameters()))
    assert all(torch.equal(gradient, torch.zeros_like(gradient)) for gradient in found)


def test_only_the_hidden_places_are_scored():
    """Another token to be guessed changes the loss; another token read where nothing is guessed is context alone."""
    encoder = tiny_encoder()
    objective = MLM(NoSettings(), encoder)
    read, guessed = hidden(encoder)
    before = objective(encoder, [read, guessed])["loss"]
    guessed["input_ids"][0, 0] = 7
    assert objective(encoder, [read, guessed])["loss"] != before


def test_half_precision_costs_nearly_the_same():
    encoder = tiny_encoder()
    objective = MLM(NoSettings(), encoder)
    assert_half_precision_costs_the_same(objective, encoder, hidden(encoder))


def test_it_learns_to_guess_a_batch():
    encoder = tiny_encoder()
    torch.manual_seed(0)
    objective = MLM(NoSettings(), encoder)
    dense = objective.parameter_groups()["dense"]
    assert not {id(p) for p in dense} & {id(p) for p in encoder.parameters()}
    optimiser, views = torch.optim.Adam([*encoder.parameters(), *dense], lr=0.02), hidden(encoder)
    first, *_, last = learned(lambda: objective(encoder, views), optimiser, steps=40)
    assert last["loss"] < first["loss"] / 3 and last["token_accuracy"] > 0.5
