"""Labels given by hand: kept at once beside their corpus, read again, and a damaged file is a sentence."""

import json

import pytest

from embedlab.corpora.base import Corpus, open_corpus
from embedlab.errors import CorpusError
from embedlab.runs.hand_labels import HandLabels, ask_for, forget_labels, give_labels, hand_labels_of, skip


@pytest.fixture
def asked(toy_corpus) -> Corpus:
    """The toy corpus, of which three texts are asked for."""
    ask_for(toy_corpus, [5, 1, 9])
    return toy_corpus


def test_nothing_is_there_before_anything_was_asked(toy_corpus):
    assert hand_labels_of(toy_corpus) is None
    with pytest.raises(CorpusError, match="No texts of 'toy' have been drawn for labeling yet"):
        give_labels(toy_corpus, {1: "law"})


def test_each_answer_is_on_the_disk_at_once(asked):
    give_labels(asked, {5: "law"})
    skip(asked, 1)
    kept = hand_labels_of(open_corpus(asked.fingerprint))
    assert kept == HandLabels(rows=(5, 1, 9), labels={5: "law"}, skipped=(1,)) and kept.open == [9]


def test_an_answer_takes_the_place_of_an_earlier_one(asked):
    skip(asked, 1)
    assert give_labels(asked, {1: "law"}).skipped == ()
    assert give_labels(asked, {1: "sailing"}).labels == {1: "sailing"}
    assert skip(asked, 1).labels == {}


def test_labels_are_spelled_as_in_a_file_and_as_before(asked):
    given = give_labels(asked, {5: "  Law\tof\nsea ", 1: "Cafe\u0301"})
    assert given.labels == {5: "Law of sea", 1: "Café"}
    assert give_labels(asked, {9: "LAW OF SEA"}).labels[9] == "Law of sea"
    assert given.sizes == {"Café": 1, "Law of sea": 1}


@pytest.mark.parametrize(
    ("answers", "sentence"), [({2: "law"}, "Row 2 of 'toy'"), ({1: " \n"}, "at least one visible")]
)
def test_a_wrong_answer_is_refused_and_changes_nothing(asked, answers, sentence):
    with pytest.raises(CorpusError, match=sentence):
        give_labels(asked, answers)
    assert hand_labels_of(asked).labels == {}


def test_the_corpus_stays_as_it_is(asked):
    give_labels(asked, {5: "law"})
    assert open_corpus(asked.fingerprint).info == asked.info


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\x00 no JSON",
        b"[]",
        b"{}",
        b'{"rows": [1], "labels": {"2": "law"}}',
        b'{"rows": [1, 1]}',
        b'{"rows": [-1]}',
        b'{"rows": [1], "labels": {"1": ""}}',
        b'{"rows": [1], "skipped": [3]}',
        b'{"rows": [120]}',
        b'{"format": 2, "rows": [1]}',
    ],
)
def test_a_damaged_file_is_said_and_can_be_begun_anew(asked, content):
    (asked.folder / "labels.json").write_bytes(content)
    with pytest.raises(CorpusError, match="The labels given by hand to 'toy' cannot be read"):
        hand_labels_of(asked)
    forget_labels(asked)
    assert hand_labels_of(asked) is None


def test_the_file_is_readable_without_embedlab(asked):
    give_labels(asked, {9: "law"})
    kept = json.loads((asked.folder / "labels.json").read_text(encoding="utf-8"))
    assert kept["rows"] == [5, 1, 9] and kept["labels"] == {"9": "law"}
