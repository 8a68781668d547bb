"""A proposal reads the first rows only, whatever the file's size."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from embedlab.corpora.reading import Reading
from embedlab.errors import CorpusError
from embedlab.ui import preview

ROWS = [f"A text of some words, number {number}" for number in range(5000)]


@pytest.fixture(autouse=True)
def small_heads(monkeypatch):
    """Ten kilobytes count as large, so that the tests need no large files."""
    monkeypatch.setattr(preview, "WHOLE_BYTES", 10_000)
    monkeypatch.setattr(preview, "HEAD_BYTES", 10_000)


def test_a_parquet_file_gives_its_first_batch(tmp_path):
    pq.write_table(pa.table({"text": ROWS}), tmp_path / "t.parquet")
    assert preview.first_rows(tmp_path / "t.parquet", Reading()).columns.num_rows == preview.HEAD_ROWS


@pytest.mark.parametrize("zipped", [False, True])
def test_a_large_csv_gives_whole_lines_of_its_head(tmp_path, zipped):
    content = ("text,label\n" + "".join(f'"{row}",a\n' for row in ROWS)).encode()
    file = tmp_path / ("t.csv.gz" if zipped else "t.csv")
    file.write_bytes(gzip.compress(content, 0) if zipped else content)
    texts = preview.first_rows(file, Reading()).columns.column("text").to_pylist()
    assert texts == ROWS[: len(texts)]
    assert 100 < len(texts) < 500


def test_a_folder_and_a_large_zip_are_left_to_the_reader(tmp_path):
    assert preview.first_rows(tmp_path, Reading()) is None
    (tmp_path / "t.zip").write_bytes(b"PK\x03\x04" + bytes(20_000))
    assert preview.first_rows(tmp_path / "t.zip", Reading()) is None


def test_a_damaged_parquet_file_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "t.parquet").write_bytes(b"PAR1" + bytes(100))
    with pytest.raises(CorpusError, match="cannot be read"):
        preview.first_rows(tmp_path / "t.parquet", Reading())
