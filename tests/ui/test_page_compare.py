"""Compare: every state in the table, up to six runs in the address, what differs, what must not be compared."""

import json

import pytest
from seen import drawn, words

from embedlab.corpora.base import Draft, store_corpus
from embedlab.figures.compare import overlaid_curves
from embedlab.runs.state import State, write_state
from embedlab.runs.store import list_runs, read_settings
from embedlab.store_root import read_json, write_json
from embedlab.ui.compare_view import KEY
from embedlab.ui.comparison import curves_of, differences, distinct_names, flat, run_row, runs_table
from embedlab.ui.export import csv_bytes
from embedlab.ui.pickers import run_title
from embedlab.ui.taking_away import loading_lines

FORMULA = '=HYPERLINK("http://x") :red[x]'


def names_of(runs) -> dict[str, str]:
    """As the page names them."""
    return distinct_names({run.id: run_title(run) for run in runs})


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
    write_json(runs[1].evaluations, {"linear": {"before": {"value": 0.5}, "after": {"value": 0.625}}})
    stopped, finished = runs_table(runs, names_of(runs)).to_pylist()
    assert (finished["kNN before (%)"], finished["kNN after (%)"], finished["± (points)"]) == (40.0, 60.0, 10.0)
    assert (finished["outcome"], finished["linear after (%)"], finished["corpus"]) == ("Helped", 62.5, "toy")
    assert stopped["kNN after (%)"] == 55.0 and stopped["linear after (%)"] is None


def test_the_choice_stands_in_the_address_and_is_at_most_six(open_page, made_run):
    runs = [made_run(name=f"run {number}") for number in range(8)]
    asked = ",".join(run.id for run in runs)
    at = open_page("compare", runs=f"{asked},nonsense")
    assert not at.exception
    assert at.session_state[KEY] == [run.id for run in runs[:6]]
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


def test_runs_of_the_same_name_are_told_apart():
    assert distinct_names({"aaaa0001": "demo", "aaaa0002": "demo", "b": "x"}) == {
        "aaaa0001": "demo · 0001",
        "aaaa0002": "demo · 0002",
        "b": "x",
    }


def test_runs_trained_without_the_test_texts_are_marked_among_others(open_page, made_run):
    everything, split = made_run(name="a"), made_run(name="b", train_on="train_split")
    assert [run["name"] for run in curves_of([everything, split], names_of([everything, split]))] == ["a", "† b"]
    assert [run["name"] for run in curves_of([split], names_of([split]))] == ["b"]
    assert "† trained on the train split only" in words(open_page("compare"))


def test_different_corpora_are_said_not_to_be_comparable(open_page, made_run, toy_corpus):
    first, second = made_run(name="a"), made_run(name="b")
    other = store_corpus(
        Draft(name="other", source="toy", texts=toy_corpus.texts[:40], labels=list(toy_corpus.labels[:40]))
    )
    facts = json.loads(second.state.read_text(encoding="utf-8"))
    write_json(second.state, {**facts, "fingerprint": other.fingerprint})
    result = json.loads(second.result.read_text(encoding="utf-8"))
    write_json(second.result, {**result, "corpus": {**result["corpus"], "name": "other"}})
    at = open_page("compare", runs=f"{first.id},{second.id}")
    assert "different corpora (toy, other): their accuracies cannot be compared" in words(at)
    assert "different corpora" not in words(open_page("compare", run=first.id))  # by default only the same corpus


def test_the_linear_probe_is_measured_once_for_each_run_that_lacks_it(open_page, made_run, monkeypatch):
    monkeypatch.setattr("embedlab.runs.runner.start", lambda folder: folder)
    first, second = made_run(name="a"), made_run(name="b")
    write_json(second.evaluations, {"linear": {"before": {"value": 0.5}, "after": {"value": 0.6}}})
    at = open_page("compare", runs=f"{first.id},{second.id}")
    at.button("compare.linear").click().run()
    (job,) = list_runs("jobs")
    assert read_settings(job)["settings"] == {"run": first.id, "metrics": ["linear"]}
    assert "Linear probe of a" in words(at) and "Measure the linear probe" not in words(at)


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
