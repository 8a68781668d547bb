"""Each diagnostic on vectors whose answer is known beforehand."""

import copy

import numpy as np
import pytest
import torch
from scipy.stats import skew
from sklearn.neighbors import NearestNeighbors
from test_diagnostics import TwoLayers, a_corpus, a_token_layer, bert, look  # noqa: F401  (bert is a fixture)

from embedlab.config import NoSettings
from embedlab.diagnostics import DIAGNOSTICS
from embedlab.diagnostics.attention_gain import gains, predicted_gain
from embedlab.diagnostics.base import DiagnosticResult, TextPairs
from embedlab.diagnostics.word_deletion import kinds
from embedlab.diagnostics.word_order import js_distance, shuffled
from embedlab.encoders.embed import embed_layers
from embedlab.errors import SettingsError
from embedlab.metrics.knn import knn_accuracy
from embedlab.metrics.split import Split
from embedlab.statistics.geometry import mean_cosine
from embedlab.tasks.measure.diagnose import looked_at


def found(key: str, looked, **settings) -> dict:
    part = DIAGNOSTICS[key]
    return part.measure(looked, part.config_class(**settings)).values


def on_vectors(vectors, labels=None, **given):
    """A corpus of as many texts, with these vectors; its encoder must not be asked for."""
    vectors = np.asarray(vectors, np.float32)
    texts = given.pop("texts", [f"text {row}" for row in range(len(vectors))])
    labels = None if labels is None else np.array(labels, object)
    looked = look(None, texts, None, stored=lambda: vectors, **given)
    looked.labels, looked.load = labels, None
    return looked


SQUARE = [[1.0, 0], [-1, 0], [0, 1], [0, -1]]


def test_cosines_by_label():
    # one label: 1·1 and −1·−1 pairs; of different labels all are at a right angle
    looked = on_vectors([[1.0, 0], [2, 0], [0, 1], [0, 3]], ["a", "a", "b", "b"])
    told = found("cosines", looked, pairs=10)
    assert (told["same_label_mean"], told["different_label_mean"]) == (1, 0)
    assert told["mean"] == pytest.approx(2 / 6) and told["pairs"] == 6
    looked.read = np.array([True, True, False, False])  # the labels of a trained the encoder
    assert found("cosines", looked, pairs=10)["different_label_mean"] is None
    assert found("cosines", on_vectors(SQUARE), pairs=10)["different_label_mean"] is None


def test_cosines_claim_a_difference_by_label_only_where_there_is_one():
    def sentence(same, different):
        values = {"mean": 0.5, "same_label_mean": same, "different_label_mean": different}
        return DIAGNOSTICS["cosines"].in_words({state: DiagnosticResult(values) for state in ("before", "after")})

    assert "with the same label are more similar than others by 0.25" in sentence(0.75, 0.5)
    assert sentence(0.501, 0.499).endswith("with the same label are about as similar as others.")
    less = sentence(0.5, 0.75)
    assert "Of pairs with the same label it is 0.50" in less and "of other pairs, 0.75" in less
    assert "label" not in sentence(0.8, None)  # one class: there is nothing to compare with


def test_spectrum_rank_uniformity_and_norms_read_the_stored_vectors():
    looked = on_vectors([[3.0, 0], [-3, 0], [0, 1], [0, -1]])
    assert found("spectrum", looked)["shares"] == [0.9, 0.1]
    # σ = √18, √2: shares 3/4 and 1/4
    assert found("effective-rank", looked)["rank"] == pytest.approx(
        np.exp(-(0.75 * np.log(0.75) + 0.25 * np.log(0.25)))
    )
    assert found("uniformity", looked)["uniformity"] == pytest.approx(np.log((2 * np.exp(-8) + 4 * np.exp(-4)) / 6))
    norms = found("norms", looked)
    assert (norms["mean"], norms["least"], norms["most"]) == (2, 1, 3)
    assert norms["largest_deviation"] == pytest.approx(np.sqrt(18 / 4))


def test_texts_without_a_vector_take_no_part():
    assert found("norms", on_vectors([[3.0, 4], [0, 0], [3, 4]]))["texts"] == 2
    assert found("norms", on_vectors([[3.0, 4], [3, 4]], texts=["a", " "]))["texts"] == 1


def test_a_star_has_one_hub_and_texts_that_are_nobodys_neighbor():
    rng = np.random.default_rng(0)
    far = np.eye(40) + 0.01 * rng.random((40, 40))
    middle = far[:30].sum(axis=0, keepdims=True)  # near to thirty of them at once; its opposite is near to none
    vectors = np.concatenate([far, middle, -far.sum(axis=0, keepdims=True)])
    told = found("hubness", on_vectors(vectors))
    assert told["hubs"][0] == {"row": 40, "times": 40, "before": None}
    ring = np.column_stack([np.cos(np.arange(44) * np.pi / 22), np.sin(np.arange(44) * np.pi / 22)])
    even = found("hubness", on_vectors(ring))
    assert even["nobodys"] == 0 and {each["times"] for each in even["hubs"]} <= {9, 10, 11}
    assert told["skewness"] > even["skewness"]
    _, near = NearestNeighbors(n_neighbors=11, metric="cosine").fit(vectors).kneighbors(vectors)
    times = np.bincount(near[near != np.arange(42)[:, None]], minlength=42)
    assert told["nobodys"] == (times == 0).mean() > 0 and told["skewness"] == pytest.approx(skew(times))


def test_alignment_takes_pairs_above_four():
    pairs = TextPairs(["apple1", "apple2", "star1"], ["apple1", "hammer2", "hammer1"], np.array([5.0, 4.0, 4.5]))
    told = found("alignment", look(a_token_layer(), ["apple1"], pairs=pairs))
    assert told["pairs"] == 2 and told["positives"] == "pairs with a score above 4"
    same = found("alignment", look(a_token_layer(), ["a"], pairs=TextPairs(["star1"], ["star1"], np.array([5.0]))))
    assert same["alignment"] == pytest.approx(0, abs=1e-9) and told["alignment"] > 0


def test_a_layer_whose_weights_grew_by_a_tenth_went_a_tenth(bert):  # noqa: F811
    texts, labels = a_corpus()
    untouched = look(bert, texts, labels)
    grown = copy.deepcopy(bert)
    with torch.no_grad():
        for weight in grown.blocks()[1]:
            weight.mul_(1.1)
    told = found("cka", look(grown, texts, labels, untouched=untouched))
    assert told["weights"] == pytest.approx([0, 0.1, 0], abs=1e-6)
    assert told["cka"][0] == pytest.approx(1) and told["cka"][1] < 1 and told["layers"] == [0, 1, 2]
    assert found("cka", look(copy.deepcopy(bert), texts, labels, untouched=untouched))["cka"] == pytest.approx([1] * 3)


def test_tokens_that_are_all_the_same_are_as_like_as_can_be():
    """After the last layer every token of a text has one vector: intra is 1, anisotropy that of the texts."""
    texts, _ = a_corpus(30)
    told = found("intra-text", look(TwoLayers(), texts), texts=20)
    assert told["once"][2] == pytest.approx(1 - told["anisotropy_once"][2], abs=1e-4)
    assert told["repeated"][2] == pytest.approx(1 - told["anisotropy_repeated"][2], abs=1e-4)
    assert told["texts"] == 20 and told["mean_copies"] > 1


def test_isotropy_is_that_of_the_length_attack_s_pairs():
    texts, labels = a_corpus()
    looked = look(TwoLayers(), texts, labels)
    attack, told = found("length", looked), found("isotropy", looked)
    assert told["once"] == attack["random"]["before"]["mean"] and told["repeated"] == attack["random"]["after"]["mean"]
    assert len(looked.cache) == 1  # attacked once


def attention(tokens: torch.Tensor, query: torch.Tensor, key: torch.Tensor) -> np.ndarray:
    """One layer of one head without positions.  (positions, dim) -> (1, 1, positions, positions)"""
    return torch.softmax((tokens @ query) @ (tokens @ key).T, dim=1)[None, None].numpy()


@pytest.mark.parametrize("copies", [2, 7, 100])
def test_the_derivation_holds_on_a_layer_without_positions(copies):
    rng = torch.Generator().manual_seed(0)
    cls, body, sep = (torch.randn(size, 8, generator=rng, dtype=torch.float64) for size in (1, 5, 1))
    query, key = (torch.randn(8, 8, generator=rng, dtype=torch.float64) for _ in range(2))
    for ends in ([], [sep]):  # as in the paper, and with [SEP], which is not repeated either
        once = attention(torch.cat([cls, body, *ends]), query, key)
        longer = attention(torch.cat([cls, *[body] * copies, *ends]), query, key)
        predicted, measured = gains(once, longer, tokens=5, copies=copies)
        assert np.abs(predicted - measured).max() < 1e-6 and measured.max() > 0


def test_the_gain_by_hand():
    """Σl = 10, l_cls = 2, l = 4, m = 2: from 4/10 to 4/(10 − 1)."""
    assert predicted_gain(np.array([[0.4]]), np.array([0.2]), 2)[0, 0] == pytest.approx(4 / 9 - 4 / 10)


def test_a_text_that_cannot_be_repeated_is_said(bert):  # noqa: F811
    with pytest.raises(SettingsError, match="cannot be repeated"):
        found("attention-gain", look(bert, ["a"], typed=("apple1 " * 60,)))
    with pytest.raises(SettingsError, match="this one has 0"):
        found("attention-gain", look(bert, ["a"], typed=("\u200b",)))
    told = found("attention-gain", look(bert, ["a"], typed=("apple1 star2 star4",)))
    assert len(told["measured"]) == 2 and len(told["measured"][0]) == len(told["words"])


class SplitsAtBlanks:
    """An encoder whose tokens are words, with one before and one behind them."""

    @staticmethod
    def tokenize(texts: list[str]) -> list[list[int]]:
        return [[0] * (len(text.split()) + 2) for text in texts]


def test_accuracy_by_length_is_that_of_each_fifth():
    """The longest two of ten test texts are told wrong."""
    train, test = np.arange(20), np.arange(20, 30)
    labels = ["a"] * 10 + ["b"] * 10 + ["a"] * 10
    vectors = np.array([[1.0, 0]] * 10 + [[0, 1]] * 10 + [[1, 0]] * 8 + [[0, 1]] * 2)
    texts = ["word"] * 20 + ["word " * (count + 1) for count in range(10)]
    looked = on_vectors(vectors, labels, texts=texts, split=Split(train=train, test=test))
    looked.load = SplitsAtBlanks
    told = found("accuracy-by-length", looked)
    assert [part["knn"] for part in told["parts"]] == [1, 1, 1, 1, 0] and told["long_minus_short"] == -1
    assert [(part["shortest"], part["longest"]) for part in told["parts"]][:2] == [(1, 2), (3, 4)]
    assert told["parts"][0]["ndcg@10"] == pytest.approx(1) and told["parts"][4]["ndcg@10"] == 0


def test_accuracy_by_dimension_is_that_of_the_first_ones():
    """The label stands in the 20th dimension alone: the first 16 are the same in all texts."""
    labels = ["a"] * 40 + ["b"] * 40
    vectors = np.zeros((80, 40))
    vectors[:, 0] = 1
    vectors[:40, 20], vectors[40:, 20] = 5, -5
    rows = np.arange(80)
    looked = on_vectors(vectors, labels, texts=["word"] * 80, split=Split(train=rows[rows % 4 > 0], test=rows[::4]))
    parts = found("accuracy-by-dimension", looked)["parts"]
    assert [part["dimensions"] for part in parts] == [16, 32, 40]
    assert parts[0]["knn"] == pytest.approx(0.5) and [part["knn"] for part in parts[1:]] == [1, 1]
    assert parts[0]["low"] < 0.5 < parts[0]["high"]


def test_the_word_that_both_texts_have_is_the_telling_one():
    told = found("word-deletion", look(a_token_layer(), ["a"], typed=("apple1 star2", "apple1 hammer7")))
    assert told["word"] == "apple1" and [each["word"] for each in told["second"]] == ["apple1", "hammer7"]
    assert told["drop"] == pytest.approx(max(each["drop"] for each in [*told["first"], *told["second"]]), abs=1e-5)
    alone = found("word-deletion", look(a_token_layer(), ["a"], typed=("apple1", "star1")))
    assert alone["word"] is None and alone["first"] == [{"word": "apple1", "drop": None}]


def test_kinds_of_words():
    assert [*kinds("The dog was running slowly , with him and two happy friends")] == [
        "determiner", "noun", "auxiliary", "verb", "adverb", "other", "preposition", "pronoun", "conjunction",
        "number", "adjective", "noun",
    ]  # fmt: skip
    assert kinds("“Dogs” are.") == ("noun", "auxiliary") and kinds("") == ()


def test_telling_words_are_counted_by_their_kind(monkeypatch):
    monkeypatch.setattr("embedlab.diagnostics.word_deletion.kinds", lambda text: ["noun"] + ["verb"] * text.count(" "))
    pairs = TextPairs(["apple1 star2", "star3 star4"], ["apple1 hammer1", "star5 hammer6"], np.array([5.0, 1.0]))
    told = found("parts-of-speech", look(a_token_layer(), ["a"], pairs=pairs))
    assert told["pairs"] == 1 and told["telling"]["noun"] == 1 and told["prior"] | {"other": 0} == {
        **dict.fromkeys(told["prior"], 0), "noun": 0.5, "verb": 0.5
    }  # fmt: skip


def test_order_is_nothing_to_a_mean_of_tokens_and_something_to_positions():
    texts, labels = a_corpus()
    flat = found("word-order", look(a_token_layer(), texts, labels), pairs=200)
    assert flat["mean_change"] == pytest.approx(0, abs=1e-6) and flat["js"] < flat["floor"]


def test_the_js_distance_is_nought_of_equal_distributions_and_one_of_disjoint_ones():
    same = np.linspace(-0.9, 0.9, 500)
    assert js_distance(same, same) == 0
    assert js_distance(np.full(9, 0.5), np.full(4, -0.5)) == pytest.approx(1)
    assert js_distance(np.full(9, 0.5), np.full(4, -0.5), base=np.e) == pytest.approx(np.sqrt(np.log(2)))
    assert js_distance(same[:0], same) is None


def test_shuffled_words_are_the_same_in_another_order():
    rng = np.random.default_rng(0)
    assert all(sorted(shuffled("b a", rng).split()) == ["a", "b"] and shuffled("b a", rng) == "a b" for _ in range(9))
    assert shuffled("one", rng) == "one" and shuffled("so so", rng) == "so so"


def test_the_readout_is_knn_accuracy_by_every_way_and_centring_changes_no_euclidean_one():
    texts, labels = a_corpus()
    looked = look(a_token_layer(), texts, labels)
    ways = {way["name"]: way for way in found("readout", looked)["ways"]}
    assert set(ways) == {
        f"mean, last layer{step}, {distance}"
        for step in ("", ", normalise", ", centre", ", whiten")
        for distance in ("cosine", "euclidean")
    }
    for distance in ("cosine", "euclidean"):
        own = knn_accuracy(embeddings=looked.vectors, labels=labels, split=looked.split, distance=distance).value
        assert ways[f"mean, last layer, {distance}"]["value"] == own
    assert ways["mean, last layer, centre, euclidean"]["value"] == ways["mean, last layer, euclidean"]["value"]
    values = [way["value"] for way in ways.values()]
    assert values == sorted(values, reverse=True) and next(iter(ways.values()))["mark"] == "best"


def test_all_layers_have_their_ways():
    texts, labels = a_corpus()
    told = found("readout", look(TwoLayers(), texts, labels), at_most=60)
    assert {(way["pooling"], way["layers"]) for way in told["ways"]} == {
        (pooling, layers)
        for pooling in ("mean", "cls", "last")
        for layers in ("last layer", "first and last", "all layers")
    }
    assert told["texts"] == 60 and told["best"] == 1.0


def test_the_first_layer_and_the_last_are_averaged():
    texts, labels = a_corpus()
    looked = look(TwoLayers(), texts, labels)
    told = {way["name"]: way["value"] for way in found("readout", looked)["ways"]}
    hidden = np.stack(embed_layers(looked.encoder, texts, poolings=("last",))["last"])
    for name, vectors in (("first and last", (hidden[0] + hidden[2]) / 2), ("all layers", hidden.mean(axis=0))):
        own = knn_accuracy(embeddings=vectors, labels=labels, split=looked.split, distance="cosine").value
        assert told[f"[SEP], {name}, cosine"] == own


def test_texts_whose_labels_were_read_and_excluded_rows_take_no_part():
    class Trained:
        """The labels of the first texts were trained on; the last row is excluded, so that a corpus says "" for it."""

        texts, titles, kept = [*(f"text {n}" for n in range(5)), ""], None, np.arange(5)
        labels = np.array(["a", "b"] * 3, object)

    class Read:
        hashes = frozenset({"x"})

        @staticmethod
        def in_corpus(corpus, rows=None):
            return np.arange(6) < 2

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("embedlab.tasks.measure.diagnose.split_of", lambda corpus, read: (None, None))
        looked = looked_at({"before": (None, None)}, Trained, lambda *_: None, Read)["before"]
    assert looked.rows.tolist() == [0, 1, 2, 3, 4] and looked.texts[5] == ""
    assert looked.unread_labels.tolist() == [None, None, "a", "b", "a", "b"]


def test_raw_counts_are_unchanged_by_elongation_and_sublinear_ones_are_not():
    """Equation 2 of LA(SER)³ is about raw counts; our TF-IDF counts sublinearly, so it is not robust in this sense."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = ["star galaxy star orbit", "butter onion", "court star"]
    for sublinear in (False, True):
        fitted = TfidfVectorizer(sublinear_tf=sublinear).fit(texts)
        once, longer = (
            fitted.transform([text * 1 if m == 1 else " ".join([text] * m) for text in texts]) for m in (1, 9)
        )
        assert (abs(once - longer).max() < 1e-12) == (not sublinear)


def test_two_texts_against_m_have_the_mark_where_they_are_cut():
    part = DIAGNOSTICS["length-curve"]
    result = part.measure(look(TwoLayers(), ["a"], typed=("apple1 star2", "star3 star4 hammer1")), NoSettings())
    (picture,) = result.pictures
    assert picture.marks == (("truncated", 12.67),) and result["truncated_from"] == 15  # 38 tokens, three a copy
    assert mean_cosine(np.array([[1.0, 0], [1, 0]])) == 1
