"""What goes wrong with a Find is said on the command line, and what can go on goes on."""

import contextlib
import errno
import os
from dataclasses import replace

import pytest
from toy_corpora import toy_texts

from embedlab.cli import main
from embedlab.corpora.base import Draft, store_corpus
from embedlab.finds import conclusion
from embedlab.finds import search as searching
from embedlab.finds.store import Find, results_of
from embedlab.finds.store import write_results as really_written
from embedlab.jobs.executors.local import Local
from embedlab.tasks.find.in_process import InProcess
from embedlab.tasks.find.workshop import CorpusWorkshop
from embedlab.worker.work import _work


@pytest.fixture
def find_run(store, monkeypatch, call):
    """``find_run(labels, "--minutes", "10")``: by a worker in this process; on texts of four classes."""

    def worked_here(self, folder, job=None) -> str:
        with open(folder.log, "a", encoding="utf-8") as log:
            with contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
                _work(folder)
        return str(os.getpid())

    monkeypatch.setattr(Local, "submit", worked_here)
    monkeypatch.setattr(
        "embedlab.tasks.fine_tune.train.enqueue_followup", lambda *request, **name: None
    )  # t-SNE of the winner
    monkeypatch.setattr(CorpusWorkshop, "encoders", ["words"])
    texts, labels = toy_texts(per_class=40)

    def run(changed=None, *options: str):
        labelled = labels if changed is None else [changed(row, each) for row, each in enumerate(labels)]
        corpus = store_corpus(Draft(name="toy", source="toy", texts=texts, labels=labelled))
        return call("find", "--corpus", corpus.fingerprint, *(options or ("--minutes", "10")))

    return run


@pytest.fixture
def few(monkeypatch):
    """Three trainings whatever the clock says, and ranked however few the texts are."""
    monkeypatch.setattr(searching, "more_entrants", lambda each, left: 1)
    monkeypatch.setattr(searching, "MOST", 3)
    monkeypatch.setattr(searching, "LENGTHS", (2.0, 0.5, 4.0))
    monkeypatch.setattr(conclusion, "WIDEST", 1.0)


def lines_of(find: str, capfd) -> str:
    capfd.readouterr()
    assert main(["find", "show", find]) == 0
    return capfd.readouterr().out


def test_two_labelled_texts_are_refused_before_anything_is_begun(find_run):
    code, printed = find_run(lambda row, label: label if row < 2 else None)
    message = printed["error"]["message"]
    assert code == 2 and "'toy' has too few labels" in message and "so far it has 0" in message
    assert "--judge FILE" in message and "embedlab find label" in message
    assert not Find.all()


def test_a_judging_file_that_is_too_short_is_said_and_nothing_ranked(find_run, tmp_path, capfd):
    file = tmp_path / "pairs.csv"
    scored = [f"star {row} dust,{'comet' if row % 2 else 'flour'} {row} ice,{row % 2 * 4}" for row in range(12)]
    file.write_text("\n".join(["sentence1,sentence2,score", *scored]), encoding="utf-8")
    code, printed = find_run(None, "--minutes", "10", "--judge", str(file))
    assert code == 0 and "6 rows of the judging file" in printed["too_few"], printed
    assert {each["kind"] for each in printed["candidates"]} == {"reference", "untouched"}
    shown = lines_of(printed["find"], capfd)
    assert "too few to rank candidates" in shown and "Chosen: Words of the corpus, untouched" in shown
    assert "level with the best" not in shown and "taken unranked" in shown


def test_a_budget_too_short_names_who_could_not_begin_and_ends_with_a_verdict(find_run, few, monkeypatch, capfd):
    monkeypatch.setattr(searching, "more_entrants", lambda each, left: 0)
    monkeypatch.setattr(CorpusWorkshop, "preparing", lambda self: 0.0)
    look, one = CorpusWorkshop.look, InProcess.one
    monkeypatch.setattr(CorpusWorkshop, "look", lambda *asked: replace(look(*asked), seconds=0.1))
    monkeypatch.setattr(InProcess, "one", lambda *asked, left: replace(one(*asked), seconds=3.0))
    code, printed = find_run(None, "--minutes", "0.1")
    states = [each["state"] for each in printed["candidates"] if each["kind"] == "trained"]
    assert code == 0 and states.count("finished") >= 1 and states.count("not tried") >= 1
    assert printed["verdict"] is not None
    shown = lines_of(printed["find"], capfd)
    assert (
        "not tried: " in shown
        and "The budget ended before it could begin. The first rung of others took about" in shown
    )


@pytest.mark.slow
def test_a_candidate_that_fails_is_named_and_the_others_go_on(find_run, few, monkeypatch, capfd):
    really = InProcess.one

    def one(self, candidate, rung, **how):
        if candidate.recipe == "crops":
            raise RuntimeError("broken on purpose")
        return really(self, candidate, rung, **how)

    monkeypatch.setattr(InProcess, "one", one)
    code, printed = find_run()
    assert code == 0
    failed = [each for each in printed["candidates"] if each["state"] == "failed"]
    assert [each["title"] for each in failed] == ["Text crops on Words of the corpus"]
    assert any(each["state"] == "finished" and each["kind"] == "trained" for each in printed["candidates"])
    assert "failed: Text crops on Words of the corpus. RuntimeError: broken on purpose" in lines_of(
        printed["find"], capfd
    )


@pytest.mark.slow
def test_a_full_disk_ends_it_with_a_sentence_and_it_goes_on_once_there_is_room(find_run, few, monkeypatch, call):
    def full(find, results):
        if sum(bool(each.points) for each in results.candidates) > 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        really_written(find, results)

    monkeypatch.setattr(searching, "write_results", full)
    code, printed = find_run()
    assert code == 1 and printed["error"]["code"] == "E-DISK" and "is full" in printed["error"]["message"]
    find = Find.open(printed["find"])
    kept = [each.key for each in results_of(find).candidates if each.points]
    assert kept == ["tfidf", "svd"]  # an encoder and its cuts are written together
    monkeypatch.setattr(searching, "write_results", really_written)
    code, printed = call("find", "resume", find.id)
    assert code == 0 and printed["verdict"] is not None
    assert not any(each["state"] == "failed" for each in printed["candidates"])


@pytest.mark.slow
def test_a_budget_that_ends_in_mid_rung_says_who_was_left_behind(find_run, few, monkeypatch, capfd):
    monkeypatch.setattr(searching, "MOST", 6)
    monkeypatch.setattr(searching, "promoted", lambda values: list(values))  # all go on
    really = InProcess.one

    def dear(self, candidate, rung, **how):
        look = really(self, candidate, rung, **how)
        return type(look)(**{**vars(look), "seconds": 1000.0 if rung else look.seconds})

    monkeypatch.setattr(InProcess, "one", dear)
    code, printed = find_run()
    late = [each for each in printed["candidates"] if each["reason"] == "The budget ended before it could continue."]
    assert code == 0 and late and printed["verdict"] is not None
    (chosen,) = [each for each in printed["candidates"] if each["rung"] == 1]
    assert chosen["state"] == "finished"
    shown = lines_of(printed["find"], capfd)
    assert f"stopped after rung 1: {late[0]['reason']}" in shown
    assert "what was in progress could not be interrupted. No training reached the last rung within the budget" in shown
