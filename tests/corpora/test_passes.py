"""A corpus that is stored in passes is the corpus stored at once: content, fingerprint and notes."""

import datetime
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from embedlab import table_files
from embedlab.copies import normalised, numbered_copies
from embedlab.corpora import load_corpus
from embedlab.corpora.base import Draft, store_corpus
from embedlab.corpora.proposal import Reading
from embedlab.corpora.stored import draft as writing
from embedlab.errors import CorpusError
from embedlab.scratch import remove_now

WORDS = "ab c\n \u200b \r\n é e\u0301 \ud800 \x00 Straße STRASSE".split(" ")


def draft(rows: int = 250) -> Draft:
    """All that a draft may hold, odd cells among it; the same each time."""
    rng = random.Random(3)

    def some(values: list) -> list:
        return [rng.choice(values) for _ in range(rows)]

    texts = [" ".join(rng.choice(WORDS) for _ in range(rng.randrange(5))) for _ in range(rows - 1)] + ["seen"]
    days = pa.array(some([datetime.datetime(2020, 1, 1), None]), pa.timestamp("s"))
    columns = {
        "year": some([1, 2, None]), "text": some(["x", None]), "": some([1.5, None]), "mixed": some([1, "a", None]),
        "lists": pa.array(some([[1, 2], None])), "kinds": pa.array(some(["p", "q"])).dictionary_encode(),
        "nothing": pa.nulls(rows), "days": days, "bytes": pa.array(some([b"x", None])),
    }  # fmt: skip
    return Draft(
        name="odd",
        source="test",
        texts=texts,
        labels=some(["a", "b", None, "unlabeled", " a", 7, float("nan"), "é", "e\u0301"]),
        titles=some(["T", "", None, "x\ry"]),
        summaries=some([["s", "t\x00"], '["u"]', None, "plain"]),
        columns=columns,
    )


def seen(corpus) -> tuple:
    """Its description without times, and every cell with its type."""
    table = pq.read_table(corpus.folder / "corpus.parquet")
    return corpus.info, table.schema.types, table.to_pydict()


@pytest.mark.parametrize("rows", [1, 3, 249, 250])
def test_the_rows_of_a_pass_change_nothing(store, monkeypatch, rows):
    whole = store_corpus(draft())
    expected = seen(whole)
    remove_now(whole.folder)
    monkeypatch.setattr(writing, "PASS_ROWS", rows)
    assert seen(store_corpus(draft())) == expected


def test_the_fingerprint_is_the_one_that_corpora_have_always_had(store, monkeypatch):
    monkeypatch.setattr(writing, "PASS_ROWS", 7)
    columns = {"year": [1, None, 3], "where": pa.array(["x", "y", "x"]).dictionary_encode()}
    made = Draft(
        "n", "s", ["one", None, "three"], ["a", "b", "a"], ["t", None, ""], [["s"], None, '["u", "v"]'], columns
    )
    assert store_corpus(made).fingerprint == "328e017562b72357"
    long = Draft("n", "s", [f"text {number}" for number in range(25_003)])  # more than are hashed at once
    assert store_corpus(long).fingerprint == "7b61135f48ab0656"


def test_notes_name_rows_of_the_file_whatever_the_pass(store, monkeypatch):
    monkeypatch.setattr(writing, "PASS_ROWS", 3)
    texts = ["one", "two", "", "four", "five\x00", "six", "seven", "eight\ud800", " ", "ten"]
    labels = ["a", "b", "a", None, "b", "a", "b", "a", "b", ""]
    said = {note.code: note.message for note in store_corpus(Draft("n", "s", texts, labels)).info.notes}
    assert said["W-EMPTY"].startswith("2 rows (first: 3, 9) have")
    assert said["W-CONTROL"].startswith("1 row (5) has") and said["W-REPAIRED"].startswith("1 row (8) has")
    assert said["W-LABEL-MISSING"].startswith("2 rows (first: 4, 10) have")


def test_nothing_is_left_of_a_corpus_without_a_text(store, monkeypatch):
    monkeypatch.setattr(writing, "PASS_ROWS", 2)
    with pytest.raises(CorpusError, match="5 rows, all without text"):
        store_corpus(Draft("n", "s", ["", " ", None, "\u200b", ""]))
    assert not list((store / "corpora").glob("[!.]*"))
    assert not list((store / "scratch").glob("[!.]*"))


def test_a_table_that_is_put_aside_gives_the_same_corpus(store, tmp_path, monkeypatch):
    file = tmp_path / "texts.parquet"
    rows = 5_000
    table = {
        "text": [f"A text of some words, number {number % 1_700}." for number in range(rows)],
        "label": pa.array([f"c{number % 9}" for number in range(rows)]).dictionary_encode(),
        "tldr": ["short"] * rows,
        "motivation": [None, "because"] * (rows // 2),
        "year": list(range(rows)),
    }
    pq.write_table(pa.table(table), file)
    held = load_corpus(str(file))
    expected = seen(held)
    remove_now(held.folder)
    monkeypatch.setattr(table_files, "HELD_BYTES", 1_000)
    assert seen(load_corpus(str(file), Reading())) == expected
    assert expected[2]["summaries"][:2] == [["short"], ["short", "because"]]
    assert not list((store / "scratch").glob("[!.]*"))


def test_copies_are_numbered_by_their_first_rows():
    rng = random.Random(0)
    texts = [rng.choice(["a b", "A  B", "c", "", "Straße", "STRASSE", f"x{rng.randrange(30)}"]) for _ in range(400)]
    numbers: dict[str, int] = {}
    expected = [numbers.setdefault(normalised(text), len(numbers)) for text in texts]
    assert numbered_copies(texts).tolist() == expected
    assert numbered_copies([]).tolist() == [] and numbered_copies(["x"]).tolist() == [0]
