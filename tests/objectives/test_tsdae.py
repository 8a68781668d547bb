"""TSDAE against sentence-transformers' loss, value and gradients, tied and untied; and how its weights are kept."""

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

from embedlab.errors import UnfitError
from embedlab.objectives.tsdae import TSDAE, TSDAEConfig

DAMAGED = ["The shows corpus.", "text point, points alike.", "Short.", "text together are pushed.", "mean good"]


def views_of(encoder):
    return [tokens_of(encoder, DAMAGED), tokens_of(encoder, SENTENCES)]


def built(*, tied: bool = True, pooling: str = "cls", seed: int = 0):
    encoder = tiny_encoder(pooling=pooling)
    torch.manual_seed(seed)
    return encoder, TSDAE(TSDAEConfig(tied=tied), encoder).eval()


def sentence_transformers_loss(encoder, objective, folder):
    """Their loss over the saved encoder, with our decoder's weights."""
    sentence_transformers = pytest.importorskip("sentence_transformers")
    losses = pytest.importorskip("sentence_transformers.sentence_transformer.losses")
    encoder.save(folder)
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu", local_files_only=True).eval()
    tied = objective.config.tied
    loss = losses.DenoisingAutoEncoderLoss(model, None if tied else str(folder), tie_encoder_decoder=tied)
    decoder, ours = loss.decoder, objective.decoder
    missing = decoder.bert.load_state_dict(ours.model.state_dict(), strict=False).missing_keys
    assert all("pooler" in name for name in missing)
    head = decoder.cls.predictions
    head.transform.dense.load_state_dict(ours.head.dense.state_dict())
    head.transform.LayerNorm.load_state_dict(ours.head.norm.state_dict())
    with torch.no_grad():
        head.bias.copy_(ours.head.bias)
    return loss.eval()


@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
@pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])
@pytest.mark.filterwarnings("ignore")  # theirs warns of weights that it makes anew
def test_it_equals_sentence_transformers_in_value_and_gradient(tmp_path, pooling, tied):
    encoder, objective = built(tied=tied, pooling=pooling)
    with torch.no_grad():
        objective.decoder.head.bias.normal_()
    theirs = sentence_transformers_loss(encoder, objective, tmp_path / "encoder")
    views = views_of(encoder)
    loss, their_loss = objective(encoder, views)["loss"], theirs([dict(view) for view in views], None)
    torch.testing.assert_close(loss, their_loss, rtol=1e-5, atol=0)
    loss.backward()
    their_loss.backward()
    assert_same_gradients(gradients(encoder.model), gradients(theirs.encoder.transformers_model))
    assert_same_gradients(gradients(objective.decoder.model), gradients(theirs.decoder.bert))
    head, their_head = objective.decoder.head, theirs.decoder.cls.predictions
    assert_same_gradients(gradients(head.dense), gradients(their_head.transform.dense))
    assert_same_gradients(gradients(head.norm), gradients(their_head.transform.LayerNorm))
    assert_same_gradients({"bias": head.bias.grad}, {"bias": their_head.bias.grad})


def test_it_is_the_mean_over_the_tokens_to_be_written_one_text_at_a_time():
    """Each text alone, unpadded: the sum of its tokens' costs; all of it over all tokens, not texts."""
    encoder, objective = built()
    total, count = 0.0, 0
    for damaged, text in zip(DAMAGED, SENTENCES, strict=True):
        views = [tokens_of(encoder, [damaged]), tokens_of(encoder, [text])]
        tokens = views[1]["input_ids"].shape[1] - 1  # all but [CLS], with which writing begins
        total, count = total + objective(encoder, views)["loss"] * tokens, count + tokens
    torch.testing.assert_close(objective(encoder, views_of(encoder))["loss"], total / count, rtol=1e-5, atol=0)


@pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])
def test_the_objective_trains_what_is_not_the_encoders(tied):
    encoder, objective = built(tied=tied)
    groups = objective.parameter_groups()
    assert groups["sparse"] == [] and not {id(p) for p in groups["dense"]} & {id(p) for p in encoder.parameters()}
    both = {id(p) for p in [*groups["dense"], *encoder.parameters()]}
    assert both == {id(p) for p in [*objective.parameters(), *encoder.parameters()]}


def test_only_a_tied_decoder_reaches_the_encoders_words_directly():
    """A word that is only written, never read by the encoder."""
    rows = {}
    for tied in (True, False):
        encoder, objective = built(tied=tied)
        objective(encoder, [encoder.collate([[2, 20, 3]]), encoder.collate([[2, 21, 22, 3]])])["loss"].backward()
        gradient = encoder.model.embeddings.word_embeddings.weight.grad
        rows[tied] = (gradient.abs().sum(dim=1) > 0).nonzero().flatten().tolist()
    assert rows[False] == [2, 3, 20]  # through the vector alone
    assert rows[True] == list(range(len(gradient)))  # and as output words


@pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])
def test_a_checkpoint_brings_everything_back_into_the_same_tensors(tied):
    encoder, objective = built(tied=tied)
    optimiser = torch.optim.SGD([*encoder.parameters(), *objective.parameter_groups()["dense"]], lr=0.01)
    objective(encoder, views_of(encoder))["loss"].backward()
    optimiser.step()
    kept = [{k: v.clone() for k, v in part.state_dict().items()} for part in (encoder, objective)]
    expected = objective(encoder, views_of(encoder))["loss"]

    again, resumed = built(tied=tied, seed=9)
    before = [id(p) for p in resumed.parameters()]
    again.load_state_dict(kept[0])
    resumed.load_state_dict(kept[1])
    assert torch.equal(resumed(again, views_of(again))["loss"], expected)
    assert [id(p) for p in resumed.parameters()] == before
    words = (resumed.decoder.model.get_input_embeddings().weight, again.model.get_input_embeddings().weight)
    assert (words[0] is words[1]) is tied


def test_the_encoder_learns_through_its_vector_alone():
    """Without the vector the decoder cannot know the text; with an untied decoder, that is all the encoder gives."""
    encoder, objective = built(tied=False)
    objective(encoder, views_of(encoder))["loss"].backward()
    assert any(gradient.any() for gradient in gradients(encoder.model).values())


def test_a_tied_pair_learns_to_write_each_text_from_its_own_vector():
    encoder, objective = built()
    optimiser = torch.optim.Adam([*encoder.parameters(), *objective.parameter_groups()["dense"]], lr=0.005)
    damaged, texts = ["text point", "near"], ["A text is a point.", "Near points are alike."]
    views = [tokens_of(encoder, damaged), tokens_of(encoder, texts)]
    first, *_, last = learned(lambda: objective(encoder, views), optimiser, steps=80)
    assert last["loss"] < first["loss"] / 2
    of_another = tokens_of(encoder, damaged[::-1])
    assert objective(encoder, [of_another, views[1]])["loss"].item() > 1.5 * last["loss"]


def test_half_precision_costs_nearly_the_same():
    encoder, objective = built()
    assert_half_precision_costs_the_same(objective, encoder, views_of(encoder))


def test_an_encoder_without_a_decoder_of_its_kind_is_refused():
    with pytest.raises(UnfitError, match="Choose another encoder or recipe"):
        TSDAE(TSDAEConfig(), tiny_encoder("distilbert"))
