"""A stored column is the list it was made of, whether it is held in memory or mapped from the disk."""

import dataclasses
import os
import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from embedlab.corpora.base import Corpus, Draft, open_corpus, store_corpus
from embedlab.corpora.sets.stored import store_set
from embedlab.corpora.stored import columns
from embedlab.corpora.stored.columns import Column, arrow_file
from embedlab.limits import LIMITS
from embedlab.runs.selections import subset
from embedlab.store_root import UnreadableFile

ODD = ["one", "", " \u200b ", "a\nb\n", "He said \"no, never\"; and 'so'.", "one", "é" * 300, "ONE", "\t", "😀 🧪"]
CLASSES = [f"class {number}" for number in range(300)]
CORPORA = {
    "two texts": (["one", "two"], None),
    "none labelled": (ODD, [None] * len(ODD)),
    "no label column": (ODD, None),
    "partly labelled": (ODD, ["a", None, "b", "", "a", "unlabeled", "b", None, "a", "c"]),
    "one class": (ODD, ["only"] * len(ODD)),
    "repeated": (["again"] * 25, ["a", "b"] * 12 + ["a"]),
    "300 classes": ([f"text {number}" for number in range(601)], (CLASSES * 3)[:601]),
    "first and last empty": (["", "x", "y", ""], ["a", "b", "c", "d"]),
}


@pytest.fixture(params=["held", "mapped"])
def where(request, monkeypatch) -> str:
    """Both ways a column is read, in chunks of three rows."""
    monkeypatch.setattr(columns, "CHUNK_ROWS", 3)
    monkeypatch.setattr(columns, "LET_GO_READS", 2)
    if request.param == "mapped":
        monkeypatch.setattr(columns, "LIMITS", dataclasses.replace(LIMITS, mapped_rows=1))
    return request.param


def as_lists(corpus: Corpus) -> dict[str, list]:
    """What the file holds."""
    return pq.read_table(corpus.folder / "corpus.parquet").to_pydict()


@pytest.mark.parametrize("name", CORPORA)
def test_texts_and_labels_are_those_of_the_file(store, where, name):
    texts, labels = CORPORA[name]
    titles = [f"title of {text}" for text in texts]
    summaries = [[text, "more"] if place % 2 else [] for place, text in enumerate(texts)]
    made = store_corpus(Draft("odd", "test", texts, labels, titles=titles, summaries=summaries))
    corpus, file = open_corpus(made.fingerprint), as_lists(made)
    assert arrow_file(corpus.folder / "corpus.parquet", "text").exists() is False
    for found, name in ((corpus.texts, "text"), (corpus.titles, "title"), (corpus.summaries, "summaries")):
        expected = file[name]
        assert len(found) == len(expected) and found == expected and expected == found and list(found) == expected
        assert [found[row] for row in range(len(expected))] == expected and found[-1] == expected[-1]
        assert found[np.int64(1)] == expected[1] and found[1:7] == expected[1:7] and found[::-2] == expected[::-2]
        assert found[5:2] == [] and found[len(expected) :] == []
        assert arrow_file(corpus.folder / "corpus.parquet", name).exists() == (where == "mapped")
    assert corpus.excluded.tolist() == file["excluded"]
    assert corpus.kept.tolist() == [row for row, out in enumerate(file["excluded"]) if not out]
    if labels is None:
        assert corpus.labels is None and corpus.labelled.tolist() == [] and (corpus.class_numbers == -1).all()
        return
    assert corpus.labels.tolist() == file["label"]
    has_label = [row for row, label in enumerate(file["label"]) if label is not None and not file["excluded"][row]]
    assert corpus.labelled.tolist() == has_label and len(has_label) == corpus.info.labelled
    names = [each.label for each in corpus.info.classes]
    assert [names[n] for n in corpus.class_numbers[has_label]] == [file["label"][row] for row in has_label]
    same = {}
    for label in corpus.labels:
        assert label is same.setdefault(label, label), "equal labels are one string"


def test_rows_are_taken_in_any_order_and_as_often_as_asked(store, where):
    texts = [f"text {number}" for number in range(50)]
    found = open_corpus(store_corpus(Draft("n", "test", texts)).fingerprint).texts
    for rows in ([], [0], [49, 0, 0, 7, 8, 9, 10, 3], list(range(50)), random.Random(0).choices(range(50), k=80)):
        some = found.at(np.array(rows, int))
        expected = [texts[row] for row in rows]
        assert len(some) == len(rows) and list(some) == expected and some[:] == expected
        assert some[2:6] == expected[2:6] and [some[place] for place in range(len(rows))] == expected


def test_a_row_that_is_not_there_is_refused_and_a_text_is_no_column(store, where):
    found = store_corpus(Draft("n", "test", ["ab", "cd", "ef"])).texts
    for row in (3, -4):
        with pytest.raises(IndexError):
            found[row]
    assert found != "abcdef" and found != ["ab", "cd"] and found != ["ab", "cd", "eg"]


def test_chunks_may_be_of_any_length():
    chunks = [pa.array(part, pa.string()) for part in (["a"], [], ["b", None, "c"], ["d"])]
    found = Column(chunks)
    assert list(found) == ["a", "b", None, "c", "d"] and found[2] is None and found[1:5] == ["b", None, "c", "d"]


def test_a_mapped_file_is_made_once_and_where_none_can_be_made_the_column_is_read(store, monkeypatch):
    monkeypatch.setattr(columns, "LIMITS", dataclasses.replace(LIMITS, mapped_rows=1))
    made = store_corpus(Draft("n", "test", ["ab", "cd", "ef"]))
    file = arrow_file(made.folder / "corpus.parquet", "text")
    assert made.texts == ["ab", "cd", "ef"]
    written = file.stat().st_mtime_ns
    assert open_corpus(made.fingerprint).texts[1] == "cd" and file.stat().st_mtime_ns == written
    file.unlink()

    def full(*asked):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(columns, "_copy", full)
    assert open_corpus(made.fingerprint).texts == ["ab", "cd", "ef"] and not file.exists()


DAMAGES = {
    "truncated": lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "garbage": lambda file: file.write_bytes(bytes(range(256)) * 4),
    "empty": lambda file: file.write_bytes(b""),
    "a pipe": lambda file: (file.unlink(), os.mkfifo(file)),
    "gone": lambda file: file.unlink(),
}


@pytest.mark.parametrize("how", DAMAGES)
def test_every_column_of_a_damaged_corpus_is_refused_in_the_store_s_own_error(store, how):
    made = store_corpus(Draft("n", "test", ["ab", "cd", "ef"], ["a", "b", "a"], columns={"year": [1, 2, 3]}))
    DAMAGES[how](made.folder / "corpus.parquet")
    for name in ("texts", "labels", "titles", "summaries", "offers", "excluded", "copies", "labelled"):
        with pytest.raises(UnreadableFile, match=r"corpus\.parquet"):
            getattr(open_corpus(made.fingerprint), name)
    with pytest.raises(UnreadableFile):
        open_corpus(made.fingerprint).column("year")
    with pytest.raises(UnreadableFile):
        subset(open_corpus(made.fingerprint), np.array([0]), name="some")


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_mapped_file_is_made_anew(store, monkeypatch, how):
    monkeypatch.setattr(columns, "LIMITS", dataclasses.replace(LIMITS, mapped_rows=1))
    made = store_corpus(Draft("n", "test", ["ab", "cd", "ef"]))
    assert made.texts == ["ab", "cd", "ef"]
    DAMAGES[how](arrow_file(made.folder / "corpus.parquet", "text"))
    assert open_corpus(made.fingerprint).texts == ["ab", "cd", "ef"]


@pytest.mark.parametrize("how", DAMAGES)
def test_the_columns_of_a_damaged_set_are_refused_alike(store, how):
    tables = {
        "queries": pa.table({"query": ["q"], "rows": [[0]], "gains": [[1.0]], "own": [[0]]}),
        "documents": pa.table({"id": ["0"], "text": ["a"]}),
    }
    made = store_set(tables, name="s", kind="queries", serves=("retrieval",), source="test")
    DAMAGES[how](made.folder / "queries.parquet")
    with pytest.raises(UnreadableFile, match=r"queries\.parquet"):
        made.own_documents  # noqa: B018
