"""Baselines: the contract that all share, and each one's value by hand."""

import struct

import numpy as np
import pytest
from scipy.sparse import issparse

from embedlab.baselines import BASELINES
from embedlab.baselines.bm25 import BM25
from embedlab.baselines.static_vectors import StaticVectors, read_vectors
from embedlab.baselines.tfidf import SVD, RandomProjection, TfIdf, UnscaledSVD
from embedlab.errors import SettingsError
from embedlab.metrics.tfidf import svd_embeddings, tfidf_embeddings

ANIMALS = ["cat", "dog", "cow", "owl", "fox", "bee"]
TEXTS = [f"The {one} meets a {other} at noon." for one in ANIMALS for other in ANIMALS] + [""]
GLOVE = "".join(f"{word} {place}.5 -{place}.25 1\n" for place, word in enumerate([*ANIMALS, "the", "."]))


@pytest.fixture
def glove(tmp_path):
    file = tmp_path / "glove.txt"
    file.write_text(GLOVE, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("part", BASELINES, ids=BASELINES.keys())
def test_a_baseline_gives_rows_or_scores_for_texts_it_never_saw(part, glove):
    fitted = part(TEXTS, glove if part.needs_words else None)
    asked = ["a cat and a dog", "qqq", ""]
    if part.gives_vectors:
        rows = fitted.embed(asked)
        rows = rows.toarray() if issparse(rows) else rows
        assert rows.shape[0] == 3 and np.isfinite(rows).all() and rows.dtype == np.float32
        assert (rows[0] != 0).any() and not rows[1:].any()
        again = fitted.embed(asked[:1])
        assert np.allclose(again.toarray() if issparse(again) else again, rows[:1], atol=1e-6)
    else:
        scores = fitted.scores(asked, TEXTS).toarray()
        assert scores.shape == (3, len(TEXTS)) and scores[0].any() and not scores[1:].any()
    assert isinstance(fitted.facts, dict) and part.sentence.endswith(".")


@pytest.mark.parametrize("part", [TfIdf, SVD, UnscaledSVD, RandomProjection])
def test_texts_without_a_word_are_no_error(part):
    rows = part(["!", "?"]).embed(["!", "word"])
    assert rows.shape[0] == 2 and not (rows.toarray() if issparse(rows) else rows).any()


def test_they_are_the_reference_lines_of_a_corpus():
    assert abs(TfIdf(TEXTS).embed(TEXTS) - tfidf_embeddings(TEXTS)).max() < 1e-6
    ours, lines = SVD(TEXTS).embed(TEXTS), svd_embeddings(tfidf_embeddings(TEXTS))
    assert np.allclose(ours @ ours.T, lines @ lines.T, atol=1e-5)


def test_random_projection_keeps_cosines_on_average():
    words, rows = TfIdf(TEXTS).embed(TEXTS[:-1]), RandomProjection(TEXTS).embed(TEXTS[:-1])
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    gap = rows @ rows.T - (words @ words.T).toarray()
    assert abs(gap.mean()) < 0.05 and np.abs(gap).max() < 0.35


def test_bm25_by_hand():
    # cat stands in 1 of 2 documents: idf = ln(1 + 1.5/1.5) = ln 2; once in 2 words of mean 2: tf = 1/(1 + .9) = .5263
    scores = BM25([]).scores(["cat", "dog"], ["cat runs", "fox jumps"]).toarray()
    assert scores[0] == pytest.approx([np.log(2) / 1.9, 0], abs=1e-6) and not scores[1].any()


def test_static_vectors_are_averaged_over_known_words(glove):
    fitted = StaticVectors(TEXTS, glove)
    assert fitted.embed(["cat unknown DOG"])[0] == pytest.approx([1.0, -0.75, 1.0])  # (0.5, −0.25, 1), (1.5, −1.25, 1)
    assert fitted.facts == {"dim": 3, "known_words": pytest.approx(2 / 3)}


def test_a_word2vec_file_is_read_as_text_and_as_binary(tmp_path, glove):
    as_text = tmp_path / "vectors.txt"
    as_text.write_text(f"8 3\n{GLOVE}", encoding="utf-8")
    as_binary = tmp_path / "vectors.bin"
    rows = [line.split() for line in GLOVE.splitlines()]
    packed = b"".join(
        word.encode() + b" " + struct.pack("<3f", *map(float, numbers)) + b"\n" for word, *numbers in rows
    )
    as_binary.write_bytes(b"8 3\n" + packed)
    expected = StaticVectors(TEXTS, glove).embed(TEXTS)
    for file in (as_text, as_binary):
        assert np.array_equal(StaticVectors(TEXTS, str(file)).embed(TEXTS), expected)


@pytest.mark.parametrize(
    ("content", "said"),
    [("cat 1 2 3\ndog 1 2\n", "line 2 begins 'dog 1 2"), ("zebra 1 2 3\n", "any of the corpus's words"),
     ("cat one two\n", "line 1 begins 'cat one two"), ("", "any of the corpus's words")],
)  # fmt: skip
def test_a_file_that_holds_no_vectors_is_refused_with_its_line(tmp_path, content, said):
    file = tmp_path / "vectors.txt"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(SettingsError, match=said):
        StaticVectors(TEXTS, str(file))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 2e15])
def test_binary_word_vectors_that_are_no_numbers_are_named(tmp_path, number):
    file = tmp_path / "vectors.bin"
    file.write_bytes(b"2 2\ncat " + struct.pack("<2f", 1, 2) + b"\ndog " + struct.pack("<2f", 1, number))
    with pytest.raises(SettingsError, match="word 2 in 'vectors.bin'") as refused:
        read_vectors(file, {"cat", "dog"})
    assert refused.value.code == "E-WORDS"


def test_word_vectors_without_a_file_say_how_to_name_one():
    with pytest.raises(SettingsError, match="--words FILE"):
        StaticVectors(TEXTS)
    with pytest.raises(SettingsError, match="no file"):
        StaticVectors(TEXTS, "/nowhere.txt")


def test_words_with_a_blank_of_two_numbers_and_of_a_thousand_letters(tmp_path):
    file, long = tmp_path / "vectors.txt", "a" * 1000
    file.write_text("cat 3 4\nnew york 1 2\n", encoding="utf-8")
    assert read_vectors(file, {"new york"})["new york"].tolist() == [1, 2]
    numbers = np.array([1, 2], "<f4").tobytes()
    file.write_bytes(b"1 2\n" + long.encode() + b" " + numbers + b"\xff" * 8)
    assert read_vectors(file, {long})[long].tolist() == [1, 2]
    file.write_bytes(b"1 2\n" + long.encode() + b"a " + numbers + b"\xff" * 8)
    with pytest.raises(SettingsError, match="has no vector"):
        read_vectors(file, {f"{long}a"})
