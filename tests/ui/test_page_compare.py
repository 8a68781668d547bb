"""Compare: the best marked, what is missing measured, recipe by corpus, curves, every state in the table."""

import numpy as np
import pyarrow as pa
import pytest
from builders import both, change_result, in_words, judged, knn, leave_live, leave_point, leave_predictions, leave_state
from doing import asked_of
from seen import drawn, sent, words

from embedlab.comparison.rows import run_names
from embedlab.config import flattened
from embedlab.corpora.base import Draft, store_corpus
from embedlab.figures.run_curves import overlaid_curves
from embedlab.jobs.requests.measuring import EmbedAndEvaluate, Evaluate
from embedlab.measurement import CurvePoint
from embedlab.metrics.base import MetricResult
from embedlab.numbers import in_percent
from embedlab.palette import UNTOUCHED
from embedlab.progress import silent
from embedlab.report.loading_code import loading_lines
from embedlab.report.run_rows import corpora_of, curves_of, differences, run_row
from embedlab.runs.evaluations import Evaluations
from embedlab.runs.state import State, write_state
from embedlab.runs.store import append_row, create_run, list_runs, read_rows, stored_request
from embedlab.store_root import read_json, write_json
from embedlab.table_files import csv_bytes
from embedlab.tasks.measure import compare as compare_task
from embedlab.ui.compare.curves_view import KEY

FORMULA = '=HYPERLINK("http://x") :red[x]'


def names_of(runs) -> dict[str, str]:
    """As the page names them."""
    return run_names(list(runs))


def showing(open_page, view: str, **address):
    """The page with one of its three views."""
    at = open_page("compare", **address)
    at.session_state["runs.view"] = view
    return at.run()


def predicted(run, right: list[bool], by_cosine: list[bool] | None = None) -> None:
    """The run's predictions: right before on the first half, after where said; its result says the same."""
    n = len(right)
    before = [place < n // 2 for place in range(n)]
    sides = [(before, after) for after in (right, by_cosine or right)]
    leave_predictions(run, ["a"] * n, *([in_words(each) for each in pair] for pair in sides))
    change_result(run, knn=knn(*([sum(each) / n for each in pair] for pair in sides), n=n))


def with_live(run, curve: list[tuple[int, float, float]], *, is_whole: bool, neighbors: int, tfidf: float) -> None:
    """A live curve of (step, Euclidean, cosine) and on which texts it is measured, TF-IDF among them."""
    full = read_rows(run.metrics)
    run.metrics.unlink()
    for step, euclidean, cosine in curve:
        leave_point(run, step, euclidean, cosine, texts=step, seconds=step, test_texts=12)
    for row in full:
        append_row(run.metrics, row)
    counts = {"neighbors": neighbors, "test_texts": 12, "development_texts": 0}
    svd = round(tfidf - 0.05, 2)  # on all test texts TF-IDF has 0.7 and SVD 0.65
    leave_live(run, is_whole=is_whole, **counts, tfidf=tfidf, svd=svd)


def traces(at) -> dict[str, list[float]]:
    (figure,) = drawn(at)
    return {trace["name"]: trace["y"] for trace in figure["data"]}


def lines_across(at) -> list[float]:
    (figure,) = drawn(at)
    return [shape["y0"] for shape in figure["layout"].get("shapes", ())]


def curve_names(at) -> list[str]:
    """The runs drawn in the picture."""
    (figure,) = drawn(at)
    return [trace["name"] for trace in figure["data"] if trace["mode"] == "lines"]


def colours(at) -> list[str]:
    """Of the runs drawn in the picture."""
    (figure,) = drawn(at)
    return [trace["line"]["color"] for trace in figure["data"] if trace["mode"] == "lines"]


def test_without_a_run_it_says_what_to_do(open_page):
    at = open_page("compare")
    assert not at.exception
    assert "There is no run yet" in words(at)


@pytest.mark.parametrize("state", ["queued", "failed", "interrupted", "stopped"])
def test_one_run_in_any_state_opens(open_page, made_run, state):
    made_run(state=state, name="only")
    at = open_page("runs")
    assert not at.exception
    table = at.dataframe[-1].value
    assert list(table["run"]) == ["only"] and list(table["state"]) == [state]
    assert state != "failed" or "Failed: only. The loss became NaN or infinite" in words(at).replace(
        ":red[Failed:]", "Failed:"
    )


def test_the_table_has_what_was_found_and_a_stopped_run_its_best(made_run):
    made_run(after=0.6), made_run("scratch:bert-tiny", state="stopped")
    runs = list_runs()
    write_json(
        runs[1].evaluations, {"metrics": {"corpus": {"linear": {"before": {"value": 0.5}, "after": {"value": 0.625}}}}}
    )
    stopped, finished = (run_row(run, "mine", "toy") for run in runs)
    error = in_percent((0.6 * 0.4 / 12) ** 0.5)
    heads = ("kNN before, Euclidean (%)", "kNN after, Euclidean (%)", "± after, Euclidean (points)")
    assert tuple(finished[head] for head in heads) == (40.0, 60.0, error)
    assert (finished["kNN before, cosine (%)"], finished["kNN after, cosine (%)"]) == (41.0, 61.0)
    told = [finished[name] for name in ("outcome", "linear after (%)", "corpus")]
    assert told == ["Too few test texts", 62.5, "toy"]
    assert (stopped["kNN after, Euclidean (%)"], stopped["kNN after, cosine (%)"]) == (55.0, 56.0)
    assert stopped["linear after (%)"] is None
    assert list(stopped)[1] == "kNN before, cosine (%)"
    assert list(run_row(runs[0], "mine", "toy", "euclidean"))[1] == "kNN before, Euclidean (%)"


def test_helped_follows_the_distance_that_is_shown(made_run):
    run = made_run()
    change_result(run, judged=both(judged(), judged((0.0, -0.1, 0.1))), knn=knn((0.4, 0.6), n=100))
    assert run_row(run, "a", "toy", "cosine")["outcome"] == "No clear change"
    assert run_row(run, "a", "toy", "euclidean")["outcome"] == "Helped"


def test_the_choice_stands_in_the_address_and_six_curves_are_drawn(open_page, made_run):
    runs = [made_run(name=f"run {number}") for number in range(8)]
    asked = ",".join(run.id for run in runs)
    at = showing(open_page, "curves", runs=f"{asked},nonsense")
    assert not at.exception
    assert at.session_state[KEY] == [run.id for run in runs]
    assert curve_names(at) == [f"run {number}" for number in range(6)] and "The first 6 of the 8 runs" in words(at)
    at.multiselect(KEY).set_value([runs[7].id]).run()
    assert at.query_params["runs"] in (runs[7].id, [runs[7].id])
    assert curve_names(at) == ["run 7"]


def test_settings_that_differ_are_titled_as_on_the_form_and_the_others_are_not_shown(made_run):
    equal = {"batch_size": 64}
    first = made_run("minilm", name="a", objective={"temperature": 0.05}, learning_rate=None, max_length=128,
                     early_stopping=True, max_steps=None, judged_by="held_out", **equal)  # fmt: skip
    second = made_run(name="b", objective={"temperature": 0.1}, learning_rate=0.5, max_length=256,
                      early_stopping=False, max_steps=9, judged_by="ranks", judge="f" * 16, **equal)  # fmt: skip
    table = differences([first, second], names_of([first, second])).to_pylist()
    assert [tuple(row.values()) for row in table] == [
        ("Encoder", "MiniLM (packaged)", "Token embeddings, from scratch"),
        ("Temperature (objective)", "0.05", "0.1"),
        ("Learning rate", "0.01 (automatic)", "0.5"),
        ("Tokens read", "128", "256"),
        ("Early stopping", "on", "off"),
        ("Max steps", "no limit", "9"),
        ("Judged by", "held out", "ranks"),
        ("Evaluation set besides kNN accuracy", "–", "f" * 16),
    ]
    assert differences([first, first], names_of([first])) is None


def test_what_an_automatic_setting_became_is_unknown_of_a_failed_run_and_no_difference(made_run):
    done, failed = (made_run(name=state, state=state, learning_rate=None) for state in ("finished", "failed"))
    assert differences([done, failed], names_of([done, failed])) is None


def test_a_setting_left_to_its_default_is_the_same_as_one_that_was_named(made_run):
    sparse, named = made_run(name="a"), made_run(name="b", epochs=1)
    complete = {**stored_request(named).settings, "epochs": 1}
    for run in (sparse, named):
        write_state(run, State.FINISHED, settings=complete)
    assert differences([sparse, named], names_of([sparse, named])) is None


def test_nested_settings_become_paths():
    assert flattened({"a": 1, "b": {"c": {"d": None}, "e": [2]}}) == {"a": 1, "b.c.d": None, "b.e": [2]}


def test_runs_of_the_same_name_are_told_apart(made_run):
    first, second = made_run(name="demo", seed=0), made_run(name="demo", seed=1)
    twins, other = [made_run(name="x", seed=3) for _ in range(2)], made_run(name="y")
    assert run_names([first, second, *twins, other]) == {
        first.id: "demo · seed 0",
        second.id: "demo · seed 1",
        **{twin.id: f"x · {twin.id[-4:]}" for twin in twins},
        other.id: "y",
    }


def test_runs_trained_without_the_test_texts_are_marked_among_others(open_page, made_run):
    everything, split = made_run(name="a"), made_run(name="b", train_on="train_split")
    both = curves_of([everything, split], names_of([everything, split])).curves
    assert [name for name, *_ in both] == ["a", "† b"]
    assert [name for name, *_ in curves_of([split], names_of([split])).curves] == ["b"]
    assert "† trained on the train split only" in words(showing(open_page, "curves"))
    (table,) = (each.value for each in open_page("compare").table)
    assert "† b" in list(table["run"]) and "a" in list(table["run"])


def test_different_corpora_are_said_not_to_be_comparable(open_page, made_run, toy_corpus):
    first, second = made_run(name="a"), made_run(name="b")
    other = store_corpus(
        Draft(name="other", source="toy", texts=toy_corpus.texts[:40], labels=list(toy_corpus.labels[:40]))
    )
    leave_state(second, corpus=other)
    change_result(second, corpus={"name": "other"})
    at = showing(open_page, "curves", runs=f"{first.id},{second.id}")
    assert "different corpora (toy, other): their accuracies cannot be compared" in words(at)
    assert "Settings that differ" in [each.value for each in at.subheader]
    assert "different corpora" not in words(
        showing(open_page, "curves", run=first.id)
    )  # by default only the same corpus


def test_different_corpora_have_a_table_and_a_picture_each(open_page, made_run, toy_corpus):
    first, second = made_run(name="a"), made_run(name="b")
    draft = Draft(name="other", source="toy", texts=toy_corpus.texts[:40], labels=list(toy_corpus.labels[:40]))
    other = store_corpus(draft)
    leave_state(second, corpus=other)
    change_result(second, corpus={"name": "other"})
    at = open_page("compare", runs=f"{first.id},{second.id}")
    assert not at.exception
    assert [list(table.value["run"]) for table in at.table] == [
        ["Token embeddings, from scratch, untouched", "a"],
        ["Token embeddings, from scratch, untouched", "b"],
    ]
    assert [figure["layout"]["title"]["text"] for figure in drawn(at)] == ["toy", "other"]


def test_the_best_run_is_bold_and_what_cannot_be_told_apart_has_its_sign(open_page, made_run):
    best, near, far = made_run(name="best"), made_run(name="near"), made_run(name="far")
    right = [place % 10 > 0 for place in range(200)]  # 90 %
    predicted(best, right), predicted(near, [False, *right[1:9], False, *right[10:]])
    predicted(far, [place % 2 == 0 for place in range(200)])
    at = open_page("compare")
    assert not at.exception
    (table,) = (each.value for each in at.table)
    cells = dict(zip(table["run"], table["kNN accuracy (cosine), paper's split (%)"], strict=True))
    assert cells["best"].startswith("**90.0 ±") and cells["best"].endswith("** ●")
    assert cells["near"].startswith("*89.5 ±") and cells["near"].endswith("* ○")
    assert cells["far"].startswith("50.0 ±") and "●" not in cells["far"] and "○" not in cells["far"]
    assert "3 runs compared pairwise with the best, each at level 5 %/2 = 2.5 %" in words(at)
    (figure,) = drawn(at)
    assert "best 90.0" in figure["layout"]["meta"]["alt"]


def test_both_distances_have_a_column_and_the_address_says_which_stands_first_and_is_drawn(open_page, made_run):
    one, other = made_run(name="one"), made_run(name="other")
    right = [place % 10 > 0 for place in range(200)]  # 90 %
    predicted(one, right, [place % 2 == 0 for place in range(200)])
    predicted(other, [place % 4 > 0 for place in range(200)])
    heads = ["kNN accuracy (cosine), paper's split (%)", "kNN accuracy (Euclidean distance), paper's split (%)"]
    for asked, place, best in (("cosine", 0, "other"), ("euclidean", 1, "one")):
        at = open_page("compare", **({"distance": asked} if asked == "euclidean" else {}))
        assert not at.exception
        (table,) = (each.value for each in at.table)
        assert list(table.columns) == ["run", *(heads if place == 0 else heads[::-1])]
        cells = {head: dict(zip(table["run"], table[head], strict=True)) for head in heads}
        assert cells[heads[0]]["other"].startswith("**75.0 ±") and cells[heads[0]]["one"].startswith("50.0 ±")
        assert cells[heads[1]]["one"].startswith("**90.0 ±") and cells[heads[1]]["other"].startswith("75.0 ±")
        (figure,) = drawn(at)
        assert figure["layout"]["annotations"][0]["text"].replace("<br>", " ") == heads[place]
        shown = {"one": ("50.0", "90.0"), "other": ("75.0", "75.0")}[best][place]
        assert f"{best} {shown} ±" in figure["layout"]["meta"]["alt"]
        all_runs = open_page("runs", distance=asked).dataframe[-1].value
        assert list(all_runs.columns)[2] == f"kNN after, {('cosine', 'Euclidean')[place]} (%)"


def test_runs_that_share_the_untouched_encoder_share_its_row(open_page, made_run):
    made_run(name="a", seed=0), made_run(name="b", seed=1)
    (table,) = (each.value for each in open_page("compare").table)
    assert list(table["run"]) == ["Token embeddings, from scratch, untouched", "b", "a"]


def test_what_is_missing_is_measured_once_for_each_run_that_lacks_it(open_page, made_run, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.runner.start", lambda folder, on=None: folder)
    first, second = made_run(name="a"), made_run(name="b")
    for run in (first, second):
        predicted(run, [True] * 60)
    units = {"rows": np.arange(60), "correct": np.ones(60, bool)}
    for state in ("before", "after"):
        Evaluations(second.path).keep("corpus", "linear", state, MetricResult(value=1.0, n=60, units=units))
    at = open_page("compare", runs=f"{first.id},{second.id}")
    assert "Measure what is missing of 1 run" in words(at)
    at.button("compare.measure").click().run()
    assert not at.exception
    (job,) = list_runs("jobs")
    assert asked_of(job) == Evaluate(run=first.id, metrics=("linear",))
    assert "Metrics of a" in words(at) and "Measure what is missing" not in words(at)
    leave_state(job, "failed", error={"code": "E", "message": "The disk is full."})
    at.run()
    assert "The disk is full" in words(at) and "Measure what is missing" in words(at)
    at.button(f"compare.measure-{first.id}").click().run()
    assert [asked_of(each) for each in list_runs("jobs")] == [asked_of(job)] * 2
    assert at.button(f"stop-{list_runs('jobs')[0].id}")


def test_what_has_to_be_embedded_waits_for_the_device(open_page, made_run, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.runner.start", lambda folder, on=None: folder)
    run = made_run()
    at = showing(open_page, "metrics", runs=run.id)
    at.multiselect("compare.metrics").set_value(["match-halves"]).run()
    at.button("compare.measure").click().run()
    (job,) = list_runs("jobs")
    assert asked_of(job) == EmbedAndEvaluate(run=run.id, metrics=("match-halves",)) and not at.exception
    assert "Measure what is missing" not in words(at)


def test_what_a_corpus_serves_can_be_chosen_whether_or_not_it_was_measured(open_page, made_run):
    at = showing(open_page, "metrics", runs=made_run().id)
    offered = at.multiselect("compare.metrics").options
    assert "Paraphrase average precision" in offered and "STS Spearman" not in offered  # of scored pairs alone


def test_what_needs_resampling_is_compared_by_a_job_once(open_page, made_run, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.runner.start", lambda folder, on=None: folder)
    runs = [made_run(name=name) for name in "ab"]
    for place, run in enumerate(runs):
        units = {"rows": np.arange(60), "ranks": np.arange(60.0) + 9 * place + 1, "candidates": np.full(60, 60)}
        Evaluations(run.path).keep("corpus", "match-halves", "after", MetricResult(value=30.5 + 9 * place, units=units))
    at = open_page("compare")
    at.run()
    (job,) = list_runs("jobs")
    assert stored_request(job).task == "compare" and not at.exception
    compare_task.run(job, asked_of(job), silent)
    leave_state(job)
    at.run()
    (table,) = (each.value for each in at.table)
    assert list(table["Halves matching (mean rank, lower is better)"]) == ["–", "39.5", "**30.5** ●"]
    assert len(list_runs("jobs")) == 1


def test_twenty_runs_have_one_table(open_page, made_run):
    runs = [made_run(name=f"run {number}", seed=number) for number in range(20)]
    at = open_page("compare", runs=",".join(run.id for run in runs))
    assert not at.exception
    (table,) = (each.value for each in at.table)
    assert len(table) == 21


def test_recipe_by_corpus_is_the_mean_over_seeds(open_page, made_run):
    for seed, after in enumerate((0.5, 0.6, 0.7)):
        made_run(after=after, seed=seed)
    made_run(recipe="dropout", after=0.3)
    at = showing(open_page, "recipes")
    assert not at.exception
    table = at.dataframe[0].value
    assert table.values.tolist() == [
        ["Token embeddings, from scratch", "Untouched", "41.0 (1)", "40.0 (1)"],
        ["Token embeddings, from scratch", "Dropout pairs (SimCSE-style)", "31.0 (1)", "30.0 (1)"],
        ["Token embeddings, from scratch", "Text crops", "61.0 ± 10.0 (3)", "60.0 ± 10.0 (3)"],
    ]
    assert list(table.columns) == ["encoder", "recipe", "toy (cosine)", "toy (Euclidean distance)"]
    table = showing(open_page, "recipes", distance="euclidean").dataframe[0].value
    assert list(table.columns)[2:] == ["toy (Euclidean distance)", "toy (cosine)"]


def test_the_papers_value_stands_grey_beside_ours_where_corpus_and_encoder_match(open_page, made_run):
    run = made_run("mpnet", name="ours")
    change_result(run, corpus={"name": "iclr"})
    at = open_page("compare")
    (table,) = (each.value for each in at.table)
    by_cosine, by_euclidean = (
        "kNN accuracy (cosine), paper's split (%)",
        "kNN accuracy (Euclidean distance), paper's split (%)",
    )
    printed = "kNN accuracy (Euclidean distance), paper's split, published"
    assert list(table.columns) == ["run", by_cosine, by_euclidean, printed]  # beside what they were computed with
    assert list(table[printed]) == [":gray[37.4]", ":gray[58.9]"]
    assert "Crops, Table 1: MPNet, crops" in words(at)
    (figure,) = drawn(at)
    assert not any(trace.get("marker", {}).get("symbol") == "diamond-open" for trace in figure["data"])
    (figure,) = drawn(open_page("compare", distance="euclidean"))
    assert any(trace.get("marker", {}).get("symbol") == "diamond-open" for trace in figure["data"])
    pivot = showing(open_page, "recipes").dataframe[0].value
    assert list(pivot.columns[2:]) == [
        "iclr (cosine)", "iclr (Euclidean distance)", "iclr (Euclidean distance), published",
    ]  # fmt: skip
    assert list(pivot["iclr (Euclidean distance), published"]) == ["37.4", "58.9"]


def test_deleting_asks_first_and_takes_the_run_out_of_sight(open_page, made_run):
    kept, gone = made_run(name="kept"), made_run(name="gone")
    at = open_page("result", run=gone.id)
    assert "Delete gone with its encoder" in words(at)
    at.button(f"run.delete-{gone.id}").click().run()
    assert not at.exception
    assert [run.id for run in list_runs()] == [kept.id]
    assert list(open_page("runs").dataframe[-1].value["run"]) == ["kept"] and at.session_state["run"] == kept.id


def test_a_hostile_name_stays_text_on_the_page_and_in_the_csv(open_page, made_run):
    run = made_run(name=FORMULA)
    at = open_page("compare")
    assert not at.exception
    said = [words(at), *(expander.label for expander in at.expander)]
    assert "HYPERLINK" in said[0] and not any(":red[x]" in line for line in said)
    lines = csv_bytes(pa.Table.from_pylist([run_row(run, FORMULA, "toy")])).decode("utf-8-sig").splitlines()
    assert lines[1].startswith('"\'=HYPERLINK(""http://x"")')


def test_the_loading_lines_are_python(made_run):
    run = made_run()
    compile(loading_lines(run.encoder), "lines", "exec")
    assert str(run.encoder) in loading_lines(run.encoder)


def test_the_line_is_the_live_sample_and_the_diamonds_all_test_texts():
    line, marks = [CurvePoint(8, 0.3), CurvePoint(0, 0.2)], [CurvePoint(9, 0.6, test_texts=100)]
    figure = overlaid_curves([("run", line, marks)], reference_marks=dict(tfidf=0.7), by="(cosine)")
    line, diamonds, tfidf = figure.data
    assert list(line.y) == [0.2, 0.3] and list(diamonds.y) == [0.6] and diamonds.marker.symbol == "diamond"
    assert list(tfidf.y) == [0.7, 0.7] and not figure.layout.shapes and tfidf.name == "TF-IDF, all test texts"
    assert figure.layout.title.text == "kNN accuracy (cosine) of the runs while training"


def test_curves_are_drawn_by_the_distance_of_the_address(open_page, made_run):
    run = made_run(name="a")
    with_live(run, [(0, 0.2, 0.3), (8, 0.5, 0.7)], is_whole=True, neighbors=80, tfidf=0.55)
    at = showing(open_page, "curves")
    assert not at.exception and traces(at)["a"] == [0.3, 0.7]
    at = showing(open_page, "curves", distance="euclidean")
    assert traces(at)["a"] == [0.2, 0.5]
    (figure,) = drawn(at)
    assert figure["layout"]["title"]["text"] == "kNN accuracy (Euclidean distance) of the runs while training"


def test_lines_on_the_same_texts_have_their_references_and_no_diamonds_where_these_are_all(open_page, made_run):
    runs = [made_run(name=name) for name in "ab"]
    for run in runs:
        with_live(run, [(0, 0.2, 0.3), (8, 0.5, 0.7)], is_whole=True, neighbors=80, tfidf=0.55)
    at = showing(open_page, "curves", runs=",".join(run.id for run in runs))
    assert not at.exception and lines_across(at) == [0.55, 0.5]
    assert not any("all test texts" in name for name, y in traces(at).items() if y)
    assert "all 12 test texts among all 80 labeled train texts" in words(at) and "do not compare them" not in words(at)


def test_lines_on_different_texts_are_said_not_to_be_read_against_each_other(open_page, made_run):
    whole, sample = made_run(name="whole"), made_run(name="sample")
    with_live(whole, [(0, 0.2, 0.3), (8, 0.5, 0.7)], is_whole=True, neighbors=80, tfidf=0.70)
    with_live(sample, [(0, 0.1, 0.2), (8, 0.3, 0.4)], is_whole=False, neighbors=30, tfidf=0.55)
    at = showing(open_page, "curves", runs=f"{whole.id},{sample.id}")
    assert not at.exception
    said = words(at)
    assert "not measured on the same texts, so do not compare them" in said
    assert "whole: The curve" in said and "sample: The curve" in said and "among 30 labeled train texts" in said
    found = traces(at)
    assert found["sample, all test texts"] == [0.41, 0.61] and found["whole, all test texts"] == []
    assert lines_across(at) == [] and found["TF-IDF, all test texts"] == [0.7, 0.7]  # of the diamonds and the whole


def test_samples_that_another_seed_drew_are_other_texts(made_run):
    runs = [made_run(name=name, seed=seed) for name, seed in (("a", 0), ("b", 0), ("c", 1))]
    for run in runs:
        with_live(run, [(0, 0.1, 0.2), (8, 0.3, 0.4)], is_whole=False, neighbors=30, tfidf=0.55)
    alike, other = (curves_of(chosen, names_of(chosen)) for chosen in (runs[:2], runs[1:]))
    assert alike.references == {"tfidf": 0.55, "svd": 0.5} and len(alike.captions) == 1
    assert other.references == {} and "do not compare them" in other.captions[0]


def test_a_row_tells_from_which_run_it_started_and_that_labels_were_trained_on(made_run):
    first = made_run("scratch:bert-tiny", name="adapted", recipe="mlm")
    second = made_run(f"run:{first.id}", recipe="crops")
    third = made_run(f"run:{second.id}", recipe="supervised")
    change_result(third, supervised=True)
    assert run_row(first, "a", "toy")["started from"] is None
    assert run_row(second, "b", "toy")["started from"] == "'adapted' (Masked language model)"
    row = run_row(third, "c", "toy")
    assert row["started from"] == f"{second.id} (Text crops), which started from 'adapted' (Masked language model)"
    assert row["trained on"] == "labels (supervised)" != run_row(second, "b", "toy")["trained on"]


def test_prompts_are_a_column(made_run):
    plain, prompted = made_run(), made_run()
    change_result(prompted, prompts={"document": "passage: ", "query": "query: "})
    assert run_row(plain, "a", "toy")["prompts"] is None
    assert run_row(prompted, "b", "toy")["prompts"] == "texts 'passage: ', queries 'query: '"


def test_without_any_knn_accuracy_there_is_a_sentence_in_place_of_an_empty_plot(open_page, made_run):
    run = made_run(state="failed")
    at = open_page("compare", runs=run.id)
    at.session_state["runs.view"] = "curves"
    at.run()
    assert not at.exception
    assert "None of these runs has measured kNN accuracy yet" in words(at) and drawn(at) == []
    assert "two classes" not in words(at), "its corpus has them: it failed for another reason"


def test_side_by_side_shows_chosen_columns_with_gains_score_and_papers_rows(open_page, made_run):
    predicted(made_run(), [place < 8 for place in range(12)])
    at = showing(open_page, "side")
    assert not at.exception
    (table,) = [each.value for each in at.dataframe][:1]
    heads = list(table.columns)
    assert heads[:3] == [
        "run",
        "kNN accuracy (cosine), paper's split, toy (%)",
        "kNN accuracy (cosine), paper's split, toy: gain",
    ]
    assert "Gain: after minus before for the same run" in words(at)
    at.toggle("compare.side_gains").set_value(False).run()
    assert not any("gain" in head for head in list(at.dataframe[0].value.columns))
    at.toggle("compare.side_score").set_value(True).run()
    assert "No performance score: it needs 4 rows" in words(at)
    at.toggle("compare.side_printed").set_value(True).run()
    assert not at.exception and "The papers print none of these columns" in words(at)
    at.multiselect("compare.side_columns").set_value([]).run()
    assert not at.exception


@pytest.mark.parametrize("state", ["queued", "running", "failed", "stopped", "interrupted"])
def test_side_by_side_opens_on_a_run_in_any_state_beside_a_finished_one(open_page, made_run, state):
    odd = made_run(state=state, name="odd one")
    at = showing(open_page, "side", runs=odd.id)
    assert not at.exception
    done = made_run(name="done")
    at = showing(open_page, "side", runs=f"{odd.id},{done.id}")
    assert not at.exception and "done" in at.dataframe[0].value["run"].tolist()


def test_play_needs_runs_that_were_trained_alike(open_page, made_run):
    runs = [made_run(name=name) for name in ("first", "second")]
    at = open_page("compare", runs=",".join(run.id for run in runs), **{"view": "Curves"})
    assert not at.exception and not at.button(key="compare.play").disabled
    leave_state(runs[0], device_line="NVIDIA H100")
    at.run()
    assert at.button(key="compare.play").disabled
    assert "The device differs: first: NVIDIA H100; second: unknown." in words(at)
    assert "Gray over seconds, not comparable with the others: second." in words(at)
    by_steps = colours(at)
    assert UNTOUCHED["light"] not in by_steps
    at.segmented_control("compare.x").set_value("seconds").run()
    assert not at.exception and colours(at) == [by_steps[0], UNTOUCHED["light"]]
    at = open_page("compare", runs=runs[1].id, **{"view": "Curves"})
    assert not [button for button in at.button if button.key == "compare.play"]  # nobody to race with


def test_a_run_of_another_device_is_grey_beside_a_race_and_it_is_said_why(open_page, made_run):
    runs = [made_run(name="far", after=0.9), made_run(name="first"), made_run(name="second", after=0.7)]
    write_json(runs[0].state, read_json(runs[0].state) | {"device_line": "NVIDIA H100"})
    at = open_page("compare", runs=",".join(run.id for run in runs), **{"view": "Curves"})
    at.button(key="compare.play").click().run()
    assert not at.exception and "The device differs: far: NVIDIA H100; first: unknown; second: unknown." in words(at)
    (race,) = (data["race"] for data in sent(at) if data.get("race"))
    assert (race["lines"], race["grey"]) == (2, 1) and "far" not in "".join(race["verdicts"])
    (figure,) = (data["figure"] for data in sent(at) if data.get("race"))
    assert [trace["name"] for trace in figure["data"][:3]] == ["first", "second", "far"]
    assert figure["data"][2]["line"]["color"] == UNTOUCHED["light"]


def test_a_race_shows_its_clock_and_goes_back_to_the_curves(open_page, made_run):
    runs = [made_run(name="first"), made_run(name="second", after=0.7)]
    at = open_page("compare", runs=",".join(run.id for run in runs), **{"view": "Curves"})
    at.button(key="compare.play").click().run()
    assert not at.exception and "the same runs always give the same race" in words(at)
    (race,) = (data["race"] for data in sent(at) if data.get("race"))
    assert race["lines"] == 2 and race["end"] == 5.0
    assert race["verdicts"][0] == "After 5.0 s of training, when first ended: second 71.0 %, first 61.0 %."
    assert "second 71.0 %, first 61.0 %: the predictions were not stored" in race["verdicts"][1]
    at.button(key="compare.play").click().run()
    assert not [data for data in sent(at) if data.get("race")] and at.segmented_control(key="compare.x").value == "step"


@pytest.mark.parametrize("view", ["Curves", "Side by side", "Metrics"])
def test_every_view_says_where_runs_were_not_trained_equally_long(open_page, made_run, view):
    runs = [made_run(name="short"), made_run(name="long")]
    for run, read in zip(runs, (640, 6400), strict=True):
        write_json(run.result, read_json(run.result) | {"texts_read": read})
    at = open_page("compare", runs=",".join(run.id for run in runs), view=view)
    assert not at.exception and "Not trained equally long: the runs read 640 to 6,400 texts." in words(at)


def test_a_failed_run_of_a_deleted_corpus_is_named_and_draws_no_empty_chart(open_page, made_run):
    fine, asked = made_run(name="fine"), {"corpus": "0123456789abcdef", "encoder": "token", "recipe": "crops"}
    gone = create_run("train", asked, name="gone")
    write_state(gone, State.FAILED, error={"code": "E-UNKNOWN-CORPUS", "message": "It was deleted."})
    assert run_row(gone, "gone", corpora_of([gone])["0123456789abcdef"])["corpus"] == "deleted corpus 012345"
    at = showing(open_page, "metrics", runs=f"{gone.id},{fine.id}")
    assert not at.exception and len(drawn(at)) == 1
    assert "gone has no result. It was deleted." in [each.value.replace("\\", "") for each in at.caption]


@pytest.mark.parametrize("view", ["metrics", "side", "maps"])
def test_runs_without_a_result_are_named_and_left_out_of_what_compares_results(open_page, made_run, view):
    failed, queued = made_run(name="bad", state="failed"), made_run(name="next", state="queued")
    at = showing(open_page, view, runs=f"{failed.id},{queued.id}")
    said = [each.value.replace("\\", "") for each in at.caption]
    assert not at.exception and "next has no result. It is queued." in said
    assert any(each.startswith("bad has no result. The loss became NaN") for each in said)
    assert [each.value for each in at.info] == ["None of these runs has a result to compare. Choose others."]
