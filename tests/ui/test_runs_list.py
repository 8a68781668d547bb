"""The table of all runs: searched, filtered, grouped; ticked runs are compared or deleted, a click opens one."""

import pytest
from seen import words

from embedlab.runs.store import rename_run
from embedlab.ui.compare.runs_list import grouped, is_wanted

ROW = {"run": "first try", "tags": None, "note": "for the Lecture", "corpus": "toy", "encoder": "MiniLM",
       "recipe": "Text crops", "state": "finished"}  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "wanted", "is_left"),
    [
        ("", {}, True),
        ("LECTURE minilm", {}, True),
        ("lecture bert", {}, False),
        ("", {"corpus": ["toy"], "state": []}, True),
        ("", {"corpus": ["other"]}, False),
        ("try", {"corpus": ["toy", "other"], "state": ["failed"]}, False),
    ],
)
def test_every_word_and_every_filter_counts(typed, wanted, is_left):
    assert is_wanted(ROW, typed, wanted) == is_left


def test_groups_keep_every_row_once_in_order():
    rows = [(number, {"corpus": name}) for number, name in enumerate(["b", "a", "b", None])]
    found = grouped(rows, "corpus")
    assert [(name, [run for run, _ in members]) for name, members in found] == [("b", [0, 2]), ("a", [1]), ("", [3])]
    assert [name for name, _ in grouped(rows, "")] == [""]


def names_in(at) -> list[str]:
    return [name for table in at.dataframe for name in table.value["run"]]


def test_the_page_searches_filters_and_groups(open_page, made_run):
    made_run(name="one"), made_run(name="two", state="failed")
    rename_run(made_run(name="three"), "three", "the best so far")
    at = open_page("runs")
    assert not at.exception and names_in(at) == ["three", "two", "one"]
    at.text_input(key="runs.search").set_value("best").run()
    assert names_in(at) == ["three"] and "1 of 3 runs shown." in words(at)
    at.text_input(key="runs.search").set_value("").run()
    at.multiselect(key="runs.only-state").set_value(["failed"]).run()
    assert names_in(at) == ["two"] and "Failed: two" in words(at).replace(":red[Failed:]", "Failed:")
    at.multiselect(key="runs.only-state").set_value([]).run()
    at.selectbox(key="runs.group").set_value("state").run()
    assert [each.value for each in at.subheader] == ["finished · 2 runs", "failed · 1 run"]
    assert names_in(at) == ["three", "one", "two"]
    at.text_input(key="runs.search").set_value("nothing of this").run()
    assert "No run matches" in words(at)


def test_compare_waits_for_two_ticked_runs_and_opens_their_metrics(open_page, made_run):
    runs = [made_run(name=name) for name in ("one", "two", "three")]
    at = open_page("runs")
    assert at.button(key="runs.compare").disabled
    at.session_state["compare.runs"] = [run.id for run in runs[:2]]
    at.session_state["runs.view"] = "metrics"
    at.run()
    assert not at.exception and at.multiselect(key="compare.runs").value == [run.id for run in runs[:2]]
