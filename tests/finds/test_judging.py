"""Few labels as a judge: halves of one size with the same classes, the width of the interval, and the file."""

from collections import Counter

import pytest
from toy_corpora import toy_texts

from embedlab.corpora import load_corpus
from embedlab.corpora.base import Draft, store_corpus
from embedlab.errors import CorpusError
from embedlab.finds.judging import MOST, are_few, halves, judge_by, labels_of, why_not, widest_half
from embedlab.finds.labelling import csv_of_labels, labels_in
from embedlab.runs.hand_labels import ask_for, give_labels, hand_labels_of


@pytest.fixture
def unlabelled(store):
    """160 texts without labels, of which sixty are asked for; the labels that belong to them."""
    texts, labels = toy_texts(per_class=40)
    texts[3] = '=HYPERLINK("x"), a text\nof two lines; "quoted"'
    corpus = store_corpus(Draft(name="mine", source="x", texts=texts))
    ask_for(corpus, range(60))
    return corpus, labels


def test_classes_of_two_and_three_stay_together_larger_ones_are_dealt_out():
    """a and b fill one half with five texts; c and d then go to the other, smaller one first."""
    labels = list("aabbbccccddddde")
    one, other = halves(labels)
    assert Counter(labels[place] for place in one) == {"a": 2, "c": 2, "d": 3}
    assert Counter(labels[place] for place in other) == {"b": 3, "c": 2, "d": 2}


@pytest.mark.parametrize("labels", [list("abcdef") * 10, list("ab") * 30, [str(row // 2) for row in range(60)]])
def test_halves_share_no_text_and_are_about_equal(labels):
    one, other = halves(labels)
    assert not set(one) & set(other) and abs(len(one) - len(other)) <= 2
    for half in (one, other):
        assert min(Counter(labels[place] for place in half).values()) >= 2


def test_what_is_missing_is_said():
    assert "Every label so far is 'law'" in why_not(["law"] * 60)
    assert "so far it has 0" in why_not([])
    assert "so far it has 0" in why_not([str(row) for row in range(60)])
    assert "needs 8 texts" in why_not(["a", "a", "b", "b"] * 3)
    assert why_not(["a", "b"] * 10) == ""


def test_the_interval_of_thirty_texts_is_at_most_18_points_either_way():
    """1.96 · ½ / √30 = 0.1789"""
    assert widest_half(30) == pytest.approx(0.1789, abs=1e-4)


def test_labels_are_few_where_a_tenth_of_nine_tenths_of_them_gives_more_than_15_points():
    """1.96 / √171 = 0.1499, and 171 are 9 % of 1,900."""
    assert are_few(1890) and not are_few(1900)


def test_each_text_is_compared_with_its_own_half_alone(unlabelled):
    corpus, labels = unlabelled
    given = give_labels(corpus, {row: labels[row] for row in range(20)})
    made = judge_by(corpus, labels_of(corpus, given))
    assert made.info.kind == "candidates" and made.info.serves == ("reranking",)
    queries = made.column("query")
    assert len(queries) == 20 and sorted(queries) == sorted(corpus.texts[row] for row in range(20))
    sides = [set(queries[half::2]) for half in (0, 1)]
    rows = zip(queries, made.column("positive"), made.column("negative"), strict=True)
    for place, (query, positive, negative) in enumerate(rows):
        assert {*positive, *negative} == sides[place % 2] - {query} and positive and negative
        label = labels[list(corpus.texts).index(query)]
        assert all(labels[list(corpus.texts).index(text)] == label for text in positive)


def test_too_few_labels_are_refused(unlabelled):
    corpus, _ = unlabelled
    with pytest.raises(CorpusError, match="Label more texts"):
        judge_by(corpus, labels_of(corpus, give_labels(corpus, {0: "a", 1: "b"})))


def test_labels_of_the_corpus_and_by_hand_choose_together(store):
    texts, labels = toy_texts(per_class=40)
    partly = [label if row < 10 else None for row, label in enumerate(labels)]
    corpus = store_corpus(Draft(name="mine", source="x", texts=texts, labels=partly))
    ask_for(corpus, [20, 21])
    found = labels_of(corpus, give_labels(corpus, {21: "law"}))
    assert found == {row: labels[row] for row in range(10)} | {21: "law"}


def test_of_many_labels_some_are_taken_of_copies_one(store):
    texts = [f"text number {row // 2} of words" for row in range(1000)]
    corpus = store_corpus(Draft(name="mine", source="x", texts=texts, labels=["a", "a", "b", "b"] * 250))
    found = labels_of(corpus, None)
    assert len(found) == MOST and all(row % 2 == 0 for row in found) and found == labels_of(corpus, None)


def test_the_file_comes_back_filled(unlabelled, tmp_path):
    corpus, labels = unlabelled
    given = hand_labels_of(corpus)
    file = tmp_path / "labels.csv"
    file.write_bytes(csv_of_labels(corpus, give_labels(corpus, {0: "cooking"})))
    again = load_corpus(str(file))  # a labeled corpus of its own, as any file
    assert again.info.texts == 60 and again.info.labelled == 1
    file.write_bytes(file.read_bytes().replace(b",\r\n", b",sailing\r\n"))
    assert labels_in(corpus, given, file) == {0: "cooking", **dict.fromkeys(range(1, 60), "sailing")}


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("id,text\n0,words here\n", "has no column 'label'"),
        ("id,text,label\n0,another text,law\n1,and one more,law\n", "row 1 of 'labels.csv' is not that of row 0"),
        ("id,text,label\n99,another text,law\n7,x y,law\n", "The id '99' in row 1"),
        ("id,text,label\nx,another text,law\n7,x y,law\n", "The id 'x' in row 1"),
        ("id,text,label\n0,another text,\n1,and another,\n", "is empty"),
    ],
)
def test_another_file_is_refused_with_its_place(unlabelled, tmp_path, rows, sentence):
    corpus, _ = unlabelled
    file = tmp_path / "labels.csv"
    file.write_text(rows, encoding="utf-8")
    with pytest.raises(CorpusError, match=sentence):
        labels_in(corpus, hand_labels_of(corpus), file)
