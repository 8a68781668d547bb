"""The stand-in takes sentences of the text itself, the most central first, and says that it is a stand-in."""

from math import log, sqrt

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from embedlab.summaries.base import SourceText
from embedlab.summaries.extractive import Extractive, ExtractiveConfig, central_sentences, centrality

TEXT = (
    "Crops of one text are pulled together. The encoder reads the crops of a text. "
    "Dropout does something else entirely, it seems. The encoder reads the text and the crops of the text again."
)


def test_centrality_of_two_alike_and_one_unlike():
    # n = 3; "a" is in two documents: ln(4/3) + 1; "b", "c", "d" in one: ln 2 + 1
    a, other = log(4 / 3) + 1, log(2) + 1
    cosine = a * a / ((sqrt(a * a + other * other)) * a)  # of "a b" and "a"
    expected = [(1 + cosine) / 3, (1 + cosine) / 3, 1 / 3]
    assert centrality([["a", "b"], ["a"], ["c", "d"]]) == pytest.approx(expected)


def test_centrality_is_that_of_scikit_learns_vectors():
    documents = [line.casefold() for line in TEXT.split(". ")]
    vectors = TfidfVectorizer(token_pattern=r"\w+").fit_transform(documents).toarray()
    expected = (vectors @ vectors.T).mean(axis=1)
    np.testing.assert_allclose(centrality([d.replace(".", "").replace(",", "").split() for d in documents]), expected)


def test_the_most_central_sentence_comes_first_and_the_odd_one_last():
    found = central_sentences(TEXT, words=1)
    assert found[0] == "The encoder reads the crops of a text."
    assert found[-1] == "Dropout does something else entirely, it seems." and len(found) == 4


def test_every_summary_is_a_different_sentence_of_the_text():
    text = "One sentence of five words.\nThe same one again here. One SENTENCE of five words. Ends"
    found = central_sentences(text, words=5)
    assert sorted(found) == ["One sentence of five words.", "The same one again here."]
    assert all(line in text for line in found)


def test_a_text_of_short_sentences_only_keeps_them():
    assert central_sentences("Short. Shorter.", words=5) == ["Short.", "Shorter."]


def test_at_most_five_for_each_continuation_and_plainly_labelled():
    text = " ".join(f"Sentence number {n} has six words." for n in range(30))
    stand_in = Extractive(ExtractiveConfig(), continuations=2)
    (made,) = stand_in.summarise([SourceText(7, text, "A title")])
    assert made.row == 7 and len(made.summaries) == 10 and made.tokens_read == 0
    assert "not the paper's method" in stand_in.sentence and stand_in.is_extractive and "stand-in" in stand_in.title
