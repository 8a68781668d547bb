"""Compare: the best marked, what is missing measured, recipe by corpus, curves, every state in the table."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from seen import drawn, words

from embedlab.corpora.base import Draft, store_corpus
from embedlab.figures.compare import overlaid_curves
from embedlab.progress import silent
from embedlab.runs.compared_rows import run_names
from embedlab.runs.evaluations import Evaluations
from embedlab.runs.state import State, write_state
from embedlab.runs.store import list_runs, read_settings
from embedlab.store_root import read_json, write_json
from embedlab.tasks import compare as compare_task
from embedlab.ui.compare_view import KEY
from embedlab.ui.comparison import curves_of, differences, flat, run_row, runs_table
from embedlab.ui.export import csv_bytes
from embedlab.ui.taking_away import loading_lines

FORMULA = '=HYPERLINK("http://x") :red[x]'


def names_of(runs) -> dict[str, str]:
    """As the page names them."""
    return run_names(list(runs))


def showing(open_page, view: str, **address):
    """The page with one of its three views."""
    at = open_page("compare", **address)
    at.session_state["compare.show"] = view
    return at.run()


def predicted(run, right: list[bool]) -> None:
    """The run's predictions: right before on the first half, after where said; its result says the same."""
    n = len(right)
    before = [place < n // 2 for place in range(n)]
    columns = {"row": list(range(n)), "label": ["a"] * n}
    columns |= {name: ["a" if each else "b" for each in said] for name, said in (("before", before), ("after", right))}
    pq.write_table(pa.table(columns), run.predictions)
    result = read_json(run.result)
    knn = {**result["knn"], "before": sum(before) / n, "after": sum(right) / n, "best": sum(right) / n, "test_texts": n}
    write_json(run.result, {**result, "knn": knn})


def curve_names(at) -> list[str]:
    """The runs drawn in the picture."""
    (figure,) = drawn(at)
    return [trace["name"] for trace in figure["data"] if trace["mode"] == "lines"]


def test_without_a_run_it_says_what_to_do(open_page):
    at = open_page("compare")
    assert not at.exception
    assert "There is no run yet" in words(at)


@pytest.mark.parametrize("state", ["queued", "failed", "interrupted", "stopped"])
def test_one_run_in_any_state_opens(open_page, made_run, state):
    made_run(state=state, name="only")
    at = open_page("compare")
    assert not at.exception
    table = at.dataframe[-1].value
    assert list(table["run"]) == ["only"] and list(table["state"]) == [state]
    assert state != "failed" or "Failed: only. The loss stopped being a number" in words(at).replace(
        ":red[Failed:]", "Failed:"
    )


def test_the_table_has_what_was_found_and_a_stopped_run_its_best(made_run):
    made_run(after=0.6), made_run("scratch:bert-tiny", state="stopped")
    runs = list_runs()
    write_json(
        runs[1].evaluations,
        {"metrics": {"corpus": {"linear": {"before": {"value": 0.5}, "after": {"value": 0.625}}}}},
    )
    stopped, finished = runs_table(runs, names_of(runs)).to_pylist()
    assert (finished["kNN before (%)"], finished["kNN after (%)"], finished["± (points)"]) == (40.0, 60.0, 10.0)
    assert (finished["outcome"], finished["linear after (%)"], finished["corpus"]) == ("Helped", 62.5, "toy")
    assert stopped["kNN after (%)"] == 55.0 and stopped["linear after (%)"] is None


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


def test_settings_that_differ_are_told_by_their_path_and_the_others_are_not(made_run):
    first = made_run(name="a", objective={"temperature": 0.05}, learning_rate=None, batch_size=64)
    second = made_run(name="b", objective={"temperature": 0.1}, learning_rate=0.5, batch_size=64)
    table = differences([first, second], names_of([first, second])).to_pylist()
    assert table == [
        {"setting": "objective.temperature", "a": "0.05", "b": "0.1"},
        {"setting": "learning_rate", "a": "0.01 (automatic)", "b": "0.5"},
    ]
    assert differences([first, first], names_of([first])) is None


def test_a_setting_left_to_its_default_is_the_same_as_one_that_was_named(made_run):
    sparse, named = made_run(name="a"), made_run(name="b", epochs=1)
    complete = {**read_settings(named)["settings"], "epochs": 1}
    for run in (sparse, named):
        write_state(run, State.FINISHED, settings=complete)
    assert differences([sparse, named], names_of([sparse, named])) is None


def test_nested_settings_become_paths():
    assert flat({"a": 1, "b": {"c": {"d": None}, "e": [2]}}) == {"a": 1, "b.c.d": None, "b.e": [2]}


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
    assert [run["name"] for run in curves_of([everything, split], names_of([everything, split]))] == ["a", "† b"]
    assert [run["name"] for run in curves_of([split], names_of([split]))] == ["b"]
    assert "† trained on the train split only" in words(showing(open_page, "curves"))
    (table,) = (each.value for each in open_page("compare").table)
    assert "† b" in list(table["run"]) and "a" in list(table["run"])


def test_different_corpora_are_said_not_to_be_comparable(open_page, made_run, toy_corpus):
    first, second = made_run(name="a"), made_run(name="b")
    other = store_corpus(
        Draft(name="other", source="toy", texts=toy_corpus.texts[:40], labels=list(toy_corpus.labels[:40]))
    )
    facts = json.loads(second.state.read_text(encoding="utf-8"))
    write_json(second.state, {**facts, "fingerprint": other.fingerprint})
    result = json.loads(second.result.read_text(encoding="utf-8"))
    write_json(second.result, {**result, "corpus": {**result["corpus"], "name": "other"}})
    at = showing(open_page, "curves", runs=f"{first.id},{second.id}")
    assert "different corpora (toy, other): their accuracies cannot be compared" in words(at)
    assert "different corpora" not in words(
        showing(open_page, "curves", run=first.id)
    )  # by default only the same corpus


def test_different_corpora_have_a_table_and_a_picture_each(open_page, made_run, toy_corpus):
    first, second = made_run(name="a"), made_run(name="b")
    draft = Draft(name="other", source="toy", texts=toy_corpus.texts[:40], labels=list(toy_corpus.labels[:40]))
    other = store_corpus(draft)
    write_json(second.state, {**read_json(second.state), "fingerprint": other.fingerprint})
    result = read_json(second.result)
    write_json(second.result, {**result, "corpus": {**result["corpus"], "name": "other"}})
    at = open_page("compare", runs=f"{first.id},{second.id}")
    assert not at.exception
    assert [list(table.value["run"]) for table in at.table] == [["token, untouched", "a"], ["token, untouched", "b"]]
    assert [figure["layout"]["title"]["text"] for figure in drawn(at)] == ["toy", "other"]


def test_the_best_run_is_bold_and_what_cannot_be_told_apart_has_its_sign(open_page, made_run):
    best, near, far = made_run(name="best"), made_run(name="near"), made_run(name="far")
    right = [place % 10 > 0 for place in range(200)]  # 90 %
    predicted(best, right), predicted(near, [False, *right[1:9], False, *right[10:]])
    predicted(far, [place % 2 == 0 for place in range(200)])
    at = open_page("compare")
    assert not at.exception
    (table,) = (each.value for each in at.table)
    cells = dict(zip(table["run"], table["kNN accuracy (%)"], strict=True))
    assert cells["best"].startswith("**90.0 ±") and cells["best"].endswith("** ●")
    assert cells["near"].startswith("*89.5 ±") and cells["near"].endswith("* ○")
    assert cells["far"].startswith("50.0 ±") and "●" not in cells["far"] and "○" not in cells["far"]
    assert "3 runs compared pairwise with the best, each at level 5 %/2 = 2.5 %" in words(at)
    (figure,) = drawn(at)
    assert "best 90.0" in figure["layout"]["meta"]["alt"]


def test_runs_that_share_the_untouched_encoder_share_its_row(open_page, made_run):
    made_run(name="a", seed=0), made_run(name="b", seed=1)
    (table,) = (each.value for each in open_page("compare").table)
    assert list(table["run"]) == ["token, untouched", "b", "a"]


def test_what_is_missing_is_measured_once_for_each_run_that_lacks_it(open_page, made_run, monkeypatch):
    monkeypatch.setattr("embedlab.runs.runner.start", lambda folder: folder)
    first, second = made_run(name="a"), made_run(name="b")
    for run in (first, second):
        predicted(run, [True] * 60)
    units = {"rows": np.arange(60), "correct": np.ones(60, bool)}
    for state in ("before", "after"):
        Evaluations(second.path).keep("corpus", "linear", state, {"value": 1.0, "test_texts": 60}, units)
    at = open_page("compare", runs=f"{first.id},{second.id}")
    assert "Measure what is missing of 1 run" in words(at)
    at.button("compare.measure").click().run()
    assert not at.exception
    (job,) = list_runs("jobs")
    asked = read_settings(job)
    assert (asked["task"], asked["settings"]) == (
        "evaluate", {"run": first.id, "metrics": ["linear"], "protocol": "paper"},
    )  # fmt: skip
    assert "Metrics of a" in words(at) and "Measure what is missing" not in words(at)
    write_json(job.state, {"state": "failed", "since": "", "error": {"code": "E", "message": "The disk is full."}})
    at.run()
    assert "The disk is full" in words(at) and "Measure what is missing" in words(at)


def test_what_needs_resampling_is_compared_by_a_job_once(open_page, made_run, monkeypatch):
    monkeypatch.setattr("embedlab.runs.runner.start", lambda folder: folder)
    runs = [made_run(name=name) for name in "ab"]
    for place, run in enumerate(runs):
        units = {"rows": np.arange(60), "ranks": np.arange(60.0) + 9 * place + 1}
        Evaluations(run.path).keep("corpus", "match-halves", "after", {"value": 30.5 + 9 * place}, units)
    at = open_page("compare")
    at.run()
    (job,) = list_runs("jobs")
    assert read_settings(job)["task"] == "compare" and not at.exception
    compare_task.run(job, read_settings(job)["settings"], silent)
    write_json(job.state, {"state": "finished", "since": ""})
    at.run()
    (table,) = (each.value for each in at.table)
    assert list(table["Halves matching"]) == ["–", "39.5", "**30.5** ●"]
    assert len(list_runs("jobs")) == 1


def test_twenty_runs_have_one_table(open_page, made_run):
    runs = [made_run(name=f"run {number}", seed=number) for number in range(20)]
    at = open_page("compare", runs=",".join(run.id for run in runs))
    assert not at.exception
    (table,) = (each.value for each in at.table)
    assert len(table) == 21


def test_runs_without_any_measurement_say_what_to_do(open_page, made_run):
    made_run(state="failed")
    at = open_page("compare")
    assert not at.exception and "Nothing was measured of these runs" in words(at)


def test_recipe_by_corpus_is_the_mean_over_seeds(open_page, made_run):
    for seed, after in enumerate((0.5, 0.6, 0.7)):
        made_run(after=after, seed=seed)
    made_run(recipe="dropout", after=0.3)
    at = showing(open_page, "recipes")
    assert not at.exception
    table = at.dataframe[0].value
    assert table.values.tolist() == [
        ["token", "untouched", "40.0 (1)"],
        ["token", "dropout", "30.0 (1)"],
        ["token", "crops", "60.0 ± 10.0 (3)"],
    ]
    assert list(table.columns) == ["encoder", "recipe", "toy"]


def test_the_papers_value_stands_grey_beside_ours_where_corpus_and_encoder_match(open_page, made_run):
    run = made_run("mpnet", name="ours")
    result = read_json(run.result)
    write_json(run.result, {**result, "corpus": {**result["corpus"], "name": "iclr"}})
    at = open_page("compare")
    (table,) = (each.value for each in at.table)
    assert list(table["kNN accuracy, published"]) == [":gray[37.4]", ":gray[58.9]"]
    assert "Crops, Table 1: MPNet, crops" in words(at)
    pivot = showing(open_page, "recipes").dataframe[0].value
    assert list(pivot["iclr, published"]) == ["37.4", "58.9"]


def test_deleting_asks_first_and_takes_the_run_out_of_sight(open_page, made_run):
    kept, gone = made_run(name="kept"), made_run(name="gone")
    at = open_page("compare", run=gone.id)
    assert "Delete gone with its encoder" in words(at)
    at.button(f"compare.delete-{gone.id}").click().run()
    assert not at.exception
    assert [run.id for run in list_runs()] == [kept.id]
    assert list(at.dataframe[-1].value["run"]) == ["kept"] and at.session_state["run"] == kept.id


def test_a_hostile_name_stays_text_on_the_page_and_in_the_csv(open_page, made_run):
    run = made_run(name=FORMULA)
    at = open_page("compare")
    assert not at.exception
    said = [words(at), *(expander.label for expander in at.expander)]
    assert "HYPERLINK" in said[0] and not any(":red[x]" in line for line in said)
    lines = csv_bytes(runs_table([run], names_of([run]))).decode("utf-8-sig").splitlines()
    assert lines[1].startswith('"\'=HYPERLINK(""http://x"")')


def test_the_loading_lines_are_python(made_run):
    run = made_run()
    compile(loading_lines(run), "lines", "exec")
    assert str(run.encoder) in loading_lines(run)


def test_the_line_is_the_live_sample_and_the_diamonds_all_test_texts():
    rows = [
        dict(step=9, texts=9, seconds=9, knn=0.6, full=True, test_texts=100),
        dict(step=0, texts=0, seconds=0, knn=0.2, full=False),
        dict(step=8, texts=8, seconds=8, knn=0.3, full=False),
    ]
    line, diamonds = overlaid_curves([dict(name="run", rows=rows)]).data
    assert list(line.y) == [0.2, 0.3] and list(diamonds.y) == [0.6]


def test_a_row_tells_from_which_run_it_started_and_that_labels_were_trained_on(made_run):
    first = made_run("scratch:bert-tiny", name="adapted", recipe="mlm")
    second = made_run(f"run:{first.id}", recipe="crops")
    third = made_run(f"run:{second.id}", recipe="supervised")
    write_json(third.result, read_json(third.result) | {"supervised": True})
    assert run_row(first, "a", "toy")["started from"] is None
    assert run_row(second, "b", "toy")["started from"] == "'adapted' (mlm)"
    row = run_row(third, "c", "toy")
    assert row["started from"] == f"{second.id} (crops), which started from 'adapted' (mlm)"
    assert row["trained on"] == "labels (supervised)" != run_row(second, "b", "toy")["trained on"]
