"""Summaries from the Corpus page: by an endpoint that is cut off and gone on with, by a model here, by the stand-in."""

import csv
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from looking import idle, no_failure, until

sys.path.append(str(Path(__file__).resolve().parents[1] / "summaries"))
from fake_endpoint import MODEL, FakeEndpoint
from tiny_language_models import saved_model

from embedlab.corpora.base import open_corpus
from embedlab.corpora.stored.shelf import list_corpora
from embedlab.summaries.base import PROMPTS, joined
from embedlab.summaries.endpoint import Endpoint, EndpointConfig
from embedlab.tasks.summarising import chosen_texts

pytestmark = pytest.mark.slow

TOPICS = ["crops", "maps", "encoders", "labels", "neighbors", "summaries", "words", "vectors", "pairs", "classes"]


@pytest.fixture
def store(home, monkeypatch):
    """The browser tests' store, for what a test reads itself."""
    monkeypatch.setenv("EMBEDLAB_HOME", str(home))
    monkeypatch.delenv("EMBEDLAB_ENDPOINT_KEY", raising=False)
    return home


@pytest.fixture
def endpoint():
    """A server on this computer."""
    fake = FakeEndpoint().start()
    yield fake
    fake.stop()


def read_texts(page, app, folder: Path, name: str):
    """Upload twelve texts with titles and read them; the stored corpus."""
    file = folder / f"{name}.csv"
    with open(file, "w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(["title", "text"])
        for number in range(12):
            topic, other = TOPICS[number % 10], TOPICS[(3 * number + 1) % 10]
            text = (
                f"We study how {topic} and {other} depend on each other in the {name} of {number + 2} fields. "
                f"A small model of {topic} is fitted to a thousand documents, and tested on {number + 10} others. "
                f"The results show that {other} matter more than was believed. We discuss what follows for {topic}."
            )
            writer.writerow([f"On {topic} and {other} in {name}", text])
    page.goto(f"{app.url}/corpus")
    idle(page)
    page.get_by_role("radio", name="Your file").click()
    page.locator('input[type="file"]:not([accept*=".npy"])').set_input_files(file)
    page.get_by_role("button", name="Read these texts").click()
    page.get_by_role("button", name="Start fine-tuning").wait_for()
    page.get_by_role("heading", name="Summaries", exact=True).wait_for()
    idle(page)
    return open_corpus(next(info.fingerprint for info in list_corpora() if info.name == name))


def open_form(page, by: str) -> None:
    """The folded form, with who is to write chosen."""
    page.get_by_text("Make summaries", exact=True).click()
    page.get_by_role("radio", name=by, exact=True).click()
    idle(page)


def fill(page, label: str, value: str) -> None:
    """Type into a field and leave it."""
    field = page.get_by_label(label, exact=True).locator("visible=true")
    field.fill(value)
    field.press("Tab")
    idle(page)


def open_advanced(page, label: str) -> None:
    """The folded settings, of which ``label`` is one; once more where the click fell into a page being drawn anew."""
    from playwright.sync_api import TimeoutError as Late

    field = page.get_by_label(label, exact=True).locator("visible=true")
    page.get_by_role("button", name="Advanced").click()
    try:
        field.wait_for(timeout=20_000)
    except Late:
        page.get_by_role("button", name="Advanced").click()
        field.wait_for()


def press(page, name: str) -> None:
    """A button, once it can be pressed."""
    button = page.get_by_role("button", name=name, exact=True)
    until(page, button.is_enabled)
    button.click()


def test_an_endpoint_is_cut_off_and_the_work_goes_on_from_the_page(page, app, store, endpoint, tmp_path):
    corpus = read_texts(page, app, tmp_path, "journals")
    open_form(page, "Endpoint")
    assert page.get_by_role("button", name="Make the summaries").is_disabled()  # nobody to ask is named yet
    fill(page, "Address", endpoint.url)
    fill(page, "Model", MODEL)
    said = page.get_by_text("with their titles, are sent to")
    until(page, lambda: endpoint.url in said.inner_text().replace("\u2060", ""))
    open_advanced(page, "Retries")
    fill(page, "Retries", "0")
    fill(page, "Requests at once", "1")
    page.keyboard.press("Escape")

    press(page, "Estimate")
    page.get_by_text("8 texts are left: about").wait_for()
    page.get_by_text("40 requests").wait_for()
    assert len(endpoint.requests) == 20 and open_corpus(corpus.fingerprint).summaries is None

    endpoint.behaviours = ["well"] * 17 + ["cut"]  # the eighth text's third prompt
    press(page, "Make the summaries")
    page.get_by_text("the connection was closed").wait_for()
    page.get_by_text("7 of 12 texts are done").wait_for()
    no_failure(page)

    endpoint.stop()
    press(page, "Continue")
    page.get_by_text("no server answers there").wait_for()
    page.get_by_text("7 of 12 texts are done").wait_for()
    endpoint.start()
    press(page, "Continue")
    page.get_by_text("180 summaries of 12 texts (15.0 each)").wait_for()
    page.get_by_text("Five of its texts with their summaries").click()
    made = open_corpus(corpus.fingerprint)
    first = made.summaries[0][0]
    page.get_by_text(first[:60]).locator("visible=true").wait_for()
    assert page.get_by_text("texts are done").count() == 0
    no_failure(page)

    asked = endpoint.asked_texts()
    whole = [f"{joined(source.text, source.title)} {prompt}" for source in chosen_texts(made) for prompt in PROMPTS]
    assert sorted(set(asked)) == sorted(whole)
    assert sum(asked.count(text) - 1 for text in whole) == 3  # of the one text that was not finished
    with ThreadPoolExecutor(1) as beside:  # Playwright has this thread's event loop
        assert made.summaries == beside.submit(by_itself, endpoint, chosen_texts(made)).result()


def by_itself(endpoint, texts) -> list[list[str]]:
    """What the server's summaries are without anything coming between."""
    alone = Endpoint(EndpointConfig(url=endpoint.url, model=MODEL))
    alone.prepare()
    found = {each.row: each.summaries for each in alone.summarise(texts)}
    return [found[row] for row in sorted(found)]


def test_a_language_model_here_writes_them(page, app, store, tmp_path):
    folder = saved_model(tmp_path / "tiny-writer")
    corpus = read_texts(page, app, tmp_path, "archives")
    open_form(page, "Language model")
    fill(page, "Model", str(folder))
    fill(page, "Texts at most", "9")
    open_advanced(page, "Max new tokens")
    fill(page, "Max new tokens", "16")
    page.keyboard.press("Escape")
    press(page, "Make the summaries")
    page.get_by_text(re.compile(r"summaries of 9 of 12 texts .* written by the language model tiny-writer")).wait_for()
    made = open_corpus(corpus.fingerprint)
    facts = made.made_summaries
    assert facts.model == "tiny-writer" and facts.settings["max_new_tokens"] == 16 and not facts.extractive
    assert sum(len(lines) > 9 for lines in made.summaries) == 9
    page.get_by_text("Five of its texts with their summaries").click()
    page.get_by_text("On crops and maps in archives").locator("visible=true").first.wait_for()
    no_failure(page)


def test_a_model_that_is_not_there_is_one_sentence(page, app, store, tmp_path):
    read_texts(page, app, tmp_path, "letters")
    open_form(page, "Language model")
    fill(page, "Model", "gpt2")
    press(page, "Make the summaries")
    page.get_by_text("is not a folder").wait_for()
    no_failure(page)


def test_the_stand_in_is_called_one(page, app, store, tmp_path):
    corpus = read_texts(page, app, tmp_path, "notebooks")
    open_form(page, "Extractive stand-in")
    page.get_by_text("not the paper's method").first.wait_for()
    press(page, "Make the summaries")
    page.get_by_text("written by the extractive stand-in, not the paper's method").wait_for()
    assert open_corpus(corpus.fingerprint).made_summaries.extractive
    no_failure(page)
