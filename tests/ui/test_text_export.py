"""Downloads: CSV runs nothing in a spreadsheet, Parquet is exactly what the corpus holds."""

import csv
import io

import numpy as np
import pyarrow.parquet as pq
import pytest

from embedlab.corpora.base import Draft, store_corpus
from embedlab.runs.selections import texts_table
from embedlab.table_files import FORMULA_STARTS, csv_bytes, defused, parquet_bytes

NASTY = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\0=1", 'plain, "quoted"']


@pytest.fixture
def nasty(store):
    """A corpus whose texts and labels begin as formulas do, with a column of its own."""
    texts = [f"{each}{number}" for number, each in enumerate(NASTY)]
    labels = ["=a", "b"] * 4 + ["=a"]
    columns = {"=year": list(range(2000, 2009))}
    return store_corpus(Draft(name="nasty", source="nasty", texts=texts, labels=labels, columns=columns))


def test_no_cell_of_the_csv_runs(nasty):
    rows = list(csv.reader(io.StringIO(csv_bytes(texts_table(nasty, np.arange(9))).decode("utf-8-sig"), newline="")))
    assert rows[0] == ["row", "text", "label", "'=year"]
    assert not any(cell.startswith(FORMULA_STARTS) for row in rows for cell in row)
    assert rows[1] == ["0", "'=1+10", "'=a", "2000"]


@pytest.mark.parametrize("start", list("=+-@\t\r\n\0＝＋－＠"))
def test_every_formula_start_gets_an_apostrophe(start):
    assert defused(f"{start}x").startswith("'")


def test_numbers_stay_numbers_and_lists_become_json():
    assert defused(-1.5) == -1.5
    assert defused(["a", "é"]) == '["a", "é"]'


def test_parquet_is_the_corpus_itself(nasty):
    rows = np.array([4, 0])
    table = pq.read_table(io.BytesIO(parquet_bytes(texts_table(nasty, rows))))
    assert table.column_names == ["row", "text", "label", "=year"]
    assert table.column("text").to_pylist() == [nasty.texts[4], nasty.texts[0]]
    assert table.column("=year").to_pylist() == [2004, 2000]
