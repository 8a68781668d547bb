"""SciRepEval by its authors' rules: tables laid out as the hub has them, values by hand, the paper's own means."""

import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from stand_in_hub import hub_of, serving

from embedlab.benchmarks import BENCHMARKS, scirepeval
from embedlab.benchmarks.base import needs_of
from embedlab.benchmarks.mteb import Adapter
from embedlab.benchmarks.run import chosen_tasks, run_tasks, separator_of
from embedlab.benchmarks.scirepeval import few_shot_rows, mean_of, numbers, reviewer_scores, scirepeval_score
from embedlab.benchmarks.sets import LABELS, PAPERS, SCIREPEVAL_TASKS
from embedlab.cli.benchmarking import list_needs
from embedlab.comparison.published import published_values
from embedlab.errors import CorpusError, NetworkError

SET = BENCHMARKS["scirepeval"]


def embed(texts: list[str]) -> np.ndarray:
    """A text ending in a number lies at that angle."""
    angles = np.radians([float(text.split()[-1]) for text in texts])
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def parquet(rows: list[dict]) -> bytes:
    made = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), made)
    return made.getvalue()


def tables(folder: Path, parts: dict[str, list[dict]]) -> Path:
    """Each part as the hub converts it."""
    for part, rows in parts.items():
        (folder / part).mkdir(parents=True)
        (folder / part / "0000.parquet").write_bytes(parquet(rows))
    return folder


def papers(*angles: float) -> list[dict]:
    return [{"doc_id": f"p{angle}", "title": "A paper", "abstract": f"at {angle}"} for angle in angles]


def graded(**grades: int) -> list[dict]:
    return [{"query_id": "q", "cand_id": name, "score": grade} for name, grade in grades.items()]


def test_candidates_are_ranked_by_their_distance(tmp_path):
    """From 0: p10 (not relevant), p20 and p30 (relevant) give (1/2 + 2/3) / 2; the unknown p99 is no candidate."""
    asked = {"query": {"doc_id": "q", "title": "What is", "abstract": "at 0"}, "candidates": papers(30, 10, 20)}
    folders = [
        tables(tmp_path / "papers", {"evaluation": [asked]}),
        tables(tmp_path / "labels", {"test": graded(p10=0, p20=1, p30=1, p99=0)}),
    ]
    found = scirepeval_score(SET.task("Same author"), folders, embed)
    assert found.parts == {"map": pytest.approx(7 / 12)} and found.value == pytest.approx(7 / 12) and found.texts == 4


def test_a_question_is_a_text_of_its_own_beside_a_paper_of_the_same_id(tmp_path):
    rows = [{"doc_id": "p20", "query": "words 5", "candidates": papers(20, 4)}]
    labels = [{"query_id": "p20", "cand_id": name, "score": grade} for name, grade in (("p20", 0), ("p4", 2))]
    folders = [tables(tmp_path / "papers", {"evaluation": rows}), tables(tmp_path / "labels", {"test": labels})]
    assert scirepeval_score(SET.task("NFCorpus"), folders, embed).parts == {"ndcg": 1.0}


def test_a_reviewer_is_as_near_as_the_three_nearest_papers(tmp_path):
    """Ann's nearest three beat Bob's though one more of hers is at 90; precision@5 counts 1 of 5 places."""
    rows = [*papers(0, 1, 10, 90), {"doc_id": "q", "title": "asked", "abstract": "at 0"}]
    people = [{"r_id": "ann", "papers": ["p0", "p1", "p10", "p90"]}, {"r_id": "bob", "papers": ["p10", "p10", "p10"]}]
    hard, soft = graded(ann=1, bob=0), graded(ann=0, bob=1)
    folders = [
        tables(tmp_path / "papers", {"evaluation": rows}),
        tables(tmp_path / "labels", {"test_hard": hard, "test_soft": soft}),
        tables(tmp_path / "people", {"metadata": people}),
    ]
    vectors = dict(zip(("p0", "p1", "p10", "p90", "q"), embed(["0", "1", "10", "90", "0"]), strict=True))
    scores = reviewer_scores({"q": {"ann": 1, "bob": 0}}, vectors, {row["r_id"]: row["papers"] for row in people})
    cosines = np.cos(np.radians([0, 1, 10]))
    assert scores["q"] == pytest.approx({"ann": cosines.mean(), "bob": cosines[2]})
    found = scirepeval_score(SET.task("Paper-reviewer matching"), folders, embed)
    assert found.parts == {
        "precision@5, hard": 0.2, "precision@10, hard": 0.1, "precision@5, soft": 0.2, "precision@10, soft": 0.1,
    }  # fmt: skip


def test_classes_and_their_few_shot_scores(tmp_path):
    """Two groups of angles are told apart, by the whole part and by 64 or 16 texts of it."""
    angles = [*range(40), *range(140, 180)]
    rows = [{"paper_id": f"p{a}", "label": int(a > 90)} for a in angles]
    folders = [
        tables(tmp_path / "papers", {"evaluation": papers(*angles)}),
        tables(tmp_path / "labels", {"train": rows[::2], "test": rows[1::2]}),
    ]
    found = scirepeval_score(SET.task("Biomimicry"), folders, embed)
    assert found.parts == {"F1": 1.0, "F1 64-shot": 1.0, "F1 16-shot": 1.0} and found.value == 1.0
    turned = [{**row, "label": 1 - row["label"]} for row in rows[1::2]]
    wrong = [folders[0], tables(tmp_path / "turned", {"train": rows[::2], "test": turned})]
    assert scirepeval_score(SET.task("Biomimicry"), wrong, embed).value == 0.0


@pytest.mark.slow
def test_several_labels_a_text(tmp_path):
    angles = [*range(0, 60), *range(120, 180)]
    rows = [{"paper_id": f"p{a}", "label": [int(a < 90), int(a > 90), int(a % 2)]} for a in angles]
    folders = [
        tables(tmp_path / "papers", {"evaluation": papers(*angles)}),
        tables(tmp_path / "labels", {"train": rows, "test": rows}),
    ]
    found = scirepeval_score(SET.task("Fields of study"), folders, embed)
    assert 0.6 < found.value < 1 and set(found.parts) == {"F1", "F1 10-shot", "F1 5-shot"}
    bad = tables(tmp_path / "bad", {"train": [{"paper_id": "p1", "label": [1, 2]}], "test": rows})
    with pytest.raises(CorpusError, match="0 and 1 of equal length"):
        scirepeval_score(SET.task("Fields of study"), [folders[0], bad], embed)


def test_numbers_are_ordered_as_they_are():
    vectors = np.linspace(-1, 1, 60)[:, None] * np.array([[1.0, 0.5]])
    assert numbers((vectors, np.arange(60.0)), (vectors, np.arange(60.0))) == {"Kendall's τ": pytest.approx(1.0)}
    assert numbers((vectors, np.arange(60.0)), (vectors, -np.arange(60.0)))["Kendall's τ"] == pytest.approx(-1.0)
    assert numbers((vectors, np.arange(60.0)), (vectors, np.ones(60))) == {"Kendall's τ": 0.0}  # not defined


def test_few_examples_are_parts_of_equal_size_with_all_classes():
    labels = np.array([0, 1] * 48)
    parts = list(few_shot_rows(labels, 16, repeats=100))
    assert [len(rows) for rows in parts] == [16] * 6 and len(np.unique(np.concatenate(parts))) == 96
    assert all(labels[rows].sum() == 8 for rows in parts)
    assert len(list(few_shot_rows(labels, 16, repeats=2))) == 2
    several = np.eye(3)[np.arange(30) % 3]
    (one, other) = few_shot_rows(several, 4, repeats=2)
    assert several[one].sum(axis=0).tolist() == [4, 4, 4] and one.tolist() != other.tolist()
    assert list(few_shot_rows(np.array([1, 1, 1]), 2, repeats=1))[0].size == 2


def test_the_papers_means_come_out_of_its_own_scores():
    """SemCSE's rows of Tables 4 and 6 give 69.52 and, with S2AND, 80.21 in Table 2."""
    few = [(77.21, 42.58, 21.47), (78.00, 64.72, 54.55), (43.31, 33.60, 25.14)]
    scores = [mean_of({"F1": whole, "F1 9-shot": one, "F1 5-shot": other}) for whole, one, other in few]
    assert round(np.mean([*scores, 86.34, 82.68, 88.34]), 2) == 69.52
    pairs = [(25.42, 32.34, 55.79, 66.17), (87.24, 94.39), (88.84, 95.20), (85.39, 92.85), (84.09, 91.74)]
    means = [mean_of({str(place): value for place, value in enumerate(pair)}) for pair in pairs]
    assert round(np.mean([44.35, 90.85, 93.23, 88.66, *means]), 2) == 80.21
    printed = {row.task: row.value for row in published_values(benchmark="scirepeval", model="SemCSE")}
    assert (printed["classification"], printed["proximity"]) == (69.52, 80.21)


def test_each_task_names_its_tables():
    kinds = [task.type for task in SCIREPEVAL_TASKS]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "classification": 6, "regression": 5, "proximity": 8, "search": 3,
    }  # fmt: skip
    for task in SCIREPEVAL_TASKS:
        assert [part.dataset for part in task.datasets][:2] == [PAPERS, LABELS]
        assert all(part.under and len(part.revision) == 40 for part in task.datasets)


def repositories() -> dict[str, dict[str, bytes]]:
    """Two tasks' folders among others, with files that are no tables beside them."""
    rows = papers(*range(20))
    labels = [{"paper_id": row["doc_id"], "label": place} for place, row in enumerate(rows)]
    return {
        PAPERS: {
            "pub_year/evaluation-00000-of-00001.parquet": parquet(rows),
            "pub_year/train-00000-of-00001.parquet": parquet(rows),
            "fos/evaluation-00000-of-00001.parquet": parquet(rows),
        },
        LABELS: {
            "pub_year/train/0000.parquet": parquet(labels[:14]),
            "pub_year/test/0000.parquet": parquet(labels[14:]),
            "pub_year/test/index.duckdb": b"no table",
        },
    }


def test_needs_are_listed_where_only_the_files_tell_how_many_texts_there_are(store):
    outcome = list_needs(SET, chosen_tasks(SET, ["Publication year"]))
    assert outcome.facts["texts"] == 0 and [need["texts"] for need in outcome.facts["needs"]] == [None, None]
    papers, labels, sentence = outcome.lines
    assert papers.split() == ["Publication", "year", "?", "texts", "to", "fetch", f"{PAPERS}/pub_year"]
    assert labels.endswith(f"{LABELS}/pub_year") and "only known from the files" in sentence


def test_a_task_fetches_its_own_tables_and_keeps_its_score(store, tmp_path, tiny, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    asked: list[str] = []
    tasks = chosen_tasks(SET, ["Publication year"])
    encoder = tiny()
    with hub_of(serving(repositories(), asked), monkeypatch):
        assert [need.is_local for need in needs_of(tasks)] == [False, False]
        found = run_tasks(Adapter(encoder, name="run"), SET, tasks)
        fetched = [path for path in asked if "/resolve/" in path]
        assert fetched and all("pub_year" in path and "duckdb" not in path for path in fetched)
        assert -1 <= found.scores["Publication year"] <= 1 and found.average is None
        assert [need.is_local for need in needs_of(tasks)] == [True, True]
        asked.clear()
        assert run_tasks(Adapter(encoder, name="run"), SET, tasks) == found and not asked
    assert separator_of(encoder) == " [SEP] "


def test_without_a_hub_it_is_a_sentence(store, tmp_path, tiny, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(NetworkError, match=r"Nothing could be measured. 2 data sets would be downloaded"):
        run_tasks(Adapter(tiny(), name="run"), SET, chosen_tasks(SET, ["Search"]))


def test_a_table_without_its_column_is_named(tmp_path):
    folders = [tables(tmp_path / "papers", {"evaluation": papers(1)}), tmp_path / "labels"]
    with pytest.raises(CorpusError, match="labels needs a table of its part 'test', but there is none"):
        scirepeval_score(SET.task("NFCorpus"), folders, embed)
    tables(tmp_path / "labels", {"test": [{"query": "q", "cand_id": "p1", "score": 1}]})
    with pytest.raises(CorpusError, match="needs a column 'query_id', but has query, cand_id, score"):
        scirepeval_score(SET.task("NFCorpus"), folders, embed)


def test_a_strength_is_searched_only_where_every_fold_has_both_answers():
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((60, 4))
    for positive, is_searched in ((30, True), (59, False), (1, False)):
        labels = np.zeros((60, 1))
        labels[:positive] = 1.0
        fitted = scirepeval._fitted(vectors, labels, is_searched=True, is_multi_label=True)
        assert (type(fitted.estimator).__name__ == "GridSearchCV") == is_searched, positive
