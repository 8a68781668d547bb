"""Evaluate: nothing measured, measured in part, a file added, and whatever a run lacks; no worker is started."""

import io
import zipfile

import numpy as np
import pytest
from builders import both, change_result, leave_result, leave_state
from seen import words

from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.corpora.sets.reading import SetReading, read_set
from embedlab.errors import CorpusError
from embedlab.measurement import Difference
from embedlab.metrics.base import MetricResult
from embedlab.metrics.split import why_no_knn
from embedlab.report.metric_tables import change, near_duplicates_line, numbers_table, shown_table, value_with_error
from embedlab.runs.evaluations import CORPUS, Evaluations, baseline_folder, evaluations_of
from embedlab.runs.store import StoredRequest, create_run, list_runs, stored_request
from embedlab.store_root import read_json
from embedlab.tasks import TASKS
from embedlab.ui.frame.state import DIMENSIONS

UNITS = {"rows": np.arange(12), "correct": np.ones(12, bool)}


@pytest.fixture
def evaluate(open_page, monkeypatch):
    """The page; a job that is started gets its folder and no process."""

    def opened(run, view: str = "Metrics"):
        monkeypatch.setattr("embedlab.jobs.runner.start", lambda folder, on=None: folder)
        at = open_page("evaluate", run=run.id)
        at.session_state["scores.view"] = view
        return at.run()

    return opened


def measure(run, key: str, before: float, after: float, *, low: float, high: float, more: float | None = None) -> None:
    """By cosine ``more`` after than by Euclidean distance; of ranks nothing by cosine."""
    kept, change = Evaluations(run.path), Difference(after - before, low, high, 12)
    for state, value in (("before", before), ("after", after)):
        found, by_cosine = told(value, 0.02), None if more is None else value + more * (state == "after")
        kept.keep(CORPUS, key, state, found if by_cosine is None else both(found, told(by_cosine, 0.03)))
    more_by_cosine = change if more is None else Difference(change.value + more, low + more, high + more, 12)
    kept.keep_difference(CORPUS, key, change if more is None else both(change, more_by_cosine))


def told(value: float, error: float) -> MetricResult:
    return MetricResult(value=value, error=error, n=12, units=UNITS)


def started(room: str = "jobs") -> list[StoredRequest]:
    return [stored_request(folder) for folder in list_runs(room)]


def press(at, label: str):
    next(button for button in at.button if button.label.startswith(label)).click()
    return at.run()


def pills(at, label: str):
    return next(each for each in at.button_group if each.label == label)


def test_without_a_run_the_page_says_what_to_do(open_page):
    assert "There is no run yet" in words(open_page("evaluate"))


def test_every_metric_of_the_corpus_is_offered_and_one_job_is_started(evaluate, made_run):
    run = made_run()
    at = evaluate(run)
    assert not at.exception
    offered = pills(at, "Metrics")
    assert offered.options[:2] == ["kNN accuracy", "Linear probe"]
    assert "STS Spearman" not in str(offered.options) and "Query matching" not in str(offered.options)
    at = press(at, "Measure")
    (job,) = started()
    assert job.task == "embed_and_evaluate"  # halves of texts have to be embedded
    assert set(job.settings["metrics"]) >= {"retrieval", "match-halves"}
    assert "knn" not in job.settings["metrics"]  # known from training
    assert job.settings["baselines"] == ["tfidf", "svd"] and "linear" not in job.settings["metrics"]
    assert not any(button.label.startswith("Measure") for button in at.button)


def test_vectors_that_are_there_wait_for_no_device(evaluate, made_run):
    at = evaluate(made_run())
    pills(at, "Metrics").set_value(["knn", "linear"])
    press(at.run(), "Measure")
    assert [job.task for job in started()] == ["evaluate"]


def test_values_stand_beside_their_change_and_the_baselines(evaluate, made_run, toy_corpus):
    run = made_run()
    measure(run, "knn", 0.36, 0.58, low=0.12, high=0.32, more=0.05)
    measure(run, "match-halves", 40.0, 55.0, low=5.0, high=25.0)
    beside = Evaluations(baseline_folder(toy_corpus.fingerprint, CORPUS, "tfidf"))
    beside.keep(CORPUS, "knn", "after", both(told(0.7, 0.01)))
    at = evaluate(run)
    table = at.dataframe[0].value
    heads = ["metric", "untouched", "fine-tuned", "change (95 %)", "TF-IDF", "TF-IDF → SVD-100", "measured on"]
    assert list(table.columns) == heads
    rows = [
        ["kNN accuracy (cosine), paper's split", "36.0 % ± 3.0", "63.0 % ± 3.0", "+27.0 points (17.0 … 37.0) ▲",
         "70.0 % ± 1.0", "65.0 % ± 13.8", "12 texts"],
        ["kNN accuracy (Euclidean distance), paper's split", "36.0 % ± 2.0", "58.0 % ± 2.0",
         "+22.0 points (12.0 … 32.0) ▲", "70.0 % ± 1.0", "65.0 % ± 13.8", "12 texts"],
    ]  # fmt: skip
    assert table.values.tolist()[:2] == rows
    assert table.iloc[2]["change (95 %)"] == "+15.0 ranks (5.0 … 25.0) ▼"  # a rank that rises is worse
    assert any(button.label.startswith("Measure") for button in at.button)


def test_the_shown_distance_stands_first(evaluate, made_run):
    run = made_run()
    measure(run, "knn", 0.36, 0.58, low=0.12, high=0.32, more=0.05)
    at = evaluate(run)
    at.session_state["distance"] = "euclidean"
    table = at.run().dataframe[0].value
    assert not at.exception and at.query_params["distance"] in ("euclidean", ["euclidean"])
    assert list(table["metric"]) == [
        "kNN accuracy (Euclidean distance), paper's split",
        "kNN accuracy (cosine), paper's split",
    ]


def test_what_was_measured_is_not_offered_again(evaluate, made_run):
    fresh = made_run()
    measure(fresh, "knn", 0.36, 0.58, low=0.12, high=0.32, more=0.05)
    at = evaluate(fresh)
    pills(at, "Metrics").set_value(["knn"])
    pills(at.run(), "Baselines to compare with").set_value([])
    assert not any(button.label.startswith("Measure") for button in at.run().button)


def test_a_corpus_without_labels_still_serves_what_its_texts_allow(evaluate, store):
    texts = [f"A first sentence about {n}. A second one about {n} and more." for n in range(30)]
    corpus = store_corpus(Draft(name="plain", source="here", texts=texts))
    run = create_run("train", {"corpus": corpus.fingerprint, "encoder": "token", "recipe": "crops"})
    leave_result(run, corpus, steps=5)
    leave_state(run, corpus=corpus)
    at = evaluate(run)
    assert not at.exception
    assert pills(at, "Metrics").options == ["Halves matching"]
    assert [each.value.replace("\\", "") for each in at.info] == [why_no_knn(None, corpus.kept).message]


def test_a_corpus_of_copies_says_why_it_has_no_test_text(evaluate, made_run):
    run, why = made_run(), "kNN accuracy needs test texts without a copy among the others, but none is left to test."
    change_result(run, warnings=[{"code": "W-NO-TEST-TEXTS", "message": why}])
    assert [each.value.replace("\\", "") for each in evaluate(run).info] == [why]


def test_a_stored_set_can_be_chosen_and_offers_what_it_serves(evaluate, made_run, tmp_path):
    file = tmp_path / "mine<b>.csv"
    file.write_text("sentence1,sentence2,score\na,b,1\nc,d,2\ne,f,3\n", encoding="utf-8")
    found = read_set(str(file))
    at = evaluate(made_run())
    box = next(each for each in at.selectbox if each.label == "Measure on")
    at = box.set_value(found.fingerprint).run()
    assert pills(at, "Metrics").options == ["STS Spearman"]
    press(at, "Measure")
    (job,) = started()
    assert (job.task, job.settings["source"]) == ("embed_and_evaluate", found.fingerprint)


def test_a_set_is_read_by_a_worker_and_its_failure_is_said(evaluate, made_run, tmp_path):
    at = evaluate(made_run())
    next(each for each in at.text_input if each.key == "metrics.set.path").set_value(str(tmp_path / "pairs.csv"))
    at.run()
    next(each for each in at.text_input if each.key == "metrics.set.scale").set_value("1 to 7")
    press(at.run(), "Read this set")
    (job,) = started()
    assert job.task == "read_set"
    assert TASKS["read_set"].read(job.settings).reading == SetReading(scale=(1, 7), name="pairs")


def test_an_uploaded_set_is_named_as_its_owner_names_it(evaluate, made_run):
    at = evaluate(made_run())
    at.file_uploader(key="metrics.set.upload").set_value(("My pairs.csv", b"\x89PNG\r\n" + bytes(50), "text/csv")).run()
    press(at, "Read this set")
    (job,) = started()
    assert job.settings["reading"]["name"] == "My pairs"
    with pytest.raises(CorpusError, match="'My pairs.csv' is not a table but a picture"):
        TASKS["read_set"].run(None, TASKS["read_set"].read(job.settings), lambda *said: None)


def test_a_zip_as_beir_keeps_them_and_judgements_with_their_files_are_uploaded(evaluate, made_run, tmp_path):
    documents, queries = b'{"_id": "d", "text": "a"}\n', b'{"_id": "q", "text": "b"}\n'
    judged = b"query-id\tcorpus-id\tscore\nq\td\t1\n"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in (("corpus.jsonl", documents), ("queries.jsonl", queries), ("qrels/test.tsv", judged)):
            archive.writestr(f"toy/{name}", content)
    at = evaluate(made_run())
    at.file_uploader(key="metrics.set.upload").set_value(("toy.zip", packed.getvalue(), "application/zip")).run()
    press(at, "Read this set")
    at.toggle(key="metrics.set.apart").set_value(True).run()
    at.file_uploader(key="metrics.set.upload").set_value(("judged.tsv", judged, "text/plain")).run()
    at.file_uploader(key="metrics.set.documents.upload").set_value(("c.jsonl", documents, "text/plain")).run()
    at.file_uploader(key="metrics.set.queries.upload").set_value(("q.jsonl", queries, "text/plain")).run()
    press(at, "Read this set")
    found = []
    for job in started():
        folder = create_run("read_set", job.settings)
        TASKS["read_set"].run(folder, TASKS["read_set"].read(job.settings), lambda *said: None)
        found.append(read_json(folder.result)["set"])
    assert found[0]["fingerprint"] == found[1]["fingerprint"] and {each["name"] for each in found} == {"toy", "judged"}
    assert found[0]["counts"] == {"queries": 1, "documents": 1}


def test_how_a_chosen_set_was_read_stands_below_it(evaluate, made_run, tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("sentence1,sentence2,score\na,b,1\nc,d,2\ne,f,5\n", encoding="utf-8")
    found = read_set(str(file))
    at = evaluate(made_run())
    at = next(each for each in at.selectbox if each.label == "Measure on").set_value(found.fingerprint).run()
    assert any("Read as CSV" in each.value and "scores from 0 to 5" in each.value for each in at.caption)


@pytest.mark.parametrize("view", ["Classes", "Benchmarks", "Methods"])
def test_every_view_opens_on_a_run_that_has_nothing_yet(evaluate, made_run, view):
    at = evaluate(made_run(), view)
    assert not at.exception and words(at)


def test_a_run_whose_corpus_is_gone_says_so(evaluate, made_run, toy_corpus):
    import shutil

    run = made_run()
    assert open_corpus(toy_corpus.fingerprint)
    shutil.rmtree(toy_corpus.folder)
    assert "no longer in the store" in words(evaluate(run))


def test_numbers_are_told_as_everywhere():
    assert value_with_error("knn", told(0.5891, 0.0139)) == "58.9 % ± 1.4"
    assert value_with_error("match-title", MetricResult(value=1234.56)) == "rank 1,234.6"
    assert value_with_error("knn", None) == "–" == change("knn", None)
    assert change("knn", Difference(-0.02, -0.05, 0.01, 12)) == "−2.0 points (−5.0 … 1.0)"
    assert change("match-title", Difference(-3.0, -4.0, -2.0, 12)).endswith("▲")
    assert change("knn", Difference(0.02, -np.inf, np.inf, 12)) == "+2.0 points"


def test_the_value_without_near_duplicates_stands_below():
    def states(before: float, after: float) -> dict:
        left = {"before": before, "after": after}
        return {"knn": {state: beside(near_duplicates=4, without_near_duplicates=left[state]) for state in left}}

    def beside(**facts) -> MetricResult:
        return MetricResult(value=0.5, facts=facts)

    said = near_duplicates_line(both(states(0.3, 0.5), states(0.4, 0.7)))
    told = "40.0 % → 70.0 % (cosine), 30.0 % → 50.0 % (Euclidean distance)."
    assert said.startswith("4 test texts nearly repeat") and said.endswith(f"without them: {told}")
    one = MetricResult(value=0.0, n=1, facts={"near_duplicates": 1, "without_near_duplicates": 0.0})
    alone = near_duplicates_line(both({"knn": {"after": one}}))
    assert alone.startswith("1 test text nearly repeats") and alone.endswith("no other is left to test without them.")
    for found in ({"knn": {"after": beside(near_duplicates=0)}}, {}):
        assert near_duplicates_line(both(found)) == ""


def test_the_csv_has_the_numbers_as_they_are():
    def measured(before: float, *change: float) -> dict:
        states = {"before": MetricResult(value=before), "difference": Difference(*change, 12)}
        return {"knn": states, "linear": {"after": MetricResult(value=0.5)}}

    found = both(measured(0.1, 0.2, 0.1, 0.3), measured(0.15, 0.25, 0.15, 0.35))
    rows = numbers_table(found).to_pylist()
    told = [(row["metric"], row["distance"], row["state"], row["value"], row["low"], row["high"]) for row in rows]
    assert told == [
        ("knn", "euclidean", "before", 0.1, None, None),
        ("knn", "euclidean", "difference", 0.2, 0.1, 0.3),
        ("knn", "cosine", "before", 0.15, None, None),
        ("knn", "cosine", "difference", 0.25, 0.15, 0.35),
        ("linear", None, "after", 0.5, None, None),
    ]
    assert shown_table(found, {"tfidf": "TF-IDF"}).column_names[-1] == "measured on"


def test_the_dimensions_kept_are_measured_and_shown_apart(evaluate, made_run):
    run = made_run()
    run.embeddings("after").parent.mkdir(exist_ok=True)
    for side in ("before", "after"):
        np.save(run.embeddings(side), np.ones((120, 40), np.float32))
    at = evaluate(run)
    assert at.selectbox(key=DIMENSIONS).options == ["all 40", "32", "16"]
    at.selectbox(key=DIMENSIONS).select("16").run()
    assert "16" in at.query_params["dimensions"] and not at.dataframe  # training measured all dimensions
    at.button(key=f"metrics.start.{run.id}").click().run()
    assert [job.settings["dimensions"] for job in started()] == [16]
    kept = evaluations_of(run, 16)
    kept.keep(CORPUS, "knn", "after", both(told(0.25, 0.02), told(0.25, 0.02)))
    at.run()
    assert "25.0 %" in at.dataframe[0].value.to_string() and "Only the first 16 dimensions" in words(at)
