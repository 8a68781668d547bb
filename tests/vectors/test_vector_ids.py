"""Joining a file of vectors with a corpus: by ids that both have, however written, else by row; said, or refused."""

import uuid

import numpy as np
import pyarrow as pa
import pytest

from embedlab.errors import EmbedlabError
from embedlab.vectors.ids import IdColumns, id_keys, joined_rows

UUIDS = [uuid.UUID(int=number) for number in (3, 1, 2)]


def columns(name, rows, **values):
    return IdColumns(name, rows, tuple(values), lambda column: pa.array(values[column]))


def joined(file, corpus, *, kept=None, by=None, gaps=False):
    rows = len(next(iter(corpus.values()))) if corpus else 3
    of_file = columns("v.parquet", len(next(iter(file.values()))) if file else 3, **file)
    kept = np.arange(rows) if kept is None else np.array(kept)
    return joined_rows(of_file, columns("texts", rows, **corpus), kept, by=by, gaps=gaps)


def refused(*parts, **asked):
    with pytest.raises(EmbedlabError) as raised:
        joined(**asked)
    for part in parts:
        assert part in raised.value.message, raised.value.message


@pytest.mark.parametrize(
    ("of_file", "of_corpus"),
    [
        ([1, 2, 3], [3, 1, 2]),
        ([1, 2, 3], ["3", "1", "2"]),
        ([1.0, 2.0, 3.0], [3, 1, 2]),
        ([1, 2, 3], ["3.0", "1.0", "2.0"]),  # a spreadsheet or pandas wrote whole numbers so
        (["a", "b", "c"], ["c", "a", "b"]),
        ([" a", "b ", "c"], ["c", "a", "b"]),
        (["007", "7", "08"], ["08", "007", "7"]),
        ([str(UUIDS[1]), str(UUIDS[2]), str(UUIDS[0])], [str(each).upper() for each in UUIDS]),
        ([{"$oid": "a"}, {"$oid": "b"}, {"$oid": "c"}], ['{"$oid": "c"}', '{"$oid": "a"}', '{"$oid": "b"}']),
        ([each.bytes for each in (UUIDS[1], UUIDS[2], UUIDS[0])], [str(each) for each in UUIDS]),
    ],
)
def test_ids_of_both_join_however_they_are_written(of_file, of_corpus):
    values = pa.array(of_file, pa.binary(16)) if isinstance(of_file[0], bytes) else of_file
    found = joined({"id": values}, {"id": of_corpus})
    assert found.rows.tolist() == [1, 2, 0]  # the corpus row of each vector
    assert found.summary.sentence == "Joined by column id: 3 of 3 texts."


def test_leading_zeros_are_part_of_an_id():
    assert id_keys(pa.array(["007", "7"])).to_pylist() == ["007", "7"]
    assert id_keys(pa.array(["1", "1.0", "v2"])).to_pylist() == ["1", "1.0", "v2"]  # nor are they numbers beside names
    refused("has none for 1 of 3 texts", "id '007'", file={"id": [7, 8, 9]}, corpus={"id": ["007", "8", "9"]})


def test_columns_of_other_names_join_where_their_values_match():
    found = joined({"_id": ["a", "b", "c"]}, {"doc_id": ["b", "c", "a"]})
    assert found.rows.tolist() == [2, 0, 1] and "column _id (corpus: doc_id)" in found.summary.sentence
    # one name that is no usual one, but says the same of every row
    assert joined({"arxiv": ["a", "b", "c"]}, {"arxiv": ["b", "c", "a"]}).rows.tolist() == [2, 0, 1]
    # and one that is no id at all
    assert joined({"year": [1, 1, 2]}, {"year": [2, 1, 1]}).summary.by == "row order"


def test_a_counter_that_could_be_the_ids_of_the_corpus_is_asked_about():
    index = {"file": {"index": [0, 1, 2]}, "corpus": {"id": [2, 0, 1]}}  # pandas' reset_index, or the ids
    refused("could be column 'id' of the corpus", "--vector-ids index, row or order", **index)
    assert joined(**index, by="index").rows.tolist() == [1, 2, 0]
    assert joined(**index, by="row").rows.tolist() == joined(**index, by="order").rows.tolist() == [0, 1, 2]
    refused("could be column 'index'", file={"id": [2, 0, 1]}, corpus={"index": [1, 2, 0]})
    assert (
        joined({"index": [0, 1, 2]}, {"id": [0, 1, 2]}).summary.by == "row numbers in column index"
    )  # both say the same
    assert joined({"index": [0, 1, 2]}, {"id": [7, 8, 9]}).rows.tolist() == [0, 1, 2]
    assert joined({"id": [7, 8, 9]}, {"index": [9, 7, 8]}).rows.tolist() == [1, 2, 0]  # no row numbers, so ids


def test_row_numbers_where_the_corpus_has_no_ids():
    found = joined({"id": [2, 0, 1]}, {})
    assert found.rows.tolist() == [2, 0, 1] and "row numbers in column id" in found.summary.sentence
    assert joined({"__index_level_0__": [2, 0, 1]}, {}).rows.tolist() == [2, 0, 1]
    assert joined({"uuid": ["x", "y", "z"]}, {}).summary.by == "row order (column uuid is not in the corpus)"
    refused("row 1 of 'v.parquet' has 1152921504606846976", file={"id": [2**60, 1, 2]}, corpus={})
    refused("row 3 of 'v.parquet' has 3", "--vector-ids", file={"id": [1, 2, 3]}, corpus={})


def test_row_or_order_or_a_column_is_meant_where_it_is_said():
    both = {"file": {"id": [2, 0, 1], "key": ["a", "b", "c"]}, "corpus": {"id": [1, 2, 0], "key": ["c", "b", "a"]}}
    assert joined(**both).rows.tolist() == [1, 2, 0]
    assert joined(**both, by="row").rows.tolist() == [2, 0, 1]
    assert joined(**both, by="order").rows.tolist() == [0, 1, 2]
    assert joined(**both, by="key").rows.tolist() == [2, 1, 0]
    refused("no column 'ids' to join by", "'id', 'key'", **both, by="ids")


def test_what_repeats_is_refused_with_its_rows_unless_each_row_agrees():
    twice = {"id": ["a", "b", "b"]}
    refused("'v.parquet' has 'b' in rows 2 and 3", file=twice, corpus={"id": ["b", "a", "c"]})
    refused("'texts' has 'b' in rows 1 and 3", file={"id": ["a", "b", "c"]}, corpus={"id": ["b", "a", "b"]})
    assert joined(twice, twice).rows.tolist() == [0, 1, 2]  # one file as both: chunks of documents


def test_more_vectors_than_texts_are_used_and_said():
    found = joined({"id": ["x", "a", "y", "b", "c"]}, {"id": ["c", "a", "b"]})
    assert found.rows.tolist() == [-1, 1, -1, 2, 0]
    assert found.summary.sentence == "Joined by column id: 3 of 3 texts; 2 further vectors are not used."


def test_fewer_vectors_than_texts_are_refused_or_leave_gaps():
    file, corpus = {"id": ["b", None]}, {"id": ["c", "b", None]}
    refused("none for 2 of 3 texts", "row 1 (id 'c')", file=file, corpus=corpus)
    found = joined(file, corpus, gaps=True)
    assert found.rows.tolist() == [1, -1] and (found.summary.texts, found.summary.of) == (1, 3)
    assert joined({"id": ["b", "c"]}, corpus, kept=[0, 1]).summary.texts == 2  # the row without an id has no text


def test_ids_that_have_nothing_in_common_are_refused():
    refused(
        "(0, 1, 2 …)",
        "(101, 102, 103 …)",
        "(--vector-ids row, order or COLUMN)",
        file={"id": [0, 1, 2]},
        corpus={"id": [101, 102, 103]},
    )
    assert joined({"id": [2, 0, 1]}, {"doc_id": ["x", "y", "z"]}).summary.by == "row numbers in column id"


def test_without_ids_a_file_has_a_row_for_each_row_of_the_corpus():
    refused("One row per row of the corpus is needed, 3, but 'v.parquet' has 2.", file={"x": [1, 2]}, corpus={})
