"""Lists name what cannot be read, with its file and what to do, beside everything else."""

from embedlab.cli import main
from embedlab.report.run_rows import outcome
from embedlab.runs.list_rows import summary
from embedlab.runs.selections import keep
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, list_runs


def test_a_finished_run_whose_result_is_damaged_is_listed_with_the_reason(store, call, capfd):
    runs = [create_run("train", {"corpus": "docs", "encoder": "token", "recipe": "crops"}) for _ in range(2)]
    for run in runs:
        write_state(run, State.FINISHED)
    runs[0].result.write_text("garbage", encoding="utf-8")
    code, printed = call("runs", "list")
    errors = {each["run"]: each["error"] for each in printed["runs"]}
    assert code == 0 and errors[runs[1].id] is None and errors[runs[0].id]["code"] == "E-DAMAGED-FILE"
    about = next(summary(run) for run in list_runs() if run.id == runs[0].id)
    assert "result.json cannot be read: it is not JSON." in outcome(about)
    main(["runs", "list"])
    assert "result.json cannot be read: it is not JSON." in capfd.readouterr().out


def test_a_damaged_selection_is_listed_with_its_sentence(toy_corpus, call, capfd):
    whole, damaged = keep(toy_corpus, "whole", [1, 2]), keep(toy_corpus, "damaged", [3])
    (file,) = (each for each in toy_corpus.folder.parents[1].rglob(f"{damaged.id}.json"))
    file.write_text("[]", encoding="utf-8")
    code, printed = call("selections", "list")
    assert code == 0 and [each["selection"] for each in printed["selections"]] == [whole.id]
    assert list(printed["damaged"]) == [damaged.id] and file.name in printed["damaged"][damaged.id]
    main(["selections", "list"])
    assert file.name in capfd.readouterr().out
