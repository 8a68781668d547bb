"""Summaries on the Corpus page: whose there are, what is asked of a worker, where its work stands."""

import pytest
from builders import leave_state
from doing import asked_of, queued
from seen import words

from embedlab.corpora.base import Draft, store_corpus
from embedlab.corpora.made_summaries import MadeSummaries, begin, publish, rows_file
from embedlab.jobs.requests.corpora import Summarise
from embedlab.runs.store import StoredRequest, append_row, create_run, list_runs, stored_request
from embedlab.store_root import write_json

FACTS = {
    **{"key": "k", "summariser": "local", "title": "Language model", "model": "writer", "extractive": False},
    **{"settings": {}, "asked": {}, "prompts": (), "continuations": 3, "made": "2026-01-01", "versions": {}},
}


@pytest.fixture
def corpus_page(open_page, monkeypatch, toy_corpus):
    """The page; starting a job creates its folder and no process."""
    monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
    return lambda: open_page("corpus")


def asked() -> StoredRequest:
    """What the newest job was asked."""
    return stored_request(list_runs("jobs")[0])


def end(state: str, **facts) -> None:
    """The newest job is over."""
    leave_state(list_runs("jobs")[0], state, **facts)


def test_without_summaries_the_page_says_what_they_are_for_and_needs_a_model(corpus_page):
    at = corpus_page()
    assert not at.exception and "SemCSE trains on several summaries" in words(at)
    assert at.button(key="summaries.make").disabled and at.button(key="summaries.estimate").disabled
    at.text_input(key="summaries.local.model").set_value("hf:owner/name").run()
    assert not at.button(key="summaries.make").disabled
    at.number_input(key="summaries.limit").set_value(30).run()
    assert "30 texts, 15 summaries each" in words(at)


def test_what_is_asked_is_what_the_fields_hold_when_the_button_is_pressed(corpus_page, toy_corpus):
    at = corpus_page()
    at.text_input(key="summaries.local.model").set_value("hf:owner/name").run()
    at.number_input(key="summaries.continuations").set_value(2)  # typed, and the button pressed at once
    at.button(key="summaries.make").click().run()
    assert not at.exception
    expected = {"summariser": "local", "settings": {"model": "hf:owner/name"}, "continuations": 2, "limit": None}
    assert asked_of(list_runs("jobs")[0]) == Summarise(corpus=toy_corpus.fingerprint, **expected)
    assert not [button for button in at.button if button.key == "summaries.make"]  # its progress stands there now
    at.run()
    end("finished")
    at.run()
    at.run()
    assert not at.exception and len(list_runs("jobs")) == 1  # pressed once, started once


def test_an_endpoint_is_named_before_texts_are_sent_and_its_estimate_is_shown(corpus_page):
    at = corpus_page()
    at.segmented_control(key="summaries.by").set_value("endpoint").run()
    assert "are sent to http://127.0.0.1:8000/v1" in words(at).replace("\u2060", "")
    assert "EMBEDLAB_ENDPOINT_KEY" in words(at)
    at.text_input(key="summaries.endpoint.url").set_value("http://10.0.0.7:9/v1").run()
    at.text_input(key="summaries.endpoint.model").set_value("writer").run()
    at.text_input(key="summaries.endpoint.temperature").set_value("0.5").run()
    at.button(key="summaries.estimate").click().run()
    settings = {"url": "http://10.0.0.7:9/v1", "model": "writer", "api": "completions", "temperature": 0.5}
    assert asked().settings["settings"] == settings and asked().settings["estimate"] is True
    found = {"texts": 116, "requests": 580, "tokens_read": 70_000, "tokens_written": 20_000, "seconds": 300.0}
    found |= {"corpus": "0" * 16, "asked_texts": 120, "done": 4, "probe_texts": 4}
    write_json(list_runs("jobs")[0].result, {**found, "basis": "Measured on 4 texts of 500 characters on average."})
    end("finished")
    at.run()
    assert not at.exception
    assert "116 texts are left: about 5 min, 580 requests, 70,000 tokens read and 20,000 written." in words(at)
    assert "Measured on 4 texts" in words(at)


def test_work_that_ended_early_is_taken_up_again(corpus_page, toy_corpus):
    what = {"corpus": toy_corpus.fingerprint, "summariser": "endpoint", "settings": {"model": "<b>w</b>"}}
    begin(toy_corpus.folder, "abc", request=what, texts=120)
    for row in range(31):
        append_row(rows_file(toy_corpus.folder, "abc"), {"row": row, "summaries": ["A summary."]})
    create_run("summarise", what)
    end(
        "failed",
        error={
            "code": "E-ENDPOINT",
            "message": "10.0.0.7 gave no usable answer after 6 tries: no server answers there.",
        },
    )
    at = corpus_page()
    assert not at.exception and "no server answers there" in at.error[0].value.replace("\\", "")
    assert "31 of 120 texts are done, written by the endpoint's model <b>w</b>." in words(at)
    at.button(key="summaries.go-on").click().run()
    assert asked_of(list_runs("jobs")[0]) == Summarise(**what) and len(list_runs("jobs")) == 2


def test_work_of_another_version_is_told_and_others_can_be_made(corpus_page, toy_corpus):
    begin(toy_corpus.folder, "abc", request={"corpus": "0" * 16, "summariser": "endpoint", "prophecies": 3}, texts=120)
    at = corpus_page()
    assert not at.exception and "There is no setting called 'summaries.prophecies'." in at.error[0].value.replace(
        "\\", ""
    )
    assert at.button(key="summaries.make")


def test_what_was_made_is_shown_with_five_texts(corpus_page, toy_corpus):
    at = corpus_page()
    made = {row: [f"Summary {row} {place}." for place in range(15)] for row in range(100)}
    counts = {"texts": 100, "asked_texts": 101, "summaries": 1500}
    publish(toy_corpus.folder, made, rows=120, facts=MadeSummaries(**FACTS, **counts))
    at.run()
    assert not at.exception
    assert "1,500 summaries of 100 of 120 texts (15.0 each), written by the language model writer." in words(at)
    assert "1 text has none" in words(at)
    shown = [text.value for text in at.text if text.value.startswith("– Summary")]
    assert len(shown) == 5 and shown[0].splitlines() == [f"– Summary 0 {place}." for place in (0, 3, 6, 9, 12)]
    (toy_corpus.folder / "summaries.parquet").write_bytes(b"broken")
    at.run()
    assert not at.exception and "Make them again" in at.warning[-1].value


def test_a_stand_in_is_called_one_wherever_it_is_named(corpus_page, toy_corpus):
    counts = {"texts": 120, "asked_texts": 120, "summaries": 480}
    stand_in = {"summariser": "extractive", "model": "Extractive stand-in", "extractive": True}
    publish(
        toy_corpus.folder,
        {row: ["A."] for row in range(120)},
        rows=120,
        facts=MadeSummaries(**FACTS | stand_in | counts),
    )
    at = corpus_page()
    assert "written by the extractive stand-in, not the paper's method" in words(at)
    at.segmented_control(key="summaries.by").set_value("extractive").run()
    assert "not the paper's method: the sentences" in words(at) and "up to 15 summaries each" in words(at)


def test_summaries_that_came_with_the_texts_are_not_made(corpus_page, store):
    texts = [f"A text, number {number}." for number in range(60)]
    roles = {"summaries": ("tldr", "conclusion")}
    store_corpus(Draft(name="aaa", source="x", texts=texts, summaries=[["a"]] * 60, roles=roles))
    at = corpus_page()
    at.selectbox(key="corpus.stored").set_value(at.selectbox(key="corpus.stored").options[0]).run()
    assert not at.exception
    assert "They came with the texts (tldr, conclusion)" in words(at)
    assert not [button for button in at.button if button.key.startswith("summaries")]
