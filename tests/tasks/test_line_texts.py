"""What reference lines count: whole texts, or of each text the tokens that a run reads."""

import json

import numpy as np
import pytest
from doing import do, result_of
from sklearn.neighbors import KNeighborsClassifier

from embedlab.baseline_methods import baseline_title
from embedlab.corpora.base import open_corpus
from embedlab.encoders.load import load_encoder
from embedlab.metrics.split import paper_split
from embedlab.metrics.tfidf import tfidf_embeddings
from embedlab.tasks.measure.line_texts import LineTexts, first_tokens


def test_a_beginning_has_the_tokens_that_the_encoder_reads():
    encoder = load_encoder("mini", max_length=8)
    long = "The quick brown fox jumps over the lazy dog."
    texts = [long, "Short one.", ""]
    encoder.tokenize(texts)  # which cuts what the tokenizer gives from then on
    found = first_tokens(encoder, texts)
    assert found[1:] == ["Short one.", ""]
    assert long.startswith(found[0]) and len(found[0]) < len(long)
    assert encoder.tokenize(found) == encoder.tokenize(texts)
    assert len(encoder.tokenize(found)[0]) == 8


def test_without_a_limit_the_texts_are_the_corpus_s_own(toy_corpus):
    whole = LineTexts.read_by(load_encoder("mini"), toy_corpus, None)
    assert whole.texts == toy_corpus.texts and whole.suffix == "" and whole.counted == "words"
    assert baseline_title("tfidf", whole.counted) == "TF-IDF"


def test_the_lines_of_a_run_that_reads_few_tokens_are_of_these_tokens(toy_corpus):
    settings = {"corpus": toy_corpus.fingerprint, "encoder": "mini", "recipe": "untouched", "max_length": 6}
    folder = do("train", settings | {"maps": False, "inside": False})
    corpus, result = open_corpus(toy_corpus.fingerprint), result_of(folder)
    beginnings = first_tokens(load_encoder("mini", max_length=6), corpus.texts)
    split, vectors = paper_split(corpus.texts, corpus.labels), tfidf_embeddings(beginnings)
    labels = np.array([str(label) for label in corpus.labels])
    voter = KNeighborsClassifier(min(10, len(split.train)), metric="cosine", algorithm="brute")
    voter.fit(vectors[split.train], labels[split.train])
    expected = voter.score(vectors[split.test], labels[split.test])
    assert result["references"]["tfidf"]["value"] == pytest.approx(expected)
    title = baseline_title("tfidf", result["references"]["tfidf"]["counted"])
    assert title == "TF-IDF (6 tokens)"
    kept = [file.name for file in corpus.folder.glob("references-*.json")]
    assert any("first-6" in name for name in kept)
    assert json.loads((corpus.folder / kept[0]).read_text())
