"""USEB by its authors' rules: small folders in their formats, values by hand and by independent implementations."""

import json
from pathlib import Path

import numpy as np
import pytest

from embedlab.benchmarks.useb import (
    FILES,
    files_hash,
    mean_precision,
    missing_files,
    read_askubuntu,
    read_twitterpara,
    score_useb,
)
from embedlab.errors import CorpusError


def at(angle: float) -> list[float]:
    return [np.cos(np.radians(angle)), np.sin(np.radians(angle))]


def embed(texts: list[str]) -> np.ndarray:
    """A text ending in a number lies at that angle, three times as long."""
    return np.array([3 * np.array(at(float(text.split()[-1]))) for text in texts], np.float32)


def write(folder: Path, name: str, written: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(written, encoding="utf-8")


@pytest.fixture
def askubuntu(tmp_path) -> Path:
    titles = {"1": 0, "2": 10, "3": 20, "4": 30, "5": 40, "6": 10}
    write(tmp_path, FILES["AskUbuntu"][0], "".join(f"{i}\tt {angle}\tbody\n" for i, angle in titles.items()))
    # by cosine to 1: 2 and 6 (equal; 6 has the higher BM25 score), 3, 4, 5
    rows = "1\t2 4 99\t2 3 4 5 6\t1 2 3 4 5\n1\t\t2 3\t1 2\n1\t99\t2 3\t1 2\n"
    write(tmp_path, FILES["AskUbuntu"][1], rows)
    return tmp_path


def test_askubuntu_by_hand(askubuntu):
    """Ranked 6 2 3 4 5 with 2 and 4 relevant: (1/2 + 2/4) / 2; the unfound 99 is no part of the denominator."""
    found = score_useb("AskUbuntu", askubuntu, embed)
    assert found.value == pytest.approx(0.5) and found.skipped == 2 and found.texts == 6


def test_bm25_decides_between_equal_scores(askubuntu):
    assert read_askubuntu(askubuntu)[1][0].candidates == ["6", "5", "4", "3", "2"]


def test_cqadupstack_divides_by_the_relevant_texts_found(tmp_path):
    """Pool of 101 other texts: the relevant one at rank 2 gives 1/2, though a second one is at rank 101."""
    angles = {f"d{n}": n / 2 for n in range(1, 102)}
    forum = {"q": "query 0", **{name: f"doc {angle}" for name, angle in angles.items()}}
    other = {"p": "query 0", "a": "doc 5", "b": "doc 6"}
    write(tmp_path, FILES["CQADupStack"][0], json.dumps({"android": forum, "tex": other}))
    split = {"test": {"android": {"q": ["d2", "d101"]}, "tex": {"p": ["a"]}}, "valid": {}}
    write(tmp_path, FILES["CQADupStack"][1], json.dumps(split))
    found = score_useb("CQADupStack", tmp_path, embed)
    assert found.parts == pytest.approx({"android": 0.5, "tex": 1.0}) and found.value == pytest.approx(0.75)


def test_queries_are_no_part_of_the_pool(tmp_path):
    write(tmp_path, FILES["CQADupStack"][0], json.dumps({"gis": {"q": "x 0", "r": "x 1", "d": "x 50", "e": "x 60"}}))
    write(tmp_path, FILES["CQADupStack"][1], json.dumps({"test": {"gis": {"q": ["d"], "r": ["r"]}}}))
    assert score_useb("CQADupStack", tmp_path, embed).value == pytest.approx((1 + 0) / 2)  # r would find itself


def test_twitterpara_drops_grade_three(tmp_path):
    url = [("a 0", "a 5", "(5, 6)"), ("a 0", "a 10", "(3, 6)"), ("a 0", "a 20", "(1, 6)"), ("a 0", "a 30", "(4, 6)")]
    write(tmp_path, FILES["TwitterPara"][0], "".join(f"{one}\t{other}\t{g}\thttp\n" for one, other, g in url))
    pit = [("a 0", "a 3", 5), ("a 0", "a 40", 0)]
    write(tmp_path, FILES["TwitterPara"][1], "".join(f"7\tname\t{one}\t{other}\t{g}\ttags\n" for one, other, g in pit))
    found = score_useb("TwitterPara", tmp_path, embed)
    assert found.parts == pytest.approx({"TURL": (1 + 2 / 3) / 2, "PIT": 1.0})
    assert read_twitterpara(tmp_path)["TURL"].grades == [5, 3, 1, 4]


def test_scidocs_is_trec_evals_map(tmp_path):
    import pytrec_eval

    rng = np.random.default_rng(5)
    angles = {f"p{n}": float(rng.uniform(0, 170)) for n in range(40)}
    corpus = {name: {"title": f"paper {angle}"} for name, angle in angles.items()}
    corpus |= {"p3": {"title": None}, "p7": {"title": ""}}

    def graded() -> dict[str, int]:
        chosen = rng.choice(np.arange(10, 40), 12, replace=False)
        return {f"p{n}": int(rng.random() < 0.3) for n in chosen} | {"p3": 1}

    tasks = {task: {f"p{n}": graded() for n in range(10)} for task in ("cite", "cocite", "coread", "coview")}
    write(tmp_path, FILES["SciDocs"][0], json.dumps({"corpus": corpus, "test": tasks}))
    found = score_useb("SciDocs", tmp_path, embed)
    for task, queries in tasks.items():
        run = {
            q: {d: float(np.cos(np.radians(angles[q] - angles[d]))) for d in judged if d != "p3"}
            for q, judged in queries.items()
            if q not in ("p3", "p7")
        }
        scores = pytrec_eval.RelevanceEvaluator(queries, {"map"}).evaluate(run)
        assert found.parts[task] == pytest.approx(np.mean([s["map"] for s in scores.values()]), abs=1e-6)
    assert found.skipped == 8 and found.value == pytest.approx(np.mean(list(found.parts.values())))


def test_mean_precision_of_a_perfect_and_a_late_hit():
    assert mean_precision(np.array([True, True, False])) == 1
    assert mean_precision(np.array([False, False, False, True])) == 0.25


def test_what_is_missing_is_said_with_where_to_get_it(tmp_path, askubuntu):
    assert missing_files("SciDocs", tmp_path) == ["scidocs/data.json"] and missing_files("AskUbuntu", askubuntu) == []
    with pytest.raises(CorpusError, match="lacks scidocs/data.json.*useb.downloading"):
        score_useb("SciDocs", tmp_path, embed)
    with pytest.raises(CorpusError, match="no folder was named"):
        score_useb("AskUbuntu", None, embed)


def test_a_damaged_file_is_said(askubuntu):
    write(askubuntu, FILES["AskUbuntu"][1], "1\t2\n")
    with pytest.raises(CorpusError, match="Line 1 of test.txt needs 4 tab-separated columns"):
        score_useb("AskUbuntu", askubuntu, embed)


def test_the_hash_of_the_files_follows_their_content(askubuntu):
    before = files_hash("AskUbuntu", askubuntu)
    write(askubuntu, FILES["AskUbuntu"][1], "1\t2\t2 3\t1 2\n")
    assert files_hash("AskUbuntu", askubuntu) != before
