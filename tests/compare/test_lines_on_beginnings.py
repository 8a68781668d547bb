"""Runs that read a number of tokens stand beside baselines named for whole texts, with their own line below."""

from builders import knn, leave_result, leave_state, line

from embedlab.comparison.rows import compared_rows
from embedlab.comparison.sheet import lines_on_beginnings
from embedlab.distance import COSINE, EUCLIDEAN
from embedlab.report.metric_tables import measurements
from embedlab.runs.evaluations import baseline_folder
from embedlab.runs.store import create_run
from embedlab.store_root import write_json


def made(corpus, name, counted, value, **settings):
    asked = {"corpus": corpus.fingerprint, "encoder": "token", "recipe": "crops", **settings}
    run = create_run("train", asked, name=name)
    leave_state(run, corpus=corpus)
    facts = {"references": {"tfidf": line(*value, n=100, counted=counted)}}
    leave_result(run, corpus, knn=knn((0.3, 0.7), (0.3, 0.8), n=100), **facts)
    return run


def test_a_run_that_reads_64_tokens_has_its_own_line_below_the_table(toy_corpus):
    folder = baseline_folder(toy_corpus.fingerprint, "corpus", "tfidf")
    folder.mkdir(parents=True)
    write_json(folder / "evaluations.json", {"metrics": {}})
    whole = made(toy_corpus, "whole", "words", (0.7, 0.75))
    first, second = (
        made(toy_corpus, name, "words of the first 64 tokens", (0.5, 0.55), max_length=64) for name in ("one", "two")
    )
    rows = compared_rows([whole, first, second])
    assert rows[0].name == "TF-IDF, whole texts"
    (by_cosine,) = lines_on_beginnings(rows, COSINE)
    (by_euclidean,) = lines_on_beginnings(rows, EUCLIDEAN)
    assert all(part in by_cosine for part in ("64 tokens", "55.0 %", "one", "two")) and "whole" not in by_cosine
    assert "50.0 %" in by_euclidean
    alone = compared_rows([whole])
    assert alone[0].name == "TF-IDF" and lines_on_beginnings(alone, COSINE) == []


def test_the_scores_of_such_a_run_keep_its_own_line_beside_knn_accuracy(toy_corpus):
    folder = baseline_folder(toy_corpus.fingerprint, "corpus", "tfidf")
    folder.mkdir(parents=True)
    by_distance = {each: {"value": 0.9, "error": 0.01, "n": 100, "facts": {}} for each in (EUCLIDEAN, COSINE)}
    write_json(folder / "evaluations.json", {"metrics": {"corpus": {"knn": {"after": by_distance}}}})
    whole = made(toy_corpus, "whole", "words", (0.7, 0.75))
    first = made(toy_corpus, "one", "words of the first 64 tokens", (0.5, 0.55), max_length=64)
    of_whole, of_first = (
        measurements(run, toy_corpus.fingerprint, "corpus", ["tfidf"]).cosine["knn"]["tfidf"].value
        for run in (whole, first)
    )
    assert (of_whole, of_first) == (0.9, 0.55)
