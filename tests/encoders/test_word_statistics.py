"""The start from word statistics: by hand where it can be computed, the same by seed, robust to what texts hold."""

import numpy as np
import pytest
import torch

from embedlab.corpora.base import Draft, store_corpus
from embedlab.encoders.embed import embed, lend_tokens, tokens_of
from embedlab.encoders.from_corpus import SourceTexts, word_vectors
from embedlab.encoders.load import load_encoder
from embedlab.encoders.token_layer import TokenLayer
from embedlab.errors import EncoderError
from embedlab.objectives import OBJECTIVES
from embedlab.objectives.infonce import InfoNCEConfig

TWO_TOPICS = [[5, 6, 7], [5, 6], [6, 7, 5], [8, 9], [9, 8, 10], [10, 8, 9]]  # tokens that never meet across topics


def cosine(one, other) -> float:
    return float(torch.nn.functional.cosine_similarity(one, other, dim=0))


def test_two_dimensions_by_hand():
    """Two texts of one token each, thrice: directions are the axes, idf is the same, the norm's root is divided by."""
    vectors = word_vectors([[1], [2]] * 3, 4, dim=2, seed=0)
    assert vectors.shape == (4, 2) and not vectors[[0, 3]].any()
    assert abs(cosine(vectors[1], vectors[2])) < 1e-5
    assert float(vectors[1].norm()) == pytest.approx(float(vectors[2].norm()), rel=1e-5)
    assert float(vectors[[1, 2]].square().mean().sqrt()) == pytest.approx(0.02, rel=1e-4)


def test_rare_words_weigh_more():
    """By idf² and the halved norm: against an independent SVD of the weighted counts."""
    lists = [[1, 2], [1, 3], [1, 2, 4], [1, 3, 4], [1, 2], [1, 1, 3]]
    found = word_vectors(lists, 5, dim=3, seed=0).double().numpy()
    counts = np.array([[each.count(token) for token in range(1, 5)] for each in lists], float)
    idf = np.log((1 + len(lists)) / (1 + (counts > 0).sum(axis=0))) + 1
    logs = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0)
    rows = logs * idf / np.linalg.norm(logs * idf, axis=1, keepdims=True)
    _, values, directions = np.linalg.svd(rows, full_matrices=False)
    vectors = directions[:3].T * np.sqrt(values[:3])
    expected = idf[:, None] ** 2 * vectors / np.sqrt(np.linalg.norm(vectors, axis=1, keepdims=True))
    expected *= 0.02 / np.sqrt(np.mean(expected**2))
    gram = found[1:] @ found[1:].T  # the signs of the dimensions are free
    np.testing.assert_allclose(gram, expected @ expected.T, rtol=1e-3, atol=1e-7)


def test_words_of_one_topic_point_the_same_way():
    vectors = word_vectors(TWO_TOPICS, 12, dim=2, seed=0)
    assert cosine(vectors[5], vectors[6]) > 0.9 > 0.1 > abs(cosine(vectors[5], vectors[9]))


def test_tokens_of_one_text_are_zero_unless_it_has_no_others():
    vectors = word_vectors([*TWO_TOPICS, [5, 11], [3, 4]], 12, dim=4, seed=0)
    assert not vectors[11].any() and vectors[[3, 4]].any(dim=1).all()


@pytest.mark.parametrize("lists", [[], [[]], [[4]], [[4, 4, 4]], [[], [3]], [[3], [3]], [[1, 2], [1, 2]]])
def test_hardly_any_text(lists):
    vectors = word_vectors(lists, 6, dim=300, seed=0)
    assert len(vectors) == 6 and vectors.shape[1] >= 1 and torch.isfinite(vectors).all()
    assert all(vectors[ids].any() for ids in lists if ids)


def stored(store, texts):
    return store_corpus(Draft(name="texts", source="test", texts=texts, labels=[None] * len(texts)))


ODD = [
    *(f"https://example.org/{n}?q={n * 7} ERR-{n:05d} 0x{n * 999:x}" for n in range(30)),
    *["Buy now!!! Cheap watches, best price."] * 100,
    *(f"Der {word} steht im Garten. Die Sonne scheint." for word in ("Baum", "Stuhl", "Tisch", "Hund")),
    *(f"猫坐在{word}上。天气很好。" for word in ("垫子", "椅子", "桌子", "地板")),
    *(f"The {word} sat there. It was sunny." for word in ("cat", "dog", "bird", "fish")),
]


@pytest.mark.parametrize("texts", [ODD, ODD[-10:], ["a", "b"], ["one two", "one two"]])
def test_every_text_has_a_vector_of_length_one(store, texts):
    corpus = stored(store, texts)
    vectors = embed(load_encoder("words", corpus=corpus), texts)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_what_is_repeated_counts_once_and_of_very_many_texts_some_count(store):
    source = SourceTexts.of("words", stored(store, ODD), None)
    assert [ODD[row] for row in source.distinct(1000, seed=0)] == list(dict.fromkeys(ODD))
    some, again, others = (source.distinct(10, seed=seed).tolist() for seed in (0, 0, 1))
    assert len(some) == 10 and some == sorted(some) == again != others


def test_the_token_ids_that_it_was_made_of_are_not_read_again(store, monkeypatch):
    corpus = stored(store, ODD)
    layer = load_encoder("words", corpus=corpus)
    expected = layer.tokenize(ODD)
    monkeypatch.setattr(TokenLayer, "tokenize", None)
    assert [ids.tolist() for ids in tokens_of(layer, corpus, corpus.kept)] == expected
    other = TokenLayer.of_words(layer.tokenizer)
    lend_tokens(layer, other)
    assert [ids.tolist() for ids in tokens_of(other, corpus, corpus.kept[5:])] == expected[5:]
    other.max_length = 3
    with pytest.raises(TypeError):  # fewer tokens of a text are read anew
        tokens_of(other, corpus, corpus.kept)


def test_the_same_by_seed_and_read_from_the_store_the_second_time(store, monkeypatch):
    corpus = stored(store, ODD)
    first = load_encoder("words", corpus=corpus)
    monkeypatch.setattr("embedlab.encoders.from_corpus.word_vectors", None)
    again = load_encoder("words", corpus=corpus)
    assert again.weights_hash() == first.weights_hash() and first.pooling == "distinct" and first.layers == 0


@pytest.mark.parametrize("content", [b"", b"{}", bytes(range(256)) * 4])
def test_a_damaged_vocabulary_or_its_vectors_are_made_anew(store, content):
    corpus = stored(store, ODD)
    first = load_encoder("words", corpus=corpus)
    files = [file for file in (store / "vocabularies").rglob("[!.]*") if file.is_file()]
    assert {file.suffix for file in files} == {".json", ".safetensors"}
    for file in files:
        file.write_bytes(content)
    assert load_encoder("words", corpus=corpus).weights_hash() == first.weights_hash()


def test_it_reads_only_the_rows_that_it_may(store):
    corpus = stored(store, ODD)
    some = load_encoder("words", corpus=corpus, vocabulary_rows=np.arange(60))
    assert some.weights_hash() != load_encoder("words", corpus=corpus).weights_hash()


def test_without_a_corpus_it_says_what_is_missing():
    with pytest.raises(EncoderError, match="is made from the texts of a corpus"):
        load_encoder("words")


@pytest.mark.parametrize("pooling", ["mean", "distinct", "log-count"])
def test_it_trains(store, pooling):
    encoder = load_encoder("words", corpus=stored(store, ODD), pooling=pooling)
    views = [encoder.collate(encoder.tokenize(ODD[130:138])), encoder.collate(encoder.tokenize(ODD[131:139]))]
    OBJECTIVES["infonce"](InfoNCEConfig(), encoder)(encoder, views)["loss"].backward()
    assert encoder.embedding.weight.grad.coalesce().values().abs().sum() > 0
