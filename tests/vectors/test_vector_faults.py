"""What is wrong with vectors: counted once, rows from 1, said in a sentence each."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from embedlab.vectors.faults import fault_notes, faults_in
from embedlab.vectors.files import begin, opened, packing_of, unpacked, write_part
from embedlab.vectors.opened import open_vectors


def vectors():
    """Twelve rows: zero, NaN, infinite, one vector of two texts, and a third dimension that is always 1."""
    found = np.random.default_rng(0).standard_normal((12, 4)).astype(np.float32)
    found[:, 2] = 1
    found[0], found[3, 1], found[5, 0], found[7] = 0, np.nan, np.inf, found[6]
    return found


def test_each_kind_is_counted_with_its_rows_from_1():
    found = faults_in(vectors())
    rows = {name: getattr(found, name).first for name in ("zero", "nan", "infinite", "repeated")}
    assert rows == {"zero": (1,), "nan": (4,), "infinite": (6,), "repeated": (8,)}
    assert (found.vectors, found.dim, found.distinct, found.constant_dimensions) == (12, 4, 8, 1)
    said = " ".join(found.sentences)
    for part in ("1 of 12 vectors is zero (row 1)", "holds NaN (row 4)", "is infinite (row 6)",
                 "1 of 12 texts has the vector of another text (row 8)", "1 of 4 dimensions is"):  # fmt: skip
        assert part in said


def test_copies_of_a_text_may_have_one_vector_and_rows_without_a_text_take_no_part():
    copies = np.arange(12)
    copies[7] = copies[6]
    assert faults_in(vectors(), copies=copies).repeated.total == 0
    assert faults_in(vectors(), np.array([1, 2, 4, 6])).sentences == [
        "1 of 4 dimensions is the same number in every vector."
    ]


def test_vectors_that_are_all_the_same_are_said_so():
    assert faults_in(np.ones((5, 3))).sentences == ["All 5 vectors are the same, so nothing can be distinguished."]
    half = np.ones((5, 3))
    half[4] = 0
    assert "All 4 other vectors are the same" in faults_in(half).sentences[1]


def test_sound_vectors_are_not_spoken_of():
    sound = np.random.default_rng(1).standard_normal((300, 8))
    assert faults_in(sound).sentences == [] and fault_notes({"after": faults_in(sound)}) == []
    halves = np.eye(32)[np.random.default_rng(2).permutation(32)]
    assert faults_in(np.vstack([halves, 1 - halves])).repeated.total == 0  # few bits differ, and none is the same


def test_numbers_too_large_for_32_bits_are_infinite():
    assert faults_in(np.array([[1e300, 1.0], [1.0, 2.0]])).infinite.first == (1,)


def test_sparse_and_mapped_vectors_have_the_same_faults(tmp_path):
    begin(tmp_path / "v.npy", 12, 4)
    write_part(tmp_path / "v.npy", 0, vectors())
    assert faults_in(opened(tmp_path / "v.npy")) == faults_in(vectors()) == faults_in(csr_matrix(vectors()))


def test_whose_vectors_they_are_is_said_where_they_differ():
    bad, good = faults_in(np.zeros((2, 2))), faults_in(np.eye(2))
    assert [each.message[:14] for each in fault_notes({"Before": bad, "After": good})] == ["Before: 2 of 2"]
    assert fault_notes({"Before": bad, "After": bad})[0].message.startswith("2 of 2 vectors are zero (rows 1, 2)")


def embeddings(kind):
    """As an encoder's: dimensions of different mean, texts of six topics; or as drawn at random."""
    rng = np.random.default_rng(3)
    if kind == "random":
        return rng.standard_normal((120, 64))
    if kind == "one-hot":
        return np.eye(64)[rng.integers(6, size=120)] + 0.1 * rng.standard_normal((120, 64))
    return (
        rng.standard_normal((6, 64))[rng.integers(6, size=120)]
        + rng.standard_normal((120, 64))
        + rng.standard_normal(64)
    )


@pytest.mark.parametrize("kind", ["topics", "random", "one-hot"])
def test_packed_bits_and_quantised_numbers_are_told_apart(kind):
    values = embeddings(kind)
    low, high = values.min(axis=0), values.max(axis=0)
    quantised = np.round((values - low) / (high - low) * 255)  # as sentence-transformers' quantize_embeddings
    assert packing_of(quantised.astype(np.uint8)) is None
    assert packing_of((quantised - 128).astype(np.int8)) is None
    bits = values > 0
    ubinary = np.packbits(bits, axis=1)
    binary = (ubinary.astype(int) - 128).astype(np.int8)
    for packed, packing in ((ubinary, "ubinary"), (binary, "binary")):
        assert packing_of(packed) == packing_of(packed.astype(np.int64)) == packing  # a list column has wide integers
        assert np.array_equal(unpacked(packed, packing), bits)


def test_what_looks_like_packed_bits_is_read_as_numbers_on_request(tmp_path):
    bits = np.packbits(embeddings("random") > 0, axis=1)
    np.save(tmp_path / "bits.npy", bits)
    unpacked_bits, numbers = (open_vectors(tmp_path / "bits.npy", as_numbers=each) for each in (False, True))
    assert "--as-numbers" in unpacked_bits.remark and "one number (uint8)" in numbers.remark
    assert (unpacked_bits.dim, numbers.dim) == (8 * bits.shape[1], bits.shape[1])
    assert np.array_equal(next(numbers.parts())[1], bits)


def test_counts_and_floating_point_numbers_are_not_bits():
    assert packing_of(np.random.default_rng(0).poisson(1, (90, 16))) is None
    assert packing_of(np.eye(16, dtype=np.uint8)) is None
    assert packing_of(embeddings("topics").astype(np.float16)) is None
