"""Pretraining in small: blocks and hidden tokens, token vectors by counting, the plan's curves, and an exact resume."""

import dataclasses
import json
import math
from itertools import pairwise

import numpy as np
import pytest
import torch

from embedlab.encoders.from_corpus import train_vocabulary
from embedlab.encoders.pretraining import pretrain as module
from embedlab.encoders.pretraining.packing import IGNORED, Special, block, count_blocks, hidden, split, stream
from embedlab.encoders.pretraining.pretrain import Plan, Shape, batch, measure, new_model, pretrain, scores_of
from embedlab.encoders.pretraining.word_vectors import WINDOW, ppmi, vectors_of

SPECIAL = Special(cls=2, sep=3, mask=4, first_word=5)


@pytest.fixture(scope="module")
def tokenizer(sentences):
    return train_vocabulary(sentences, 300)


def test_special_tokens_come_before_every_word(tokenizer):
    special = Special.of(tokenizer)
    assert [tokenizer.id_to_token(each) for each in (special.cls, special.sep, special.mask)] == [
        "[CLS]", "[SEP]", "[MASK]",
    ]  # fmt: skip
    assert not tokenizer.id_to_token(special.first_word).startswith("[")
    assert all(tokenizer.id_to_token(each).startswith("[") for each in range(special.first_word))


def test_a_stream_has_each_text_and_a_separator_behind_it(tokenizer):
    texts, separator = ["a text", "of words", ""], Special.of(tokenizer).sep
    tokens = stream(texts, tokenizer)
    expected = [[*tokenizer.encode(text, add_special_tokens=False).ids, separator] for text in texts]
    assert tokens.tolist() == sum(expected, []) and tokens.dtype == np.uint16


def test_one_text_of_a_hundred_is_only_measured():
    texts = [str(row) for row in range(250)]
    learned, measured = split(texts)
    assert measured == ["0", "100", "200"] and sorted([*learned, *measured]) == sorted(texts)


def test_a_block_is_where_it_is_said_to_be():
    tokens = np.arange(10, 110, dtype=np.uint16)
    assert block(tokens, 0, length=6, shift=0, special=SPECIAL).tolist() == [2, 10, 11, 12, 13, 3]
    assert block(tokens, 2, length=6, shift=3, special=SPECIAL).tolist() == [2, 21, 22, 23, 24, 3]


@pytest.mark.parametrize("length", [6, 12, 51])
def test_every_block_that_is_counted_is_whole_wherever_the_first_one_begins(length):
    tokens = np.arange(10, 110, dtype=np.uint16)
    last = count_blocks(tokens, length=length) - 1
    assert last >= 0
    for shift in range(length - 2):
        assert len(block(tokens, last, length=length, shift=shift, special=SPECIAL)) == length


def test_shares_of_hidden_tokens_are_those_of_bert_and_no_special_token_is_hidden():
    rng = np.random.default_rng(0)
    vocabulary_size, rate = 1000, 0.2
    blocks = rng.integers(SPECIAL.first_word, vocabulary_size, (500, 128))
    blocks[:, 0], blocks[:, -1], blocks[:, 50] = SPECIAL.cls, SPECIAL.sep, SPECIAL.sep
    before = blocks.copy()
    read, guessed = hidden(blocks, rng, rate=rate, vocabulary_size=vocabulary_size, special=SPECIAL)
    assert (blocks == before).all()  # the blocks themselves stay
    chosen, words = guessed != IGNORED, blocks >= SPECIAL.first_word
    assert not chosen[~words].any() and (read[~chosen] == blocks[~chosen]).all()
    assert (guessed[chosen] == blocks[chosen]).all()
    count = words.sum()
    assert chosen.sum() == pytest.approx(rate * count, abs=4 * math.sqrt(count * rate * (1 - rate)))
    masked, same = read[chosen] == SPECIAL.mask, read[chosen] == blocks[chosen]
    share = 4 * math.sqrt(0.16 / chosen.sum())
    assert masked.mean() == pytest.approx(0.8, abs=share) and same.mean() == pytest.approx(0.1, abs=share)
    other = read[chosen][~masked & ~same]
    assert other.min() >= SPECIAL.first_word and other.max() < vocabulary_size
    assert len(np.unique(other)) > 0.6 * vocabulary_size  # any word


def test_ppmi_by_hand():
    """Tokens 0 1 0 2, all within the window of each other.

    0 meets 1 twice, 2 twice and itself in both directions (2); 1 meets 2 once: rows sum to 6, 3 and 3.
    """
    found = ppmi([np.array([0, 1, 0, 2], dtype=np.uint16)], 4).toarray()
    together = np.array([[2, 2, 2, 0], [2, 0, 1, 0], [2, 1, 0, 0], [0, 0, 0, 0]])
    contexts = 6**0.75 + 2 * 3**0.75
    of_0_and_1 = math.log(2 * contexts / (6 * 3**0.75))
    assert found[0, 1] == pytest.approx(of_0_and_1) and found[0, 2] == pytest.approx(of_0_and_1)
    assert found[1, 0] == pytest.approx(math.log(2 * contexts / (3 * 6**0.75)))  # only contexts are smoothed
    assert found[0, 0] == max(0.0, math.log(2 * contexts / (6 * 6**0.75))) == 0
    assert not found[together == 0].any()


def test_ppmi_is_that_of_the_formula_pair_by_pair():
    rng = np.random.default_rng(3)
    streams = [rng.integers(0, 12, size).astype(np.uint16) for size in (90, 40)]
    counts = np.zeros((12, 12))
    for tokens in streams:
        for place, token in enumerate(tokens):
            for other in range(max(0, place - WINDOW), min(len(tokens), place + WINDOW + 1)):
                counts[token, tokens[other]] += other != place
    of_token = counts.sum(axis=1) / counts.sum()
    of_context = counts.sum(axis=0) ** 0.75 / (counts.sum(axis=0) ** 0.75).sum()
    with np.errstate(divide="ignore"):
        expected = np.maximum(np.log(counts / counts.sum() / np.outer(of_token, of_context)), 0)
    np.testing.assert_allclose(ppmi(streams, 12).toarray(), expected, atol=1e-12)


def test_vectors_come_near_the_information_and_absent_tokens_keep_small_random_ones():
    tokens = np.random.default_rng(4).integers(0, 30, 4000).astype(np.uint16)
    information = ppmi([tokens], 33)  # three tokens never occur
    vectors = vectors_of(information, 30, seed=0)
    assert vectors.shape == (33, 30) and vectors.dtype == np.float32
    left, values, _ = np.linalg.svd(information.toarray())
    whole = left[:, :30] * np.sqrt(values[:30])
    products, expected = vectors @ vectors.T, whole @ whole.T  # whatever the signs
    scale = np.trace(products[:30, :30]) / np.trace(expected)
    np.testing.assert_allclose(products[:30, :30], scale * expected[:30, :30], atol=1e-2 * scale * expected.max())
    assert vectors[30:].std() == pytest.approx(0.02, rel=0.3) and vectors[30:].any(axis=1).all()
    np.testing.assert_array_equal(vectors, vectors_of(information, 30, seed=0))


PLAN = Plan(tokens=1000 * module.BATCH_TOKENS, learning_rate=1.0)


def test_the_learning_rate_warms_up_stays_and_falls_to_zero():
    rates = [PLAN.rate(step) for step in range(PLAN.steps)]
    assert PLAN.steps == 1000 and rates[0] == 1 / 200 and rates[99] == 0.5
    assert set(rates[199:601]) == {1.0}
    assert rates[800] == pytest.approx(0.5) and 0 < rates[-1] == pytest.approx(1 / 400)
    assert all(after <= before for before, after in pairwise(rates[600:]))
    assert dataclasses.replace(PLAN, tokens=PLAN.tokens + 1).steps == 1001


def test_the_last_fifth_is_read_in_blocks_of_twice_the_length():
    lengths = [PLAN.length(step) for step in range(PLAN.steps)]
    assert lengths == [128] * 800 + [256] * 200


def test_a_batch_is_the_same_for_the_same_step_and_has_its_share_of_each_stream():
    streams = [np.full(5000, 10, np.uint16), np.full(9000, 20, np.uint16)]
    plan = dataclasses.replace(PLAN, shares=(0.75, 0.25))
    first, again, later = (batch(streams, plan, step, SPECIAL, 30) for step in (7, 7, 8))
    np.testing.assert_array_equal(first, again)
    assert (first[0] != later[0]).any()
    (read, guessed), (long_read, _) = first, batch(streams, plan, 800, SPECIAL, 30)
    assert read.shape == (32, 128) and long_read.shape == (16, 256)
    blocks = np.where(guessed == IGNORED, read, guessed)
    assert ((blocks == 10).sum(axis=1) == 126).sum() == 24 and ((blocks == 20).sum(axis=1) == 126).sum() == 8
    assert (batch(streams, dataclasses.replace(plan, seed=1), 7, SPECIAL, 30)[0] != first[0]).any()


@pytest.fixture
def small(tokenizer, monkeypatch):
    """Blocks of 16 and then 32 tokens, 8 and then 4 a step; two streams; a model of one layer, always the same."""
    monkeypatch.setattr(module, "BATCH_TOKENS", 128)
    monkeypatch.setattr(module, "SHORT", 16)
    monkeypatch.setattr(module, "LONG", 32)
    monkeypatch.setattr(module, "_WARM_UP_STEPS", 2)
    size = tokenizer.get_vocab_size()
    rng = np.random.default_rng(0)
    streams = [rng.integers(5, size, 2000).astype(np.uint16) for _ in range(2)]
    held_out = {"words": streams[0][:500]}
    table = rng.normal(0, 0.02, (size, 16)).astype(np.float32)

    def made():
        torch.manual_seed(0)
        return new_model(Shape(layers=1, dim=16, heads=2), tokenizer, table, np.bincount(streams[0], minlength=size))

    return made, streams, held_out, Special.of(tokenizer)


def test_a_new_model_predicts_words_by_their_frequency_and_begins_with_the_given_vectors(small, tokenizer):
    made, streams, _, special = small
    model = made()
    counts = np.bincount(streams[0], minlength=tokenizer.get_vocab_size())
    shares = torch.softmax(model.cls.predictions.bias, 0).detach().numpy()
    np.testing.assert_allclose(shares, (counts + 1) / (counts.sum() + len(counts)), rtol=1e-4)
    assert model.cls.predictions.decoder.weight is model.bert.embeddings.word_embeddings.weight
    assert model.config.hidden_dropout_prob == model.config.attention_probs_dropout_prob == 0
    assert model.config.max_position_embeddings == 32


def test_scores_are_those_of_the_whole_model_at_the_hidden_positions(small):
    made, streams, _, special = small
    model = made().eval()
    read, guessed = batch(streams, Plan(tokens=1280), 3, special, model.config.vocab_size)
    with torch.no_grad():
        scores, expected = scores_of(model, read, guessed)
        everywhere = model(torch.from_numpy(read)).logits
    chosen = guessed != IGNORED
    torch.testing.assert_close(scores, everywhere[torch.from_numpy(chosen)])
    assert expected.tolist() == guessed[chosen].tolist()


def test_a_pretraining_that_was_stopped_and_resumed_ends_with_the_same_weights(small, tmp_path, monkeypatch):
    made, streams, held_out, special = small
    plan = Plan(tokens=10 * 128, learning_rate=1e-2)
    for name in ("whole", "parts"):
        (tmp_path / name).mkdir()
    whole = made()
    pretrain(whole, streams, held_out, plan, special, tmp_path / "whole")
    monkeypatch.setattr(module, "_CHECKPOINT_SECONDS", 0)  # after every step

    class Killed(Exception):
        pass

    read_at = []

    def batch_or_end(streams, plan, step, *rest):
        read_at.append(step)
        if len(read_at) in (4, 10):  # twice: once before and once after the blocks become longer
            raise Killed
        return batch(streams, plan, step, *rest)

    monkeypatch.setattr(module, "batch", batch_or_end)
    for _ in range(2):
        with pytest.raises(Killed):
            pretrain(made(), streams, held_out, plan, special, tmp_path / "parts")
    resumed = made()
    pretrain(resumed, streams, held_out, plan, special, tmp_path / "parts")
    assert read_at == [0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 8, 9]
    start = made().state_dict()
    for name, weights in whole.state_dict().items():
        assert torch.equal(weights, resumed.state_dict()[name]), name
    assert not torch.equal(whole.state_dict()["cls.predictions.bias"], start["cls.predictions.bias"])
    lines = [json.loads(line) for line in (tmp_path / "parts" / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["step"] for line in lines] == list(range(1, 11)) and lines[-1]["tokens"] == 1280
    assert json.loads((tmp_path / "parts" / "plan.json").read_text(encoding="utf-8"))["tokens"] == 1280


def test_positions_that_were_never_read_start_as_those_that_were(small, tmp_path, monkeypatch):
    made, streams, held_out, special = small
    model = made()
    places = model.bert.embeddings.position_embeddings.weight
    seen = []

    def watched(streams, plan, step, *rest):
        seen.append(places.detach().clone())
        return batch(streams, plan, step, *rest)

    monkeypatch.setattr(module, "batch", watched)
    pretrain(model, streams, held_out, Plan(tokens=5 * 128, learning_rate=1e-2), special, tmp_path)
    assert not torch.equal(seen[3][16:], seen[3][:16]) and torch.equal(seen[4][16:], seen[4][:16])


def test_what_is_measured_is_the_share_of_hidden_tokens_that_are_guessed(small, tokenizer):
    """A stream of one word is guessed by a model that always says this word, and by no other."""
    made, _, _, special = small
    model = made()
    word = special.first_word + 7
    tokens = np.full(400, word, np.uint16)
    with torch.no_grad():
        model.cls.predictions.bias.zero_()
        model.cls.predictions.bias[word] = 100
    assert measure(model, {"same": tokens}, special) == {"same": 1.0, "same, most frequent token": 1.0}
    half = np.where(np.arange(400) % 2, word, word + 1).astype(np.uint16)
    found = measure(model, {"half": half}, special)
    assert 0.3 < found["half"] < 0.7
    most = max(found["half"], 1 - found["half"])
    assert found["half, most frequent token"] == pytest.approx(most) and model.training
