"""A corpus of some texts of another: same cells, its own fingerprint, and a note of where it is from."""

import datetime

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.corpora.stored.shelf import list_corpora
from embedlab.errors import CorpusError
from embedlab.runs.selections import subset


@pytest.fixture
def rich(store):
    """Five rows with everything, one of them without a text."""
    days = [datetime.date(2024, 1, day) for day in range(1, 6)]
    return store_corpus(
        Draft(
            name="rich",
            source="x",
            texts=["one", "two", "", "four", "$5^2$ <b>"],
            labels=["a", "b", "a", "a", None],
            titles=["t1", "t2", "t3", "t4", "t5"],
            summaries=[["s1"], [], ["s3"], ["s4", "s4b"], []],
            columns={"year": [1, 2, 3, 4, None], "day": pa.array(days), "where": ["x", None, "z", "x", "y"]},
            roles={"text": "body", "label": "kind"},
            licence="CC0",
        )
    )


def test_every_cell_comes_along(rich):
    made = subset(rich, np.array([4, 0, 3, 2]), name="some", chosen_by="the selection “s”")
    assert made.texts == ["one", "four", "$5^2$ <b>"] and list(made.labels) == ["a", "a", None]
    assert made.titles == ["t1", "t4", "t5"] and made.summaries == [["s1"], ["s4", "s4b"], []]
    assert made.column("year") == [1, 4, None] and made.column("day")[1] == datetime.date(2024, 1, 4)
    types = [pq.read_schema(corpus.folder / "corpus.parquet") for corpus in (made, rich)]
    assert types[0].field("day") == types[1].field("day") and types[0].field("year") == types[1].field("year")
    info = made.info
    assert (info.name, info.texts, info.licence, info.roles) == ("some", 3, "CC0", rich.info.roles)
    assert [note.message for note in info.notes if note.code == "I-SUBSET"] == [
        "3 of 4 texts of rich, the selection “s”."
    ]
    assert info.source == f"3 of 4 texts of {rich.fingerprint}"
    assert open_corpus(made.fingerprint).texts == made.texts and len(list_corpora()) == 2


def test_all_texts_of_a_corpus_are_that_corpus(toy_corpus):
    assert subset(toy_corpus, np.arange(120), name="other").fingerprint == toy_corpus.fingerprint
    assert [info.name for info in list_corpora()] == ["toy"]


def test_no_text_is_refused(rich):
    for rows in ([2], [], [99]):
        with pytest.raises(CorpusError, match="None of the chosen rows"):
            subset(rich, np.array(rows, int), name="none")
