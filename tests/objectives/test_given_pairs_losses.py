"""Losses of given pairs: by hand, against sentence-transformers in value and gradients, and by their properties."""

import math

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from torch import nn
from transformers import PreTrainedTokenizerFast

from embedlab.errors import UnfitError
from embedlab.objectives.infonce import Ranking
from embedlab.objectives.scored_pairs import CoSENT, CosineMSE
from embedlab.objectives.triplet import GivenTriplet

SCORES = torch.tensor([0.0, 0.2, 0.2, 0.5, 0.9, 1.0, 1.0])


class Lookup(nn.Module):
    """Gives back the vectors it is handed, as a SentenceTransformer gives embeddings."""

    dim = 6

    def forward(self, tokens):
        return {**tokens, "sentence_embedding": tokens["vectors"]}


class Itself(nn.Module):
    dim = 6

    def forward(self, tokens):
        return tokens["vectors"]


def ours(part, views: list, **told) -> torch.Tensor:
    return part(part.config_class(), Itself())(Itself(), [{"vectors": view} for view in views], **told)["loss"]


@pytest.mark.parametrize(
    ("part", "theirs", "views", "scored"),
    [
        (Ranking, "MultipleNegativesRankingLoss", 2, False),
        (Ranking, "MultipleNegativesRankingLoss", 4, False),
        (GivenTriplet, "TripletLoss", 3, False),
        (CosineMSE, "CosineSimilarityLoss", 2, True),
        (CoSENT, "CoSENTLoss", 2, True),
    ],
)
def test_it_equals_sentence_transformers_in_value_and_gradients(part, theirs, views, scored):
    losses = pytest.importorskip("sentence_transformers.sentence_transformer.losses")
    torch.manual_seed(0)
    given = [torch.randn(7, 6, requires_grad=True) for _ in range(views)]
    other = [view.detach().clone().requires_grad_() for view in given]
    loss = ours(part, given, **({"targets": SCORES} if scored else {}))
    expected = getattr(losses, theirs)(Lookup())([{"vectors": view} for view in other], SCORES if scored else None)
    torch.testing.assert_close(loss, expected, rtol=1e-5, atol=0)
    for a, b in zip(torch.autograd.grad(loss, given), torch.autograd.grad(expected, other), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-7)


def test_ranking_by_hand_counts_given_negatives_of_all_anchors():
    views = [torch.eye(2), torch.eye(2), torch.eye(2)]  # the negatives of both anchors stand among the candidates
    expected = math.log((2 * math.e**20 + 2) / math.e**20)  # own positive and own negative at cosine 1, two at 0
    assert ours(Ranking, views).item() == pytest.approx(expected, rel=1e-6)


def test_another_pair_of_the_same_anchor_is_no_negative():
    torch.manual_seed(1)
    anchor, positives = torch.randn(1, 6).repeat(2, 1), torch.randn(2, 6)
    apart = ours(Ranking, [anchor, positives], groups=torch.tensor([0, 1]))
    together = ours(Ranking, [anchor, positives], groups=torch.tensor([0, 0]))
    assert together.item() == pytest.approx(0.0, abs=1e-6) and apart.item() > 0.1


class Tokenized(Lookup):
    """A guide or model as GISTEmbedLoss asks for: it has a tokenizer of its own, which is never used."""

    max_seq_length = 8

    def __init__(self, name: str):
        super().__init__()
        self.name = name
        self.tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(WordLevel({"[UNK]": 0}, "[UNK]")))

    def forward(self, tokens):
        return {**tokens, "sentence_embedding": tokens[self.name]}


@pytest.mark.parametrize("views", [2, 3])
@pytest.mark.parametrize(("margin", "kind"), [(0.0, "absolute"), (0.2, "absolute"), (0.3, "relative")])
def test_a_guide_leaves_out_what_gist_does(views, margin, kind):
    losses = pytest.importorskip("sentence_transformers.sentence_transformer.losses")
    torch.manual_seed(2)
    given = [torch.randn(7, 6, requires_grad=True) for _ in range(views)]
    guides = [torch.randn(7, 5) for _ in range(views)]
    config = Ranking.config_class(guide="minilm", guide_margin=margin, guide_margin_is=kind, temperature=0.1)
    vectors = [{"vectors": view} for view in given]
    terms = Ranking(config, Itself())(Itself(), vectors, guide=torch.stack(guides, dim=1))
    gist = losses.GISTEmbedLoss(
        Tokenized("vectors"), Tokenized("guided"), temperature=0.1, margin=margin, margin_strategy=kind,
        contrast_anchors=False, contrast_positives=False,
    )  # fmt: skip
    both = [{"vectors": one, "guided": other} for one, other in zip(given, guides, strict=True)]
    expected = gist(both, None)
    torch.testing.assert_close(terms["loss"], expected, rtol=1e-5, atol=0)
    for a, b in zip(torch.autograd.grad(terms["loss"], given), torch.autograd.grad(expected, given), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-6)
    assert 0 < terms["left_out"] < 1 and terms["loss"] < Ranking(config, Itself())(Itself(), vectors)["loss"]


def test_a_triplet_by_hand_and_without_a_negative():
    anchor, positive, negative = torch.zeros(1, 2), torch.tensor([[3.0, 4.0]]), torch.tensor([[0.0, 7.0]])
    assert ours(GivenTriplet, [anchor, positive, negative]).item() == pytest.approx(5 - 7 + 5, abs=1e-4)
    with pytest.raises(UnfitError, match="negative text"):
        ours(GivenTriplet, [anchor, positive])


def test_the_error_of_a_cosine_by_hand():
    one, other = torch.tensor([[1.0, 0.0], [1.0, 0.0]]), torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    assert ours(CosineMSE, [one, other], targets=torch.tensor([0.5, 0.2])).item() == pytest.approx((0.25 + 0.04) / 2)


def test_cosent_looks_at_the_order_alone_and_at_no_pair_of_equal_scores():
    torch.manual_seed(2)
    views = [torch.randn(7, 6) for _ in range(2)]
    stretched = ours(CoSENT, views, targets=SCORES**3)
    torch.testing.assert_close(ours(CoSENT, views, targets=SCORES), stretched)
    assert ours(CoSENT, views, targets=torch.full((7,), 0.5)).item() == 0.0
    one, other = torch.tensor([[1.0, 0.0], [1.0, 0.0]]), torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    wrong = ours(CoSENT, [one, other], targets=torch.tensor([0.0, 1.0]))  # cosines 1 and 0 the wrong way round
    assert wrong.item() == pytest.approx(math.log(1 + math.exp(20)), rel=1e-6)
