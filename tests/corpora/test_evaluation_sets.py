"""Evaluation sets: what each kind of file becomes, and the sentence for each thing that is wrong with it."""

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from embedlab.corpora.sets.reading import SetReading, read_set
from embedlab.corpora.sets.stored import list_sets, open_set
from embedlab.errors import CorpusError

PAIRS = "sentence1,sentence2,score\na star,a sun,4.5\nbread,a ship,0\na comet,an iceberg,1\n"
DOCUMENTS = "doc_id,text,title\n1,hot bread,Bakery\n2,cold sea,\n3,Rye is a grain,rye\n"


@pytest.fixture
def file(tmp_path, store):
    def made(content: str, name: str = "set.csv") -> str:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return str(path)

    return made


def test_scored_pairs_serve_sts(file):
    found = read_set(file(PAIRS))
    assert found.info.serves == ("sts",) and found.info.counts == {"pairs": 3} and found.name == "set"
    assert found.column("score") == [4.5, 0, 1] and found.column("sentence1") == ["a star", "bread", "a comet"]
    assert found.column("same") == [None, None, None]


def test_judged_pairs_serve_paraphrase_and_undecided_ones_are_counted(file):
    found = read_set(file("sentence1,sentence2,is_paraphrase\na,b,True\nc,d,false\ne,f,\ng,h,1\n"))
    assert found.info.serves == ("paraphrase",) and found.column("same") == [True, False, None, True]
    assert [(left.rows, left.first) for left in found.info.reading.left_out] == [(1, (3,))]
    assert "undecided" in found.info.reading.sentence


def test_votes_beside_judgements_are_left_out_and_that_is_said(file):
    found = read_set(file("sentence1,sentence2,score,is_paraphrase\na,b,6,True\nc,d,0,False\ne,f,1,False\n"))
    assert found.info.serves == ("paraphrase",) and found.column("score") == [None] * 3
    assert any("row 1 has 6" in note.message for note in found.info.notes)
    scaled = read_set(
        file("sentence1,sentence2,score,is_paraphrase\na,b,6,True\nc,d,0,False\ne,f,1,False\n"),
        SetReading(scale=(0, 6)),
    )
    assert scaled.info.serves == ("sts", "paraphrase")


def test_the_test_split_is_taken_where_there_is_one_and_faults_name_the_files_own_row(file):
    content = "sentence1,sentence2,score,split\n" + "a,b,1,train\n" * 4 + "c,d,2,test\ne,f,3,test\ng,h,4,test\n"
    assert read_set(file(content)).info.counts == {"pairs": 3}
    assert read_set(file(content), SetReading(split="train")).info.counts == {"pairs": 4}
    with pytest.raises(CorpusError, match="'set.csv' has no split 'dev'. Choose from: test, train"):
        read_set(file(content), SetReading(split="dev"))
    with pytest.raises(CorpusError, match="from 0 to 3, but row 7 has 4"):
        read_set(file(content), SetReading(scale=(0, 3)))


def test_queries_know_their_relevant_documents_and_a_title_stands_before_its_text(file):
    rows = [
        {"query": "warm food", "doc_ids": [1, 3], "grades": [2, -1]},
        {"query": "water", "doc_ids": ["2", "9"], "grades": [1, 1]},
        {"query": "nothing", "doc_ids": [1], "grades": [0]},
    ]
    queries = file("\n".join(map(json.dumps, rows)), "queries.jsonl")
    found = read_set(queries, SetReading(documents=file(DOCUMENTS, "documents.csv")))
    assert found.documents == ["Bakery hot bread", "cold sea", "Rye is a grain"]
    assert found.column("rows") == [[0], [1], []] and found.column("gains") == [[1], [1], []]
    said = found.info.reading.sentence
    assert "1 left out (first: 2): judged documents that are not among the documents" in said
    assert "dropped 1 query without a relevant text" in said


def test_gains_say_how_relevant_a_document_is(file):
    rows = [{"query": "food", "doc_ids": ["1", "2"], "gain": [3, 0.5]}]
    found = read_set(file(json.dumps(rows), "q.json"), SetReading(documents=file(DOCUMENTS, "documents.csv")))
    assert found.column("gains") == [[3, 0.5]]


@pytest.mark.parametrize("kind", [pa.list_, pa.large_list, lambda of: pa.list_(of, 2)], ids=["list", "large", "fixed"])
def test_lists_of_any_kind_are_candidates(tmp_path, store, kind):
    """Polars writes large lists."""
    lists = {"positive": [["a", "b"], ["c", "d"]], "negative": [["x", "y"], ["v", "w"]]}
    columns = {name: pa.array(cells, kind(pa.string())) for name, cells in lists.items()}
    pq.write_table(pa.table({"query": ["one", "two"]} | columns), tmp_path / "set.parquet")
    found = read_set(str(tmp_path / "set.parquet"))
    assert found.info.kind == "candidates" and {name: found.column(name) for name in lists} == lists


def test_candidates_serve_reranking_and_one_sided_queries_are_counted(tmp_path, store):
    table = pa.table({"query": ["q", "r"], "positive": [["a"], ["b"]], "negative": [["c", "d"], []]})
    pq.write_table(table, tmp_path / "c.parquet")
    found = read_set(str(tmp_path / "c.parquet"))
    assert found.info.serves == ("reranking",) and found.column("negative") == [["c", "d"], []]
    assert "1 query lacks positive or negative" in found.info.notes[0].message


def test_the_same_content_is_the_same_set_and_is_found_again(file):
    one, other = read_set(file(PAIRS)), read_set(file(PAIRS, "again.csv"))
    assert one.fingerprint == other.fingerprint == open_set(one.fingerprint).fingerprint
    assert [info.fingerprint for info in list_sets()] == [one.fingerprint]
    assert read_set(file(PAIRS.replace("4.5", "4"))).fingerprint != one.fingerprint


BAD = {
    "columns of a corpus": ("text,label\na,b\n", {}, "has the columns text, label. Expected: pairs: sentence1"),
    "a score that is no number": (PAIRS.replace("4.5", "high"), {}, "row 1 of the column 'score' has 'high'"),
    "a score below the scale": (PAIRS.replace("4.5", "-3"), {}, "from 0 to 5, but row 1 has -3"),
    "too few pairs": ("sentence1,sentence2,score\na,b,1\n", {}, "at least 3 scored pairs"),
    "an unclear judgement": (
        "sentence1,sentence2,is_paraphrase\na,b,perhaps\n",
        {},
        "row 1 of the column 'is_paraphrase' has 'perhaps'",
    ),
    "queries alone": ("query,doc_ids\na,1\n", {}, "Give their file"),
    "no split column": (PAIRS, {"split": "test"}, "has no column 'split'"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_in_a_sentence(name, file):
    content, asked, said = BAD[name]
    with pytest.raises(CorpusError, match=said):
        read_set(file(content), SetReading(**asked))
    assert list_sets() == []


BAD_QUERIES = {
    "nothing relevant": ({"query": "a", "doc_ids": ["1"], "grades": [0]}, DOCUMENTS, "none of the 1 queries"),
    "grades of another length": ({"query": "a", "doc_ids": ["1"], "grades": [1, 2]}, DOCUMENTS, "has 2 for 1"),
    "an id twice": ({"query": "a", "doc_ids": ["1"]}, "doc_id,text\n1,a\n1,b\n", "but '1' appears twice"),
    "no doc_id": ({"query": "a", "doc_ids": ["1"]}, "number,text\n1,a\n", "needs an id and a text"),
    "one side only": ({"query": "a", "positive": ["b"], "negative": []}, DOCUMENTS, "none of the 1 of 'q' has both"),
    "a broken list": ({"query": "a", "doc_ids": "[1, 2"}, DOCUMENTS, "must be a list, but row 1"),
    "a list too deep": ({"query": "a", "doc_ids": "[" * 10**5}, DOCUMENTS, "must be a list, but row 1"),
}


@pytest.mark.parametrize("name", BAD_QUERIES)
def test_bad_queries_are_refused_in_a_sentence(name, file):
    row, documents, said = BAD_QUERIES[name]
    with pytest.raises(CorpusError, match=said):
        read_set(file(json.dumps(row), "q.jsonl"), SetReading(documents=file(documents, "documents.csv")))


@pytest.mark.skipif("EMBEDLAB_TEST_CORPORA" not in os.environ, reason="EMBEDLAB_TEST_CORPORA names no folder")
def test_the_shapes_of_known_benchmarks_are_read(store):
    folder = Path(os.environ["EMBEDLAB_TEST_CORPORA"])
    assert read_set(str(folder / "stsb.parquet")).info.counts == {"pairs": 1379}
    twitter = read_set(str(folder / "twitter_url_test.parquet"))
    assert twitter.info.serves == ("paraphrase",) and sum(s is not None for s in twitter.column("same")) == 9334
    cranfield = read_set(
        str(folder / "cranfield_queries.parquet"), SetReading(documents=str(folder / "cranfield_corpus.parquet"))
    )
    assert cranfield.info.counts == {"queries": 225, "documents": 1400} and min(map(len, cranfield.column("rows"))) > 0
