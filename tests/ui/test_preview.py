"""A proposal reads the first rows only, whatever the file's size."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from embedlab.corpora import files
from embedlab.corpora.proposal import Reading
from embedlab.errors import CorpusError

ROWS = [f"A text of some words, number {number}" for number in range(5000)]


@pytest.fixture(autouse=True)
def small_heads(monkeypatch):
    """Ten kilobytes count as large, so that the tests need no large files."""
    monkeypatch.setattr(files, "WHOLE_BYTES", 10_000)
    monkeypatch.setattr(files, "HEAD_BYTES", 10_000)


def test_a_parquet_file_gives_its_first_batch(tmp_path):
    pq.write_table(pa.table({"text": ROWS}), tmp_path / "t.parquet")
    assert files.first_rows(tmp_path / "t.parquet", Reading()).columns.num_rows == files.HEAD_ROWS


@pytest.mark.parametrize("zipped", [False, True])
def test_a_large_csv_gives_whole_lines_of_its_head(tmp_path, zipped):
    content = ("text,label\n" + "".join(f'"{row}",a\n' for row in ROWS)).encode()
    file = tmp_path / ("t.csv.gz" if zipped else "t.csv")
    file.write_bytes(gzip.compress(content, 0) if zipped else content)
    texts = files.first_rows(file, Reading()).columns.column("text").to_pylist()
    assert texts == ROWS[: len(texts)]
    assert 100 < len(texts) < 500


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_the_head_of_a_large_csv_may_end_anywhere(tmp_path, monkeypatch, encoding):
    texts = [f"{row}\n\nIts second paragraph, “quoted”\nand a third: naïve café." for row in ROWS]
    content = ("text,label\n" + "".join(f'"{text}",a\n' for text in texts)).encode(encoding)
    (tmp_path / "t.csv").write_bytes(content)
    for size in range(9_000, 9_200):  # more than a row, so that one ends at every character of a row
        monkeypatch.setattr(files, "HEAD_BYTES", size)
        found = files.first_rows(tmp_path / "t.csv", Reading()).columns.column("text").to_pylist()
        assert 30 < len(found) < 120 and found == texts[: len(found)]


def test_a_first_row_longer_than_the_head_and_a_list_of_json_are_left_to_the_reader(tmp_path):
    (tmp_path / "t.csv").write_text('text,label\n"' + "A line.\n" * 5_000 + '",a\n', encoding="utf-8")
    assert files.first_rows(tmp_path / "t.csv", Reading()) is None
    (tmp_path / "t.json").write_text(json.dumps([{"text": row} for row in ROWS], indent=1), encoding="utf-8")
    assert files.first_rows(tmp_path / "t.json", Reading()) is None


def test_a_folder_and_a_large_zip_are_left_to_the_reader(tmp_path):
    assert files.first_rows(tmp_path, Reading()) is None
    (tmp_path / "t.zip").write_bytes(b"PK\x03\x04" + bytes(20_000))
    assert files.first_rows(tmp_path / "t.zip", Reading()) is None


def test_a_damaged_parquet_file_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "t.parquet").write_bytes(b"PAR1" + bytes(100))
    with pytest.raises(CorpusError, match="damaged"):
        files.first_rows(tmp_path / "t.parquet", Reading())
