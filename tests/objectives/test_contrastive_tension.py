"""Contrastive Tension against sentence-transformers and explicit loops, and that both encoders learn."""

import math

import pytest
import torch
from tiny_encoder import SENTENCES, assert_same_gradients, gradients, tiny_encoder, tokens_of
from torch import nn

from embedlab.config import NoSettings
from embedlab.encoders.from_corpus import train_vocabulary
from embedlab.encoders.token_layer import TokenLayer
from embedlab.objectives.contrastive_tension import (
    ContrastiveTension,
    ContrastiveTensionInBatch,
    ContrastiveTensionInBatchConfig,
    are_same,
    tension,
)

BOTH = [(ContrastiveTension, NoSettings), (ContrastiveTensionInBatch, ContrastiveTensionInBatchConfig)]


def pair_of_views(encoder):
    """Three equal pairs and two of different texts; the second view is padded less."""
    return [tokens_of(encoder, SENTENCES), tokens_of(encoder, [*SENTENCES[:3], "Short.", "A text is a point."])]


def moved(encoder, seed: int) -> None:
    torch.manual_seed(seed)
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter += 0.05 * torch.randn_like(parameter)


def their_loss(loss_class, encoder, folder, first, **arguments):
    """sentence-transformers' loss over the same two encoders."""
    sentence_transformers = pytest.importorskip("sentence_transformers")
    encoder.save(folder)
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu", local_files_only=True).eval()
    losses = pytest.importorskip("sentence_transformers.sentence_transformer.losses")
    loss = getattr(losses, loss_class)(model, **arguments)
    loss.model1.transformers_model.load_state_dict(first.model.state_dict(), strict=False)
    return loss.eval()


def test_tension_of_two_pairs_by_hand():
    """log(1 + e^-2) for the equal pair, log(1 + e^-1) for the different one whose score is -1; a sum, not a mean."""
    expected = math.log(1 + math.exp(-2)) + math.log(1 + math.exp(-1))
    assert tension(torch.tensor([2.0, -1.0]), torch.tensor([True, False])).item() == pytest.approx(expected, rel=1e-6)


def test_it_equals_the_explicit_loop_in_value_and_gradient():
    encoder = tiny_encoder()
    objective = ContrastiveTension(NoSettings(), encoder).eval()
    moved(objective.first, seed=1)
    views = pair_of_views(encoder)
    loss = objective(encoder, views)["loss"]
    ours = torch.autograd.grad(loss, [*objective.parameters(), *encoder.parameters()], retain_graph=True)
    firsts, seconds = objective.first(views[0]).double(), encoder(views[1]).double()  # 1 − p cancels in float32
    slow = 0.0
    for row, is_same in enumerate([True, True, True, False, False]):
        probability = 1 / (1 + torch.exp(-sum(firsts[row] * seconds[row])))
        slow = slow - torch.log(probability if is_same else 1 - probability)
    theirs = torch.autograd.grad(slow, [*objective.parameters(), *encoder.parameters()])
    torch.testing.assert_close(loss, slow.float(), rtol=1e-5, atol=0)
    assert_same_gradients(dict(enumerate(ours)), dict(enumerate(theirs)))


def test_contrastive_tension_equals_sentence_transformers(tmp_path):
    encoder = tiny_encoder()
    objective = ContrastiveTension(NoSettings(), encoder).eval()
    moved(objective.first, seed=1)
    theirs = their_loss("ContrastiveTensionLoss", encoder, tmp_path / "encoder", objective.first)
    views = pair_of_views(encoder)
    our_loss, their_value = objective(encoder, views)["loss"], theirs([dict(view) for view in views], None)
    torch.testing.assert_close(our_loss, their_value, rtol=1e-5, atol=0)
    our_loss.backward()
    their_value.backward()
    assert_same_gradients(gradients(encoder.model), without_pooler(theirs.model2))
    assert_same_gradients(gradients(objective.first.model), without_pooler(theirs.model1))


def test_the_in_batch_form_equals_sentence_transformers(tmp_path):
    encoder = tiny_encoder()
    objective = ContrastiveTensionInBatch(ContrastiveTensionInBatchConfig(), encoder).eval()
    moved(objective.first, seed=1)
    theirs = their_loss(
        "ContrastiveTensionLossInBatchNegatives", encoder, tmp_path / "encoder", objective.first, scale=20.0
    )
    tokens = tokens_of(encoder, SENTENCES)
    terms, their_value = objective(encoder, [tokens, tokens]), theirs([dict(tokens)], None)
    torch.testing.assert_close(terms["loss"], their_value, rtol=1e-5, atol=0)
    terms["loss"].backward()
    their_value.backward()
    assert_same_gradients(gradients(encoder.model), without_pooler(theirs.model2))
    assert_same_gradients(gradients(objective.first.model), without_pooler(theirs.model1))
    torch.testing.assert_close(objective.log_scale.grad, theirs.logit_scale.grad.float(), rtol=1e-4, atol=0)
    assert terms["temperature"].item() == pytest.approx(0.05)


def without_pooler(model) -> dict:
    return gradients(model.transformers_model)


def test_same_texts_are_told_whatever_the_padding():
    def tokens(*rows):
        width = max(map(len, rows))
        ids = torch.tensor([[*row, *[0] * (width - len(row))] for row in rows])
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
        return {"input_ids": ids, "attention_mask": mask}

    one = tokens([2, 5, 3], [2, 5, 6, 3], [2, 0], [2, 7, 3], [])
    other = tokens([2, 5, 3], [2, 5, 6], [2], [2, 7, 3, 0, 0, 0], [])
    assert are_same(one, other).tolist() == [True, False, False, False, True]
    assert torch.equal(are_same(one, other), are_same(other, one)) and are_same(one, one).all()
    vectors = torch.eye(2)
    assert are_same({"vectors": vectors}, {"vectors": vectors.roll(1, 0)}).tolist() == [False, False]


@pytest.mark.parametrize(("part", "config_class"), BOTH)
def test_both_encoders_start_equal_and_both_move(part, config_class):
    encoder = tiny_encoder()
    objective = part(config_class(), encoder)
    before = {name: tensor.clone() for name, tensor in encoder.state_dict().items()}
    assert all(torch.equal(tensor, before[name]) for name, tensor in objective.first.state_dict().items())
    learning = [*encoder.parameter_groups()["dense"], *objective.parameter_groups()["dense"]]
    assert len({id(parameter) for parameter in learning}) == len(learning)
    optimiser = torch.optim.SGD(learning, lr=0.01)
    objective(encoder, pair_of_views(encoder))["loss"].backward()
    optimiser.step()
    after, firsts = encoder.state_dict(), objective.first.state_dict()
    word = "model.embeddings.word_embeddings.weight"
    assert not torch.equal(after[word], before[word]) and not torch.equal(firsts[word], before[word])
    assert not torch.equal(after[word], firsts[word])


def test_the_kept_encoder_reads_the_second_text():
    """A word that stands only in one view is learned by the encoder of that view alone."""
    encoder = tiny_encoder()
    objective = ContrastiveTension(NoSettings(), encoder)
    views = [encoder.collate([[2, 20, 3]]), encoder.collate([[2, 21, 3]])]
    objective(encoder, views)["loss"].backward()
    kept, first = (e.model.embeddings.word_embeddings.weight.grad.abs().sum(1) > 0 for e in (encoder, objective.first))
    assert kept.nonzero().flatten().tolist() == [2, 3, 21] and first.nonzero().flatten().tolist() == [2, 3, 20]


@pytest.mark.parametrize(("part", "config_class"), BOTH)
def test_frozen_layers_are_frozen_in_both_encoders(part, config_class):
    encoder = tiny_encoder()
    encoder.freeze(1)
    objective = part(config_class(), encoder)
    objective(encoder, pair_of_views(encoder))["loss"].backward()
    for blocks in (encoder.blocks(), objective.first.blocks()):
        assert [any(p.grad is not None for p in block) for block in blocks] == [False, False, True]
    trained = {id(p) for p in objective.parameter_groups()["dense"]}
    assert {id(p) for p in objective.first.blocks()[2]} <= trained
    assert not trained & {id(p) for block in objective.first.blocks()[:2] for p in block}


def test_a_token_layer_hands_on_its_sparse_parameter_and_the_scale_is_dense():
    layer = TokenLayer.random(train_vocabulary(SENTENCES, 200), 8, seed=0)
    objective = ContrastiveTensionInBatch(ContrastiveTensionInBatchConfig(temperature=0.1), layer)
    groups = objective.parameter_groups()
    assert groups["sparse"][0] is objective.first.embedding.weight and groups["dense"] == [objective.log_scale]
    tokens = layer.collate(layer.tokenize(SENTENCES))
    objective(layer, [tokens, tokens])["loss"].backward()
    assert objective.first.embedding.weight.grad.is_sparse and objective.log_scale.item() == pytest.approx(math.log(10))


def test_half_precision_vectors_are_compared_in_single_precision():
    encoder = tiny_encoder()
    objective = ContrastiveTensionInBatch(ContrastiveTensionInBatchConfig(), encoder).eval()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        terms = objective(encoder, pair_of_views(encoder))
        vectors = [objective.first(pair_of_views(encoder)[0]).float(), encoder(pair_of_views(encoder)[1]).float()]
    scores = torch.nn.functional.cosine_similarity(vectors[0][:, None], vectors[1][None], dim=2) * 20
    own = torch.arange(len(scores))
    expected = (torch.nn.functional.cross_entropy(scores, own) + torch.nn.functional.cross_entropy(scores.T, own)) / 2
    torch.testing.assert_close(terms["loss"], expected, rtol=1e-4, atol=0)


def test_in_batch_a_text_of_the_same_class_does_not_push():
    encoder = tiny_encoder()
    objective = ContrastiveTensionInBatch(ContrastiveTensionInBatchConfig(), encoder).eval()
    count = len(pair_of_views(encoder)[0]["input_ids"])
    plain, alone, together = (
        objective(encoder, pair_of_views(encoder), *groups)
        for groups in ((), (torch.arange(count),), (torch.zeros(count, dtype=torch.long),))
    )
    assert torch.equal(plain["loss"], alone["loss"]) and plain["loss"] > 0
    assert together["loss"] == 0 and together["found_positive"] == 1, "nothing is left to tell apart"


class _Linear(nn.Module):
    dim = 4

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, tokens):
        return self.layer(tokens["vectors"])


@pytest.mark.parametrize(("part", "config_class"), BOTH)
def test_a_checkpoint_brings_the_first_encoder_back(part, config_class):
    torch.manual_seed(0)
    encoder, vectors = _Linear(), torch.randn(5, 4)
    objective = part(config_class(), encoder)
    moved(objective, seed=3)
    again = part(config_class(), encoder)
    again.load_state_dict({name: tensor.clone() for name, tensor in objective.state_dict().items()})
    views = [{"vectors": vectors}, {"vectors": vectors.flip(0)}]
    assert torch.equal(again(encoder, views)["loss"], objective(encoder, views)["loss"])


def test_told_apart_counts_the_pairs_whose_score_has_the_right_sign():
    """With equal encoders a text scores its own squared length; a text and its opposite score below zero."""
    encoder, vectors = nn.Identity(), torch.eye(3)
    encoder.forward = lambda tokens: tokens["vectors"]
    objective = ContrastiveTension(NoSettings(), encoder)
    right = objective(encoder, [{"vectors": vectors}, {"vectors": torch.stack([vectors[0], -vectors[1], vectors[2]])}])
    assert right["told_apart"].item() == 1
    wrong = objective(encoder, [{"vectors": vectors}, {"vectors": 2 * vectors}])
    assert wrong["told_apart"].item() == 0
