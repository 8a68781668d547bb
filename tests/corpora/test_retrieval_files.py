"""Queries, documents and judgments as BEIR, TREC and tables keep them: the numbers are pytrec_eval's, per query."""

import csv
import gzip
import json
import os
import shutil
import zipfile

import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from scipy.sparse import csr_matrix

from embedlab.corpora.sets.reading import SetReading, read_judgements, read_set
from embedlab.corpora.sets.stored import open_set
from embedlab.errors import CorpusError
from embedlab.metrics import METRICS
from embedlab.tasks.measure.sources import SetSource
from embedlab.tasks.measure.subjects import OfBaseline, ReadOnce

WORDS = "goal referee match oven butter flour planet orbit comet garden seed rain".split()
MEASURES = {"ndcg_cut.10", "map_cut.100", "recall.10,100", "recip_rank"}
OURS = {"ndcg@10": "ndcg_cut_10", "map@100": "map_cut_100", "recall@10": "recall_10", "recall@100": "recall_100",
        "mrr": "recip_rank"}  # fmt: skip


def drawn(seed: int = 0) -> tuple[dict, dict, dict]:
    """Documents, queries, judgements: grades from -1 to 3, of documents that share words with the query or do not."""
    rng = np.random.default_rng(seed)
    documents = {f"d{row}": " ".join(rng.choice(WORDS, 8)) for row in range(60)}
    queries = {f"q{row}": " ".join(rng.choice(WORDS, 3)) for row in range(9)}
    grades = {
        query: {f"d{row}": int(rng.integers(-1, 4)) for row in rng.choice(60, 12, replace=False)} for query in queries
    }
    for judged in grades.values():
        judged[next(iter(judged))] = 2
    return documents, queries, grades


DOCUMENTS, QUERIES, GRADES = drawn()


def lines_of(grades: dict, separator: str, *, middle: str = "") -> list[str]:
    return [separator.join([query, *([middle] if middle else []), doc, str(grade)]) for query, judged in grades.items()
            for doc, grade in judged.items()]  # fmt: skip


def jsonl(file, rows) -> None:
    opened = gzip.open(file, "wt") if file.suffix == ".gz" else open(file, "w", encoding="utf-8")
    with opened:
        opened.write("\n".join(map(json.dumps, rows)) + "\n")


def beir(folder, *, ending: str = ".jsonl", judged=None, documents=None, queries=None):
    """A folder as BEIR's own loader reads it."""
    (folder / "qrels").mkdir(parents=True)
    texts = (documents or DOCUMENTS).items()
    jsonl(folder / f"corpus{ending}", [{"_id": doc, "title": "", "text": text, "metadata": {}} for doc, text in texts])
    jsonl(folder / f"queries{ending}", [{"_id": key, "text": text} for key, text in (queries or QUERIES).items()])
    lines = ["query-id\tcorpus-id\tscore", *(judged or lines_of(GRADES, "\t"))]
    (folder / "qrels" / "test.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def per_query(found, baseline: str = "bm25") -> dict[str, np.ndarray]:
    source = SetSource(found)
    subject = ReadOnce(OfBaseline(baseline, source.texts))
    return METRICS["retrieval"].measure(source.material(METRICS["retrieval"], subject, "paper")).units


def reference(documents=None, queries=None, grades=None, baseline: str = "bm25", own: dict | None = None) -> list[dict]:
    """What pytrec_eval says of each query whose judgements have a relevant document; ``own`` is left out of results."""
    documents, queries, grades = documents or DOCUMENTS, queries or QUERIES, grades or GRADES
    judged = {key: text for key, text in queries.items() if key in grades and max(grades[key].values()) > 0}
    subject = OfBaseline(baseline, list(dict.fromkeys([*documents.values(), *judged.values()])))
    if subject.gives_vectors:
        found = subject.embed(list(judged.values())) @ subject.embed(list(documents.values())).T
        scores = csr_matrix(np.where(found.toarray() == 0, 1e-30, found.toarray()))  # a cosine of 0 is a score too
    else:
        scores = subject.scores(list(judged.values()), list(documents.values()))
    scores, ids, run = scores.tocoo(), list(documents), {key: {} for key in judged}
    keys = list(judged)
    for row, column, score in zip(scores.row, scores.col, scores.data, strict=True):
        if (own or {}).get(keys[row]) != ids[column]:
            run[keys[row]][ids[column]] = float(np.float32(score))
    found = pytrec_eval.RelevanceEvaluator(grades, MEASURES).evaluate(run)
    return [found.get(key) or dict.fromkeys(OURS.values(), 0.0) for key in keys]


def assert_equal(units: dict, expected: list[dict]) -> None:
    assert len(units["ndcg@10"]) == len(expected)
    for ours, theirs in OURS.items():
        assert units[ours] == pytest.approx([each[theirs] for each in expected], abs=1e-6), ours


def parquet_of_the_hub(tmp_path):
    """corpus/, queries/ in one repository and the judgments in another beside it, as BeIR's on the hub."""
    home = tmp_path / "scifact"
    rows = [{"_id": doc, "title": "", "text": text} for doc, text in DOCUMENTS.items()]
    for name, table in (
        ("corpus", rows),
        ("queries", [{"_id": k, "title": "", "text": t} for k, t in QUERIES.items()]),
    ):
        (home / name).mkdir(parents=True)
        half = len(table) // 2
        pd.DataFrame(table[:half]).to_parquet(home / name / f"{name}-00000-of-00002.parquet")
        pd.DataFrame(table[half:]).to_parquet(home / name / f"{name}-00001-of-00002.parquet")
    (tmp_path / "scifact-qrels").mkdir()
    for split in ("train", "test"):
        judged = GRADES if split == "test" else {"q0": {"d1": 1}}
        text = "\n".join(["query-id\tcorpus-id\tscore", *lines_of(judged, "\t")])
        (tmp_path / "scifact-qrels" / f"{split}.tsv").write_text(text + "\n")
    return home


def snapshot_of_the_hub(tmp_path):
    """The hub's cache: a commit whose files are links to blobs."""
    plain = beir(tmp_path / "plain")
    home = tmp_path / "datasets--mteb--toy" / "snapshots" / "abc"
    blobs = home.parent.parent / "blobs"
    blobs.mkdir(parents=True)
    for number, file in enumerate(sorted(path for path in plain.rglob("*") if path.is_file())):
        link = home / file.relative_to(plain)
        link.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(file, blobs / f"{number}")
        link.symlink_to(os.path.relpath(blobs / f"{number}", link.parent))
    return home


def zipped(tmp_path):
    folder = beir(tmp_path / "toy")
    with zipfile.ZipFile(tmp_path / "toy.zip", "w") as archive:
        for file in folder.rglob("*"):
            archive.write(file, file.relative_to(tmp_path))
    return tmp_path / "toy.zip"


def judgements_of_mteb(tmp_path):
    """default/, corpus/ and queries/ of Parquet, ids of numbers where they are."""
    home = tmp_path / "mteb"
    for folder, rows in (
        ("corpus", [{"_id": k, "title": "", "text": t} for k, t in DOCUMENTS.items()]),
        ("queries", [{"_id": k, "text": t} for k, t in QUERIES.items()]),
        (
            "default",
            [{"query-id": q, "corpus-id": d, "score": g} for q, each in GRADES.items() for d, g in each.items()],
        ),
    ):
        (home / folder).mkdir(parents=True)
        pd.DataFrame(rows).to_parquet(home / folder / "test-00000-of-00001.parquet")
    return home


FOLDERS = {
    "BEIR": lambda tmp_path: beir(tmp_path / "toy"),
    "gzipped": lambda tmp_path: beir(tmp_path / "toy", ending=".jsonl.gz"),
    "a folder above": lambda tmp_path: beir(tmp_path / "above" / "toy").parent,
    "zip": zipped,
    "two repositories of the hub": parquet_of_the_hub,
    "a snapshot in the hub's cache": snapshot_of_the_hub,
    "the cache's folder": lambda tmp_path: snapshot_of_the_hub(tmp_path).parent.parent,
    "mteb's configurations": judgements_of_mteb,
}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_of_the_field_gives_pytrec_evals_numbers(store, tmp_path, name):
    found = read_set(str(FOLDERS[name](tmp_path)))
    assert found.info.counts == {"queries": 9, "documents": 60}
    assert_equal(per_query(found), reference())
    assert (
        "documents from 'corpus" in found.info.reading.sentence
        or "documents from 'test-" in found.info.reading.sentence
    )


FILES = {
    "TREC": ("qrels.trec", lines_of(GRADES, " ", middle="0")),
    "TREC with tabs": ("qrels.txt", lines_of(GRADES, "\t", middle="0")),
    "TSV with a header": ("test.tsv", ["query-id\tcorpus-id\tscore", *lines_of(GRADES, "\t")]),
    "TSV without": ("test.tsv", lines_of(GRADES, "\t")),
    "CSV of another's names": ("judged.csv", ["qid,docno,relevance", *lines_of(GRADES, ",")]),
    "CSV of names in words": ("judged.csv", ["Query ID,Document ID,Relevance", *lines_of(GRADES, ",")]),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_judgements_is_read_with_the_files_beside_it_or_named(store, tmp_path, name):
    file_name, lines = FILES[name]
    folder = beir(tmp_path / "toy")
    aside, within = tmp_path / file_name, folder / "qrels" / file_name
    for file in (aside, within):
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = read_set(
        str(aside), SetReading(documents=str(folder / "corpus.jsonl"), queries=str(folder / "queries.jsonl"))
    )
    assert_equal(per_query(found), reference())
    assert read_set(str(within)).fingerprint == found.fingerprint
    with pytest.raises(CorpusError, match="needed too. Give their file") as error:
        read_set(str(aside))
    assert error.value.code == "E-DOCUMENTS"


def test_of_a_data_set_without_queries_their_texts_are_asked_for_and_named_ones_are_read(store, tmp_path):
    folder, aside = beir(tmp_path / "toy"), tmp_path / "queries.jsonl"
    (folder / "queries.jsonl").rename(aside)
    for path in (folder, folder / "qrels" / "test.tsv"):
        with pytest.raises(CorpusError, match=r"their texts \(--queries\) are needed too") as error:
            read_set(str(path))
        assert error.value.code == "E-DOCUMENTS"
        assert_equal(per_query(read_set(str(path), SetReading(queries=str(aside)))), reference())


@pytest.mark.parametrize("baseline", ["bm25", "tfidf"])
def test_a_row_a_judgement_is_grouped_by_query(store, tmp_path, baseline):
    rows = [[QUERIES[query], doc, grade] for query, judged in GRADES.items() for doc, grade in judged.items()]
    for file, header, table in (
        ("long.csv", ["query", "doc_id", "grade"], rows),
        ("documents.csv", ["doc_id", "text"], DOCUMENTS.items()),
    ):
        with open(tmp_path / file, "w", encoding="utf-8", newline="") as opened:
            csv.writer(opened).writerows([header, *table])
    found = read_set(str(tmp_path / "long.csv"), SetReading(documents=str(tmp_path / "documents.csv")))
    assert_equal(per_query(found, baseline), reference(baseline=baseline))
    listed = [{"query": QUERIES[q], "doc_ids": list(each), "gain": list(each.values())} for q, each in GRADES.items()]
    jsonl(tmp_path / "listed.jsonl", listed)
    assert (
        read_set(str(tmp_path / "listed.jsonl"), SetReading(documents=str(tmp_path / "documents.csv"))).fingerprint
        == found.fingerprint
    )


def test_splits_are_chosen_and_a_wrong_one_is_said(store, tmp_path):
    home = parquet_of_the_hub(tmp_path)
    found = read_set(str(home), SetReading(split="train"))
    assert found.info.counts["queries"] == 1 and found.name == "scifact, train"
    with pytest.raises(CorpusError, match="no judgments for the split 'dev'. It has: test, train"):
        read_set(str(home), SetReading(split="dev"))


OWN = {"the ids of documents": {"a-1": "a-1", "a-2": "a-2"}, "numbers whose texts agree": {"1": "1", "2": "2"}}


@pytest.mark.parametrize("name", OWN)
def test_a_querys_own_document_is_left_out_as_beir_does(store, tmp_path, name):
    one, two = OWN[name]
    documents = {one: "goal referee match", two: "oven butter flour", "x": "goal referee", "y": "butter oven"}
    queries, grades = {one: "goal referee match", two: "oven butter flour"}, {one: {"x": 1}, two: {"y": 1, "x": 0}}
    lines = lines_of(grades, "\t")
    found = read_set(str(beir(tmp_path / "toy", judged=lines, documents=documents, queries=queries)))
    assert_equal(per_query(found), reference(documents, queries, grades, own=OWN[name]))
    assert per_query(found)["mrr"].tolist() == per_query(found, "tfidf")["mrr"].tolist() == [1, 1]
    assert "2 queries are among the documents (same id)" in found.info.reading.sentence
    kept = read_set(str(tmp_path / "toy"), SetReading(own="keep"))
    assert kept.fingerprint != found.fingerprint and per_query(kept)["mrr"].tolist() == [0.5, 0.5]


def test_counted_ids_of_other_texts_are_no_own_documents(store, tmp_path):
    documents = {f"{row}": text for row, text in enumerate(DOCUMENTS.values())}
    queries = {f"{row}": text for row, text in enumerate(QUERIES.values())}
    grades = {key: {doc[1:]: grade for doc, grade in GRADES[f"q{key}"].items()} for key in queries}
    lines = lines_of(grades, "\t")
    found = read_set(str(beir(tmp_path / "toy", judged=lines, documents=documents, queries=queries)))
    assert (
        found.own_documents is None
        and "no document is excluded (--own leave excludes them)" in found.info.reading.sentence
    )
    assert_equal(per_query(found), reference(documents, queries, grades))


def test_of_queries_without_ids_a_document_of_the_same_text_is_their_own(store, tmp_path):
    jsonl(tmp_path / "q.jsonl", [{"query": "Goal  referee", "doc_ids": ["2"]}, {"query": "oven", "doc_ids": ["1"]}])
    (tmp_path / "d.csv").write_text("doc_id,text\n0,goal referee\n1,oven\n2,goal seed\n")
    found = read_set(str(tmp_path / "q.jsonl"), SetReading(documents=str(tmp_path / "d.csv")))
    assert found.own_documents == [[0], []]  # a judged document stays
    assert per_query(found)["mrr"].tolist() == [1, 1]
    assert "1 query is among the documents (same text)" in found.info.reading.sentence


ODD = {
    "leading zeros stay": (["q\t007\t1", "q\t7\t0"], {"007": "goal", "7": "oven"}, [[0]], None),
    "a number written 1.0": (["q\t1.0\t1"], {"1": "goal", "2": "oven"}, [[0]], None),
    "the last grade of a document": (["q\t1\t0", "q\t1\t2"], {"1": "goal"}, [[0]],
     "1 of them with a different grade: the last one counts"),
    "unknown documents": (["q\t1\t1", "q\t9\t1"], {"1": "goal"}, [[0]], "1 left out (first: 2): judged documents that"),
    "unknown queries": (["q\t1\t1", "w\t1\t1"], {"1": "goal"}, [[0]], "1 left out (first: 2): judgments of"),
    "grades of 0 and below": (["q\t1\t-2", "q\t2\t0", "q\t3\t1"], {"1": "a", "2": "b", "3": "c"}, [[2]], None),
    "a query without text": (["q\t1\t1", "e\t1\t1"], {"1": "goal"}, [[0]], "1 query without a text"),
    "queries nobody judged": (["q\t1\t1"], {"1": "goal"}, [[0]], "1 query without judgments"),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_odd_judgements_are_counted_and_said(store, tmp_path, name):
    judged, documents, rows, sentence = ODD[name]
    found = read_set(str(beir(tmp_path / "toy", judged=judged, documents=documents, queries={"q": "goal", "e": ""})))
    assert found.column("rows") == rows
    assert sentence is None or sentence in found.info.reading.sentence


def test_numbers_in_one_file_and_strings_in_the_other_are_the_same_ids(store, tmp_path):
    (tmp_path / "q.json").write_text(json.dumps([{"query": "goal", "doc_ids": [1, 2.0, "3"]}]))
    pd.DataFrame({"doc_id": [1.0, 2.0, None, 3.0], "text": ["a", "b", "", "c"]}).to_parquet(tmp_path / "d.parquet")
    found = read_set(str(tmp_path / "q.json"), SetReading(documents=str(tmp_path / "d.parquet")))
    assert found.column("rows") == [[0, 1, 3]]


def test_documents_listed_twice_are_read_once_and_different_ones_are_refused(store, tmp_path):
    jsonl(tmp_path / "q.jsonl", [{"query": "a", "doc_ids": ["1"]}])
    (tmp_path / "d.csv").write_text("doc_id,text\n1,a b\n1,a b\n2,c\n")
    found = read_set(str(tmp_path / "q.jsonl"), SetReading(documents=str(tmp_path / "d.csv")))
    assert found.info.counts["documents"] == 2
    assert "1 left out (first: 2): documents that are listed twice" in found.info.reading.sentence


def test_lost_zeros_are_named_where_no_judgement_fits(store, tmp_path):
    folder = beir(tmp_path / "toy", judged=["q\t7\t1"], documents={"007": "goal"}, queries={"q": "goal"})
    with pytest.raises(CorpusError, match="'7' is not '007': were leading zeros lost"):
        read_set(str(folder))


WRONG = {
    "a run file": ("q0 Q0 d1 1 9.5 bm25\nq0 Q0 d2 2 8.5 bm25\n", "E-RUN-FILE", "a ranking, not judgments"),
    "one row in ten without a grade": ("\n".join([*["q0 0 d1 1"] * 19, "q0 0 d1"]), "E-ROWS-FAIL", "1 of 20 rows"),
    "texts, the first of them blank": ('""\n"A text a line."\n"And another."\n', "E-SET-COLUMNS", "has the columns"),
}


@pytest.mark.parametrize("name", WRONG)
def test_files_that_are_no_judgements_are_refused_in_a_sentence(store, tmp_path, name):
    content, code, sentence = WRONG[name]
    file = beir(tmp_path / "toy") / "odd.txt"
    file.write_text(content)
    with pytest.raises(CorpusError, match=sentence) as error:
        read_set(str(file))
    assert error.value.code == code


def test_a_folder_without_documents_and_one_of_two_data_sets_are_refused(store, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusError, match="a folder without documents"):
        read_set(str(tmp_path / "empty"))
    beir(tmp_path / "two" / "a")
    beir(tmp_path / "two" / "b")
    with pytest.raises(CorpusError, match="holds 2 data sets: a, b"):
        read_set(str(tmp_path / "two"))


def test_the_same_set_in_another_file_has_its_name_and_reading(store, tmp_path):
    first = read_set(str(beir(tmp_path / "one")))
    second = read_set(str(beir(tmp_path / "two", ending=".jsonl.gz")))
    assert first.fingerprint == second.fingerprint
    info = open_set(first.fingerprint).info
    assert info.name == "two" and "'corpus.jsonl.gz'" in info.reading.sentence


def test_judgements_alone_say_what_of_them_was_left_out(tmp_path):
    rows = [f"q{number % 3}\td{number}\t1\n" for number in range(120)]
    file = tmp_path / "qrels.tsv"
    file.write_text("query-id\tcorpus-id\tscore\n" + "".join(rows) + "q0\td0\t1\nq0\td500\tx\n", encoding="utf-8")
    judged, report = read_judgements(str(file))
    assert len(judged.grades["q0"]) == 40
    assert [(left.reason, left.first) for left in report.left_out] == [("the grade is not a number", (122,))]
    assert "1 judgment repeats an earlier one of the same document" in report.remarks
