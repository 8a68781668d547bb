"""A Find in the list of runs: one entry that opens to its candidates, and what the commands of runs do with it."""

import pytest
from made_finds import made_find, over, working
from toy_corpora import toy_texts

from embedlab.cli import main
from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.finds.judging import judged
from embedlab.finds.model import FindSettings
from embedlab.finds.store import Find, write_results
from embedlab.jobs.requests.working import RunFind
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, list_runs


@pytest.fixture
def corpus(store) -> str:
    texts, labels = toy_texts(per_class=5)
    return store_corpus(Draft(name="toy", source="toy", texts=texts, labels=labels)).fingerprint


@pytest.fixture
def winner(corpus) -> str:
    run = create_run("train", {"corpus": corpus, "encoder": "words", "recipe": "crops"}, name="Find: crops")
    write_state(run, State.FINISHED)
    return run.id


def test_a_find_is_one_entry_with_its_candidates_and_its_winner_says_whose_it_is(corpus, winner, call, capfd):
    find = made_find(corpus, "finished", over(winner=winner))
    code, printed = call("runs", "list")
    assert code == 0 and [each["run"] for each in printed["runs"]] == [find.id, winner]
    entry, run = printed["runs"]
    assert entry["task"] == "find" and entry["state"] == "finished" and entry["winner_run"] == winner
    assert run["find"] == find.id
    states = {each["key"]: each["state"] for each in entry["candidates"]}
    assert states["a"] == "finished" and states["c"] == "pruned" and states["h"] == "not tried"
    assert entry["candidates"][4]["value"]["cosine"]["value"] == pytest.approx(0.67)
    assert main(["runs", "list"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0].startswith(f"{find.id}  finished     Find, 5 min on toy, 10 candidates  (open:")
    assert f"winner of {find.id}" in lines[1]


def test_runs_show_opens_a_find_and_methods_stand_below(corpus, winner, capfd):
    find = made_find(corpus, "finished", over(winner=winner))
    assert main(["runs", "show", find.id]) == 0
    shown = capfd.readouterr().out
    assert main(["find", "show", find.id]) == 0
    assert capfd.readouterr().out == shown
    assert f"Find {find.id} is finished." in shown and "stopped after rung" in shown
    methods = shown.split("Methods:\n")[1]
    for part in ("for the corpus toy (20 texts, data fingerprint", "5 minutes with seed 0", "Akiba et al., 2019",
                 "Jamieson and Talwalkar, 2016", "400 development texts", "chosen among 8 candidates", winner,
                 "(paired intervals (Nadeau and Bengio, 2003))"):  # fmt: skip
        assert part in methods, part


def test_methods_tell_labels_that_judged_by_halves_from_a_file(corpus, winner, capfd):
    stored = open_corpus(corpus)
    asked = judged(FindSettings(corpus=corpus), stored)
    find = Find.create(asked)
    write_results(find, over(winner=winner, metric="Reranking MAP", development_texts=10))
    assert main(["find", "show", find.id]) == 0
    methods = capfd.readouterr().out.split("Methods:\n")[1]
    assert "Reranking MAP of 10 labeled texts, each among the others of one half of the labels" in methods
    assert "the other half of the labels, texts that chose nothing" in methods and "file" not in methods


def test_the_export_has_the_methods_beside_the_table(corpus, winner, call, tmp_path):
    find = made_find(corpus, "finished", over(winner=winner))
    code, printed = call("find", "export", find.id, "--out", str(tmp_path / "table.csv"))
    text = (tmp_path / "table.methods.txt").read_text(encoding="utf-8")
    assert code == 0 and printed["methods"] == str(tmp_path / "table.methods.txt")
    assert "An encoder for the corpus toy" in text and "@inproceedings{jamieson2016successive" in text
    early = made_find(corpus, "stopped", working())
    code, printed = call("find", "export", early.id, "--out", str(tmp_path / "early.csv"))
    assert code == 0 and "methods" not in printed and not (tmp_path / "early.methods.txt").exists()


def test_runs_delete_removes_a_find_with_all_that_is_its_own(corpus, winner, call):
    find = made_find(corpus, "finished", over(winner=winner))
    code, printed = call("runs", "delete", find.id)
    assert code == 0 and printed == {"find": find.id, "deleted": True, "runs": [winner]}
    assert Find.all() == [] and list_runs() == []


def test_a_winner_that_a_later_find_took_over_stays_with_it(corpus, winner, call):
    finds = [made_find(corpus, "finished", over(winner=winner)) for _ in range(2)]
    assert call("runs", "delete", finds[0].id)[1]["runs"] == []
    assert [run.id for run in list_runs()] == [winner]
    assert call("find", "delete", finds[1].id)[1]["runs"] == [winner]
    assert list_runs() == []


def test_runs_stop_and_resume_reach_a_find_and_the_others_name_its_command(corpus, winner, call, tmp_path):
    find = made_find(corpus, "finished", over(winner=winner))
    assert call("runs", "stop", find.id)[1]["error"]["code"] == "E-RUN-OVER"
    code, printed = call("runs", "resume", find.id)  # it has its verdict: nothing is left to do
    assert code == 0 and printed["find"] == find.id and printed["chosen"] == "a"
    for command in (["rename", find.id, "mine"], ["export", find.id, "--out", str(tmp_path / "a.zip")],
                    ["replay", find.id, "--out", str(tmp_path / "a.html")]):  # fmt: skip
        code, printed = call("runs", *command)
        assert code == 2 and f"find show {find.id} (its winner is run {winner})" in printed["error"]["message"]
    assert call("runs", "log", find.id)[0] == 0


def test_a_find_that_cannot_be_read_is_listed_with_its_sentence(corpus, call, capfd):
    find = made_find(corpus, "finished", over())
    find.file.write_text("{}")
    assert "cannot be read" in call("runs", "list")[1]["runs"][0]["error"]
    assert main(["runs", "list"]) == 0 and "cannot be read" in capfd.readouterr().out
    assert call("runs", "delete", find.id)[0] == 0 and Find.all() == []


def test_a_find_goes_on_where_it_was_begun_unless_another_executor_is_named(corpus, call, monkeypatch):
    find, begun = Find.create(FindSettings(corpus=corpus)), []
    job = create_run(RunFind.task, RunFind(find=find.id, on="slurm").stored)
    write_state(job, State.STOPPED)
    monkeypatch.setattr("embedlab.jobs.runner.submit", begun.append)
    for on in ((), ("--on", "local")):
        assert call("find", "resume", find.id, "--detach", *on)[0] == 0
    assert [each.on for each in begun] == ["slurm", "local"]
