"""Data: every kind that is stored can be looked at, renamed, exported and deleted; what is at work on it keeps it."""

import pytest
from seen import words

from embedlab.corpora.base import CORPORA, open_corpus
from embedlab.corpora.sets.pairs import read_pairs
from embedlab.corpora.sets.reading import read_set
from embedlab.corpora.sets.stored import PAIRS, SETS, list_pairs, list_sets
from embedlab.corpora.stored.shelf import list_corpora
from embedlab.errors import CorpusError
from embedlab.jobs.in_use import works_on
from embedlab.runs.selections import keep
from embedlab.runs.store import create_run
from embedlab.studies.request import asked_study
from embedlab.studies.store import Study
from embedlab.ui.frame.state import opened

ROWS = "sentence1,sentence2,score\n" + "".join(f"a{row} b,c{row} d,{row % 5}\n" for row in range(12))


@pytest.fixture
def stored(store, toy_corpus, tmp_path):
    """One of each kind: shelf and fingerprint by the view of Data."""
    file = tmp_path / "pairs.csv"
    file.write_text(ROWS, encoding="utf-8")
    pairs, scored = read_pairs(str(file)), read_set(str(file))
    return {
        "Corpora": (CORPORA, toy_corpus.fingerprint),
        "Training pairs": (PAIRS, pairs.fingerprint),
        "Evaluation sets": (SETS, scored.fingerprint),
    }


@pytest.mark.parametrize("view", ["Corpora", "Training pairs", "Evaluation sets"])
def test_it_is_renamed_offered_and_deleted(open_page, stored, view):
    shelf, fingerprint = stored[view]
    key = f"{shelf.folder}-{fingerprint}"
    at = open_page("data", data=view)
    assert not at.exception, [each.stack_trace for each in at.exception]
    assert any("as Parquet" in button.label for button in at.get("download_button"))
    at.text_input(key=f"data.name-{key}").set_value("  my\tnew name ")
    next(button for button in at.button if button.label == "Rename").click().run()
    assert not at.exception and shelf.infos()[0].name == "my new name" and "my new name" in str(at.selectbox)
    at.button(key=f"data.delete-{key}").click().run()
    assert not at.exception and not shelf.infos()


def test_what_is_at_work_on_it_keeps_it(open_page, stored):
    at = open_page("data", data="Corpora")
    fingerprint = stored["Corpora"][1]
    create_run("train", {"corpus": fingerprint, "encoder": "token", "recipe": "crops"})  # in another tab
    at.button(key=f"data.delete-corpora-{fingerprint}").click().run()
    assert [info.fingerprint for info in list_corpora()] == [fingerprint]
    assert "A training" in at.error[0].value
    assert at.button(key=f"data.delete-corpora-{fingerprint}").disabled


def test_it_is_known_through_what_a_job_works_on_and_a_timing_is_no_work(stored, made_run, toy_corpus):
    assert not works_on(toy_corpus.fingerprint)
    create_run("estimate", {"corpus": toy_corpus.fingerprint, "encoder": "token", "recipe": "crops"})
    assert not works_on(toy_corpus.fingerprint)
    drawing = create_run("map", {"run": made_run().id})
    study = Study.create(asked_study("temperature", toy_corpus.info, values=(0.05,), seeds=(0,), layers=0))
    sweeping = create_run("study", {"study": study.id})
    taking = create_run("subset", {"selection": keep(toy_corpus, "some", [1, 2]).id})
    create_run("map", {"run": "0nothere00000"})
    assert {work.id for work in works_on(toy_corpus.fingerprint)} == {drawing.id, sweeping.id, taking.id}
    assert not works_on(stored["Evaluation sets"][1])


def test_a_renamed_corpus_is_opened_under_its_name_and_keeps_its_content(toy_corpus):
    assert opened(toy_corpus.fingerprint).name == "toy"
    CORPORA.rename(toy_corpus.fingerprint, "other")
    again = opened(toy_corpus.fingerprint)
    assert again.name == "other" and list(again.texts) == list(open_corpus(toy_corpus.fingerprint).texts)
    with pytest.raises(CorpusError, match="A name is needed"):
        CORPORA.rename(toy_corpus.fingerprint, " \n ")
    with pytest.raises(CorpusError, match="No stored corpus has"):
        CORPORA.delete("0" * 16)


@pytest.mark.parametrize("view", ["Corpora", "Training pairs", "Evaluation sets", "Embeddings", "Selections"])
def test_an_empty_store_says_what_to_do(open_page, view):
    at = open_page("data", data=view)
    assert not at.exception and len(words(at)) > 60
    assert not list_sets() and not list_pairs()
