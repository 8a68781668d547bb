"""Pairs of sentences: which texts give them, what stands on either side, and which corpus is proposed them."""

import random

import pytest
from toy_corpora import over_texts

from embedlab.augmentations.crop import number_of_crops
from embedlab.augmentations.fit import TwoViews, proposed_recipe
from embedlab.augmentations.sentence_pairs import SentencePairs, SentencePairsConfig, different_sentences

FOUR = "The wind rose. The sail tore! Who had a needle? Nobody did."
PARTS = ["The wind rose.", "The sail tore!", "Who had a needle?", "Nobody did."]


def pairs_of(text: str, count: int = 200, **settings) -> set[tuple[str, str]]:
    augmentation = over_texts(SentencePairs, [text], SentencePairsConfig(**settings))
    return {augmentation.views(0, random.Random(seed)) for seed in range(count)}


def test_two_different_sentences_in_either_order_and_each_pair_occurs():
    assert pairs_of(FOUR) == {(one, other) for one in PARTS for other in PARTS if one != other}


def test_a_sentence_against_the_rest_of_its_text():
    rests = {"The wind rose.": "The sail tore! Who had a needle? Nobody did.", "Nobody did.": " ".join(PARTS[:3])}
    found = dict(pairs_of(FOUR, against="rest"))
    assert set(found) == set(PARTS) and all(found[sentence] == rest for sentence, rest in rests.items())


def test_two_sentences_a_view_share_none_unless_they_may():
    apart = pairs_of(FOUR, sentences=2)
    first, last = "The wind rose. The sail tore!", "Who had a needle? Nobody did."
    assert apart == {(first, last), (last, first)}
    shared = pairs_of(FOUR, sentences=2, overlap=True)
    assert len(shared) == 6 and apart < shared  # three runs of two, in either order


@pytest.mark.parametrize("against", ["sentence", "rest"])
@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize("sentences", [1, 2, 5])
def test_two_sentences_are_enough_under_any_settings_and_the_views_differ(against, overlap, sentences):
    pairs = pairs_of("Short one. Another.", against=against, overlap=overlap, sentences=sentences)
    assert pairs == {("Short one.", "Another."), ("Another.", "Short one.")}


@pytest.mark.parametrize("text", ["", "One sentence only", "Again.  AGAIN. again.", "   \n\n  "])
def test_a_text_without_two_different_sentences_gives_nothing(text):
    augmentation = over_texts(SentencePairs, [text])
    assert augmentation.views(0, random.Random(0)) is None and not augmentation.usable(0)


def test_a_repeated_sentence_counts_once_so_that_no_view_is_the_other():
    assert different_sentences("Stop. Go on. stop. ") == ["Stop. ", "Go on. "]


def test_line_breaks_and_quotes_stay_as_they_are():
    text = 'He said "go".\nShe\nstayed.'
    assert pairs_of(text) == {('He said "go".', "She\nstayed."), ("She\nstayed.", 'He said "go".')}


def test_short_texts_are_proposed_sentences_with_the_reason_and_abstracts_are_proposed_crops():
    sentence = (
        "Sentence {} of an abstract has a good length so that a crop of two of them is valid, as the paper asks. "
    )
    abstract = "".join(sentence.format(number) for number in range(4))
    assert number_of_crops(abstract) > 1
    assert proposed_recipe(TwoViews.of([abstract] * 6 + [FOUR] * 4), "minilm").recipe == "crops"  # 60 % is enough
    mixed = proposed_recipe(TwoViews.of([abstract] * 5 + [FOUR] * 4 + ["One sentence only"]), "minilm")
    assert mixed.recipe == "sentences"
    once = sentence.format(1) + sentence.format(2)  # a single crop has no other to be near to
    assert number_of_crops(once) == 1 and proposed_recipe(TwoViews.of([once] * 9), "minilm").recipe == "sentences"
    assert mixed.reason == (
        "Text crops could use 50 % of these texts (two crops of 2 sentences of 100 to 250 characters), pairs of "
        "sentences 90 %."
    )


def test_where_sentences_would_use_no_more_crops_stay():
    assert proposed_recipe(TwoViews(crops=0.3, sentences=0.3), "minilm").recipe == "crops"


def test_texts_of_one_sentence_are_read_whole_by_dropout_or_without_it_by_two_encoders():
    single = TwoViews.of(["One sentence only"] * 20)
    assert proposed_recipe(single, "minilm").recipe == "simcse"
    assert proposed_recipe(single, "smollm2-135m").recipe == "contrastive-tension"  # a decoder has no dropout
    assert proposed_recipe(single, "minilm").reason.startswith("No text has two different sentences")
    assert proposed_recipe(TwoViews(crops=0.0, sentences=0.1), "minilm").recipe == "sentences"  # 10 % is enough


def test_the_corpuss_own_words_take_sentences_or_where_there_are_none_nothing_but_their_start():
    assert proposed_recipe(TwoViews.of([FOUR] * 2 + ["One sentence only"] * 8)).recipe == "sentences"
    hardly = proposed_recipe(TwoViews.of([FOUR] + ["One sentence only"] * 19))
    assert hardly.recipe == "untouched" and hardly.reason.startswith("Only 5 % of these texts have two different")
    assert proposed_recipe(TwoViews.of([FOUR] + ["One sentence only"] * 9)).recipe == "sentences"  # 10 % is enough
    assert proposed_recipe(TwoViews.of([])).reason.startswith("No text has two different sentences")
