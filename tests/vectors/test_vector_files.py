"""Vectors on the disk: whatever wrote which part, the file is the array, and reading holds no more than is asked."""

import numpy as np
import pytest

from embedlab.vectors import files as vector_files
from embedlab.vectors.files import begin, drop_pages, opened, save, taken, write_part
from embedlab.vectors.opened import all_rows, open_vectors


@pytest.fixture
def vectors() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((100, 7)).astype(np.float32)


def test_parts_written_in_any_order_are_the_whole_file(tmp_path, vectors):
    file, whole = tmp_path / "parts.npy", tmp_path / "whole.npy"
    begin(file, *vectors.shape)
    for start in (60, 0, 33, 99):
        stop = {60: 99, 0: 33, 33: 60, 99: 100}[start]
        write_part(file, start, vectors[start:stop])
    np.save(whole, vectors)
    assert file.read_bytes() == whole.read_bytes()


def test_rows_that_nobody_wrote_are_zero(tmp_path, vectors):
    file = tmp_path / "parts.npy"
    begin(file, *vectors.shape)
    write_part(file, 10, vectors[10:20].astype(np.float64))
    found = np.load(file)
    assert found.dtype == np.float32 and np.array_equal(found[10:20], vectors[10:20])
    assert not found[:10].any() and not found[20:].any()


def test_a_mapped_array_is_saved_part_by_part(tmp_path, vectors, monkeypatch):
    monkeypatch.setattr(vector_files, "ROWS_AT_ONCE", 9)
    for kind in (np.float32, np.float64):
        one, other = tmp_path / "one.npy", tmp_path / "other.npy"
        np.save(one, vectors.astype(kind))
        save(other, opened(one))
        assert one.read_bytes() == other.read_bytes()


def test_rows_are_taken_from_a_file_as_from_an_array(tmp_path, vectors, monkeypatch):
    monkeypatch.setattr(vector_files, "TAKEN_AT_ONCE", 6)
    file = tmp_path / "vectors.npy"
    np.save(file, vectors)
    rows = np.random.default_rng(1).integers(0, 100, 45)
    mapped = opened(file)
    for source in (vectors, mapped):
        found = taken(source, rows)
        assert np.array_equal(found, vectors[rows]) and found.flags.writeable
    drop_pages(mapped)
    assert np.array_equal(mapped, vectors), "pages come back when they are read again"
    with pytest.raises(ValueError, match="read-only"):
        mapped[0] = 1


def test_packed_bits_are_bits_unless_they_are_said_to_be_numbers(tmp_path):
    file = tmp_path / "bits.npy"
    np.save(file, np.packbits(np.random.default_rng(0).integers(0, 2, (40, 64), np.uint8), axis=1))
    bits, numbers = open_vectors(file), open_vectors(file, as_numbers=True)
    assert (bits.dim, numbers.dim) == (64, 8) and bits.packing == "ubinary" and numbers.packing is None
    assert set(np.unique(all_rows(bits))) <= {-1.0, 0.0, 1.0} and all_rows(numbers).max() > 1
