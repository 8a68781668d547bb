"""Own embeddings and coordinates: read from .npy and Parquet, laid in the corpus's order, wrong files named."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from embedlab.corpora.base import Draft, store_corpus
from embedlab.errors import EmbedlabError
from embedlab.vectors.laid import lay_in_order, require_places
from embedlab.vectors.opened import COORDINATES, ROWS_AT_ONCE, all_rows, open_vectors


@pytest.fixture
def gapped(store):
    """Four rows, the third without a text."""
    return store_corpus(Draft(name="gapped", source="test", texts=["one", "two", "", "four"]))


def laid(vectors, corpus, *, gaps=False):
    found = np.empty((corpus.info.rows, vectors.dim), np.float32)
    lay_in_order(vectors, corpus, found, progress=lambda *said: None, gaps=gaps)
    return found


def parquet(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


def refused(code, part, call):
    with pytest.raises(EmbedlabError) as raised:
        call()
    assert raised.value.code == code, raised.value.message
    assert part in raised.value.message


def test_an_array_is_read_in_file_order_and_rows_without_a_text_are_zero(gapped, tmp_path):
    np.save(tmp_path / "a.npy", np.array([[1, 2], [3, 4], [np.nan, 9], [5, 6]]))
    found = laid(open_vectors(tmp_path / "a.npy"), gapped)
    assert found.tolist() == [[1, 2], [3, 4], [0, 0], [5, 6]]


def test_a_list_column_and_numbered_columns_hold_the_same(gapped, tmp_path):
    rows = np.arange(48, dtype=np.float32).reshape(4, 12)
    as_list = parquet(tmp_path / "list.parquet", vector=list(rows), year=[1, 2, 3, 4])
    shuffled = {f"e{place}": rows[:, place] for place in (11, 2, 0, 1, 10, 3, 4, 5, 6, 7, 8, 9)}  # e10 after e9, not e1
    numbered = parquet(tmp_path / "numbered.parquet", **shuffled)
    fixed = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), 12)
    of_fixed = parquet(tmp_path / "fixed.parquet", embedding=fixed)
    for path in (as_list, numbered, of_fixed):
        assert np.array_equal(all_rows(open_vectors(path)), rows), path


def test_a_column_id_names_the_corpus_row(gapped, tmp_path):
    path = parquet(tmp_path / "ids.parquet", id=[3, 0, 1], e0=[5.0, 1.0, 3.0], e1=[6.0, 2.0, 4.0])
    assert laid(open_vectors(path), gapped).tolist() == [[1, 2], [3, 4], [0, 0], [5, 6]]


@pytest.mark.parametrize("column", ["text", "sentence"])
def test_vectors_with_their_texts_are_joined_by_them(gapped, tmp_path, column):
    shuffled = parquet(
        tmp_path / "t.parquet", **{column: ["four", "one", "two"], "e0": [5.0, 1.0, 3.0], "e1": [6.0, 2.0, 4.0]}
    )
    assert laid(open_vectors(shuffled), gapped).tolist() == [[1, 2], [3, 4], [0, 0], [5, 6]]


def test_the_order_is_refused_where_the_texts_stand_in_another_one(store, tmp_path):
    corpus = store_corpus(Draft(name="copies", source="test", texts=["one", "one", "two"]))
    ones = {"e0": [5.0, 1.0, 3.0], "e1": [6.0, 2.0, 4.0]}
    shuffled = open_vectors(parquet(tmp_path / "s.parquet", text=["two", "one", "one"], **ones))
    refused("E-ROWS", "Row 1 of 's.parquet' holds the text of another row", lambda: laid(shuffled, corpus))
    ordered = open_vectors(parquet(tmp_path / "o.parquet", text=["one", "ONE", "two"], **ones))
    assert laid(ordered, corpus).tolist() == [[5, 6], [1, 2], [3, 4]]


def test_parts_join_to_the_whole_file(tmp_path):
    rows = np.random.default_rng(0).standard_normal((ROWS_AT_ONCE + 5, 3)).astype(np.float32)
    np.save(tmp_path / "long.npy", rows)
    path = parquet(tmp_path / "long.parquet", **{f"d{place}": rows[:, place] for place in range(3)})
    assert np.array_equal(all_rows(open_vectors(tmp_path / "long.npy")), rows)
    assert np.array_equal(all_rows(open_vectors(path)), rows)


def test_coordinates_may_leave_texts_out(gapped, tmp_path):
    path = parquet(tmp_path / "map.parquet", id=[0, 3], X=[0.5, 1.5], Y=[-1.0, 2.0], z=["a", "b"])
    found = laid(open_vectors(path, kind=COORDINATES), gapped, gaps=True)
    assert found[[0, 3]].tolist() == [[0.5, -1.0], [1.5, 2.0]]
    assert np.isnan(found[[1, 2]]).all()


def test_another_number_of_rows_is_said_with_both_numbers(gapped, tmp_path):
    np.save(tmp_path / "short.npy", np.ones((3, 2)))
    refused("E-ROWS", "4, but 'short.npy' has 3", lambda: laid(open_vectors(tmp_path / "short.npy"), gapped))


@pytest.mark.parametrize(
    ("ids", "part"),
    [
        ([0, 1, 4], "row 3 of 'i.parquet' has 4"),
        ([0, 1, 1], "'1' in rows 2 and 3"),
        ([0, 1, 2], "the first is row 4, number 3"),
    ],
)
def test_wrong_ids_are_named(gapped, tmp_path, ids, part):
    path = parquet(tmp_path / "i.parquet", id=ids, e0=[1.0] * 3, e1=[2.0] * 3)
    refused("E-ROWS", part, lambda: laid(open_vectors(path), gapped))


def test_a_value_that_is_no_number_is_named_with_its_row(gapped, tmp_path):
    path = parquet(tmp_path / "v.parquet", e0=[1.0, 2.0, 3.0, 4.0], e1=[1.0, float("inf"), 3.0, 4.0])
    refused("E-VALUE", "row 2, column 'e1' of 'v.parquet' is inf", lambda: laid(open_vectors(path), gapped))
    np.save(tmp_path / "v.npy", np.array([[1.0, 2.0], [1.0, 1e300], [0, 0], [1, 1]]))  # no 32-bit number
    refused("E-VALUE", "row 2, value 2 of 'v.npy' is 1e+300", lambda: laid(open_vectors(tmp_path / "v.npy"), gapped))
    np.save(tmp_path / "v.npy", np.array([[1.0, 2.0], [1.0, -2e15], [0, 0], [1, 1]]))  # its square may overflow
    refused("E-VALUE", "row 2, value 2 of 'v.npy' is -2", lambda: laid(open_vectors(tmp_path / "v.npy"), gapped))


def test_coordinates_name_their_column(tmp_path):
    path = parquet(tmp_path / "m.parquet", x=[1.0, float("nan"), 3.0], Y=[1.0, float("nan"), float("inf")])
    vectors = open_vectors(path, kind=COORDINATES)
    refused("E-VALUE", "row 3, column 'Y' of 'm.parquet' is inf", lambda: require_places(vectors))


def test_a_row_of_another_length_is_named(gapped, tmp_path):
    path = parquet(tmp_path / "r.parquet", v=[[1.0, 2.0], [1.0, 2.0], [1.0], [3.0, 4.0]])
    refused("E-VALUE", "row 3 of 'r.parquet' has 1", lambda: all_rows(open_vectors(path)))


def test_several_columns_that_could_be_are_listed_and_one_is_taken_by_name(tmp_path):
    path = parquet(tmp_path / "s.parquet", a=[[1.0, 2.0]], b=[[3.0, 4.0]])
    refused("E-COLUMN", "'a', 'b'", lambda: open_vectors(path))
    assert all_rows(open_vectors(path, column="b")).tolist() == [[3, 4]]
    gap = parquet(tmp_path / "g.parquet", e0=[1.0], e2=[1.0])
    refused("E-COLUMN", "no e1", lambda: open_vectors(gap))
    refused("E-COLUMN", "x and y", lambda: open_vectors(gap, kind=COORDINATES))


@pytest.mark.parametrize(
    "array", [np.array([{"a": 1}], object), np.ones(3), np.ones((2, 2), complex), np.array([["a", "b"]])]
)
def test_what_is_no_array_of_numbers_is_refused(tmp_path, array):
    np.save(tmp_path / "o.npy", array, allow_pickle=True)
    refused("E-EMBEDDINGS", "o.npy", lambda: open_vectors(tmp_path / "o.npy"))


def test_a_missing_or_broken_file_is_said(tmp_path):
    refused("E-PATH", "nowhere.npy", lambda: open_vectors(tmp_path / "nowhere.npy"))
    for name in ("x.npy", "x.parquet"):
        (tmp_path / name).write_bytes(b"neither")
        refused("E-EMBEDDINGS", name, lambda name=name: open_vectors(tmp_path / name))
    np.save(tmp_path / "wide.npy", np.ones((4, 3)))
    refused("E-EMBEDDINGS", "has 3", lambda: open_vectors(tmp_path / "wide.npy", kind=COORDINATES))
