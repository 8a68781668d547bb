"""Corpus: what is stored, and the four ways to get more; a wrong entry is one sentence."""

from pathlib import Path

import pytest
from builders import leave_state
from doing import queued

from embedlab.augmentations.fit import proposed_recipe
from embedlab.corpora.base import Draft, store_corpus
from embedlab.errors import CorpusError
from embedlab.jobs.requests.corpora import AddedCorpus, ReadCorpus
from embedlab.runs.state import State, write_state
from embedlab.runs.store import list_runs, stored_request
from embedlab.store_root import read_json, write_json
from embedlab.tasks import TASKS
from embedlab.training.settings import RunSettings


@pytest.fixture
def corpus_page(open_page, monkeypatch):
    """The page; starting a job creates its folder and no process."""

    def opened(**address):
        monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
        return open_page("corpus", **address)

    return opened


def from_source(at, source):
    """The page with another source chosen."""
    at.session_state["corpus.source"] = source
    return at.run()


def only_job():
    """What the one job was asked."""
    (job,) = list_runs("jobs")
    return stored_request(job)


def test_an_empty_store_begins_with_the_built_in_texts(corpus_page):
    at = corpus_page()
    assert not at.exception
    at.button(key="corpus.docs").click().run()
    assert not at.exception
    assert only_job().settings == ReadCorpus(reference="docs").stored


def test_a_stored_corpus_is_checked_up(corpus_page, toy_corpus):
    at = corpus_page()
    assert not at.exception
    shown = {metric.label: metric.value for metric in at.metric}
    assert shown == {
        "Texts": "120",
        "Classes": "4",
        "Two crops or more": "120",
        "Copies": "0",
        "Empty rows": "0",
        "Truncated": "0.0 %",
    }
    assert at.query_params["corpus"] == toy_corpus.fingerprint


def test_a_corpus_without_labels_says_so(corpus_page, store):
    from embedlab.corpora.base import Draft, store_corpus

    store_corpus(Draft(name="plain", source="x", texts=[f"A text, number {number}." for number in range(60)]))
    at = corpus_page()
    assert not at.exception
    assert any("no labels" in warning.value for warning in at.warning)


@pytest.mark.parametrize("source", ["Stored", "Built in", "Your file", "Hugging Face", "Catalog"])
@pytest.mark.parametrize("filled", [False, True])
def test_every_source_opens(corpus_page, request, source, filled):
    if filled:
        request.getfixturevalue("toy_corpus")
    assert not from_source(corpus_page(), source).exception


def test_a_path_that_is_not_there_is_one_sentence(corpus_page):
    at = from_source(corpus_page(), "Your file")
    at.text_input(key="corpus.path").set_value("/nowhere/texts.csv").run()
    assert not at.exception
    assert "Check the path" in at.error[0].value


def test_a_file_is_proposed_confirmed_and_read(corpus_page, tmp_path):
    file = tmp_path / "posts.csv"
    rows = "".join(f'"The body of post {n}, of some words.",{"ab"[n % 2]},{2000 + n}\n' for n in range(40))
    file.write_text("body,kind,year\n" + rows, encoding="utf-8")
    at = from_source(corpus_page(), "Your file")
    at.text_input(key="corpus.path").set_value(str(file)).run()
    assert not at.exception
    assert at.selectbox(key="corpus.posts.csv.text").value == "body"
    assert [text.value for text in at.text if text.value.startswith("The body of post")]
    at.button(key="corpus.read").click().run()
    asked = only_job()
    assert asked.task == "ingest"
    assert asked.settings["reference"] == str(file)
    assert asked.settings["reading"]["text"] == "body"
    assert asked.settings["reading"]["name"] == "posts"


def test_a_file_that_is_no_table_is_one_sentence(corpus_page, tmp_path):
    file = tmp_path / "picture.csv"
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    at = from_source(corpus_page(), "Your file")
    at.text_input(key="corpus.path").set_value(str(file)).run()
    assert not at.exception
    assert len(at.error) == 1


NO_TABLES = [(b"\x89PNG\r\n" + bytes(100), "is not a table but a picture"), (b"PAR1" * 40, "cannot be read")]


@pytest.mark.parametrize(("content", "what"), NO_TABLES)
def test_an_upload_is_named_as_its_owner_names_it(corpus_page, content, what):
    at = from_source(corpus_page(), "Your file")
    at.file_uploader(key="corpus.upload").set_value(("My texts.csv", content, "text/csv")).run()
    assert not at.exception
    said = at.error[0].value.replace("\\", "")
    assert said.startswith(f"'My texts.csv' {what}")


def test_a_job_that_reads_an_upload_names_it_too(corpus_page):
    at = from_source(corpus_page(), "Your file")
    content = b"text,label\n" + b"One text of some words,a\nAnother text,b\n" * 30
    at.file_uploader(key="corpus.upload").set_value(("My texts.csv", content, "text/csv")).run()
    at.button(key="corpus.read").click().run()
    asked = only_job().settings
    (job,) = list_runs("jobs")
    TASKS["ingest"].run(job, TASKS["ingest"].read(asked), lambda *said: None)
    assert read_json(job.result)["corpus"]["source"] == "My texts.csv"
    Path(asked["reference"]).write_bytes(b"\x89PNG\r\n" + bytes(100))
    with pytest.raises(CorpusError, match="'My texts.csv' is not a table but a picture"):
        TASKS["ingest"].run(job, TASKS["ingest"].read(asked), lambda *said: None)


def test_a_data_set_needs_owner_and_name(corpus_page):
    at = from_source(corpus_page(), "Hugging Face")
    at.text_input(key="corpus.hub").set_value("only-a-name").run()
    assert "owner/name" in at.error[0].value.replace("\\", "")
    assert at.button(key="corpus.fetch").disabled
    at.text_input(key="corpus.hub").set_value("https://huggingface.co/datasets/a/b/viewer/fr/test").run()
    at.button(key="corpus.fetch").click().run()
    assert not at.exception
    assert only_job().settings["corpus"] == "hf:a/b:fr:test"


def test_a_finished_job_opens_its_corpus(corpus_page, toy_corpus):
    at = from_source(corpus_page(), "Built in")
    at.button(key="corpus.docs").click().run()
    (job,) = list_runs("jobs")
    write_json(
        job.result, AddedCorpus(fingerprint=toy_corpus.fingerprint, corpus=toy_corpus.info).model_dump(mode="json")
    )
    leave_state(job)
    at.run()
    assert not at.exception
    assert at.session_state["corpus.source"] == "Stored"
    assert at.session_state["corpus"] == toy_corpus.fingerprint


def test_a_failed_job_says_its_sentence(corpus_page):
    at = corpus_page()
    at.button(key="corpus.docs").click().run()
    (job,) = list_runs("jobs")
    error = {"code": "E-NO-TEXTS", "message": "A corpus needs texts, but this has none."}
    leave_state(job, "failed", error=error)
    at.run()
    assert not at.exception
    assert "A corpus needs texts" in at.error[0].value.replace("\\", "")


def on_disk(corpus_page, path: Path, content: str):
    """The page with the path of a file of the user's on it."""
    path.write_text(content, encoding="utf-8")
    return from_source(corpus_page(), "Your file").text_input(key="corpus.path").set_value(str(path)).run()


def test_how_a_file_is_read_is_said_and_each_part_of_it_can_be_changed(corpus_page, tmp_path):
    rows = "".join(f"some text of number {number}|{'ab'[number % 2]}\n" for number in range(20))
    at = on_disk(corpus_page, tmp_path / "mine.txt", f"a title\nwords|kind\n{rows}")
    assert not at.exception and any("Read as text, one per line" in caption.value for caption in at.caption)
    at.selectbox(key="corpus.mine.txt.separator").set_value("bar").run()
    at.number_input(key="corpus.mine.txt.header_row").set_value(2).run()
    assert not at.exception
    lines = [caption.value.replace("\\", "") for caption in at.caption]
    assert any("bar-separated" in line and "header in row 2" in line for line in lines)
    at.button(key="corpus.read").click().run()
    reading = only_job().settings["reading"]
    assert (reading["separator"], reading["header_row"], reading["text"], reading["label"]) == (
        "bar",
        2,
        "words",
        "kind",
    )


def test_a_reading_that_something_speaks_against_is_asked_about(corpus_page, tmp_path):
    lines = [f'{{"text": "some text of number {number}", "label": {number % 2}}}' for number in range(20)]
    at = on_disk(corpus_page, tmp_path / "mine.jsonl", "\n".join([*lines, "{broken"]))
    assert not at.exception and at.button(key="corpus.read").disabled
    assert any("1 of 21 rows" in warning.value and "--" not in warning.value for warning in at.warning)
    at.checkbox(key="corpus.mine.jsonl.accept").check().run()
    assert not at.button(key="corpus.read").disabled
    at.button(key="corpus.read").click().run()
    assert only_job().settings["reading"]["accept_reading"] is True


@pytest.mark.parametrize(("source", "opens"), [("Your file", False), ("Stored", False), ("Built in", True)])
def test_texts_that_home_gathers_open_only_where_they_are_asked_for(corpus_page, toy_corpus, source, opens):
    """The example on Home has them gathered while a reader reads a file of their own."""
    other = store_corpus(Draft(name="docs", source="docs", texts=["one text", "another"]))
    job = queued(ReadCorpus(reference="docs"))
    at = from_source(corpus_page(corpus=toy_corpus.fingerprint), source)
    write_json(job.result, AddedCorpus(fingerprint=other.fingerprint, corpus=other.info).model_dump(mode="json"))
    write_state(job, State.FINISHED)
    at.run()
    assert not at.exception
    assert at.session_state["corpus"] == (other if opens else toy_corpus).fingerprint
    assert at.session_state["corpus.source"] == ("Stored" if opens else source)


def test_one_click_starts_the_proposed_run(corpus_page, toy_corpus):
    at = corpus_page()
    at.button(key="train.quick").click().run()
    assert not at.exception
    (run,) = list_runs()
    untouched_form = RunSettings(
        corpus=toy_corpus.fingerprint, encoder="words", recipe=proposed_recipe(toy_corpus.info.two_views).recipe
    )
    assert stored_request(run).settings == untouched_form.stored
    assert at.query_params["run"] in (run.id, [run.id])


@pytest.mark.parametrize("texts", [["One sentence here. Another one there."] * 2, ["words without an end"] * 40])
def test_it_opens_the_form_where_there_is_little_to_train_on(corpus_page, store, texts):
    store_corpus(Draft(name="few", source="x", texts=[f"{text} {n}" for n, text in enumerate(texts)]))
    at = corpus_page()
    at.button(key="train.quick").click().run()
    assert not at.exception and not list_runs() and at.title[0].value == "Train"
