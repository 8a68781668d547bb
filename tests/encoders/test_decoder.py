"""The decoder against transformers' causal models, and by what one-vector cross-attention must do."""

from functools import partial

import pytest
import torch
from tiny_models import MASKED_KINDS, tiny_encoder
from transformers import MODEL_FOR_CAUSAL_LM_MAPPING

from embedlab.encoders.folder_format import Dense
from embedlab.encoders.token_prediction import DECODER_TYPES, decoder_of
from embedlab.errors import UnfitError

# Our head's parts in transformers' causal models.
BERT_HEAD = ("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm", "cls.predictions.decoder")
THEIR_HEAD = {
    "bert": BERT_HEAD,
    "electra": ("generator_predictions.dense", "generator_predictions.LayerNorm", "generator_lm_head"),
} | dict.fromkeys(("roberta", "xlm-roberta", "camembert"), ("lm_head.dense", "lm_head.layer_norm", "lm_head.decoder"))


@pytest.fixture
def build(sentences):
    """A random encoder of two layers and 16 dimensions, of any kind."""

    return partial(tiny_encoder, sentences)


def reading(encoder, sentences):
    """What a decoder reads: tokens, one vector a text, its mask."""
    tokens = encoder.collate(encoder.tokenize(sentences))
    torch.manual_seed(5)
    vectors = torch.randn(len(sentences), encoder.dim)
    return tokens["input_ids"], {"vectors": vectors, "vector_mask": tokens["attention_mask"][:, :1]}


@pytest.mark.parametrize("kind", DECODER_TYPES)
@pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])
def test_scores_are_those_of_the_causal_model_of_transformers(build, sentences, kind, tied):
    encoder = build(kind)
    decoder = decoder_of(encoder, tied=tied).eval()
    theirs = MODEL_FOR_CAUSAL_LM_MAPPING[type(encoder.model.config)]._from_config(decoder.model.config).eval()
    getattr(theirs, theirs.base_model_prefix).load_state_dict(decoder.model.state_dict())
    dense, norm, words = (theirs.get_submodule(name) for name in THEIR_HEAD[kind])
    with torch.no_grad():
        decoder.head.bias.normal_()
        dense.load_state_dict(decoder.head.dense.state_dict())
        norm.load_state_dict(decoder.head.norm.state_dict())
        words.weight.copy_(encoder.model.get_input_embeddings().weight)
        words.bias.copy_(decoder.head.bias)
        input_ids, given = reading(encoder, sentences)
        ours = decoder.head(decoder(input_ids, **given))
        expected = theirs(
            input_ids=input_ids,
            encoder_hidden_states=given["vectors"][:, None],
            encoder_attention_mask=given["vector_mask"],
        ).logits
    torch.testing.assert_close(ours, expected, rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize("kind", MASKED_KINDS)
def test_there_is_a_decoder_exactly_where_transformers_has_a_causal_model(build, kind):
    encoder = build(kind)
    has_causal_model = type(encoder.model.config) in MODEL_FOR_CAUSAL_LM_MAPPING
    assert (kind in DECODER_TYPES) is has_causal_model and ("decoder" in encoder.provides) is has_causal_model
    if not has_causal_model:
        with pytest.raises(UnfitError, match="no such encoder") as caught:
            decoder_of(encoder, tied=True)
        assert caught.value.code == "E-DECODER"


@pytest.mark.parametrize("kind", DECODER_TYPES)
def test_a_token_sees_those_before_it_and_the_vector_and_nothing_after_it(build, kind):
    encoder = build(kind)
    decoder = decoder_of(encoder, tied=True).eval()
    ids = torch.tensor([[2, 7, 8, 9, 3]])
    vector, mask = torch.randn(1, 16), torch.ones(1, 1)
    before = decoder(ids, vectors=vector, vector_mask=mask)
    ids[0, 3] = 12
    after = decoder(ids, vectors=vector, vector_mask=mask)
    torch.testing.assert_close(after[:, :3], before[:, :3])
    assert (after[:, 3:] - before[:, 3:]).abs().amin(dim=1).max() > 1e-3
    elsewhere = decoder(ids, vectors=vector + 1, vector_mask=mask)
    assert ((elsewhere - after).abs().amax(dim=2) > 1e-3).all()


def test_cross_attention_adds_one_vector_at_every_place_and_its_query_and_key_learn_nothing(build, sentences):
    """The softmax over a single key is 1."""
    encoder = build("bert")
    decoder = decoder_of(encoder, tied=True).eval()
    input_ids, given = reading(encoder, sentences)
    layers = [layer.crossattention for layer in decoder.model.encoder.layer]
    added = []
    for layer in layers:
        layer.self.register_forward_hook(lambda module, args, output: added.append(output[0]))
    decoder(input_ids, **given).pow(3).sum().backward()
    assert len(added) == len(layers) == 2
    for layer, output in zip(layers, added, strict=True):
        torch.testing.assert_close(output, output[:, :1].expand_as(output))
        image = layer.self.value(given["vectors"])
        torch.testing.assert_close(output[:, 0], image)
        learned = layer.self.value.weight.grad.abs().max()
        assert learned > 0.1 and layer.output.dense.weight.grad.any()
        for part in (layer.self.query, layer.self.key):
            assert part.weight.grad.abs().max() < 1e-6 * learned and part.bias.grad.abs().max() < 1e-6 * learned


def test_a_text_without_tokens_is_written_from_its_vector_all_the_same(build, sentences):
    encoder = build("bert")
    decoder = decoder_of(encoder, tied=True).eval()
    input_ids, given = reading(encoder, sentences)
    before = decoder(input_ids, **given)
    given["vector_mask"] = given["vector_mask"] * torch.tensor([[0], *[[1]] * (len(sentences) - 1)])
    after = decoder(input_ids, **given)
    assert torch.isfinite(after).all()
    torch.testing.assert_close(after[1:], before[1:])


@pytest.mark.parametrize("kind", DECODER_TYPES)
def test_tied_parameters_are_the_encoders_own_and_untied_ones_are_copies(build, kind):
    encoder = build(kind)
    theirs = dict(encoder.model.named_parameters())
    tied, untied = (decoder_of(encoder, tied=flag) for flag in (True, False))
    for name, parameter in theirs.items():
        assert tied.model.get_parameter(name) is parameter
        copied = untied.model.get_parameter(name)
        assert copied is not parameter and torch.equal(copied, parameter)
    own = {id(parameter) for parameter in tied.own_parameters()}
    assert not own & {id(parameter) for parameter in encoder.parameters()}
    names = {name for name, parameter in tied.named_parameters() if id(parameter) in own}
    assert all(".crossattention." in name or name.startswith("head.") for name in names)
    assert len(own) == len(list(tied.parameters())) - len(theirs)
    assert len(untied.own_parameters()) == len(list(untied.parameters()))


def test_the_encoder_stays_an_encoder(build, sentences):
    encoder = build("bert")
    tokens = encoder.collate(encoder.tokenize(sentences))
    before = encoder(tokens)
    decoder_of(encoder, tied=True)
    assert not encoder.model.config.is_decoder and not encoder.model.config.add_cross_attention
    assert torch.equal(encoder(tokens), before)


def test_what_is_frozen_in_the_encoder_is_frozen_in_a_tied_decoder_alone(build):
    encoder = build("bert")
    encoder.freeze(1)
    tied, untied = (decoder_of(encoder, tied=flag) for flag in (True, False))
    assert not tied.model.get_input_embeddings().weight.requires_grad
    assert all(parameter.requires_grad for parameter in untied.parameters())
    assert all(parameter.requires_grad for parameter in tied.own_parameters())


def test_what_is_new_is_drawn_from_torchs_random_numbers(build):
    encoder = build("bert")

    def drawn(seed: int) -> torch.Tensor:
        torch.manual_seed(seed)
        return decoder_of(encoder, tied=True).model.encoder.layer[1].crossattention.self.value.weight

    assert torch.equal(drawn(1), drawn(1)) and not torch.equal(drawn(1), drawn(2))
    assert drawn(1).std().item() == pytest.approx(0.5, rel=0.2)


def test_a_pretrained_head_is_taken_over(build):
    encoder = build("electra")
    fresh = decoder_of(encoder, tied=True).head.state_dict()
    encoder.head_weights = {name: torch.randn_like(tensor) for name, tensor in fresh.items()}
    head = decoder_of(encoder, tied=True).head.state_dict()
    assert all(torch.equal(head[name], encoder.head_weights[name]) for name in fresh)


def test_a_vector_of_another_width_than_the_token_vectors_is_refused(build):
    dense = Dense(16, 5, bias=True, activation="torch.nn.modules.activation.Tanh")
    encoder = build("bert", after_pooling=[dense])
    assert "decoder" not in encoder.provides and "mlm_head" in encoder.provides
    with pytest.raises(UnfitError, match="no such encoder"):
        decoder_of(encoder, tied=False)
