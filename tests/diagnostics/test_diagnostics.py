"""Layers and the length attack, on a small encoder made of hand-set vectors."""

import json
from dataclasses import asdict

import numpy as np
import pytest
import torch

from embedlab.diagnostics import DIAGNOSTICS
from embedlab.diagnostics.base import GROUPS, NEEDS, EncoderView, require
from embedlab.diagnostics.layerwise import Layerwise, LayerwiseConfig, curve_of, embedded_layers
from embedlab.diagnostics.length import (
    LengthAttack,
    LengthConfig,
    LengthResult,
    Similarities,
    attack,
    attacked,
    bench,
    copies_that_fit,
    repeats_change_nothing,
)
from embedlab.diagnostics.pairs import corpus_pairs, given_pairs
from embedlab.encoders.embed import embed
from embedlab.encoders.encoder import Encoder
from embedlab.encoders.token_layer import TokenLayer
from embedlab.errors import CorpusError, EncoderError, UnfitError
from embedlab.metrics.length_results import CopiesRead, Robustness
from embedlab.metrics.linear_probe import probe
from embedlab.metrics.pair_metrics import area_under_curve
from embedlab.metrics.split import paper_split
from embedlab.tasks.measure.diagnose import diagnosed_by
from embedlab.tasks.measure.length import length_result

WORDS = [f"{group}{i}" for group in ("apple", "hammer", "star") for i in range(40)]


def word_tokenizer(special: bool):
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    vocabulary = {token: i for i, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS, ".", "a"])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    if special:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
    return tokenizer


class TwoLayers(Encoder):
    """Layer 0 is noise by token, layer 1 adds where the token stands, layer 2 is the groups of the whole text."""

    layers = 2
    poolings = ("mean", "cls", "last", "token-7")
    provides = frozenset({"context"})

    def __init__(self, max_length: int = 40):
        super().__init__(word_tokenizer(True), reference="two-layers", dim=8, pooling="mean", max_length=max_length)
        rng = torch.Generator().manual_seed(0)
        self.noise = torch.randn(len(WORDS) + 6, 8, generator=rng)
        self.groups = torch.zeros(len(WORDS) + 6, 8)
        for i in range(len(WORDS)):
            self.groups[4 + i, i // 40] = 1.0
        self.groups[:4, 7] = 0.5

    def hidden_states(self, tokens):
        ids = tokens["input_ids"]
        place = torch.arange(ids.shape[1], dtype=torch.float32)[None, :, None].expand(*ids.shape, 8) / 10
        grouped = self.groups[ids]
        mask = tokens["attention_mask"][:, :, None].float()
        everywhere = (grouped * mask).sum(dim=1, keepdim=True) / mask.sum(dim=1, keepdim=True)
        return self.noise[ids], self.noise[ids] + place, everywhere.expand_as(grouped)

    def forward(self, tokens):
        return self.pool(self.hidden_states(tokens)[1], tokens)

    def blocks(self):
        return []

    def save(self, folder):
        raise AssertionError("diagnostics save nothing")

    def weights(self):
        return {}


def a_token_layer(max_length: int = 40) -> TokenLayer:
    return TokenLayer.random(word_tokenizer(False), 16, seed=0, max_length=max_length)


def a_corpus(count: int = 150, words: int = 6):
    rng = np.random.default_rng(0)
    labels = np.array(["apple", "hammer", "star"] * (count // 3), object)
    texts = []
    for label in labels:
        own = [word for word in WORDS if word.startswith(label)]
        texts.append(". ".join(" ".join(rng.choice(own, words)) for _ in range(3)) + ".")
    return texts, labels


def look(encoder, texts=(), labels=None, **given) -> EncoderView:
    """An encoder on these texts, split as the paper does where there are labels."""
    split = paper_split(list(texts), labels) if labels is not None else None
    return EncoderView(load=lambda: encoder, texts=list(texts), labels=labels, split=given.pop("split", split), **given)


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    """A BERT of two layers with random weights, on a vocabulary of its own."""
    from embedlab.corpora.base import Draft, store_corpus
    from embedlab.encoders.load import load_encoder

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDLAB_HOME", str(tmp_path_factory.mktemp("bert")))
        texts, labels = a_corpus()
        corpus = store_corpus(Draft(name="a", source="a", texts=texts, labels=list(labels)))
        return load_encoder("scratch:bert-tiny", corpus=corpus, max_length=64)


@pytest.mark.parametrize("kind", ["two layers", "token", "bert"])
@pytest.mark.parametrize("diagnostic", DIAGNOSTICS, ids=DIAGNOSTICS.keys())
def test_every_diagnostic_gives_plain_values_the_same_twice(diagnostic, kind, bert):
    """By an encoder of hand-set vectors, a token layer and a BERT: numbers, a sentence and pictures, or a reason."""
    encoder = {"two layers": TwoLayers, "token": a_token_layer}.get(kind, lambda: bert)()
    texts, labels = a_corpus()
    config = diagnostic.config_class()
    first = look(encoder, texts, labels, typed=("apple1 star2 star4", "apple3 hammer4"))
    both = [first, look(encoder, texts, labels, typed=first.typed, untouched=first)]
    needs = getattr(diagnostic, "needs", frozenset())
    if "context" in needs and kind == "token":
        with pytest.raises(UnfitError, match="tokens have no context"):
            require(diagnostic, first)
        return
    for looked in both:
        require(diagnostic, looked)
    if diagnostic.key == "attention-gain" and kind == "two layers":
        with pytest.raises(EncoderError, match="no attention"):
            diagnostic.measure(first, config)
        return
    results = [diagnostic.measure(looked, config) for looked in both]
    found = [json.loads(json.dumps(result.values, allow_nan=False)) for result in results]
    told = diagnostic.in_words({"before": results[0], "after": results[1]})
    assert told.endswith(".") and diagnostic.in_words({"before": results[0]}).endswith(".")
    again = look(encoder, texts, labels, typed=first.typed)
    assert found[0] == json.loads(json.dumps(diagnostic.measure(again, config).values))
    for picture in results[0].pictures:
        drawn = json.loads(json.dumps(asdict(picture), allow_nan=False))
        assert drawn["title"] and drawn["y"] and all(len(each["x"]) == len(each["y"]) for each in drawn["series"])
    if (number := getattr(diagnostic, "number", None)) is not None:
        assert isinstance(found[0][number[0]], float | None) and number[1]
    assert all(field.description for field in diagnostic.config_class.model_fields.values())
    assert diagnostic.group in GROUPS and diagnostic.question.endswith("?") and diagnostic.unit
    assert diagnostic.title and diagnostic.sentence.endswith(".") and diagnostic.paper and needs <= NEEDS.keys()


@pytest.mark.parametrize("diagnostic", DIAGNOSTICS, ids=DIAGNOSTICS.keys())
@pytest.mark.parametrize(
    "texts", [["apple1"], ["", "apple1 star2"], ["apple1 star2"] * 12], ids=["one", "two", "copies"]
)
def test_a_corpus_of_next_to_nothing_is_a_number_or_a_sentence(diagnostic, texts):
    first = look(TwoLayers(), texts)
    found = diagnosed_by(diagnostic.key, {"before": first, "after": look(TwoLayers(), texts, untouched=first)}, {})
    assert found.reason.endswith(".") or found.sentence.endswith(".")
    json.dumps(found.model_dump(mode="json", exclude_unset=True), allow_nan=False)


def curve(looked, config):
    return curve_of(embedded_layers(looked, config), looked, config)


def test_layers_tell_where_the_classes_come_apart():
    texts, labels = a_corpus()
    found = curve(look(TwoLayers(), texts, labels), LayerwiseConfig())
    value = {(row.layer, row.pooling): row.knn.euclidean.value for row in found.rows}
    assert set(value) == {(layer, pooling) for layer in range(3) for pooling in ("mean", "cls", "last")}
    assert value[2, "mean"] == value[2, "cls"] == 1.0  # the last layer knows the group everywhere
    assert value[0, "cls"] < 0.7  # before any layer [CLS] is the same for all texts
    for row in found.rows:  # gained and lost against the last layer make the whole difference
        knn = row.knn.euclidean
        assert knn.value - value[2, row.pooling] == pytest.approx((knn.gained - knn.lost) / 15)
    assert max(row.knn.euclidean.lost for row in found.rows) > 4
    assert (found.texts, found.test_texts, found.sampled) == (150, 15, False)


def test_a_token_and_a_linear_probe_after_every_layer_where_asked():
    texts, labels = a_corpus()
    looked = look(TwoLayers(), texts, labels)
    config = LayerwiseConfig(token=1, linear=True)
    found = curve(looked, config)
    assert {row.pooling for row in found.rows} == {"mean", "cls", "last", "token-1"}
    value = {(row.layer, row.pooling): row.linear.value for row in found.rows}
    embedded = embedded_layers(looked, config)
    for layer, pooling in ((0, "mean"), (1, "token-1")):
        vectors = embedded.by_pooling[pooling][layer]  # of the test texts alone
        right = probe(embeddings=vectors, labels=labels[embedded.rows], split=embedded.split).correct
        assert value[layer, pooling] == right.mean()
    assert value[2, "mean"] == 1.0 and value[0, "cls"] < 0.7  # as of kNN: nothing is known there
    assert all(row.linear.error == 0 for row in found.rows if row.linear.value == 1)
    assert curve(looked, LayerwiseConfig()).rows[0].linear is None


def test_layers_shows_what_the_encoder_gives_by_its_own_pooling():
    texts, labels = a_corpus()
    layer = a_token_layer()
    layer.read_by("distinct")
    layer.has_unit_length = True
    embedded = embedded_layers(look(layer, texts, labels), LayerwiseConfig(at_most=60))
    assert list(embedded.by_pooling) == ["mean", "distinct"]
    expected = embed(layer, [texts[row] for row in embedded.rows])
    np.testing.assert_allclose(embedded.by_pooling["distinct"][0], expected, atol=1e-6)
    assert not np.allclose(embedded.by_pooling["mean"][0], expected, atol=1e-3)


def test_all_layers_and_poolings_come_from_one_pass():
    texts, labels = a_corpus()
    encoder, read = TwoLayers(), []
    seen = encoder.hidden_states
    encoder.hidden_states = lambda tokens: (read.append(len(tokens["attention_mask"])), seen(tokens))[1]
    Layerwise.measure(look(encoder, texts, labels), LayerwiseConfig(token=2, linear=True))
    assert sum(read) == len(texts)


def test_a_sample_of_texts_is_said():
    texts, labels = a_corpus()
    found = curve(look(a_token_layer(), texts, labels), LayerwiseConfig(at_most=60))
    assert found.texts == 60 and found.sampled and [row.layer for row in found.rows] == [0]
    assert "one layer" in found.flat_because


def test_layers_without_labels_say_what_they_need():
    with pytest.raises(CorpusError, match="needs labels"):
        Layerwise.measure(look(a_token_layer(), ["a"]), LayerwiseConfig())


def test_pairs_are_distinct_seeded_and_of_one_label_where_said():
    texts, labels = a_corpus()
    pairs = corpus_pairs(TwoLayers(), texts=texts, titles=None, labels=labels, pairs=200, seed=3)
    assert pairs.kind == "sentences" and len(pairs.random) == len(pairs.same_label) == 200
    for drawn in (pairs.random, pairs.same_label):
        assert (drawn[:, 0] != drawn[:, 1]).all()
        assert len({frozenset(pair) for pair in drawn.tolist()}) == 200
    rows = pairs.rows[pairs.same_label]
    assert (labels[rows[:, 0]] == labels[rows[:, 1]]).all()
    assert all(texts[row].startswith(short[:-1]) for row, short in zip(pairs.rows, pairs.texts, strict=True))
    again = corpus_pairs(TwoLayers(), texts=texts, titles=None, labels=labels, pairs=200, seed=3)
    assert np.array_equal(pairs.random, again.random)


def test_titles_of_up_to_thirty_tokens_are_preferred_and_copies_of_them_left_out():
    texts, labels = a_corpus(30)
    titles = [f"apple{i % 10} hammer{i % 10} star{i % 10}" for i in range(30)]
    titles[0], titles[1] = "apple1 " * 31, "apple1"
    pairs = corpus_pairs(TwoLayers(), texts=texts, titles=titles, labels=None, pairs=1000, seed=0)
    assert pairs.kind == "titles" and len(pairs.texts) == 10 and len(pairs.random) == 45  # all there are
    assert len(pairs.same_label) == 0


def test_a_corpus_without_short_texts_is_refused_with_a_sentence():
    with pytest.raises(CorpusError, match="3 to 30 tokens"):
        corpus_pairs(TwoLayers(), texts=["apple1 " * 40, ""], titles=None, labels=None, pairs=5, seed=0)


def test_copies_that_fit_count_special_tokens_once():
    # 40 tokens less [CLS] and [SEP] are 38: a text of 5 fits 7.6 times, one of 19 twice, one of 40 is itself cut
    fits = copies_that_fit(TwoLayers(), [" ".join(WORDS[:5]), " ".join(WORDS[:19]), " ".join(WORDS[:40])])
    assert fits.tolist() == pytest.approx([7.6, 2, 1])
    assert copies_that_fit(a_token_layer(), [" ".join(WORDS[:5])]).tolist() == pytest.approx([8])


def test_the_attack_repeats_as_often_as_neither_text_is_cut():
    pairs = given_pairs([" ".join(WORDS[:5]), " ".join(WORDS[:3])], [" ".join(WORDS[40:50]), " ".join(WORDS[50:53])])
    found = attack(TwoLayers(), pairs, copies=100)
    assert found.random.effective_copies.tolist() == [3, 12]
    assert found.random.summary().effective_copies == CopiesRead(mean=7.5, min=3.0, max=12.0)
    assert attack(TwoLayers(), pairs, copies=4).random.effective_copies.tolist() == [3, 4]
    told = attack(TwoLayers(), pairs, copies=100, truncate=True)
    assert told.random.effective_copies.tolist() == pytest.approx([3.8, 38 / 3])
    assert found.flat_because is None and (found.random.after != found.random.before).all()
    assert (found.random.after > found.random.before).all()  # here positions dominate, the longer the more


def test_the_token_layer_is_exactly_flat_and_says_why_unless_its_texts_are_cut():
    texts, labels = a_corpus()
    looked = look(a_token_layer(), texts, labels)
    result = attacked(looked, LengthConfig(pairs=100))
    assert np.array_equal(result.random.before, result.random.after)
    assert "changes nothing" in result.flat_because and result.robustness.change == 0
    assert LengthAttack.measure(looked, LengthConfig(pairs=100))["robustness"]["change"] == 0
    told = attacked(looked, LengthConfig(pairs=100, truncate=True))
    assert told.flat_because is None and not np.array_equal(told.random.before, told.random.after)


def test_what_the_token_layer_is_said_to_do_it_does():

    one, many = embed(a_token_layer(), ["apple1 star2", " ".join(["apple1 star2"] * 9)])
    assert np.allclose(one, many, atol=1e-7)


def test_the_bench_shows_where_truncation_begins():
    found = bench(TwoLayers(), "apple1 apple2 apple3", "star1 star2", [1, 5, 12, 13, 20])
    assert found.copies == [1, 5, 12, 13, 20] and len(found.cosines) == 5
    assert found.effective_copies == [1, 5, 12, 12.67, 12.67] and found.truncated_from == 13
    flat = bench(a_token_layer(), "apple1 apple2", "star1", [1, 2, 10])
    assert len(set(flat.cosines)) == 1 and flat.flat_because and flat.truncated_from is None


def test_robustness_by_hand():
    random = Similarities(np.array([0.0, 0.2, 0.4, 0.6]), np.array([0.1, 0.3, 0.5, 0.7]), np.ones(4))
    same = Similarities(np.array([0.5, 0.7]), np.array([0.1, 0.1]), np.ones(2))
    found = LengthResult(random, same, 5, "titles", 0, None).robustness
    assert found.change == pytest.approx(0.1 / np.std([0, 0.2, 0.4, 0.6]))
    assert found.auc_before == pytest.approx(7 / 8) and found.auc_after == pytest.approx(1 / 8)
    assert area_under_curve(np.ones(8), np.arange(8) < 3) == 0.5
    constant = Similarities(np.ones(4), np.ones(4), np.ones(4))
    assert LengthResult(constant, constant, 5, "titles", 0, None).robustness == Robustness(
        change=None, auc_before=0.5, auc_after=0.5
    )


def test_an_encoder_that_has_no_vector_of_any_pair_has_no_numbers():
    some, none = Similarities(np.array([0.1, 0.3]), np.array([0.2, 0.6]), np.ones(2)), Similarities(*[np.empty(0)] * 3)
    results = {"untouched": LengthResult(some, none, 5, "titles", 0, None),
               "tuned": LengthResult(none, none, 5, "titles", 2, None)}  # fmt: skip
    found = length_result(results, 5)
    assert found.pairs == 2 and list(found.encoders) == ["untouched"] and found.same_label is None
    assert found.encoders["untouched"].after.mean == pytest.approx(0.4) and found.robustness["tuned"].change is None


def test_texts_without_a_vector_are_left_out_and_counted():
    pairs = given_pairs(["apple1 apple2", "apple3"], ["star1", ""])
    result = attack(a_token_layer(), pairs, copies=3)
    assert result.zero_vectors == 1 and len(result.random.before) == 1


@pytest.mark.parametrize(
    ("pooling", "why"), [("mean", "mean over m copies"), ("distinct", "counts once"), ("log-count", None)]
)
def test_repeats_change_nothing_for_the_reason_that_the_pooling_gives(pooling, why):
    layer = a_token_layer()
    layer.read_by(pooling)
    found = repeats_change_nothing(layer)
    assert found is None if why is None else why in found and "changes nothing" in found
