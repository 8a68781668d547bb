"""What holds for every encoder: tokens, hidden states, pooling, freezing, hashes."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from embedlab.encoders.folder_format import IDENTITY, Dense
from embedlab.errors import EncoderError, SettingsError, UnfitError


@pytest.fixture(params=["token", "tiny"])
def encoder(request, token_layer, tiny_bert):
    return token_layer if request.param == "token" else tiny_bert()


def test_it_states_its_facts(encoder):
    assert encoder.dim > 0 and encoder.layers >= 0 and encoder.pooling in encoder.poolings
    assert encoder.provides <= {"dropout", "context", "mlm_head", "decoder"}
    assert encoder.special_token_ids == {0, 1, 2, 3, 4} and encoder.mask_token_id == 4 and encoder.padding_id == 0
    assert encoder.vocabulary_size == encoder.tokenizer.get_vocab_size()


def test_hidden_states_pool_to_the_embedding(encoder, sentences):
    tokens = encoder.collate(encoder.tokenize(sentences))
    states = encoder.hidden_states(tokens)
    assert len(states) == encoder.layers + 1
    assert all(state.shape == (*tokens["input_ids"].shape, encoder.dim) for state in states)
    torch.testing.assert_close(encoder.pool(states[-1], tokens), encoder(tokens))
    if "context" in encoder.provides:
        assert torch.equal(encoder.token_vectors(tokens), states[-1])


def test_tokens_are_cut_and_padded_on_the_right(encoder, sentences):
    lists = encoder.tokenize(sentences, max_length=5)
    assert max(map(len, lists)) == 5
    batch = encoder.collate([[7, 8, 9], [5]])
    assert batch["input_ids"].tolist() == [[7, 8, 9], [5, 0, 0]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1], [1, 0, 0]]
    assert encoder.collate([[], []])["attention_mask"].tolist() == [[0], [0]]


def test_two_threads_that_cut_at_different_lengths_get_each_their_own(encoder, sentences):
    def longest(limit: int) -> set[int]:
        return {max(map(len, encoder.tokenize(sentences, max_length=limit))) for _ in range(300)}

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(longest, [4, 6])) == [{4}, {6}]


def test_every_parameter_trains_until_frozen(encoder):
    groups = encoder.parameter_groups()
    assert sum(p.numel() for group in groups.values() for p in group) == sum(p.numel() for p in encoder.parameters())
    assert len(encoder.blocks()) == encoder.layers + 1


def test_the_hash_follows_the_weights(encoder):
    before = encoder.weights_hash()
    assert encoder.weights_hash() == before and len(before) == 64
    with torch.no_grad():
        next(encoder.parameters())[1, 1] += 1e-3
    assert encoder.weights_hash() != before


def test_an_unfit_pooling_is_refused(token_layer):
    with pytest.raises(UnfitError, match="Choose from: mean"):
        token_layer.pool(torch.zeros(1, 1, 8), {"attention_mask": torch.ones(1, 1)}, "cls")


def test_token_layer_is_the_mean_of_its_vectors_without_special_tokens(token_layer):
    ids = token_layer.tokenize(["the text"])[0]
    assert not set(ids) & token_layer.special_token_ids
    expected = token_layer.embedding.weight[ids].mean(dim=0)
    torch.testing.assert_close(token_layer(token_layer.collate([ids, []])), torch.stack([expected, 0 * expected]))


def test_token_layer_gives_sparse_gradients_or_dense_ones_when_told(token_layer):
    tokens = token_layer.collate(token_layer.tokenize(["the text"]))
    token_layer(tokens).sum().backward()
    assert token_layer.embedding.weight.grad.is_sparse and token_layer.parameter_groups()["sparse"]
    token_layer.embedding.sparse, token_layer.embedding.weight.grad = False, None
    token_layer(tokens).sum().backward()
    assert not token_layer.embedding.weight.grad.is_sparse and token_layer.parameter_groups()["dense"]


def test_token_layer_has_no_context_and_a_transformer_has(token_layer, tiny_bert):
    for encoder, differs in ((token_layer, False), (tiny_bert(), True)):
        alone, beside = (encoder.collate([ids]) for ids in ([9, 10], [9, 11]))
        same = torch.allclose(encoder.hidden_states(alone)[-1][0, 0], encoder.hidden_states(beside)[-1][0, 0])
        assert same is not differs
        assert ("context" in encoder.provides) is differs


def test_dropout_is_provided_exactly_when_two_training_passes_differ(token_layer, tiny_bert):
    dry = tiny_bert()
    for module in dry.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    quiet = type(dry)(dry.model, dry.tokenizer, special_tokens={}, reference="quiet", max_length=32)
    for encoder in (token_layer, tiny_bert(), quiet):
        tokens = encoder.train().collate([[7, 8, 9]])
        assert ("dropout" in encoder.provides) is not torch.equal(encoder(tokens), encoder(tokens))


@pytest.mark.parametrize("frozen", [0, 1, 2])
def test_frozen_layers_get_no_gradient(tiny_bert, frozen):
    encoder = tiny_bert(after_pooling=[Dense(16, 4, bias=True, activation=IDENTITY)])
    encoder.freeze(frozen)
    encoder(encoder.collate([[2, 7, 8, 3]])).sum().backward()
    trains = [any(p.grad is not None for p in block) for block in encoder.blocks()]
    assert trains == {0: [False, True, True], 1: [False, False, True], 2: [False] * 3}[frozen]


def test_frozen_layers_leave_something_to_train(tiny_bert, token_layer):
    for count, why in ((3, "2 layers to freeze"), (2, "freezes all of .*, so nothing is trained")):
        with pytest.raises(UnfitError, match=f"{why}. Choose a number from 0 to 1."):
            tiny_bert().freeze(count)
    for count in (0, 1):
        with pytest.raises(UnfitError, match="no layers above the token vectors"):
            token_layer.freeze(count)


def test_longer_than_the_positions_is_refused_before_the_model_runs(tiny_bert):
    with pytest.raises(EncoderError, match="64 positions") as caught:
        tiny_bert().tokenize(["a"], max_length=65)
    assert caught.value.code == "E-LENGTH"
    with pytest.raises(SettingsError):
        tiny_bert(max_length=2)


def test_sep_is_the_last_real_token(tiny_bert, sentences):
    encoder = tiny_bert(pooling="last")
    tokens = encoder.collate(encoder.tokenize(sentences))
    ids = tokens["input_ids"].unsqueeze(2)
    assert encoder.pool(ids, tokens).flatten().tolist() == [3] * len(sentences)  # [SEP]
